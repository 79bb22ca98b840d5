import { describe, expect, test } from 'vitest';
import { mishraSrimani } from '../../../src/algorithms/mishra-srimani.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) => makeWorld(mishraSrimani, { nodes, options });
const run = (
  options: string[],
  settings: { script?: string; faults?: string; maxEvents?: number },
) => {
  const order: number[] = [];
  const result = simulate(mishraSrimani, world(5, ...options), {
    ...{ delay: 'constant:1', cs: 10, ...settings },
    workload: settings.script === undefined ? 'once' : 'script',
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { ...result, order };
};

/** The algorithm with a timer that may fire when nothing is certain. */
const withTimer = (name: string): typeof mishraSrimani => ({
  ...mishraSrimani,
  timers: {
    ...mishraSrimani.timers,
    [name]: { ...mishraSrimani.timers![name]!, fires: 'anytime' },
  },
});

// "The algorithm behaves very much the same as the original [27] under the condition that no node
// fails and the requesting process receives the token within the time-out." (survey)
test('while nothing fails it costs what Suzuki and Kasami’s costs', () => {
  expect(run([], { script: '0 request 1' }).byType).toEqual({ REQUEST: 4, PRIVILEGE: 1 });
  expect(run([], { script: '0 request 0' }).messages).toBe(0);
  expect(run([], {}).byType).toEqual({ REQUEST: 16, PRIVILEGE: 4 });
});

// "If a response indicates that the token is not lost, then j sends a message to all other nodes
// indicating that it was a false alarm and waits again" (survey)
test('a stay longer than the time-out is a false alarm, and does no harm', () => {
  const { order, byType } = run([], { script: '0 request 0 stay 1500\n10 request 1' });
  expect(order).toEqual([0, 1]);
  expect(byType).toMatchObject({ PRIVILEGE_CHECK: 4, NO_CRIT: 3, REP_CRITICAL: 1, FALSE_ALARM: 4 });
  expect(byType).not.toHaveProperty('CREATE_PRIVILEGE');
});

describe('survives', () => {
  test.each([
    [2, [2, 2], 1412],
    [3, [1, 1, 1], 35_604],
    [3, [2, 1, 1], 200_887],
  ])('the crash of any one of %i sites, at any moment, entries %j', (nodes, entries, states) => {
    const report = check(mishraSrimani, world(nodes), { entries, crashes: 1 });
    expect([report.violation, report.verdict, report.states]).toEqual([null, 'proved', states]);
  });

  test('the crash of one of four, in 1500 random schedules', () => {
    const random = { schedules: 1500, seed: 4 };
    const report = check(mishraSrimani, world(4), { entries: 2, crashes: 1, random });
    expect(report.violation).toBeNull();
  });

  test('a time-out for the token that is too short: it may be replaced in vain, but no site goes in wrongly', () => {
    const { tokens: _, ...hasty } = withTimer('missing'); // there may be none for a while
    const random = { schedules: 1500, seed: 4 }; // of generations there is no end
    const settings = { entries: 2, crashes: 1, random };
    expect(check(hasty, world(3), settings).violation).toBeNull();
  });

  // "Node k sends messages to all nodes indicating the recovery of the system and starts executing its
  // critical section." (survey)
  test('the holder crashes inside: the smallest waiting site makes a new token and goes in', () => {
    const { order, byType, violations } = run([], { faults: '[{ "at": 5, "crash": 0 }]' });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    const made = { PRIVILEGE_CHECK: 4, NO_CRIT: 3, CREATE_PRIVILEGE: 4, UPDATE: 3, RESUME: 4 };
    expect(byType).toEqual({ REQUEST: 16, PRIVILEGE: 3, ...made });
  });

  test('a waiting site crashes: it is not sent the new token again', () => {
    const { order, byType, violations } = run([], { faults: '[{ "at": 15, "crash": 2 }]' });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 3, 4]);
    expect(byType).toMatchObject({ PRIVILEGE: 3, RESUME: 4 });
  });

  test('any crash, in simulations with long and short delays', () => {
    for (const delay of ['constant:5', 'uniform:1,50', 'exponential:5']) {
      for (let seed = 1; seed <= 40; seed++) {
        const faults = JSON.stringify([{ at: 7 * seed, crash: seed % 5 }]);
        const result = simulate(mishraSrimani, world(5), {
          ...{ workload: 'saturated', entries: 60, delay, seed, faults },
        });
        expect(result.violations).toEqual([]);
      }
    }
  });
});

describe('does not survive', () => {
  // "at most one node could have failed and did not respond" (survey)
  test('two crashes: a waiting site tries for ever, but no site goes in wrongly', () => {
    const report = check(mishraSrimani, world(3), { entries: 1, crashes: 2 });
    expect(report.violation?.property).toBe('starvation-freedom');
    // To try for ever is no deadlock, which would have ended the search: all states were seen.
    expect(report.properties).toContainEqual({ name: 'mutual-exclusion', verdict: 'proved' });
    const faults = '[{ "at": 5, "crash": 0 }, { "at": 6, "crash": 1 }]';
    const { violations } = run([], { faults, maxEvents: 2000 });
    expect(violations).toMatchObject([{ property: 'livelock-freedom' }]);
  });

  test('a message that is lost, or a token that comes twice', () => {
    const lossy = check(mishraSrimani, world(3), { entries: 1, losses: 1 });
    expect(lossy.violation?.property).toBe('starvation-freedom');
    const twice = check(mishraSrimani, world(3), { entries: 1, duplications: 1 });
    expect(twice.violation?.property).toBe('entry-on-request');
  });

  test('an answer slower than the time-out for it: its sender passes for failed, two are inside', () => {
    const report = check(withTimer('answers'), world(2), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
    expect(report.depth).toBe(6);
  });

  // "N-2 NO_CRIT messages (at most one node could have failed and did not respond). It then sends
  // CREATE_PRIVILEGE" (survey): at once, without waiting for the last.
  test('as the survey tells it, the last to answer may be inside', () => {
    const { NO_CRIT, UPDATE } = mishraSrimani.on;
    const expire = mishraSrimani.timers!['answers']!.expired;
    const { tokens: _, ...rest } = mishraSrimani; // which would say so before anyone goes in
    const impatient: typeof mishraSrimani = {
      ...rest,
      on: {
        ...mishraSrimani.on,
        NO_CRIT(my, site, from, answer) {
          NO_CRIT(my, site, from, answer);
          const answers = my.answered.filter(Boolean).length;
          if (my.trying === 'checking' && answers === site.n - 2) expire(my, site);
        },
        UPDATE(my, site, from, answer) {
          UPDATE(my, site, from, answer);
          const answers = my.answered.filter(Boolean).length;
          if (my.trying === 'creating' && answers === site.n - 2) expire(my, site);
        },
      },
    };
    const report = check(impatient, world(3), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

describe('moving-coordinator', () => {
  test('one after the other, a coordinator is found in two hops', () => {
    const script = [1, 2, 3, 4].map((site, i) => `${100 * i} request ${site}`).join('\n');
    const { byType } = run(['moving-coordinator'], { script });
    expect(byType).toEqual({ COORDINATE: 1 + 2 + 2 + 2, COORDINATOR: 4 });
  });

  test('all at once: one message to the coordinator each, and one to be it', () => {
    const { byType, order } = run(['moving-coordinator'], {});
    expect(byType).toEqual({ COORDINATE: 4, COORDINATOR: 4 });
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  // "At any given time, there exists only one central coordinator in the system." (survey)
  test('four sites, three entries each, in 2000 random schedules: one coordinator', () => {
    const random = { schedules: 2000, seed: 1 };
    const four = world(4, 'moving-coordinator');
    expect(check(mishraSrimani, four, { entries: 3, random }).violation).toBeNull();
  });

  test('nothing is recovered', () => {
    const { violations } = run(['moving-coordinator'], { faults: '[{ "at": 5, "crash": 0 }]' });
    expect(violations).toMatchObject([
      { property: 'deadlock-freedom', why: expect.stringContaining('0 crashed holding the token') },
    ]);
  });
});

// "The total number of messages exchanged for a critical section entry is L*N+(N-1) under the absence of
// failures." (survey; of L entries, as of Suzuki and Kasami's bounded form)
describe('with bounded numbers', () => {
  test('L entries of a site take L·N + (N−1) messages', () => {
    const script = [1, 2, 1, 2].map((site, i) => `${100 * i} request ${site}`).join('\n');
    const { messages, byType } = run(['bounded=2'], { script });
    expect(messages).toBe(2 * (2 * 5 + 4));
    expect(byType).toEqual({ REQUEST: 16, PRIVILEGE: 4, ACK: 8 });
  });
  test('numbers stay below 2L, however often sites ask: proved for two sites', () => {
    const report = check(mishraSrimani, world(2, 'bounded=1'), {
      entries: Number.POSITIVE_INFINITY,
    });
    expect(report.verdict).toBe('proved');
  });
  test('three sites that ask 2, 1 and 1 times: proved', () => {
    const report = check(mishraSrimani, world(3, 'bounded=1'), { entries: [2, 1, 1] });
    expect(report.verdict).toBe('proved');
  });
  test('there are no numbers to bound where the coordinator moves', () => {
    expect(() => world(3, 'bounded=2', 'moving-coordinator')).toThrow('has no numbers to bound');
  });
});
