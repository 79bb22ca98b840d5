/** What the papers' proofs are held to: every step of small worlds, and an algorithm told in a few sentences. */
import { describe, expect, test } from 'vitest';
import { raymond } from '../../src/algorithms/raymond.ts';
import { lemmas, type Snapshot } from '../../src/algorithms/relative-consensus-voting/lemmas.ts';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../src/check/check.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Instruments } from '../../src/papers/instruments.ts';
import { descent } from '../../src/papers/raymond/vector.ts';
import { arbiterToken, COLLECT } from '../../src/papers/rcv/arbiter.ts';
import { everyTransition } from '../../src/papers/transitions.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

describe('every transition', () => {
  test.each([
    [raymond, 'any'],
    [raymond, 'fifo'],
    [ricartAgrawala, 'any'],
  ] as const)('of $id comes from as many states as the checker counts', (algorithm, links) => {
    const world = makeWorld(algorithm as AnyAlgorithm, { nodes: 3 });
    const entries = [2, 1, 1];
    const states = everyTransition(algorithm, world, { entries, links }, () => {});
    expect(states).toBe(check(algorithm as AnyAlgorithm, world, { entries, links }).states);
  });
  test('is refused where there are more states than it may keep', () => {
    const world = makeWorld(raymond, { nodes: 3 });
    const bounds = { entries: [2, 2, 2], links: 'any', maxStates: 100 } as const;
    expect(() => everyTransition(raymond, world, bounds, () => {})).toThrow('at most 100 states');
  });
});

describe('the vector of Raymond’s section 4.3', () => {
  const line = (...options: string[]) => ({
    ...{ algorithm: 'raymond', nodes: 3, topology: 'line', options },
  });
  test('is compared 561 times on a line of three, and always reduced', () => {
    const found = descent(new Instruments('quick'), line(), [2, 2, 2]);
    expect(found).toMatchObject({ states: 1012, compared: 561, unreduced: 0, increased: 0 });
  });
  test('grows where a node puts itself first: the greedy strategy needs another proof', () => {
    expect(descent(new Instruments('quick'), line('greedy'), [2, 2, 2]).increased).toBe(119);
  });
});

describe('a token with an arbiter', () => {
  const world = (nodes: number) => makeWorld(arbiterToken, { nodes });
  test.each([
    [2, [2, 2], 1391],
    [3, [1, 1, 1], 4680],
  ])('%i sites, %j entries: safe and live in each of %i states', (nodes, entries, states) => {
    const report = check(arbiterToken, world(nodes), { entries });
    expect(report.violation).toBeNull();
    expect(report).toMatchObject({ verdict: 'proved', states });
  });
  test('ten sites that ask all the time: 28 messages for ten entries', () => {
    const { steady, byType } = simulate(arbiterToken, world(10), {
      ...{ workload: 'saturated', entries: 200 },
    });
    expect(steady?.messagesPerEntry).toBeCloseTo(2.8, 12);
    expect(byType).toEqual({ REQUEST: 180, NEW_ARBITER: 180, TOKEN: 199 });
  });
  test('one that asks alone waits for a round trip and the collect time', () => {
    const settings = { workload: 'script', script: '0 request 2' } as const;
    expect(simulate(arbiterToken, world(3), settings).waitingTime.max).toBe(5 + COLLECT + 5);
  });
});

describe('the lemmas on relative consensus voting', () => {
  const [a, b] = [
    { node: 0, ts: 1 },
    { node: 1, ts: 1 },
  ];
  const empty = { ordered: [], rows: [{ mnl: [] }, { mnl: [] }], ours: 1 };
  const whole: Snapshot = { sites: [empty, empty], inside: [false, false], carried: [] };
  /** The lemmas that a state breaks, by number. */
  const broken = (change: Partial<Snapshot>) =>
    Object.entries(lemmas).flatMap(([claim, holds]) =>
      holds({ ...whole, ...change }) ? [] : [Number(/Lemma (\d)/.exec(claim)![1])],
    );
  const site = (change: Partial<Snapshot['sites'][number]>) => ({ ...empty, ...change });
  const roaming = [a, b].map((host) => ({ to: 0, host, ordered: [], rows: empty.rows }));

  test('hold of two requests that roam', () => {
    expect(broken({ carried: roaming })).toEqual([]);
  });
  test.each([
    [1, { sites: [site({ rows: [{ mnl: [a, b] }, { mnl: [] }] }), empty], carried: roaming }],
    [3, {}],
    [8, { inside: [true, true] }],
  ])('lemma %i is broken by a state of its own', (number, change) => {
    expect(broken(change)).toContain(number);
  });
  test('lemma 2 and lemma 5 are broken by two requests of one site with a vote each', () => {
    const later = { node: 0, ts: 3 };
    const rows = [{ mnl: [a] }, { mnl: [later] }];
    expect(broken({ sites: [site({ rows }), empty], carried: roaming })).toEqual([2, 5]);
  });
  test('lemma 4 is broken by an order that lacks an unfinished predecessor', () => {
    const sites = [site({ ordered: [a, b] }), site({ ordered: [b] })];
    expect(broken({ sites })).toEqual([4]);
  });
  test('lemma 6 is broken by a message with another top', () => {
    const sites = [site({ ordered: [a] }), site({ ordered: [a, b] })];
    const carried = [{ to: 0, host: null, ordered: [b], rows: empty.rows }];
    expect(broken({ sites, carried })).toContain(6);
  });
  test('lemma 7 is broken by two opposite orders, and by nothing that is over', () => {
    const sites = [site({ ordered: [a, b] }), site({ ordered: [b, a] })];
    expect(broken({ sites })).toEqual([7]);
    expect(broken({ sites: sites.map((each) => ({ ...each, ours: 2 })) })).not.toContain(7);
  });
});
