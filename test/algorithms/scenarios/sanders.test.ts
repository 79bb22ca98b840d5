import { describe, expect, test } from 'vitest';
import { sanders } from '../../../src/algorithms/sanders.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/simulate.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, topology: string) => makeWorld(sanders, { nodes, topology });
const alone = (site: number) => ({ workload: 'script', script: `0 request ${site}` }) as const;

describe('what an entry costs', () => {
  test('as Ricart and Agrawala, three sites: 4 alone', () => {
    const { messages, byType } = simulate(sanders, world(3, 'ricart-agrawala'), alone(1));
    expect(messages).toBe(4); // 2(N−1), and no RELEASE: nobody else keeps track
    expect(byType).toEqual({ REQUEST: 2, GRANT: 2 });
  });

  // "The total number of messages required for an entry to the CS to take effect is
  // |Ii-{i}| + 2(|Ri-{i}|)" (survey, section 5).
  test.each([
    [7, 'ricart-agrawala'],
    [7, 'maekawa:fpp'],
    [9, 'maekawa:grid'],
    [5, 'central'],
    [6, 'mixed'],
  ])('%i sites, %s: |I−{i}| + 2|R−{i}| for every site alone', (nodes, topology) => {
    const made = world(nodes, topology);
    const { inform, request } = made.topology as { inform: number[][]; request: number[][] };
    for (let i = 0; i < nodes; i++) {
      const others = (set: number[]) => set.filter((j) => j !== i).length;
      const { messages } = simulate(sanders, made, alone(i));
      expect(messages).toBe(others(inform[i]!) + 2 * others(request[i]!));
    }
  });

  test('as Maekawa on the plane of seven, all at once: 50, the same as his', () => {
    const settings = { workload: 'once', delay: 'constant:1' } as const;
    const { messages, byType } = simulate(sanders, world(7, 'maekawa:fpp'), settings);
    expect(messages).toBe(50);
    expect(byType).toEqual({ REQUEST: 14, GRANT: 14, RELEASE: 14, FAILED: 8 });
  });
});

describe('every information structure is safe and live', () => {
  test.each([
    ['ricart-agrawala', [2, 1, 1], 59_466],
    ['central', [2, 2, 2], 6_514],
    ['mixed', [1, 1, 1], 5_277],
  ])('three sites, %s, entries %j', (topology, entries, states) => {
    const report = check(sanders, world(3, topology), { entries });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', states]);
  });
  test('four and five sites, at random', () => {
    for (const topology of ['ricart-agrawala', 'mixed']) {
      for (const nodes of [4, 5]) {
        const random = { schedules: 200, seed: nodes };
        expect(check(sanders, world(nodes, topology), { random }).violation).toBeNull();
      }
    }
  });
});

describe('failures', () => {
  test('messages may arrive twice', () => {
    const report = check(sanders, world(3, 'mixed'), { entries: 1, duplications: 1 });
    expect(report.verdict).toBe('proved');
  });
  test('a lost message is not survived', () => {
    const report = check(sanders, world(3, 'mixed'), { entries: 1, losses: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
  });
});
