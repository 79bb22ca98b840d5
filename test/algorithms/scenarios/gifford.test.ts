import { describe, expect, test } from 'vitest';
import { gifford } from '../../../src/algorithms/gifford.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { forGood, subsets, withDead, withFalseSuspicion } from '../../support/detectors.ts';

const world = (nodes: number, topology = 'majority', ...options: string[]) =>
  makeWorld(gifford, { nodes, topology, options });
const script = (...lines: string[]) => ({ workload: 'script', script: lines.join('\n') }) as const;
const faults = (...list: object[]) => JSON.stringify(list);
const alone = (topology: string, request: string) =>
  simulate(gifford, world(5, topology), script(request)).messages;

describe('what an entry costs, of five sites', () => {
  test('with equal votes: 6 to write, and 6 to read, as two of five meet no majority', () => {
    expect(alone('majority', '0 request 1')).toBe(6);
    expect(alone('majority', '0 request 1 shared')).toBe(6);
  });
  test('where one vote is enough to read: 0 to read, one’s own, and 12 to write', () => {
    expect(alone('read-one', '0 request 1 shared')).toBe(0);
    expect(alone('read-one', '0 request 1')).toBe(12);
  });
  test('by weight: a site that has enough votes asks no other, and is the only site that others ask', () => {
    expect(alone('weighted:5,1,1,1,1', '0 request 0')).toBe(0);
    expect(alone('weighted:5,1,1,1,1', '0 request 3')).toBe(3);
  });
  test('a site without a vote asks others, and no site asks it', () => {
    expect(alone('weighted:1,1,1,0,0', '0 request 3')).toBe(6);
    const { byType } = simulate(gifford, world(5, 'weighted:1,1,1,0,0'), script('0 request 2'));
    expect(byType).toEqual({ REQUEST: 1, GRANT: 1, RELEASE: 1 });
  });
  test('all at once, to write: 30', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    expect(simulate(gifford, world(5), settings).messages).toBe(30);
  });
});

describe('readers and writers', () => {
  test('readers are inside together, with or without the same voters', () => {
    const readers = script('0 request 0 shared stay 100', '20 request 1 shared stay 100');
    expect(simulate(gifford, world(3), readers).time).toBeLessThan(150);
  });
  test('a writer is not kept out by readers that come after it', () => {
    const lines = ['0 request 0 shared stay 100', '50 request 4 stay 1'];
    for (let at = 60; at < 1000; at += 10)
      lines.push(`${at} request ${1 + ((at / 10) % 3)} shared`);
    let entered = 0;
    simulate(gifford, world(5), {
      ...script(...lines),
      trace: ({ site, enters, time }) => {
        if (site === 4 && enters) entered = time;
      },
    });
    expect(entered).toBeGreaterThan(100);
    expect(entered).toBeLessThan(150);
  });
  test.each([
    ['majority', [2, 2, 1], 214_504],
    ['read-one', [1, 1, 1], 12_199],
    ['weighted:2,1,1', [2, 2, 1], 68_247],
  ])('three sites, %s, entries %j in every mode: proved', (topology, entries, states) => {
    const report = check(gifford, world(3, topology), { entries, modes: gifford.modes });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', states]);
  });
  test('four and five sites, at random', () => {
    const random = { schedules: 300, seed: 4 };
    expect(check(gifford, world(4), { random, modes: gifford.modes }).violation).toBeNull();
    expect(
      check(gifford, world(5, 'weighted:3,1,1,1,0'), { random, modes: gifford.modes }).violation,
    ).toBeNull();
  });
});

describe('crashes of sites that do not want in', () => {
  // Seven votes: a writer needs 5, a reader 3.
  const votes = [3, 1, 1, 1, 1];
  const topology = `weighted:${votes.join()}/3/5`;
  test.each([
    ['', 5],
    [' shared', 3],
  ])('all that leave votes enough are survived, and no others%s', (mode, needed) => {
    for (const down of subsets(5).filter((set) => !set.includes(2))) {
      const left = votes.filter((_, j) => !down.includes(j)).reduce((sum, v) => sum + v, 0);
      const { entries, violations } = simulate(gifford, world(5, topology), {
        ...script(`100 request 2${mode}`),
        faults: faults(...down.map((crash) => ({ at: 0, crash }))),
      });
      expect({ down, entries }).toEqual({ down, entries: left >= needed ? 1 : 0 });
      if (entries === 0) expect(violations[0]!.property).toBe('deadlock-freedom');
    }
  });
  test('one of three is dead, the others learn of it at any moment: proved', () => {
    const report = check(withDead(gifford, [0]), world(3), {
      entries: [0, 2, 2],
      modes: gifford.modes,
    });
    expect(report.verdict).toBe('proved');
  });
});

describe('crashes of sites that wait or are inside', () => {
  const whileReading = script('0 request 0 shared stay 100', '20 request 1');
  test('a site that comes back gives back what it had: any crash of one of three, at any moment', () => {
    const report = check(gifford, world(3), {
      entries: [1, 1, 0],
      crashes: 1,
      modes: gifford.modes,
    });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', 352_076]);
  });
  test('a reader that does not come back keeps writers out for ever, but not readers', () => {
    const crash = faults({ at: 50, crash: 0 });
    const { violations } = simulate(gifford, world(3), { ...whileReading, faults: crash });
    expect(violations[0]!.property).toBe('deadlock-freedom');
    const reader = script('0 request 0 shared stay 100', '60 request 1 shared');
    expect(simulate(gifford, world(3), { ...reader, faults: crash }).violations).toEqual([]);
  });
  test('in a run: the writer goes in when the reader that was inside is back', () => {
    const comesBack = faults({ at: 50, crash: 0 }, { at: 500, restart: 0 });
    const result = simulate(gifford, world(3), { ...whileReading, faults: comesBack });
    expect([result.entries, result.violations]).toEqual([2, []]);
    expect(result.time).toBeGreaterThan(500);
  });
  test('with fail-stop it loses them, so that the others go on', () => {
    const failStop = world(3, 'majority', 'fail-stop');
    const crash = faults({ at: 50, crash: 0 });
    const result = simulate(gifford, failStop, { ...whileReading, faults: crash });
    expect([result.entries, result.violations]).toEqual([2, []]);
    const report = check(forGood(gifford), failStop, {
      entries: 1,
      crashes: 1,
      modes: gifford.modes,
    });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
});

describe('a failure detector that is wrong', () => {
  test.each([
    [0, ['exclusive'], [1, 1, 1]],
    [1, ['exclusive', 'shared'], [1, 1, 0]],
  ] as const)('is survived: %i is suspected at any moment, and trusted again; %j', (...given) => {
    const [site, modes, entries] = given;
    const report = check(withFalseSuspicion(gifford, [site]), world(3), { entries, modes });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
  test('is not survived with fail-stop, which believes it', () => {
    const suspicious = { ...withFalseSuspicion(gifford, [0]), invariants: {} };
    const report = check(suspicious, world(3, 'majority', 'fail-stop'), {
      entries: 1,
      modes: gifford.modes,
    });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

test('a voter that forgets its vote in a crash lets a reader in with a writer', () => {
  const forgetful: typeof gifford = { ...gifford, invariants: {}, stable: ['highest'] };
  const report = check(forgetful, world(3), {
    entries: [1, 1, 0],
    crashes: 1,
    modes: gifford.modes,
  });
  expect(report.violation?.property).toBe('mutual-exclusion');
});

test('messages may arrive twice', () => {
  expect(
    check(gifford, world(3), { entries: 1, duplications: 1, modes: gifford.modes }).verdict,
  ).toBe('proved');
});

test('a message that is lost is not survived', () => {
  const { violation } = check(gifford, world(3), { entries: 1, losses: 1 });
  expect(violation?.property).toBe('deadlock-freedom');
});
