import { describe, expect, test } from 'vitest';
import { kakugawa } from '../../../src/algorithms/kakugawa.ts';
import type { State } from '../../../src/algorithms/shared/votes.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, k: number, topology: string, ...options: string[]) =>
  makeWorld(kakugawa, { nodes, k, topology, options });
const square = (...options: string[]) => world(4, 2, 'square', ...options);
const script = (...lines: string[]) => ({ workload: 'script', script: lines.join('\n') }) as const;

// "assume k=2, N=4 and the quorums in the k-coterie are q1 = {1,2}, q2 = {1,3}, q3 = {2,4}, and
// q4 = {3,4}" (survey, section 6): the square, numbered from 0.
describe('four sites in a square, two at once', () => {
  test('one alone: 3(s−1) = 3', () => {
    for (let i = 0; i < 4; i++) {
      expect(simulate(kakugawa, square(), script(`0 request ${i}`)).messages).toBe(3);
    }
  });
  // "Suppose nodes 2 and 4 want to enter the CS, if node 2 chooses q1 … if node 4 chooses q4".
  test('two with disjoint quorums are inside together', () => {
    const { time, entries } = simulate(kakugawa, square(), {
      ...script('0 request 0 stay 100', '0 request 3 stay 100'),
    });
    expect([entries, time < 150]).toEqual([2, true]);
  });
  test('each asks once: 12 to 17 messages, in every schedule', () => {
    const report = check(kakugawa, square(), { entries: 1, reportMessages: true });
    expect(report.verdict).toBe('proved');
    expect(report.totalMessages).toEqual([12, 13, 14, 15, 16, 17]);
  });
  test('never three: proved with two entries of some', () => {
    const report = check(kakugawa, square(), { entries: [2, 2, 1, 1] });
    expect([report.verdict, report.states]).toEqual(['proved', 127_172]);
  });
});

/** Fewer than k are inside and nothing is under way: then nobody waits. */
const getsAsManyInAsItCan: typeof kakugawa = {
  ...kakugawa,
  invariants: {
    'k at once': ({ sites, inside, inFlight }, { k }) =>
      inFlight.length > 0 ||
      inside.filter(Boolean).length >= k ||
      sites.every((my: State, i) => my.ours === 0 || inside[i]),
  },
};

describe('as many at once as the k-coterie allows', () => {
  // "By the nonintersection property, if less than k processes are in the CS, then a requesting
  // process can enter the CS by selecting an appropriate quorum."
  const oneStays = script('0 request 0 stay 1000', '50 request 2 stay 1');
  test('a site that has chosen a quorum in use waits, though another is free', () => {
    const { time } = simulate(kakugawa, square(), oneStays);
    expect(time).toBeGreaterThan(1000);
    const report = check(getsAsManyInAsItCan, square(), { entries: 1 });
    expect(report.violation?.property).toBe('k at once');
  });
  test('with reselect it finds the other', () => {
    let entered = 0;
    const { byType } = simulate(kakugawa, square('reselect'), {
      ...oneStays,
      trace: ({ site, enters, time }) => {
        if (site === 2 && enters) entered = time;
      },
    });
    expect(entered).toBe(70); // asks 0 and is refused, then asks 3: four hops of 5
    // 0: one of each for its quorum {0, 1}. 2: asks 0 and lets go of it, asks 3.
    expect(byType).toEqual({ REQUEST: 3, GRANT: 2, RELEASE: 3, FAILED: 1 });
  });
  test('with reselect, whenever nothing is under way: three sites, proved', () => {
    const report = check(getsAsManyInAsItCan, world(3, 2, 'parts', 'reselect'), { entries: 1 });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', 671_770]);
  });
  test('with reselect, four and five sites, at random', () => {
    const random = { schedules: 100, seed: 4 };
    for (const made of [square('reselect'), world(5, 2, 'majority', 'reselect')]) {
      expect(check(getsAsManyInAsItCan, made, { entries: 1, random }).violation).toBeNull();
    }
  });
  test('alone, reselect costs nothing more', () => {
    const { messages } = simulate(kakugawa, square('reselect'), script('0 request 2'));
    expect(messages).toBe(3);
  });
});

test('k is at most what the k-coterie is made for', () => {
  expect(() => world(4, 3, 'square')).toThrow('square is for 4 nodes and k = 2');
});

test('messages may arrive twice', () => {
  expect(check(kakugawa, square(), { entries: 1, duplications: 1 }).verdict).toBe('proved');
});
