/** Memory follows the names in use: where there are very many, the names of idle locks are forgotten everywhere. */
import { expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import { GroupWorld, Judge, type Visit } from '../support/group-world.ts';

const NAMES = 300;
const KEPT = 20;

/** Callers of all members ask for many names, some of them often, in both modes. */
function story(
  seed: number,
  untilMs: number,
  isCongested = false,
): { world: GroupWorld; judge: Judge; visits: Visit[] } {
  const draw = new Random(seed, 'forgetting');
  const world = new GroupWorld({ seed, members: 3, namesKept: KEPT });
  const judge = new Judge(world);
  for (const id of world.ids) world.start(id);
  world.run(500);
  if (isCongested) for (const id of world.ids) world.at(id)!.congestion('b', true);
  const visits: Visit[] = [];
  for (let i = 0; i < NAMES; i++) {
    const times = 1 + draw.below(3);
    for (let k = 0; k < times; k++) {
      const mode = draw.below(3) === 0 ? 'shared' : 'exclusive';
      const how = draw.below(5) === 0 ? 'try' : 'wait';
      const spec = { name: `user/${i}`, permits: 0, mode, how } as const;
      const id = world.ids[draw.below(3)]!;
      world.later(draw.below(60_000), () =>
        visits.push(judge.visit(id, spec, draw.below(200), Infinity)),
      );
    }
  }
  world.run(untilMs);
  return { world, judge, visits };
}

const namesAt = (world: GroupWorld, id: string): number => world.at(id)!.node.locks.size;

test.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i: all are served, and few names are left', (seed) => {
  const { world, judge, visits } = story(seed, 120_000);
  expect(judge.faults).toEqual([]);
  expect(visits.length).toBeGreaterThan(NAMES);
  expect(visits.filter(({ outcome }) => outcome === 'waiting' || outcome === 'inside')).toEqual([]);
  for (const id of world.ids) expect(namesAt(world, id)).toBeLessThanOrEqual(KEPT);
});

test('a lock that is forgotten works as before', () => {
  const { world, judge } = story(9, 120_000);
  const later: Visit[] = [];
  for (let i = 0; i < NAMES; i++) {
    const spec = { name: `user/${i}`, permits: 0, mode: 'exclusive', how: 'wait' } as const;
    for (const id of world.ids) later.push(judge.visit(id, spec, 10, Infinity));
  }
  world.run(200_000);
  expect(judge.faults).toEqual([]);
  expect(later.every(({ outcome }) => outcome === 'out')).toBe(true);
});

test('a member that is congested for ever does not keep the others from forgetting', () => {
  const { world, judge, visits } = story(10, 300_000, true);
  expect(judge.faults).toEqual([]);
  expect(visits.filter(({ outcome }) => outcome === 'waiting' || outcome === 'inside')).toEqual([]);
  for (const id of world.ids) expect(namesAt(world, id)).toBeLessThanOrEqual(2 * KEPT);
});

test('under a stream of new names a member soon knows hardly more names than it keeps', () => {
  const world = new GroupWorld({ seed: 1, members: 3, namesKept: 200 });
  const judge = new Judge(world);
  for (const id of world.ids) world.start(id);
  world.run(500);
  let most = 0;
  for (let i = 0; i < 20_000; i++) {
    const spec = { name: `order/${i}`, permits: 0, mode: 'exclusive', how: 'wait' } as const;
    world.later(500 + i, () => judge.visit(world.ids[i % 3]!, spec, 0, Infinity));
  }
  for (let time = 3000; time < 20_000; time += 100) {
    world.later(time, () => {
      most = Math.max(most, ...world.ids.map((id) => namesAt(world, id)));
    });
  }
  world.run(25_000);
  expect(judge.faults).toEqual([]);
  // With sweeps after 2.5 s alone, it would know some 4,000.
  expect(most).toBeGreaterThan(200);
  expect(most).toBeLessThan(1500);
});
