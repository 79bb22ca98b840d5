import { describe, expect, test } from 'vitest';
import { srimaniReddy } from '../../../src/algorithms/srimani-reddy.ts';
import { suzukiKasami } from '../../../src/algorithms/suzuki-kasami.ts';
import { check } from '../../../src/check/check.ts';
import { claimsMissed, simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

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

test('a site that forgets where it has sent a token sends another', () => {
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
test('a token that a site inside can spare goes to the site that asks', () => {
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

// "Sequence numbers are bounded by the use of a large integer L > N." (survey) Any L will do.
describe('bounded', () => {
  const world = (nodes: number, k: number, L: number) =>
    makeWorld(srimaniReddy, { nodes, k, options: [`bounded=${L}`] });

  test('a round of one request: N−1 ACKs more, which tell of both tokens', () => {
    const alone = { delay: 'constant:1', workload: 'script', script: '0 request 2' } as const;
    const once = { REQUEST: 3, ROUND_PRIVILEGE: 1 };
    expect(simulate(srimaniReddy, world(4, 2, 1), alone).byType).toEqual({ ...once, ACK: 3 });
    expect(simulate(srimaniReddy, world(4, 2, 2), alone).byType).toEqual(once);
  });
  test('no number reaches 5L', () => {
    let most = 0;
    simulate(srimaniReddy, world(5, 2, 3), {
      ...{ workload: 'saturated', entries: 400 },
      trace: ({ sends }) => {
        for (const { message } of sends)
          if ('n' in message) most = Math.max(most, Number(message.n));
      },
    });
    expect(most).toBe(14);
  });
  // With bounded numbers there are finitely many states, however often sites ask: this is all runs.
  test.each([
    [1, 1314],
    [2, 1119],
  ])('two sites that ask without end, L = %i: proved, %i states', (L, states) => {
    const settings = { entries: Number.POSITIVE_INFINITY };
    const report = check(srimaniReddy, world(2, 1, L), settings);
    expect([report.verdict, report.states]).toEqual(['proved', states]);
  });
  test.each([
    [1, [2, 1, 1], 177_988],
    [2, [2, 2, 1], 583_261],
  ])('three sites, two tokens, L = %i, entries %j: proved, %i states', (L, entries, states) => {
    const report = check(srimaniReddy, world(3, 2, L), { entries });
    expect([report.verdict, report.states]).toEqual(['proved', states]);
  });
  test.each([1, 2, 3])('four sites, six entries each, L = %i, in random schedules', (L) => {
    const random = { schedules: 150, seed: L };
    expect(check(srimaniReddy, world(4, 2, L), { entries: 6, random }).violation).toBeNull();
    expect(check(srimaniReddy, world(4, 3, L), { entries: 6, random }).violation).toBeNull();
  });
  test('if tokens that are under way need not record the round, a request is forgotten', () => {
    const hasty: typeof srimaniReddy = {
      ...srimaniReddy,
      request(my, site, mode) {
        srimaniReddy.request(my, site, mode);
        my.unrecorded.fill(false);
      },
    };
    const random = { schedules: 2000, seed: 1 };
    const report = check(hasty, world(3, 2, 1), { entries: 12, random });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
  test('L is 1 or more', () => {
    expect(() => world(3, 2, 0)).toThrow('takes a whole number from 1');
  });
});
