/** Random schedules: a seed finds a violation again, and faults are of all kinds and at all times. */
import { describe, expect, test } from 'vitest';
import { find } from '../../src/algorithms/catalogue.ts';
import { type CheckSettings, check } from '../../src/check/check.ts';
import { swarm, uniform } from '../../src/check/schedulers.ts';
import { Space } from '../../src/check/space.ts';
import { Random } from '../../src/core/random.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { oldestFirst } from '../support/broken.ts';

describe('the seed of a schedule finds it again', () => {
  const cases: [string, string, CheckSettings][] = [
    ['all steps alike', 'lamport', { links: 'any' }],
    ['by priorities', 'lamport', { links: 'any', random: { schedules: 3000, seed: 1, pct: 3 } }],
    ['with faults', 'suzuki-kasami', { losses: 2, duplications: 1, crashes: 1 }],
  ];
  test.each(cases)('%s', (_, id, settings) => {
    const algorithm = find(id);
    const world = makeWorld(algorithm, { nodes: 4 });
    const random = { schedules: 3000, seed: 1, ...settings.random };
    const first = check(algorithm, world, { ...settings, random });
    expect(first.verdict).toBe('violated');
    const { seed } = first;
    const second = check(algorithm, world, {
      ...settings,
      random: { ...random, schedules: 1, seed: seed! },
    });
    expect(second.schedules).toBe(1);
    expect(second.found).toBe(first.found);
    expect(second.trace).toEqual(first.trace);
  });
  test('a random search counts distinct states, not steps', () => {
    const { states, transitions } = check(oldestFirst, makeWorld(oldestFirst, { nodes: 2 }), {
      entries: 1,
      random: { schedules: 500, seed: 1 },
    });
    // As many as there are, but the first, which no step leads to.
    const all = check(oldestFirst, makeWorld(oldestFirst, { nodes: 2 }), { entries: 1 }).states;
    expect(states).toBe(all - 1);
    expect(transitions).toBeGreaterThan(10 * states);
  });
});

describe('random schedules have faults of all kinds and at all times', () => {
  const bounds = { crashes: 1, losses: 2, duplications: 1 };
  const space = new Space(oldestFirst, makeWorld(oldestFirst, { nodes: 3 }), {
    ...{ links: 'fifo', entries: [2, 2, 2], modes: ['exclusive'], ...bounds },
    ...{ downgrade: false, countMessages: false, countBypass: false },
  });
  const LENGTH = 24;
  const schedules = Array.from({ length: 400 }, (_, seed) => {
    const random = new Random(seed, 'schedule');
    const draw = (below: number) => random.below(below);
    const next = swarm(space, draw, LENGTH, uniform(draw));
    const faults: { kind: string; site: number; at: number }[] = [];
    let before = space.initial();
    for (let at = 0; ; at++) {
      const possible = space.possible(before);
      const choice = possible.length === 0 ? -1 : next(possible);
      if (choice === -1) return faults;
      const { site, event, isFault } = possible[choice]!;
      const after = new Int32Array(space.width);
      space.take({ site, event, outcome: 0 }, before, after);
      if (isFault) faults.push({ kind: space.steps.event(event).kind, site, at });
      before = after;
    }
  });
  const count = (kind: string) => (faults: (typeof schedules)[number]) =>
    faults.filter((fault) => fault.kind === kind).length;

  test('no schedule has more faults than allowed, and each number occurs in some schedule', () => {
    const numbers = (kind: string) => [...new Set(schedules.map(count(kind)))].sort();
    expect(numbers('crash')).toEqual([0, 1]);
    expect(numbers('lose')).toEqual([0, 1, 2]);
    expect(numbers('duplicate')).toEqual([0, 1]);
  });
  test('every combination of kinds of faults occurs', () => {
    const kinds = schedules.map((faults) => [...new Set(faults.map((f) => f.kind))].sort().join());
    expect(new Set(kinds).size).toBe(8);
  });
  test('faults occur at every site, early and late', () => {
    const crashes = schedules.flat().filter(({ kind }) => kind === 'crash');
    expect(new Set(crashes.map(({ site }) => site)).size).toBe(3);
    const when = crashes.map(({ at }) => at);
    expect(Math.min(...when)).toBe(0);
    expect(Math.max(...when)).toBeGreaterThan(LENGTH / 2);
    const late = when.filter((at) => at > LENGTH / 3).length;
    expect(late / when.length).toBeGreaterThan(0.2);
  });
});
