import { expect, test } from 'vitest';
import { raymondK } from '../../src/algorithms/raymond-k.ts';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../src/check/check.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const four = makeWorld(raymondK, { nodes: 4, k: 2 });

test('four sites, k = 2: one alone pays 6 messages, all four at once 24', () => {
  const solo = { ...unit, workload: 'script', script: '0 request 1' } as const;
  expect(simulate(raymondK, four, solo).messages).toBe(6);
  expect(simulate(raymondK, four, { ...unit, workload: 'once' }).messages).toBe(24);
});

test('two are inside at once, and never three', () => {
  let inside = 0;
  let most = 0;
  simulate(raymondK, four, {
    workload: 'saturated',
    entries: 200,
    trace({ enters, event }) {
      inside += (enters ? 1 : 0) - (event === 'exit' ? 1 : 0);
      most = Math.max(most, inside);
    },
  });
  expect(most).toBe(2);
});

test('whoever does not wait for all REPLYs may get several as one: from 2N−k−1 messages on', () => {
  const world = makeWorld(raymondK, { nodes: 6, k: 4 });
  const settings = { workload: 'saturated', entries: 600, delay: 'exponential:5' } as const;
  const { messagesPerEntry } = simulate(raymondK, world, settings);
  expect(messagesPerEntry).toBeGreaterThanOrEqual(2 * 6 - 4 - 1);
  expect(messagesPerEntry).toBeLessThan(2 * 5);
});

test('with k = 1 it is Ricart and Agrawala’s', () => {
  const settings = { workload: 'saturated', entries: 100 } as const;
  const { messages, waitingTime } = simulate(raymondK, makeWorld(raymondK, { nodes: 5 }), settings);
  const ra = simulate(ricartAgrawala, makeWorld(ricartAgrawala, { nodes: 5 }), settings);
  expect({ messages, waitingTime }).toEqual({ messages: ra.messages, waitingTime: ra.waitingTime });
});

test('a REPLY to an old request does not let a site in with too many', () => {
  // Forgetting what is owed from before is the mistake one would make.
  const forgetful: typeof raymondK = {
    ...raymondK,
    request(my, site, mode) {
      my.missing.fill(0);
      raymondK.request(my, site, mode);
    },
  };
  const world = makeWorld(forgetful, { nodes: 3, k: 2 });
  expect(check(forgetful, world, { entries: [2, 1, 1] }).verdict).toBe('violated');
});
