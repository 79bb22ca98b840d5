import { expect, test } from 'vitest';
import { srimaniReddy } from '../../src/algorithms/srimani-reddy.ts';
import { suzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import { check } from '../../src/check/check.ts';
import { claimsMissed, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const four = makeWorld(srimaniReddy, { nodes: 4, k: 2 });
const ask = (script: string) =>
  simulate(srimaniReddy, four, { ...unit, workload: 'script', script });

test('four sites, both tokens at 0: another pays N = 4 messages, 0 itself none', () => {
  expect(ask('0 request 2').messages).toBe(4);
  expect(ask('0 request 0').messages).toBe(0);
});

test('tokens at 0 and 1: 2 is sent both, for N+k−1 = 5 messages, and keeps a spare one', () => {
  expect(ask('0 request 1\n100 request 2').messages).toBe(4 + 5);
  // With the spare one it goes in again for nothing.
  expect(ask('0 request 1\n100 request 2\n200 request 2').messages).toBe(4 + 5);
});

test('with one token it costs what Suzuki and Kasami’s does', () => {
  const one = makeWorld(srimaniReddy, { nodes: 5 });
  const settings = { workload: 'saturated', entries: 200 } as const;
  const { messages } = simulate(srimaniReddy, one, settings);
  const sk = simulate(suzukiKasami, makeWorld(suzukiKasami, { nodes: 5 }), settings);
  expect(messages).toBe(sk.messages);
});

test('a site that forgets to whom it has sent a token sends another', () => {
  const forgetful: typeof srimaniReddy = {
    ...srimaniReddy,
    on: {
      ...srimaniReddy.on,
      REQUEST(my, site, from, message) {
        my.sent.fill(0);
        srimaniReddy.on.REQUEST(my, site, from, message);
      },
    },
  };
  const messagesOf = (algorithm: typeof srimaniReddy) =>
    check(algorithm, makeWorld(algorithm, { nodes: 3, k: 2 }), {
      entries: [0, 2, 1],
      reportMessages: true,
    });
  expect(messagesOf(srimaniReddy).verdict).toBe('proved');
  const most = (algorithm: typeof srimaniReddy) => messagesOf(algorithm).totalMessages!.at(-1)!;
  expect(most(forgetful)).toBeGreaterThan(most(srimaniReddy));
});

// "or it has a spare token" (the survey, section 6): 2 is inside and has both.
test('what one inside can spare goes to who asks', () => {
  const order: string[] = [];
  simulate(srimaniReddy, four, {
    ...{ delay: 'constant:1', workload: 'script' },
    script: '0 request 1\n100 request 2 stay 50\n110 request 3',
    trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
  });
  expect(order).toEqual(['1 at 2', '2 at 102', '3 at 112']);
});

// A token that comes and goes during a stay must know that the request is granted: else it is sent
// to the same request twice, and there are schedules with 22 messages.
test('four sites, one entry each: 13 to 20 = 4(N+k−1) messages over all schedules', () => {
  const { verdict, totalMessages } = check(srimaniReddy, four, {
    ...{ entries: 1, reportMessages: true },
  });
  expect(verdict).toBe('proved');
  expect([totalMessages!.at(0), totalMessages!.at(-1)]).toEqual([13, 20]);
});

test.each([1, 2, 3, 5])('0 to N+k−1 messages per entry, whatever the load: k = %i', (k) => {
  const world = makeWorld(srimaniReddy, { nodes: 6, k });
  for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
    for (const seed of [1, 2, 3]) {
      const settings = { workload, seed, entries: 200, delay: 'exponential:5' };
      const result = simulate(srimaniReddy, world, settings);
      expect(result.violations).toEqual([]);
      expect(claimsMissed(srimaniReddy, world, settings, result)).toEqual([]);
    }
  }
});

test.each([
  [2, 655_759],
  [3, 653_848],
])('safe and live, three sites with two entries each, k = %i: %i states', (k, states) => {
  const report = check(srimaniReddy, makeWorld(srimaniReddy, { nodes: 3, k }));
  expect(report.violation).toBeNull();
  expect(report).toMatchObject({ verdict: 'proved', states });
});
