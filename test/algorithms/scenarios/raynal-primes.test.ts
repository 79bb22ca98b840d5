import { describe, expect, test } from 'vitest';
import {
  firstX,
  isMissing,
  nextX,
  primeOf,
} from '../../../src/algorithms/raynal-primes/numbers.ts';
import { raynalPrimes as algorithm } from '../../../src/algorithms/raynal-primes.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const polling = (nodes: number) => makeWorld(algorithm, { nodes });
const informing = (nodes: number) => makeWorld(algorithm, { nodes, options: ['inform'] });
const ALWAYS = Number.POSITIVE_INFINITY;

describe('polling', () => {
  test('a poll costs 2(N−1), and the owner needs one', () => {
    const settings = { ...unit, workload: 'script', script: '0 request 0' } as const;
    expect(simulate(algorithm, polling(5), settings).byType).toEqual({ REQUEST: 4, REPLY: 4 });
  });

  // "The permission to enter the CS rotates around a logical ring of nodes." (survey, Raynal)
  test('all five at once go in in the order of the ring', () => {
    const order: number[] = [];
    simulate(algorithm, polling(5), {
      ...unit,
      workload: 'once',
      trace: ({ site, enters }) => {
        if (enters) order.push(site);
      },
    });
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  // "The number of messages exchanged has an upper bound of 2(N-1)2." (survey; the 2 is a square)
  // But who polls does so as long as it takes.
  test('two sites may well need more than 2(N−1)² = 2 messages', () => {
    const script = '0 request 0 stay 100\n5 request 1';
    const result = simulate(algorithm, polling(2), { ...unit, workload: 'script', script });
    expect(result.messages).toBeGreaterThan(10);
    expect(result.violations).toEqual([]);
  });

  // "The algorithm can suffer from deadlock if the next node in the logical ring does not want to
  // enter the CS; it never updates its variable Xj." (survey)
  test('a site without the right polls for ever if the owner of the right does not use it', () => {
    const report = check(algorithm, polling(3), { entries: [0, 1, 0] });
    expect(report.violation?.property).toBe('starvation-freedom');
    expect(report.violation?.why).toMatch('1 waits for ever');
    const cycle = report.trace!.slice(report.loop! - 1);
    expect(new Set(cycle.map(({ event }) => event))).toEqual(new Set(['deliver', 'timer']));
    expect(cycle.filter(({ event }) => event === 'timer').length).toBe(1);
  });
  test('the same with the lights on: a simulation calls it a livelock', () => {
    const settings = {
      ...unit,
      workload: 'script',
      script: '0 request 1',
      maxEvents: 1000,
    } as const;
    const [violation] = simulate(algorithm, polling(3), settings).violations;
    expect(violation?.property).toBe('livelock-freedom');
  });

  test('no two sites are inside together, however often they ask', () => {
    const report = check(algorithm, polling(3), { entries: ALWAYS });
    const verdicts = Object.fromEntries(report.properties.map((p) => [p.name, p.verdict]));
    expect(verdicts).toMatchObject({
      'mutual-exclusion': 'proved',
      'deadlock-freedom': 'proved',
      'starvation-freedom': 'violated',
    });
    expect(report.states).toBe(21_600);
  });
});

describe('informing', () => {
  // "This avoids deadlocks." (survey, of its own modification)
  test.each([
    [2, 50],
    [3, 676],
    [4, 15_368],
  ])('%i sites that ask as often as they like: none starves, in %i states', (n, states) => {
    const report = check(algorithm, informing(n), { entries: ALWAYS });
    expect(report.verdict).toBe('proved');
    expect(report.states).toBe(states);
  });

  // "The total number of messages exchanged for a CS entry has an upper bound of (N-1)2 in the worst
  // case, when the next node wishing to enter the CS is the farthest node in the circular ring."
  test('the farthest of three: 0 and 1 inform the others, (N−1)² = 4 messages, and 2 is in', () => {
    let informs = 0;
    let untilEntry = 0;
    const { byType } = simulate(algorithm, informing(3), {
      ...unit,
      workload: 'script',
      script: '0 request 2',
      trace({ enters, sends }) {
        if (enters) untilEntry = informs;
        informs += sends.filter(({ message }) => message.type === 'INFORM').length;
      },
    });
    expect(untilEntry).toBe(4);
    // And 2 informs the others when it leaves.
    expect(byType).toEqual({ INFORM: 6 });
  });

  test('when all ask all the time, an entry costs N−1', () => {
    const settings = { ...unit, workload: 'saturated', entries: 200 } as const;
    const { steady } = simulate(algorithm, informing(5), settings);
    expect(steady!.messagesPerEntry).toBe(4);
  });
});

describe('with the numbers themselves (primes)', () => {
  const primes = (nodes: number, ...options: string[]) =>
    makeWorld(algorithm, { nodes, options: ['primes', ...options] });
  test('sites have the primes 2, 3, 5, …, and X is 1 at the first and the prime elsewhere', () => {
    expect([0, 1, 2, 3, 9].map(primeOf)).toEqual([2n, 3n, 5n, 7n, 29n]);
    expect([0, 1, 2].map(firstX)).toEqual([
      { over: [1], under: [1] },
      { over: [3], under: [1] },
      { over: [5], under: [1] },
    ]);
  });
  // T = 15 = 30/2, then 10 = 30/3.
  test('the right walks from the first of three to the second', () => {
    const values = [0, 1, 2].map(firstX);
    expect([0, 1, 2].map((i) => isMissing(values, i))).toEqual([true, false, false]);
    values[0] = nextX(values[0]!, 0, 3);
    expect(values[0]).toEqual({ over: [2], under: [3] });
    expect([0, 1, 2].map((i) => isMissing(values, i))).toEqual([false, true, false]);
  });
  test('the same runs as with parities, message for message', () => {
    for (const option of [[], ['inform']]) {
      const settings = { workload: 'saturated', entries: 200, delay: 'exponential:5' } as const;
      const plain = simulate(
        algorithm,
        makeWorld(algorithm, { nodes: 5, options: option }),
        settings,
      );
      const exact = simulate(algorithm, primes(5, ...option), settings);
      expect(exact.messages).toBe(plain.messages);
      expect(exact.responseTime).toEqual(plain.responseTime);
    }
  });
  // With `inform` the right walks on though nobody wants it, and X grows without end: no search ends.
  test('polling, two and three sites: what holds with parities, and nothing else', () => {
    expect(check(algorithm, primes(3), { entries: [1, 0, 0] }).verdict).toBe('proved');
    for (const [nodes, entries] of [
      [2, [2, 2]],
      [3, [1, 1, 1]],
    ] as const) {
      const [exact, parities] = [primes(nodes), polling(nodes)].map((world) =>
        check(algorithm, world, { entries }),
      );
      expect(exact!.properties).toEqual(parities!.properties);
      expect(exact!.states).toBe(parities!.states);
    }
  });
  test('X grows with each exit: its site’s prime over the next one’s', () => {
    let x = firstX(1);
    for (let exits = 0; exits < 20; exits++) x = nextX(x, 1, 3);
    expect(x).toEqual({ over: [353_203, 1046], under: [1_640_625, 9_536_743] });
  });
});
