import { expect, test } from 'vitest';
import { directoryToken } from '../../src/algorithms/directory-token.ts';
import { Machine } from '../../src/core/machine.ts';
import { makeWorld } from '../../src/topologies/world.ts';

test('the directories of forgotten locks share one token', () => {
  const world = makeWorld(directoryToken, { nodes: 3, k: 1 });
  const machine = new Machine(directoryToken, world, () => 0);
  const initial = machine.init(0) as { token: unknown };
  const used = { ...initial, token: { line: [], readers: [], credit: 2, roams: true } };
  machine.expire(0, used, 'forget');
  expect(used).toEqual(initial);
  expect(used.token).toBe(initial.token);
});
