/** Leader election among members over real sockets. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Members, members } from '../support/members.ts';
import { until } from '../support/program.ts';

let all: Members;
beforeEach(async () => {
  all = await members(['a', 'b']);
});
afterEach(() => all.stop());

/** Stands at that member, and notes what it is told. */
function stand(id: string, onElected?: () => unknown) {
  const told: string[] = [];
  const fences: bigint[] = [];
  const election = all.groups[id]!.elect('x', {
    onElected: (lock) => {
      told.push('elected');
      fences.push(lock.fence);
      return onElected?.();
    },
    onLost: () => told.push('lost'),
  });
  return { election, told, fences };
}

describe('an election', () => {
  test('has one leader, and another one with a higher fence when the first resigns', async () => {
    const a = stand('a');
    await until(() => a.election.isLeader);
    const b = stand('b');
    expect(b.election.isLeader).toBe(false);
    await a.election.resign();
    await until(() => b.election.isLeader);
    expect(a.election.isLeader).toBe(false);
    expect(a.election.ended.aborted).toBe(true);
    expect([a.told, b.told]).toEqual([['elected'], ['elected']]);
    expect(b.fences[0]).toBeGreaterThan(a.fences[0]!);
    await b.election.resign();
  });

  test('tells a leader that it leads no longer, and lets it stand again', async () => {
    const a = stand('a');
    await until(() => a.election.isLeader);
    const stolen = all.groups['b']!.locks.request('x', { steal: true }, async () => {
      await until(() => a.told.includes('lost'));
      expect(a.election.isLeader).toBe(false);
    });
    await stolen;
    await until(() => a.election.isLeader);
    expect(a.told).toEqual(['elected', 'lost', 'elected']);
    await a.election.resign();
  });

  test('ends with an error of `onElected`, and another process leads', async () => {
    const a = stand('a', () => Promise.reject(new Error('cannot lead')));
    await until(() => a.election.ended.aborted);
    expect((a.election.ended.reason as Error).message).toBe('cannot lead');
    const b = stand('b');
    await until(() => b.election.isLeader);
    expect(a.told).toEqual(['elected']);
    await b.election.resign();
  });

  test('ends for a process that leaves the group', async () => {
    const a = stand('a');
    await until(() => a.election.isLeader);
    await all.groups['a']!.leave();
    await until(() => a.election.ended.aborted);
    expect(a.told).toEqual(['elected', 'lost']);
    const b = stand('b');
    await until(() => b.election.isLeader);
    await b.election.resign();
  });
});
