/** Requests of one process are decided in the order in which they were made, as Web Locks demands. */
import { afterEach, describe, expect, test } from 'vitest';
import { StolenError } from '../../src/locks/errors.ts';
import { type Group, join } from '../../src/member/join.ts';
import { freePorts } from '../support/members.ts';

const groups: Group[] = [];
afterEach(async () => {
  await Promise.all(groups.splice(0).map((group) => group.leave()));
});

async function group(size: number): Promise<Group[]> {
  const ports = await freePorts(size);
  const all = Object.fromEntries(ports.map((port, i) => ['abc'[i]!, `127.0.0.1:${port}`]));
  const joined = await Promise.all(
    Object.entries(all).map(([self, listen]) => {
      const { [self]: _, ...peers } = all;
      return join({ self, listen, peers });
    }),
  );
  groups.push(...joined);
  // Once a member has been granted a lock, the view has begun.
  for (const { locks } of joined) await locks.request('first of all', () => {});
  return joined;
}

describe.each([1, 3])('with %i members', (size) => {
  test('a steal takes a free lock from the request before it, whose promise rejects', async () => {
    for (const { locks } of await group(size)) {
      const events: string[] = [];
      const first = locks.request('x', () => new Promise(() => events.push('first')));
      const second = locks.request('x', { steal: true }, () => events.push('second'));
      await expect(first).rejects.toBeInstanceOf(StolenError);
      await second;
      expect(events.at(-1)).toBe('second');
    }
  });

  test('query shows a request of a free lock that was made before it as held', async () => {
    for (const { locks, id } of await group(size)) {
      let finish = () => {};
      const name = `of ${id}`;
      const held = locks.request(name, () => new Promise<void>((resolve) => (finish = resolve)));
      const { held: shown, pending } = await locks.query();
      expect(shown.map((lock) => lock.name)).toContain(name);
      expect(pending.map((lock) => lock.name)).not.toContain(name);
      finish();
      await held;
    }
  });
});

test('shared requests of one process are granted in order, across names', async () => {
  const [{ locks }] = (await group(1)) as [Group];
  const order: string[] = [];
  const names = ['a', 'b', 'c', 'a', 'b', 'c'];
  await Promise.all(
    names.map((name, i) =>
      locks.request(name, { mode: 'shared' }, () => order.push(`${name}${i}`)),
    ),
  );
  expect(order).toEqual(['a0', 'b1', 'c2', 'a3', 'b4', 'c5']);
});
