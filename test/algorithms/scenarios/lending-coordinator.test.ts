import { expect, test } from 'vitest';
import { lendingCoordinator } from '../../../src/algorithms/lending-coordinator.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, k = 2) => makeWorld(lendingCoordinator, { nodes, k });

/** What was sent, one request after the other, each when all is quiet. */
function sent(nodes: number, k: number, ...sites: number[]): string[] {
  const script = sites.map((site, i) => `${100 * i} request ${site}`).join('\n');
  const types = sites.map((): string[] => []);
  simulate(lendingCoordinator, world(nodes, k), {
    ...{ workload: 'script', script, delay: 'constant:1', cs: 10 },
    trace: ({ time, sends }) =>
      types[Math.floor(time / 100)]!.push(...sends.map(({ message }) => message.type)),
  });
  return types.map((each) => each.join(' '));
}

test('a site keeps its permit while another is free, and enters again for no message', () => {
  expect(sent(5, 2, 1, 1, 1)).toEqual(['REQUEST GRANT', '', '']);
});

test('the last free permit goes back, so that the next site waits for no RECALL', () => {
  const three = 'REQUEST GRANT RETURN';
  expect(sent(5, 2, 1, 2, 3, 4, 1)).toEqual(['REQUEST GRANT', three, three, three, '']);
});

test('a site that gets the last permit twice in a row may keep it', () => {
  const kept = 'REQUEST GRANT';
  expect(sent(5, 2, 1, 2, 2, 2)).toEqual([kept, 'REQUEST GRANT RETURN', kept, '']);
});

test('a permit that is kept is recalled when a site has to wait', () => {
  expect(sent(5, 1, 1, 1, 2)).toEqual([
    'REQUEST GRANT RETURN',
    'REQUEST GRANT',
    'REQUEST RECALL RETURN GRANT RETURN',
  ]);
});

test('at most three messages an entry where one site at a time asks, whatever N', () => {
  for (const nodes of [5, 50, 500]) {
    const { messagesPerEntry } = simulate(lendingCoordinator, world(nodes, 4), {
      ...{ workload: 'solo', entries: 500, seed: 1 },
    });
    expect(messagesPerEntry).toBeLessThanOrEqual(3);
  }
});

test('three messages an entry and equal shares where all ask all the time, whatever N', () => {
  for (const nodes of [10, 100]) {
    const { steady, fairness } = simulate(lendingCoordinator, world(nodes, 4), {
      ...{ workload: 'saturated', entries: 20 * nodes, seed: 1 },
    });
    expect(steady!.messagesPerEntry).toBeLessThanOrEqual(3);
    expect(fairness.jain).toBeGreaterThan(0.98);
  }
});

test('no site waits for ever, however often the others ask', () => {
  const { verdict, states } = check(lendingCoordinator, world(3), { entries: Infinity });
  expect({ verdict, states }).toEqual({ verdict: 'proved', states: 1100 });
});
