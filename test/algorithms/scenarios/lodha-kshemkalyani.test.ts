import { describe, expect, test } from 'vitest';
import { lodhaKshemkalyani } from '../../../src/algorithms/lodha-kshemkalyani.ts';
import { figure2 } from '../../../src/algorithms/printed/lodha-kshemkalyani.ts';
import { check } from '../../../src/check/check.ts';
import { Machine } from '../../../src/core/machine.ts';
import type { AnyMessage } from '../../../src/core/message.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) =>
  makeWorld(lodhaKshemkalyani, { nodes, options });
const run = (nodes: number, script: string, ...options: string[]) => {
  const order: number[] = [];
  const result = simulate(lodhaKshemkalyani, world(nodes, ...options), {
    ...{ delay: 'constant:1', cs: 10, workload: 'script', script },
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { ...result, order };
};
const together = (n: number) => Array.from({ length: n }, (_, i) => `0 request ${i}`).join('\n');

// Section 4.1: 2N − |CSet| messages, one less for the last of the set. The abstract's 2(N−1) − x is
// one too low wherever a FLUSH is sent.
test.each([
  [3, 8],
  [4, 15],
  [5, 24],
  [6, 35],
])('%i concurrent requests: N²−1 = %i messages', (n, messages) => {
  const { byType, ...result } = run(n, together(n));
  expect(result.messages).toBe(messages);
  expect(byType).toEqual({ REQUEST: n * (n - 1), FLUSH: n - 1 });
});

test('a request alone pays 2(N−1); two that cross and an idle third, seven', () => {
  expect(run(5, '0 request 2').messages).toBe(8);
  expect(run(3, '0 request 0\n0 request 1').messages).toBe(7);
  expect(run(3, '0 request 0\n100 request 1\n200 request 0').messages).toBe(12);
});

test('three sites, one entry each: 8 to 12 messages, over all schedules', () => {
  const { totalMessages } = check(lodhaKshemkalyani, world(3), {
    entries: 1,
    reportMessages: true,
  });
  expect([totalMessages!.at(0), totalMessages!.at(-1)]).toEqual([8, 12]);
});

// Figure 3: when all three REQUESTs have crossed, all three sites have the same queue.
test('three concurrent requests stand in the same queue everywhere', () => {
  const queues: string[] = [];
  simulate(lodhaKshemkalyani, world(3), {
    ...{ delay: 'constant:1', cs: 10, workload: 'once' },
    trace: ({ time, state }) => {
      const { queue } = state as { queue: { seq: number; pid: number }[] };
      if (time === 1) queues.push(queue.map(({ seq, pid }) => `${seq}.${pid}`).join(' '));
    },
  });
  expect(queues.filter((queue) => queue === '1.0 1.1 1.2')).toHaveLength(3);
});

// Figure 6: i is concurrent with j and with k, but j's request comes before k's.
test('concurrency is not transitive: 3 + 3 + 3 messages', () => {
  const { messages, order } = run(3, '0 request 1\n0.9 request 0\n1.5 request 2');
  expect([messages, order]).toEqual([9, [0, 1, 2]]);
});

test('as figure 2 prints it, thirteen steps lead to a deadlock', () => {
  const report = check(figure2.algorithm, world(3), { entries: 1 });
  expect(report.violation?.property).toBe('deadlock-freedom');
  expect(report.depth).toBe(13);
});

// "Thus P_i can avoid sending upto m (worst case is m − 1) messages. Now it is upto P_k to take care of
// the rest." (section 5)
describe('delegate', () => {
  test('four that ask a site inside, one after the other: one REPLY at each exit', () => {
    const script = '0 request 0 stay 50\n10 request 1\n15 request 2\n20 request 3\n25 request 4';
    expect(run(5, script).byType).toEqual({ REQUEST: 20, REPLY: 20 });
    const { byType, order } = run(5, script, 'delegate');
    expect(order).toEqual([0, 1, 2, 3, 4]);
    // REPLY is what idle sites answer: as before.
    expect(byType).toEqual({ REPLY: 10, DELEGATING_REQUEST: 20, DELEGATED_REPLY: 4 });
  });

  test('saturated, five sites: N messages per entry in place of 2(N−1)', () => {
    const saturated = (...options: string[]) =>
      simulate(lodhaKshemkalyani, world(5, ...options), {
        ...{ delay: 'constant:1', cs: 10, workload: 'saturated', entries: 500 },
      }).steady?.messagesPerEntry;
    expect([saturated(), saturated('delegate'), saturated('linger')]).toEqual([8, 5, 4.8]);
  });

  test('a REQUEST after a delegated REPLY must say that it is one, or a site waits for ever', () => {
    const silent: typeof lodhaKshemkalyani = {
      ...lodhaKshemkalyani,
      on: {
        ...lodhaKshemkalyani.on,
        DELEGATING_REQUEST: (my, site, from, request) =>
          lodhaKshemkalyani.on.DELEGATING_REQUEST(my, site, from, { ...request, answered: -1 }),
      },
    };
    const report = check(silent, world(3, 'delegate'), { entries: 2 });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });

  test('does not go with linger', () => {
    expect(() => world(3, 'delegate', 'linger')).toThrow('delegate or linger, not both');
  });
});

// "If the process exiting the CS knows that it will be requesting CS access soon, it can keep the
// deferred REQUESTs as deferred until it makes its next REQUEST." (section 5)
describe('linger', () => {
  test('two sites turn about: a REQUEST answers the one before it', () => {
    const script = '0 request 0\n5 request 1\n15 request 0';
    expect(run(2, script).byType).toEqual({ REQUEST: 3, REPLY: 3 });
    // The second REQUEST of 0 and the kept one of 1 answer each other, and a FLUSH follows.
    expect(run(2, script, 'linger').byType).toEqual({ REQUEST: 3, REPLY: 1, FLUSH: 1 });
  });

  // The paper says nothing of a process that does not ask again: the others would wait for it.
  test('if the next request does not come soon, the deferred ones are answered all the same', () => {
    const { order, violations, time } = run(2, '0 request 0\n5 request 1', 'linger');
    expect([order, violations]).toEqual([[0, 1], []]);
    expect(time).toBeGreaterThan(50);
  });

  test('without that, they are not', () => {
    const { timers: _, ...rest } = lodhaKshemkalyani;
    const silent: typeof lodhaKshemkalyani = {
      ...rest,
      timers: { linger: { fires: 'anytime', expired: () => {} } },
    };
    const report = check(silent, world(2, 'linger'), { entries: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
});

// "taking into account the transitive causality relation among events induced by all messages
// exchanged" (section 5)
test('clock-on-all: a site that got a REPLY asks next with a number above all that the sender of the REPLY knew', () => {
  const next = (reply: AnyMessage, ...options: string[]) => {
    const machine = new Machine(lodhaKshemkalyani, world(2, ...options), () => 0);
    const my = machine.init(0) as { ours: number };
    machine.request(0, my, 'exclusive');
    machine.receive(0, my, 1, reply);
    machine.release(0, my);
    machine.request(0, my, 'exclusive');
    return my.ours;
  };
  const [reply, withClock] = [
    { type: 'REPLY', last: 0 },
    { type: 'REPLY_WITH_CLOCK', last: 0, highest: 7 },
  ];
  expect([next(reply), next(withClock, 'clock-on-all')]).toEqual([2, 8]);
});

describe.each(['delegate', 'linger', 'clock-on-all'])('%s', (option) => {
  test.each([
    [4, 250],
    [5, 120],
  ])('%i sites, three entries each, in %i random schedules', (nodes, schedules) => {
    const random = { schedules, seed: nodes };
    const report = check(lodhaKshemkalyani, world(nodes, option), { entries: 3, random });
    expect(report.violation).toBeNull();
  });
  test('three sites with clock-on-all as well: proved', () => {
    const settings = { entries: [2, 2, 1] };
    expect(check(lodhaKshemkalyani, world(3, option, 'clock-on-all'), settings).verdict).toBe(
      'proved',
    );
  });
});
