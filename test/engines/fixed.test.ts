/** The engine `fixed`: the contract of all engines, and what is its own. */
import { describe, expect, test } from 'vitest';
import { fixed } from '../../src/engines/fixed.ts';
import { engineSuite } from '../support/engine-suite.ts';
import { GroupWorld, Judge } from '../support/group-world.ts';

engineSuite('fixed', fixed);

const lock = { name: 'x', permits: 0, mode: 'exclusive', how: 'wait' } as const;

describe('fixed', () => {
  test('nobody is let in before all are there, and it says for whom it waits', () => {
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

  test('a restarted member is readmitted, and nobody else loses what it holds', () => {
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
