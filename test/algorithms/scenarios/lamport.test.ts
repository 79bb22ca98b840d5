import { expect, test } from 'vitest';
import { lamport } from '../../../src/algorithms/lamport.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

test.each([2, 5, 20, 50])(
  '3(N−1) messages per entry for N = %i, whatever the seed and load',
  (n) => {
    const world = makeWorld(lamport, { nodes: n });
    for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
      for (const seed of [1, 2, 3]) {
        const { messagesPerEntry, byType } = simulate(lamport, world, {
          workload,
          seed,
          entries: 60,
        });
        expect(messagesPerEntry).toBe(3 * (n - 1));
        expect(new Set(Object.values(byType)).size).toBe(1); // as many REQUESTs, REPLYs and RELEASEs
      }
    }
  },
);

test('three sites, one asks: six messages, in after two hops', () => {
  const world = makeWorld(lamport, { nodes: 3 });
  const settings = { workload: 'script', script: '0 request 1', delay: 'constant:1' } as const;
  const { messages, waitingTime } = simulate(lamport, world, settings);
  expect([messages, waitingTime.max]).toEqual([6, 2]);
});

test('requests are served in the order of their timestamps, ties by site', () => {
  const world = makeWorld(lamport, { nodes: 4 });
  const order: number[] = [];
  simulate(lamport, world, {
    workload: 'once',
    delay: 'uniform:1,9',
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  expect(order).toEqual([0, 1, 2, 3]);
});
