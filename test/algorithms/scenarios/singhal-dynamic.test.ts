import { describe, expect, test } from 'vitest';
import { singhalDynamic } from '../../../src/algorithms/singhal-dynamic.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number) => makeWorld(singhalDynamic, { nodes });
/** These sites ask one after the other, each in a quiet system. */
const inTurn = (...sites: number[]) =>
  ({
    workload: 'script',
    script: sites.map((site, i) => `${1000 * i} request ${site}`).join('\n'),
  }) as const;
const cost = (n: number, ...sites: number[]) =>
  simulate(singhalDynamic, world(n), inTurn(...sites)).messages;

describe('what an entry costs', () => {
  test('from the initial staircase, site i asks the i before it: 0, 2, 4 of three', () => {
    expect([cost(3, 0), cost(3, 1), cost(3, 2)]).toEqual([0, 2, 4]);
  });
  test('a site asks only the sites that were inside since it was: to re-acquire costs nothing', () => {
    expect(cost(5, 4)).toBe(8);
    expect(cost(5, 4, 4, 4)).toBe(8);
    expect(cost(5, 4, 2, 4)).toBe(8 + 2 * 3 + 2); // 2 asks 0, 1 and now 4; 4 asks 2
  });
  test('all five at once: N(N−1) = 20', () => {
    const { messages, byType } = simulate(singhalDynamic, world(5), {
      workload: 'once',
      delay: 'constant:1',
    });
    expect(messages).toBe(20);
    expect(byType).toEqual({ REQUEST: 10, REPLY: 10 });
  });
  // "Under light load, the algorithm requires an average of (N - 1) messages" (survey, section 5).
  test('one at a time, drawn at random: N−1 on average', () => {
    const settings = { workload: 'solo', entries: 20_000 } as const;
    expect(simulate(singhalDynamic, world(7), settings).messagesPerEntry).toBeCloseTo(6, 1);
  });
  // "Under heavy load, it requires 3 * (N - 1)/2." It does not: everyone is asked by everyone.
  test('all seven all the time: 2(N−1) = 12, not 9', () => {
    const settings = { workload: 'saturated', entries: 7000 } as const;
    const { steady } = simulate(singhalDynamic, world(7), settings);
    expect(steady!.messagesPerEntry).toBeCloseTo(12, 1);
  });
});

describe('the information structure', () => {
  // "For all requesting nodes i and j, there is a non-null intersection between Ri and Rj" (survey).
  test('request sets need not meet: that of site 0 is empty', () => {
    const state = singhalDynamic.init({ ...world(3), me: 0, others: [1, 2] } as never);
    expect(state.request).toEqual([false, false, false]);
  });
  test('a site that does not repeat its request to a site that it has let go first lets two in', () => {
    const careless: typeof singhalDynamic = {
      ...singhalDynamic,
      invariants: {},
      on: {
        ...singhalDynamic.on,
        REQUEST(my, site, from, message) {
          const asked = my.request.slice();
          singhalDynamic.on.REQUEST(my, site, from, message);
          if (my.ours !== 0) my.request = asked;
        },
        REPLY(my, site, from, message) {
          if (my.request[from]) singhalDynamic.on.REPLY(my, site, from, message);
        },
      },
    };
    const report = check(careless, world(3), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
  test('links need not keep order: four and five sites, at random', () => {
    for (const n of [4, 5]) {
      const random = { schedules: 300, seed: n };
      expect(check(singhalDynamic, world(n), { links: 'any', random }).violation).toBeNull();
    }
  });
});
