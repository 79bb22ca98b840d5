/**
 * When nothing happens any more, no request waits that could be granted: as Web Locks has it, across processes. Some
 * callers hold their lock for ever, some cancel, some only try, some steal.
 */
import { describe, expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import { Random } from '../../src/core/random.ts';
import type { RequestSpec } from '../../src/group/backend.ts';
import { GroupWorld, Judge, type Visit } from '../support/group-world.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 400);

interface Rule {
  readonly algorithm: string;
  readonly options?: readonly string[];
}

function story(seed: number, rule: Rule, permits: number): Visit[] {
  const draw = new Random(seed, 'rest');
  const rules = { [permits > 0 ? 'semaphores' : 'locks']: [{ match: '*', ...rule }] };
  const members = 2 + draw.below(3);
  const turns = 1 + draw.below(4);
  const locksKeptOpen = [0, 1, 64][seed % 3]!;
  const world = new GroupWorld({ seed, members, turns, rules, locksKeptOpen });
  const judge = new Judge(world);
  for (const id of world.ids) world.start(id);
  world.run(500);
  const canShare = permits === 0 && find(rule.algorithm).modes.includes('shared');
  const visits: Visit[] = [];
  for (let i = 0; i < 20; i++) {
    const mode = canShare && draw.below(3) > 0 ? 'shared' : 'exclusive';
    const maySteal = mode === 'exclusive' && permits === 0 ? (['steal'] as const) : [];
    const spec: RequestSpec = {
      name: 'x',
      permits,
      mode,
      how: one('wait', 'wait', 'try', ...maySteal),
    };
    const stay = one(0, draw.below(100), draw.below(1000), Infinity);
    const patience = one(Infinity, Infinity, draw.below(300));
    const id = world.ids[draw.below(members)]!;
    world.later(draw.below(2000), () => visits.push(judge.visit(id, spec, stay, patience)));
  }
  world.run(120_000);
  expect(judge.faults).toEqual([]);
  return visits;

  function one<T>(...of: T[]): T {
    return of[draw.below(of.length)]!;
  }
}

/** The requests that wait although they could be granted, in words. */
function forgotten(visits: readonly Visit[], permits: number): string[] {
  const inside = visits.filter(({ outcome }) => outcome === 'inside');
  const waiting = visits.filter(({ outcome }) => outcome === 'waiting');
  const isFree = inside.length < Math.max(1, permits);
  const isShared = permits === 0 && inside.every(({ spec }) => spec.mode === 'shared');
  const writerWaits = waiting.some(({ spec }) => spec.mode === 'exclusive');
  return waiting
    .filter(({ spec }) => isFree || (isShared && spec.mode === 'shared' && !writerWaits))
    .map(({ id, number, spec }) => `${id} (visit ${number}, ${spec.mode})`);
}

describe('at rest no request waits that could be granted', () => {
  test.each([
    ...catalogue.filter(({ modes }) => modes.includes('shared')).map(({ id }) => [id, 0]),
    ...['ring', 'ring-marked', 'broadcast-replies'].map((o) => [`ricart-agrawala, ${o}`, 0]),
    ...['naimi-trehel', 'maekawa'].map((id) => [id, 0]),
    ...['lending-coordinator', 'srimani-reddy', 'central'].map((id) => [id, 3]),
  ] as [string, number][])('%s, %i permits', (name, permits) => {
    const [algorithm, ...options] = name.split(', ');
    let served = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const visits = story(seed, { algorithm: algorithm!, options }, permits);
      served += visits.filter(({ outcome }) => outcome === 'inside' || outcome === 'out').length;
      expect(forgotten(visits, permits), `seed ${seed}`).toEqual([]);
    }
    expect(served).toBeGreaterThan(2 * SEEDS);
  });
});
