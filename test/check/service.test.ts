/**
 * The lock service under the checker: what is proved of it at small sizes, and mutants of it. Each mutant
 * changes one line of src/group, so that what is broken here is what is deployed.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkService, type ServiceCheckSettings } from '../../src/check/service/check-service.ts';
import { fixed } from '../../src/engines/fixed.ts';
import { type Change, copiesOfSource } from '../support/mutated-source.ts';

type Settings = Omit<ServiceCheckSettings, 'makeEngine'>;
const lock = { algorithm: 'lending-token' } as const;

describe('proved of the service', () => {
  test.each<{ name: string; settings: Settings; states: number }>([
    { name: 'lending-token', settings: { ...lock, crashes: 1 }, states: 19_505 },
    { name: 'congested peers', settings: { ...lock, congestions: 1 }, states: 17_310 },
    {
      name: 'forgotten locks',
      settings: { algorithm: 'directory-token', forgets: true, crashes: 1 },
      states: 85_187,
    },
    { name: 'naimi-trehel', settings: { algorithm: 'naimi-trehel', crashes: 1 }, states: 100 },
    { name: 'carvalho-roucairol', settings: { algorithm: 'carvalho-roucairol' }, states: 100 },
    { name: 'srimani-reddy', settings: { algorithm: 'srimani-reddy', permits: 2 }, states: 100 },
    {
      name: 'permits that are held across views',
      settings: { algorithm: 'lending-coordinator', permits: 2, crashes: 1 },
      states: 100,
    },
    {
      name: 'three members',
      settings: { ...lock, members: 3, hows: ['exclusive'] },
      states: 100,
    },
    {
      name: 'two callers each',
      settings: { ...lock, callers: 2, hows: ['exclusive', 'steal'] },
      states: 100,
    },
  ])('with $name', ({ settings, states }) => {
    const report = checkService({ ...settings, makeEngine: fixed });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
    expect(report.states).toBeGreaterThanOrEqual(states);
    expect(report.properties.every(({ verdict }) => verdict === 'proved')).toBe(true);
  });

  test('a limit is never called proved', () => {
    const report = checkService({ ...lock, maxStates: 100, makeEngine: fixed });
    expect(report.verdict).toBe('bounded');
    expect(report.limit).toBe('more than 100 states');
  });

  test('random schedules find nothing in three members with crashes', () => {
    const random = { schedules: 150, seed: 1 };
    const settings = { ...lock, members: 3, callers: 1, requests: 2, crashes: 2, random };
    const report = checkService({ ...settings, makeEngine: fixed });
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
    name: 'a message of an earlier view is taken for one of this view',
    file: 'node.ts',
    line: 'return this.viewStart !== null && epoch === this.epoch;',
    becomes: 'return this.viewStart !== null;',
    violates: 'assertion',
    settings: { ...lock, requests: 2, crashes: 1, hows: ['exclusive'] },
  },
  {
    name: 'waiting requests are not asked again in the new view',
    file: 'lock.ts',
    line: 'else this.enqueue(request);\n    if (request.loan',
    becomes: 'if (request.loan',
    violates: 'outcome-told',
    settings: { ...lock, crashes: 1, hows: ['exclusive'] },
  },
  {
    name: 'a holder of the last view is forgotten in the new one',
    file: 'view-start.ts',
    line: 'return this.leftovers.size > 0 &&',
    becomes: 'return false &&',
    violates: 'mutual-exclusion',
    settings: { ...lock, crashes: 1, hows: ['exclusive'] },
  },
  {
    name: 'a try asks without having heard from all members',
    file: 'probe.ts',
    line: 'const haveAllAnswered = (this.counts?.size ?? 0) === this.#lock.membership.size - 1;',
    becomes: 'const haveAllAnswered = false;',
    violates: 'try-decided',
    settings: { ...lock, hows: ['exclusive', 'try'] },
  },
  {
    name: 'a try is refused because of an answer to an earlier one',
    file: 'probe.ts',
    line: 'if (probe !== this.number) return false;',
    becomes: '',
    violates: 'try-honest',
    settings: { ...lock, requests: 2, hows: ['exclusive', 'try'] },
  },
  {
    name: 'a lock that was forgotten numbers its probes anew',
    file: 'probe.ts',
    line: 'this.number = ++membership.lastProbe;',
    becomes: 'this.number = 1;',
    violates: 'try-honest',
    settings: {
      algorithm: 'directory-token',
      forgets: true,
      requests: 2,
      hows: ['exclusive', 'try'],
    },
  },
  {
    name: 'a lock is forgotten before its token has returned',
    file: 'lock-table.ts',
    line: 'if (!isKnownElsewhere(lock)) this.forget(lock);',
    becomes: 'if (isKnownElsewhere(lock)) this.forget(lock);',
    violates: 'fences-grow',
    settings: { algorithm: 'directory-token', forgets: true, hows: ['exclusive'] },
  },
  {
    name: 'the site of a lock that is put away does not answer',
    file: 'lock-record.ts',
    line: 'if (site.sends > 0) sendAll(',
    becomes: 'if (site.sends < 0) sendAll(',
    violates: 'deadlock-freedom',
    settings: { algorithm: 'directory-token', forgets: true, hows: ['exclusive'] },
  },
  {
    name: 'a lock is put away while the try of another member watches it',
    file: 'lock.ts',
    line: 'return !this.isWatched && this.yielding.timer === null && this.isIdle;',
    becomes: 'return this.yielding.timer === null && this.isIdle;',
    violates: 'try-decided',
    settings: { algorithm: 'directory-token', forgets: true, hows: ['exclusive', 'try'] },
  },
  {
    name: 'the clock of a fence is not reset in a new view',
    file: 'node.ts',
    line: 'this.clock = 0;\n    this.viewSince',
    becomes: 'this.viewSince',
    violates: 'fence-reset',
    settings: { ...lock, crashes: 1, hows: ['exclusive'] },
  },
  {
    name: 'the clock of a message is not heeded',
    file: 'node.ts',
    line: 'this.clock = clock;\n',
    becomes: '\n',
    violates: 'fences-grow',
    settings: { ...lock, hows: ['exclusive'] },
  },
  {
    name: 'a stolen holder is not told',
    file: 'lock.ts',
    line: "this.effects.outcomes.push({ type: 'lost', request, error: reason });",
    becomes: 'void reason;',
    violates: 'outcome-told',
    settings: { ...lock, hows: ['exclusive', 'steal'] },
  },
  {
    name: 'a steal that is cancelled leaves the others barred',
    file: 'lock.ts',
    line: "if (request.isAnnounced) this.#tellAll('STOLEN');",
    becomes: '',
    violates: 'clean-at-rest',
    settings: { ...lock, hows: ['exclusive', 'steal'] },
  },
  {
    name: 'a deferred lock does not ask before the congestion ends',
    file: 'admission.ts',
    line: 'this.count++;\n    this.#setTimer();',
    becomes: 'this.count++;',
    violates: 'deadlock-freedom',
    settings: { ...lock, congestions: 1, hows: ['exclusive'] },
  },
  {
    name: 'a lock that has been asked for is forgotten when a deferred request is cancelled',
    file: 'admission.ts',
    line: 'if (lock.isUntouched) this.#forget(lock);',
    becomes: 'this.#forget(lock);',
    violates: 'assertion',
    settings: { ...lock, congestions: 1 },
  },
  {
    name: 'a lock that is released from the last view is not opened',
    file: 'node.ts',
    line: 'if (lock !== undefined && this.isOpen(lock)) lock.advance();',
    becomes: 'void lock;',
    violates: 'deadlock-freedom',
    settings: { ...lock, crashes: 1, hows: ['exclusive'] },
  },
];

const copyOf = copiesOfSource('service');

/** The checker of a copy of the source with one change in it. */
async function mutate(mutant: Mutant) {
  const copy = copyOf({ ...mutant, file: join('group', mutant.file) });
  const check: typeof import('../../src/check/service/check-service.ts') = await import(
    join(copy, 'check/service/check-service.ts')
  );
  const engines: typeof import('../../src/engines/fixed.ts') = await import(
    join(copy, 'engines/fixed.ts')
  );
  return (settings: Settings) =>
    check.checkService({ ...settings, makeEngine: engines.fixed, maxStates: 300_000 });
}

describe('a mutant of the service dies', () => {
  test.each(mutants)('$name', async (mutant) => {
    const check = await mutate(mutant);
    const report = check(mutant.settings);
    expect(report.violation?.property).toBe(mutant.violates);
    expect(report.trace!.length).toBeGreaterThan(0);
  });
});
