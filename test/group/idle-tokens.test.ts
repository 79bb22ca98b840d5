/** An idle token that several members want in turn returns to its directory: after 100 ms, or sooner where there are many. */
import { expect, test } from 'vitest';
import { GroupWorld, Judge } from '../support/group-world.ts';

/** One member takes so many names once, at the same time. Returns how many of their tokens it has some time later. */
function tokensLeft(names: number, afterMs: number): { taken: number; left: number } {
  const world = new GroupWorld({ seed: 1, members: 2 });
  world.delay = () => 1;
  const judge = new Judge(world);
  for (const id of world.ids) world.start(id);
  world.run(500);
  const begin = world.now;
  for (let i = 0; i < names; i++) {
    const spec = { name: `user/${i}`, permits: 0, mode: 'exclusive', how: 'wait' } as const;
    judge.visit('a', spec, 1, Infinity);
  }
  const { stats } = world.at('a')!;
  const taken = stats.messages; // a REQUEST for each token of the other member, and no HOME yet
  world.run(begin + afterMs);
  expect(judge.faults).toEqual([]);
  return { taken, left: taken - (stats.messages - taken) };
}

test('a few idle tokens stay for 100 ms, and then return to their directory together', () => {
  const { taken, left } = tokensLeft(50, 60);
  expect(taken).toBeGreaterThan(10);
  expect(left).toBe(taken);
  expect(tokensLeft(50, 250).left).toBe(0);
});

test('of very many idle tokens the older ones return earlier', () => {
  const { taken, left } = tokensLeft(1000, 60);
  expect(taken).toBeGreaterThan(400);
  expect(left).toBeLessThan(64);
  expect(tokensLeft(1000, 250).left).toBe(0);
});
