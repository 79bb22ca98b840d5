/** Which idle locks send what is due, and when: all for one member at once, and one member after the other. */
import { expect, test } from 'vitest';
import { DueLocks } from '../../src/group/due-locks.ts';
import { Effects } from '../../src/group/effects.ts';
import { LockRecord } from '../../src/group/lock-record.ts';
import type { Membership } from '../../src/group/membership.ts';

const MEMBERS = 10;

/** So many locks that are due for each of these members. `fire` lets the timer fire: which names leave then? */
function world(locks: readonly number[]) {
  const effects = new Effects();
  const admission = { isOpen: true };
  const membership = { effects, admission, now: 1000, size: MEMBERS };
  let left: LockRecord[] = [];
  const due = new DueLocks(membership as unknown as Membership, (record) => left.push(record));
  for (const [member, count] of locks.entries()) {
    for (let i = 0; i < count; i++) due.add(new LockRecord(`${member}/${i}`, member, {}));
  }
  const fire = () => {
    left = [];
    const { after } = due.timer!;
    membership.now += typeof after === 'number' ? after : 0;
    due.timerFired();
    return left.map(({ name }) => name);
  };
  return { due, fire, admission, membership };
}

const membersOf = (names: readonly string[]) => [...new Set(names.map((name) => name[0]))];

test('few locks leave together after 100 ms', () => {
  const { due, fire } = world([1, 0, 2, 0, 0, 0, 0, 0, 1]);
  expect(due.timer!.after).toBe(100);
  expect(fire()).toEqual(['0/0', '2/0', '2/1', '8/0']);
  expect(due.timer).toBeNull();
});

test('of many locks, those for one member leave at a time, and each member gets its turn within 100 ms', () => {
  const { due, fire, membership } = world(Array(MEMBERS).fill(20));
  const from = membership.now;
  for (let member = 0; member < MEMBERS; member++) {
    const names = fire();
    expect(names).toHaveLength(20);
    expect(membersOf(names)).toEqual([String(member)]);
  }
  expect(due.timer).toBeNull();
  expect(membership.now - from).toBeCloseTo(190);
});

test('of very many locks for one member, the older half leaves at once', () => {
  const { due, fire } = world([3, 40]);
  expect(due.timer!.after).toBe('soon');
  expect(fire()).toEqual(Array.from({ length: 24 }, (_, i) => `1/${i}`));
  expect(due.timer!.after).toBe(100);
  expect(membersOf(fire())).toEqual(['0', '1']);
});

test('a lock that came a moment ago waits for the next turn of its member', () => {
  const { due, fire, membership } = world([1]);
  membership.now += 80;
  due.add(new LockRecord('later', 0, {}));
  membership.now -= 80;
  expect(fire()).toEqual(['0/0']);
  expect(fire()).toEqual(['later']);
});

test('nothing leaves while a peer is congested', () => {
  const { due, fire, admission } = world([5]);
  admission.isOpen = false;
  expect(fire()).toEqual([]);
  expect(due.timer!.after).toBe(100);
  admission.isOpen = true;
  expect(fire()).toHaveLength(5);
});
