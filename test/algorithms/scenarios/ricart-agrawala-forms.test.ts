/** Ricart and Agrawala 1981, sections 6.1 to 6.3: implicit replies, broadcasts and rings. */
import { describe, expect, test } from 'vitest';
import { ricartAgrawala } from '../../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../../src/check/check.ts';
import { type Settings, simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, options: readonly string[]) =>
  makeWorld(ricartAgrawala, { nodes, options });
const run = (nodes: number, options: readonly string[], settings: Settings = {}) =>
  simulate(ricartAgrawala, world(nodes, options), { delay: 'constant:1', ...settings });
// To see two sites inside, and not only an entry out of turn.
const unordered = { ...ricartAgrawala, claims: { messages: ricartAgrawala.claims.messages } };
const ALONE = { workload: 'script', script: '0 request 1' } as const;
const TOGETHER = { workload: 'once' } as const;

describe('implicit replies (section 6.1)', () => {
  // "varies between 1∗(N−1) and 3∗(N−1) depending on the number of DEFERRED messages sent"
  test('N−1 messages alone; three at once take 12, of which 3 are DEFERRED and 3 are REPLYs', () => {
    expect(run(4, ['implicit-reply'], ALONE).byType).toEqual({ REQUEST: 3 });
    expect(run(3, ['implicit-reply'], TOGETHER).byType).toEqual({
      REQUEST: 6,
      REPLY: 3,
      DEFERRED: 3,
    });
  });
  // "Since a requesting node must usually wait for the maximum round-trip time": 2 × 10 ticks.
  test('alone, a site waits for the longest round trip there is', () => {
    expect(run(4, ['implicit-reply'], ALONE).waitingTime.max).toBe(20);
  });
  // Section 6.2: "If combined with the implicit reply modification … the message count can be as low
  // as one."
  test('with a broadcast, one message', () => {
    expect(run(9, ['implicit-reply', 'broadcast'], ALONE).messages).toBe(1);
  });
  test('all depends on the bound: if the time is up while messages are under way, two are inside', () => {
    const { timers } = ricartAgrawala;
    const hasty: typeof ricartAgrawala = {
      ...unordered,
      timers: { ...timers, 'round trip': { ...timers!['round trip']!, fires: 'anytime' } },
    };
    const { violation, depth } = check(hasty, world(2, ['implicit-reply']), { entries: 1 });
    expect([violation?.property, depth]).toEqual(['mutual-exclusion', 4]);
  });
});

describe('broadcasts (section 6.2)', () => {
  // "reduced to N messages, one broadcast REQUEST and (N−1) REPLYs"
  test.each([2, 5, 20])('one broadcast REQUEST: N = %i messages per entry', (n) => {
    const { messagesPerEntry, byType } = run(n, ['broadcast'], {
      entries: 40,
      delay: 'uniform:1,9',
    });
    expect(messagesPerEntry).toBe(n);
    expect(byType).toEqual({ REQUEST: 40, REPLY: 40 * (n - 1) });
  });
  // "only two messages per critical section invocation are required"
  test('a medium that orders them: 2 messages per entry, whatever N and the load', () => {
    for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
      for (const n of [2, 5, 30]) {
        const settings = { workload, delay: 'exponential:5', readers: 0.3, entries: 50 };
        expect(run(n, ['broadcast-sequenced'], settings).messagesPerEntry).toBe(2);
      }
    }
  });
  test('a medium that orders them serves in that order, and no site comes first by its number', () => {
    const order: number[] = [];
    run(4, ['broadcast-sequenced'], {
      ...{ workload: 'script', script: '0 request 3\n0.1 request 0\n0.2 request 2\n0.3 request 1' },
      trace: ({ site, enters }) => enters && order.push(site),
    });
    expect(order).toEqual([3, 0, 2, 1]);
  });
  // 6.2.2: 4 REQUESTs; site 0 answers three with one broadcast, 1 two, 2 one; those that are not
  // deferred, 3 + 2 + 1, are answered one by one.
  test('one broadcast REPLY to all waiting sites: four at once take 4 + 3 + 6 messages', () => {
    expect(run(4, ['broadcast-replies'], TOGETHER).byType).toEqual({
      REQUEST: 4,
      REPLIES: 3,
      REPLY: 6,
    });
    expect(run(4, ['broadcast-replies'], ALONE).messages).toBe(4);
    const busy = run(9, ['broadcast-replies'], { workload: 'saturated', entries: 200 });
    expect(busy.messagesPerEntry).toBeLessThan(3);
  });
  // Footnote 2: "it is not sufficient for nodes waiting for a REPLY to assume it applies to them."
  test('without the list of the sites that the REPLY is for, two are inside', () => {
    const take: typeof ricartAgrawala.on.REPLY = (my, site, from, message) => {
      if ('missing' in my && my.missing > 0) ricartAgrawala.on.REPLY(my, site, from, message);
    };
    const on = { ...ricartAgrawala.on, REPLY: take, REPLIES: take };
    const careless: typeof ricartAgrawala = { ...unordered, on };
    const { violation } = check(careless, world(3, ['broadcast-replies']), { entries: 2 });
    expect(violation?.property).toBe('mutual-exclusion');
  });
});

describe('rings (section 6.3)', () => {
  // "The number of messages can be cut to N"
  test.each([2, 3, 5, 20])('N = %i messages per entry, whatever the load', (n) => {
    for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
      const settings = { workload, delay: 'uniform:1,9', readers: 0.3, entries: 40 };
      expect(run(n, ['ring'], settings).messagesPerEntry).toBe(n);
    }
  });
  test('two entries each of three sites take 18 messages in every schedule; five at once, 25', () => {
    const { totalMessages } = check(ricartAgrawala, world(3, ['ring']), {
      entries: 2,
      reportMessages: true,
    });
    expect(totalMessages).toEqual([18]);
    expect(run(5, ['ring'], TOGETHER).messages).toBe(25);
  });
  test('marked: N and one for each mark; five sites, one asks: 5; three at once: 9 and 3', () => {
    expect(run(5, ['ring-marked'], ALONE).messages).toBe(5);
    expect(run(3, ['ring-marked'], TOGETHER).byType).toEqual({ MARKED_ROUND: 9, MARKED_REPLY: 3 });
  });
  // "eliminating the cumulative delays at each stop"
  test('held, a REQUEST has its way home before it when the holder leaves; marked, one hop', () => {
    const script = '0 request 3\n6 request 2'; // 3 is inside when the REQUEST of 2 comes by
    const delay = (option: string) =>
      run(5, [option], { workload: 'script', script }).synchronizationDelay.max;
    expect([delay('ring'), delay('ring-marked')]).toEqual([4, 1]);
  });
  test('a REPLY that overtakes the REQUEST it is about counts', () => {
    const early: number[] = [];
    const settings = { workload: 'saturated', entries: 500, delay: 'exponential:5' } as const;
    const { violations } = run(5, ['ring-marked'], {
      ...settings,
      trace: ({ state }) => early.push((state as { missing: number }).missing),
    });
    expect(violations).toEqual([]);
    expect(Math.min(...early)).toBeLessThan(0);
  });
});
