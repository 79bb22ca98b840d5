/** What members tell each other when a view begins. */
import { describe, expect, test } from 'vitest';
import { ViewStart } from '../../src/group/view-start.ts';
import { GroupWorld } from '../support/group-world.ts';

const members = [
  { id: 'a', incarnation: 1 },
  { id: 'b', incarnation: 1 },
];
const x = { name: 'x', permits: 0 };

describe('a member that repeats what it holds, because a session has begun', () => {
  const holds = [{ ...x, count: 1 }];

  test('holds it once: the lock is open when it has been released once', () => {
    const start = new ViewStart({ epoch: 1, members });
    for (let i = 0; i < 2; i++) start.told('b', { members, part: 0, holds, isLast: true });
    expect(start.holdersOf(x)).toEqual(['b']);
    expect(start.freed('b', x)).toBe(true);
    expect(start.isLeftOver(x)).toBe(false);
    expect(start.freed('b', x)).toBe(false);
  });

  test('adds up the parts of one answer, and is complete with the last one', () => {
    const start = new ViewStart({ epoch: 1, members });
    start.told('a', { members, part: 0, holds: [], isLast: true });
    start.told('b', { members, part: 0, holds, isLast: false });
    start.told('b', { members, part: 1, holds, isLast: false });
    expect(start.isComplete).toBe(false);
    start.told('b', { members, part: 2, holds: [], isLast: true });
    expect(start.isComplete).toBe(true);
    expect([start.freed('b', x), start.isLeftOver(x)]).toEqual([true, true]);
    expect([start.freed('b', x), start.isLeftOver(x)]).toEqual([true, false]);
  });
});

test('what a process said of a view to come is forgotten when its successor begins a session', () => {
  const world = new GroupWorld({ seed: 1 });
  for (const id of world.ids) world.start(id);
  world.run(200);
  const a = world.at('a')!;
  const { epoch, members: inView } = a.node.view!;
  const state = { members: inView, part: 0, isLast: true, holds: [] };
  const message = { type: 'STATE', epoch: epoch + 1_000_000, ...state } as const;
  a.step({ type: 'message', from: 'b', message: { type: 'member', message } });
  a.step({ type: 'message', from: 'c', message: { type: 'member', message } });
  expect(a.node.future.all.map(({ from }) => from)).toEqual(['b', 'c']);
  const { incarnation } = inView.find(({ id }) => id === 'b')!;
  a.step({ type: 'session', peer: { id: 'b', incarnation: incarnation + 1 } });
  expect(a.node.future.all.map(({ from }) => from)).toEqual(['c']);
});
