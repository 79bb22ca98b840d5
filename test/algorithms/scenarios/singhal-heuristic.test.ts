import { describe, expect, test } from 'vitest';
import { take } from '../../../src/algorithms/singhal-heuristic/guesses.ts';
import { singhalHeuristic as algorithm } from '../../../src/algorithms/singhal-heuristic.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number) => makeWorld(algorithm, { nodes });
const three = world(3);
const run = (nodes: number, script: string) => {
  const order: number[] = [];
  const result = simulate(algorithm, world(nodes), {
    delay: 'constant:1',
    cs: 1,
    workload: 'script',
    script,
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { ...result, order };
};

// "The number of messages exchanged for an entry to a critical section is (N+1)/2 in case of light
// traffic, and N in the case of heavy traffic." (survey, Singhal)
describe('messages', () => {
  test('of five at first, the i-th asks i others and gets the token: 0, 2, 3, 4, 5', () => {
    const paid = [0, 1, 2, 3, 4].map((site) => run(5, `0 request ${site}`).messages);
    expect(paid).toEqual([0, 2, 3, 4, 5]);
  });
  test('when one of seven asks at a time, (N+1)/2 on average, less 1/N for the holder', () => {
    const settings = { workload: 'solo', entries: 20_000, seed: 1 } as const;
    const { messagesPerEntry } = simulate(algorithm, world(7), settings);
    expect(messagesPerEntry).toBeCloseTo(4 - 1 / 7, 1);
  });
  test.each([3, 5, 7])('when all %i ask all the time, exactly N', (n) => {
    const settings = { workload: 'saturated', entries: 40 * n, seed: 1 } as const;
    expect(simulate(algorithm, world(n), settings).steady!.messagesPerEntry).toBe(n);
  });
  test('three sites, two entries each: 5 to 22 messages over all schedules, 20 if links keep order', () => {
    const totals = (links: 'any' | 'fifo') => {
      const report = check(algorithm, three, { entries: 2, links, reportMessages: true });
      return [report.totalMessages!.at(0), report.totalMessages!.at(-1)];
    };
    expect(totals('any')).toEqual([5, 22]);
    expect(totals('fifo')).toEqual([5, 20]);
  });
});

// "The token will be granted to the nearest requesting node with the lowest sequence number."
test('the site that was inside less often goes first, then the site that is nearer round the ring', () => {
  const script = '0 request 2\n20 request 0 stay 50\n30 request 2\n40 request 1\n50 request 3';
  expect(run(4, script).order).toEqual([2, 0, 1, 3, 2]);
});

// Each of our two corrections is needed: without it, the checker finds a way into the textbooks'
// deadlock, or at least the loss of what excludes it.
describe('the corrections', () => {
  test('the token’s news are taken over when it comes', () => {
    const later: typeof algorithm = {
      ...algorithm,
      on: {
        ...algorithm.on,
        TOKEN: (my, site, _, { requests, asked }) => take(my, site, requests, asked),
      },
      invariants: {},
    };
    const { violation } = check(later, three, { entries: 2, links: 'fifo' });
    expect(violation?.property).toBe('deadlock-freedom');
  });
  test('a holder that keeps the token sends HINTs', () => {
    const deaf: typeof algorithm = {
      ...algorithm,
      on: { ...algorithm.on, HINT: () => {} },
      invariants: {},
    };
    const { violation } = check(deaf, three, { entries: 2, links: 'fifo' });
    expect(violation?.property).toBe('deadlock-freedom');
  });
});

test.each([
  [4, 400],
  [5, 200],
  [6, 100],
])('%i sites, three entries each: %i random schedules find nothing', (n, schedules) => {
  for (const links of ['any', 'fifo'] as const) {
    const settings = { entries: 3, links, random: { schedules, seed: n } };
    expect(check(algorithm, world(n), settings).violation).toBeNull();
  }
});
