import { describe, expect, test } from 'vitest';
import { helaryPlouzeauRaynal as algorithm } from '../../../src/algorithms/helary-plouzeau-raynal.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, topology: string) => makeWorld(algorithm, { nodes, topology });
const run = (nodes: number, topology: string, script: string) => {
  const order: number[] = [];
  const { byType } = simulate(algorithm, world(nodes, topology), {
    delay: 'constant:1',
    cs: 1,
    workload: 'script',
    script,
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { byType, order };
};
const alone = (nodes: number, topology: string, site: number) =>
  run(nodes, topology, `0 request ${site}`).byType;

describe('a site that asks alone, while 0 has the token', () => {
  // "Whatever topology is considered, if the requesting node owns the token there is no need to send
  // any request messages." (survey, Helary-Plouzeau-Raynal)
  test('the holder pays nothing', () => {
    expect(alone(5, 'ring', 0)).toEqual({});
  });
  // "For a linear topology, the total number bounds are N and 2(N-1)."
  test('a line of five: 5 next to the holder, 8 at the far end', () => {
    expect(alone(5, 'line', 1)).toEqual({ REQUEST: 4, TOKEN: 1 });
    expect(alone(5, 'line', 4)).toEqual({ REQUEST: 4, TOKEN: 4 });
  });
  // "In a complete network the total message number is N."
  test('five, all next to each other: 5', () => {
    expect(alone(5, 'complete', 3)).toEqual({ REQUEST: 4, TOKEN: 1 });
  });
  // "The total number of messages varies from N to 2N in a ring topology."
  test('a ring of five: 7 and 8; a ring of six: 8 and 11', () => {
    expect(alone(5, 'ring', 1)).toEqual({ REQUEST: 6, TOKEN: 1 });
    expect(alone(5, 'ring', 2)).toEqual({ REQUEST: 6, TOKEN: 2 });
    expect(alone(6, 'ring', 1)).toEqual({ REQUEST: 7, TOKEN: 1 });
    expect(alone(6, 'ring', 3)).toEqual({ REQUEST: 8, TOKEN: 3 });
  });
});

// "Requests are fully ordered by the use of logical clocks and are granted in a first-come-
// first-served manner." (survey): true of those the holder knows, by their clocks, not by the time.
test('the earliest by the clock goes first, which need not be the first by the time', () => {
  // 1 and 2 hear 3's request before they ask, so that theirs are later; 4 asks last, knowing nothing.
  const script = '0 request 0 stay 50\n1 request 3\n4 request 1\n4 request 2\n5 request 4';
  expect(run(5, 'complete', script).order).toEqual([0, 3, 1, 2, 4]);
  // On a line, 4 is too far to have heard of the others: its request bears the same time as the first.
  const far = '0 request 0 stay 50\n1 request 1\n2.5 request 2\n2.6 request 4';
  expect(run(5, 'line', far).order).toEqual([0, 1, 4, 2]);
});

test.each([
  ['line', [1, 2, 1]],
  ['star', [2, 1, 2]],
  ['ring', [2, 2, 1]],
])('%s: safe and live in every schedule of three sites', (topology, entries) => {
  expect(check(algorithm, world(3, topology), { entries }).verdict).toBe('proved');
});

test.each([
  ['ring', 4, 1000],
  ['random', 5, 500],
  ['binary', 6, 300],
  ['ring', 6, 200],
])('%s of %i, two entries each: %i random schedules find nothing', (topology, n, schedules) => {
  const settings = { entries: 2, random: { schedules, seed: n } };
  expect(check(algorithm, world(n, topology), settings).violation).toBeNull();
});
