/** The engine `fixed`: the contract of all engines, and what is its own. */
import { describe, expect, test } from 'vitest';
import { fixed } from '../../src/engines/fixed.ts';
import { engineSuite } from '../support/engine-suite.ts';
import { GroupWorld, Judge } from '../support/group-world.ts';

engineSuite('fixed', { make: fixed });

const lock = { name: 'x', permits: 0, mode: 'exclusive', how: 'wait' } as const;

describe('fixed', () => {
  test('no lock is granted before all members are there, and a member names the ones that it waits for', () => {
    const world = new GroupWorld({ seed: 1 });
    const judge = new Judge(world);
    world.start('c');
    world.start('a');
    world.run(100);
    const early = judge.visit('a', lock, 10);
    world.run(1000);
    expect(early.outcome).toBe('waiting');
    expect(world.at('a')!.waitsFor()).toEqual(['b']);
    world.start('b');
    world.run(2000);
    expect(early.outcome).toBe('out');
    expect(world.at('a')!.waitsFor()).toEqual([]);
  });

  test('a restarted member is readmitted, and no other member loses what it holds', () => {
    const world = new GroupWorld({ seed: 2 });
    const judge = new Judge(world);
    for (const id of world.ids) world.start(id);
    world.run(200);
    const held = judge.visit('a', lock, 5000);
    world.run(400);
    expect(held.outcome).toBe('inside');
    world.crash('b');
    world.run(600);
    world.start('b');
    world.run(1000);
    const behind = judge.visit('b', lock, 10);
    world.run(3000);
    expect([held.outcome, behind.outcome]).toEqual(['inside', 'waiting']);
    world.run(9000);
    expect([held.outcome, behind.outcome]).toEqual(['out', 'out']);
    expect(judge.faults).toEqual([]);
  });

  test('what a crashed member held is free when it is back', () => {
    const world = new GroupWorld({ seed: 3 });
    const judge = new Judge(world);
    for (const id of world.ids) world.start(id);
    world.run(200);
    judge.visit('b', lock, 1e9);
    world.run(400);
    world.crash('b');
    judge.died('b');
    const waiting = judge.visit('a', lock, 10);
    world.run(3000);
    expect(waiting.outcome).toBe('waiting');
    world.start('b');
    world.run(4000);
    expect(waiting.outcome).toBe('out');
  });

  test('one that leaves is not waited for', () => {
    const world = new GroupWorld({ seed: 4 });
    const judge = new Judge(world);
    for (const id of world.ids) world.start(id);
    world.run(200);
    const held = judge.visit('b', lock, 1e9);
    world.run(300);
    world.leave('b');
    world.run(400);
    expect(held.outcome).toBe('lost');
    expect(world.at('a')!.view!.members.map(({ id }) => id)).toEqual(['a', 'c']);
    const next = judge.visit('a', lock, 10);
    world.run(1000);
    expect(next.outcome).toBe('out');
  });
});

describe('a member that an operator calls gone', () => {
  const ids = ['a', 'b', 'c'];

  test('is left out at all others, and what it held is free', () => {
    const world = new GroupWorld({ seed: 5 });
    const judge = new Judge(world);
    for (const id of ids) world.start(id);
    world.run(200);
    judge.visit('b', lock, 1e9);
    world.run(400);
    world.crash('b');
    judge.died('b');
    const waiting = judge.visit('c', lock, 10);
    world.run(3000);
    expect(waiting.outcome).toBe('waiting');
    world.at('a')!.step({ type: 'forget', id: 'b' });
    world.run(4000);
    expect(waiting.outcome).toBe('out');
    for (const id of ['a', 'c']) {
      expect(world.at(id)!.view!.members.map((member) => member.id)).toEqual(['a', 'c']);
    }
    world.start('b');
    world.run(5000);
    expect(world.at('c')!.view!.members.map(({ id }) => id)).toEqual(ids);
    expect(judge.faults).toEqual([]);
  });

  test('stops when it turns out to be alive, and its holders have lost their locks', () => {
    const world = new GroupWorld({ seed: 6 });
    const judge = new Judge(world);
    for (const id of ids) world.start(id);
    world.run(200);
    const held = judge.visit('b', lock, 1e9);
    world.run(400);
    for (const id of ['a', 'c']) {
      world.cut('b', id, 2000);
      world.cut(id, 'b', 2000);
    }
    world.at('a')!.step({ type: 'forget', id: 'b' });
    world.run(1000);
    expect(held.outcome).toBe('inside');
    world.run(6000);
    expect(held.outcome).toBe('lost');
  });

  test('is not waited for by members that have all restarted, if it is called gone again', () => {
    const world = new GroupWorld({ seed: 7 });
    const judge = new Judge(world);
    world.start('a');
    world.start('c');
    world.run(1000);
    const waiting = judge.visit('c', lock, 10);
    expect(world.at('c')!.waitsFor()).toEqual(['b']);
    for (const id of ['a', 'c']) world.at(id)!.step({ type: 'forget', id: 'b' });
    world.run(3000);
    expect(waiting.outcome).toBe('out');
  });
});
