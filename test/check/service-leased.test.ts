/**
 * The lock service with the engine `leased` under the checker: what is proved of it at small sizes, and mutants of the
 * engine and of the group that the checker finds.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkService, type LeasedFaults } from '../../src/check/service/check-service.ts';
import { LEASE } from '../../src/check/service/leasing.ts';
import { leased } from '../../src/engines/leased.ts';
import { LeasedSnapshot } from '../../src/engines/leased-snapshot.ts';
import { type Change, copiesOfSource } from '../support/mutated-source.ts';

interface Parts {
  readonly checkService: typeof checkService;
  readonly leased: typeof leased;
  readonly LeasedSnapshot: typeof LeasedSnapshot;
}

type Settings = LeasedFaults & {
  readonly requests?: number;
  readonly crashes?: number;
  readonly maxStates?: number;
  readonly random?: { readonly schedules: number; readonly seed: number };
};

const GROUP = 'g';

function explore(parts: Parts, { pauses, stops, expiries, cuts, tick, ...rest }: Settings) {
  const snapshot = new parts.LeasedSnapshot(GROUP);
  return parts.checkService({
    ...rest,
    algorithm: 'directory-token',
    hows: ['exclusive'],
    makeEngine: (id) => parts.leased({ group: GROUP, leaseMs: LEASE, address: id }),
    leased: {
      ...{ snapshot, pauses: pauses ?? 0, stops: stops ?? 0 },
      ...{ expiries: expiries ?? 0, cuts: cuts ?? 0, tick: tick ?? 4 },
    },
  });
}

const ours: Parts = { checkService, leased, LeasedSnapshot };

describe('proved of the service with leases', () => {
  test('two members and a caller each keep all properties while nothing fails', () => {
    const report = explore(ours, { requests: 1 });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
    expect(report.states).toBe(2148);
    expect(report.properties.every(({ verdict }) => verdict === 'proved')).toBe(true);
  });
});

describe('proved of the service with leases, though a member stops for good at any moment:', () => {
  test.each<{ name: string; settings: Settings; states: number }>([
    { name: 'two members', settings: { requests: 0, stops: 1 }, states: 966 },
    {
      name: 'two members whose clocks advance in smaller steps',
      settings: { requests: 0, stops: 1, tick: 3 },
      states: 1342,
    },
    {
      name: 'two members, and a request of each caller',
      settings: { requests: 1, stops: 1 },
      states: 43_557,
    },
  ])('$name', { timeout: 60_000 }, ({ settings, states }) => {
    const report = explore(ours, settings);
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
    expect(report.states).toBe(states);
  });
});

describe('nothing wrong is found in the bounds in which the mutants die:', () => {
  test.each<{ name: string; settings: Settings; depth: number }>([
    { name: 'a pause', settings: { requests: 0, pauses: 1, maxStates: 5000 }, depth: 10 },
    {
      name: 'a pause and a request of each caller',
      settings: { requests: 1, pauses: 1, maxStates: 5000 },
      depth: 7,
    },
  ])('$name', { timeout: 60_000 }, ({ settings, depth }) => {
    const report = explore(ours, settings);
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('bounded');
    expect(report.depth).toBeGreaterThanOrEqual(depth);
  });

  test('random schedules with a pause and calls that go wrong', { timeout: 60_000 }, () => {
    const random = { schedules: 30, seed: 1 };
    const report = explore(ours, { requests: 1, pauses: 1, expiries: 2, random });
    expect(report.violation).toBeNull();
  });

  test('random schedules with faults of all kinds', { timeout: 60_000 }, () => {
    const random = { schedules: 10, seed: 1 };
    const faults = { pauses: 2, expiries: 2, cuts: 1, crashes: 1 };
    const report = explore(ours, { requests: 1, ...faults, random });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('bounded');
  });
});

interface Mutant extends Change {
  readonly name: string;
  readonly violates: string;
  readonly settings: Settings;
}

const mutants: readonly Mutant[] = [
  {
    name: 'no deadline check at entry',
    file: 'group/lease.ts',
    line: 'return monotonic >= this.deadline || now >= this.deadlineClock;',
    becomes: 'return false;',
    violates: 'late-entry',
    settings: { requests: 1, pauses: 1 },
  },
  {
    name: 'the wait after a fence is as long as the right to act, as if all clocks ran alike',
    file: 'engines/leased-plan.ts',
    line: "if (record.state === 'fenced') return fencedUntil(at + leaseMs);",
    becomes: "if (record.state === 'fenced') return fencedUntil(at + RIGHT * leaseMs);",
    violates: 'left-out',
    settings: { requests: 0, pauses: 1 },
  },
  {
    name: 'the view is written without the fencing step',
    file: 'engines/leased-plan.ts',
    line: "return { is: readAt - at >= RIGHT * leaseMs ? 'stale' : 'live' };",
    becomes: "return readAt - at >= RIGHT * leaseMs ? fencedUntil(at + leaseMs) : { is: 'live' };",
    violates: 'left-out',
    settings: { requests: 0, expiries: 1 },
  },
  {
    name: 'an unknown outcome counts as renewed',
    file: 'engines/leased-own.ts',
    line: "if (outcome !== 'done') {",
    becomes: "if (outcome === 'unknown') confirm(us, call.nonce);\n  if (outcome !== 'done') {",
    violates: 'left-out',
    settings: { requests: 0, stops: 1, expiries: 1 },
  },
  {
    name: 'the deadline counts from the answer instead of the request',
    file: 'engines/leased-own.ts',
    line: 'const deadline = attempt.at + RIGHT * settings.leaseMs - slept;',
    becomes: 'const deadline = monotonic + RIGHT * settings.leaseMs - slept;',
    violates: 'left-out',
    settings: { requests: 0, stops: 1, expiries: 1, tick: 3 },
  },
  {
    name: 'a message of an earlier view is taken for one of this view',
    file: 'group/node.ts',
    line: 'return this.viewStart !== null && epoch === this.epoch;',
    becomes: 'return this.viewStart !== null;',
    violates: 'assertion',
    settings: { requests: 1, pauses: 1, expiries: 2, random: { schedules: 30, seed: 1 } },
  },
];

const copyOf = copiesOfSource('service-leased');

/** The checker and the engine of a copy of the source with one change in it. */
async function mutate(mutant: Mutant): Promise<Parts> {
  const copy = copyOf(mutant);
  const [check, engine, snapshot] = await Promise.all([
    import(join(copy, 'check/service/check-service.ts')),
    import(join(copy, 'engines/leased.ts')),
    import(join(copy, 'engines/leased-snapshot.ts')),
  ]);
  return { ...check, ...engine, ...snapshot } as Parts;
}

describe('a mutant dies:', () => {
  test.each(mutants)('$name', { timeout: 60_000 }, async (mutant) => {
    const report = explore(await mutate(mutant), mutant.settings);
    expect(report.violation?.property).toBe(mutant.violates);
    expect(report.trace).toHaveLength(report.depth);
  });
});
