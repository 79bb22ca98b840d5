import { describe, expect, test } from 'vitest';
import { majority } from '../../../src/algorithms/majority.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { forGood, subsets, withDead, withFalseSuspicion } from '../../support/detectors.ts';

const world = (nodes: number, ...options: string[]) => makeWorld(majority, { nodes, options });
const script = (...lines: string[]) => ({ workload: 'script', script: lines.join('\n') }) as const;
const faults = (...list: object[]) => JSON.stringify(list);

describe('what an entry costs', () => {
  // "a requesting node to obtain permission from only a majority (N+1)/2 of nodes" (survey, section
  // 5): that is the size of the quorum, ourselves included.
  test.each([
    [3, 3],
    [5, 6],
    [6, 9],
    [7, 9],
  ])('one of %i alone: 3⌊N/2⌋ = %i', (nodes, messages) => {
    expect(simulate(majority, world(nodes), script('0 request 2')).messages).toBe(messages);
  });
  test('all five at once: 30, since no site is told that it failed', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    const { messages, byType } = simulate(majority, world(5), settings);
    expect(messages).toBe(30);
    expect(byType).toEqual({ REQUEST: 10, GRANT: 10, RELEASE: 10 });
  });
});

describe('crashes of sites that do not want in', () => {
  test('all that leave a majority of five are survived, and no others', () => {
    for (const down of subsets(5).filter((set) => !set.includes(2))) {
      const { entries, violations } = simulate(majority, world(5), {
        ...script('100 request 2'),
        faults: faults(...down.map((crash) => ({ at: 0, crash }))),
      });
      expect({ down, entries }).toEqual({ down, entries: down.length <= 2 ? 1 : 0 });
      if (entries === 0) expect(violations[0]!.property).toBe('deadlock-freedom');
    }
  });
  test('an arbiter that crashes while it is asked is replaced by the next', () => {
    const { byType, violations } = simulate(majority, world(5), {
      ...script('0 request 0'),
      faults: faults({ at: 3, crash: 1 }),
    });
    expect(violations).toEqual([]);
    // 1 and 2 were asked, then 3; the one that is down is told in vain at the end, as all are.
    expect(byType).toEqual({ REQUEST: 3, GRANT: 2, RELEASE: 3 });
  });
  test('one of three is dead, the others learn of it at any moment: proved', () => {
    const report = check(withDead(majority, [0]), world(3), { entries: [0, 2, 2] });
    expect(report.verdict).toBe('proved');
  });
  test('two of three are dead: the third waits', () => {
    const report = check(withDead(majority, [0, 1]), world(3), { entries: [0, 0, 1] });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
});

describe('crashes of sites that wait or are inside', () => {
  const whileInside = script('0 request 0 stay 100', '20 request 1');
  test('a site that comes back gives back what it had: any crash of one of three, at any moment', () => {
    const report = check(majority, world(3), { entries: [1, 1, 0], crashes: 1 });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', 63_310]);
  });
  test('two crashes and more, at random', () => {
    const random = { schedules: 500, seed: 5 };
    expect(check(majority, world(5), { entries: 1, crashes: 2, random }).violation).toBeNull();
    expect(check(majority, world(3), { entries: 2, crashes: 3, random }).violation).toBeNull();
  });
  test('a site that does not come back keeps its votes for ever', () => {
    const report = check(forGood(majority), world(3), { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
    const crash = faults({ at: 50, crash: 0 });
    const { violations } = simulate(majority, world(3), { ...whileInside, faults: crash });
    expect(violations[0]!.property).toBe('deadlock-freedom');
  });
  test('in a run: the next site goes in when the site that was inside is back', () => {
    const comesBack = faults({ at: 50, crash: 0 }, { at: 500, restart: 0 });
    const result = simulate(majority, world(3), { ...whileInside, faults: comesBack });
    expect([result.entries, result.violations]).toEqual([2, []]);
    expect(result.time).toBeGreaterThan(500);
  });
  test('with fail-stop it must not come back before its crash is known', () => {
    const bare: typeof majority = { ...majority, invariants: {} };
    const report = check(bare, world(3, 'fail-stop'), { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
  test('with fail-stop it loses them, so that the others go on', () => {
    const crash = faults({ at: 50, crash: 0 });
    const result = simulate(majority, world(3, 'fail-stop'), { ...whileInside, faults: crash });
    expect([result.entries, result.violations]).toEqual([2, []]);
    const report = check(forGood(majority), world(3, 'fail-stop'), { entries: 1, crashes: 1 });
    expect([report.verdict, report.states]).toEqual(['proved', 5_617]);
  });
});

describe('what is stable must be', () => {
  test('an arbiter that forgets its vote in a crash lets two in', () => {
    const forgetful: typeof majority = { ...majority, invariants: {}, stable: ['highest'] };
    const report = check(forgetful, world(3), { entries: [1, 1, 0], crashes: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
  test('a site that numbers its requests from the beginning again releases a new one with an old', () => {
    const forgetful: typeof majority = { ...majority, stable: ['holders'] };
    const report = check(forgetful, world(3), { entries: [2, 1, 0], crashes: 1 });
    expect(report.violation?.property).toBe('a site that is inside has the votes of a quorum');
  });
});

describe('a failure detector that is wrong', () => {
  test.each([0, 1, 2])('is survived: %i is suspected at any moment, and trusted again', (site) => {
    const report = check(withFalseSuspicion(majority, [site]), world(3), { entries: 1 });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
  test('is survived at random, whichever site is suspected', () => {
    const random = { schedules: 200, seed: 5 };
    const suspicious = withFalseSuspicion(majority, [0, 1, 2, 3]);
    expect(check(suspicious, world(4), { random }).violation).toBeNull();
  });
  test('is not survived with fail-stop, which believes it', () => {
    const suspicious = { ...withFalseSuspicion(majority, [0]), invariants: {} };
    const report = check(suspicious, world(3, 'fail-stop'), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

test('messages may arrive twice, but not be lost', () => {
  expect(check(majority, world(3), { entries: 1, duplications: 2 }).verdict).toBe('proved');
  const lossy = check(majority, world(3), { entries: 1, losses: 1 });
  expect(lossy.violation?.property).toBe('deadlock-freedom');
});

// Nobody is said to be down: who is cut off is waited for.
test('a partition: a quorum on one side goes on, one that is cut in two waits until it is healed', () => {
  const order: string[] = [];
  const { violations } = simulate(majority, world(5), {
    ...{ workload: 'script', script: '10 request 0\n10 request 2', delay: 'constant:1' },
    faults: '[{ "at": 5, "partition": [[0, 1, 2], [3, 4]] }, { "at": 500, "heal": true }]',
    trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
  });
  expect(violations).toEqual([]);
  expect(order).toEqual(['0 at 12', '2 at 501']);
});
