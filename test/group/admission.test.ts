/** Which locks may ask the group while a peer is congested: admission.ts, at members as deployed. */
import { describe, expect, test } from 'vitest';
import { OverloadedError } from '../../src/group/errors.ts';
import { MOST_DEFERRED } from '../../src/group/limits.ts';
import type { GroupDriver } from '../../src/member/driver.ts';
import { GroupWorld, Judge } from '../support/group-world.ts';

const exclusive = { permits: 0, mode: 'exclusive', how: 'wait' } as const;

/** Two members whose locks can be asked for. */
function pair(): { world: GroupWorld; judge: Judge; a: GroupDriver } {
  const world = new GroupWorld({ seed: 1, members: 2 });
  for (const id of world.ids) world.start(id);
  world.run(1000);
  return { world, judge: new Judge(world), a: world.at('a')! };
}

/** So many names whose first token is at member b: a request at a must send a message. */
function foreignNames(count: number): string[] {
  const { world, judge, a } = pair();
  const isForeign = (name: string): boolean => {
    const before = a.stats.messages;
    judge.visit('a', { name, ...exclusive }, 0);
    const hasSent = a.stats.messages > before;
    world.run(world.now + 100);
    return hasSent;
  };
  const names: string[] = [];
  for (let i = 0; names.length < count; i++) if (isForeign(`name ${i}`)) names.push(`name ${i}`);
  return names;
}

/** Asks at a, and returns the messages that this has sent. */
function ask({ judge, a }: ReturnType<typeof pair>, name: string, patience = Infinity) {
  const before = a.stats.messages;
  const visit = judge.visit('a', { name, ...exclusive }, 0, patience);
  return { visit, messages: a.stats.messages - before };
}

describe('while a peer is congested', () => {
  test('a request that needs no message is granted at once', () => {
    const group = pair();
    const names = foreignNames(20);
    group.a.congestion('b', true);
    for (let i = 0, local = 0; local < 5; i++) {
      const name = `name ${i}`;
      if (names.includes(name)) continue;
      expect(ask(group, name)).toMatchObject({ visit: { outcome: 'inside' }, messages: 0 });
      local++;
    }
  });

  test('a request that is cancelled before it is sent never costs a message, and leaves nothing behind', () => {
    const group = pair();
    const [name] = foreignNames(1);
    group.a.congestion('b', true);
    const { visit, messages } = ask(group, name!, 50);
    expect(messages).toBe(0);
    group.world.run(group.world.now + 60);
    expect(visit.outcome).toBe('cancelled');
    expect(group.a.node.locks.knows(name!, 0)).toBe(false);
    group.a.congestion('b', false);
    group.world.run(group.world.now + 10_000);
    expect(group.a.stats.messages).toBe(0);
  });

  test('a few requests ask at each tick, so that a peer that is stopped does not block the group', () => {
    const group = pair();
    group.a.congestion('b', true);
    const visits = foreignNames(60).map((name) => ask(group, name).visit);
    const granted = () => visits.filter(({ outcome }) => outcome === 'out').length;
    expect(granted()).toBe(0);
    group.world.run(group.world.now + 180);
    expect(granted()).toBe(16);
    group.world.run(group.world.now + 1000);
    expect(granted()).toBe(60);
  });

  test('the newest requests ask first, and every eighth turn is the oldest’s', () => {
    const group = pair();
    const names = foreignNames(40);
    group.a.congestion('b', true);
    const visits = names.map((name) => ask(group, name).visit);
    group.world.run(group.world.now + 180);
    const granted = visits.flatMap(({ outcome }, i) => (outcome === 'out' ? [i] : []));
    expect(granted).toEqual([0, 1, ...Array.from({ length: 14 }, (_, i) => 26 + i)]);
  });

  test('a try that must ask others, or a semaphore that is not known, fails with an OverloadedError at the next tick', () => {
    const group = pair();
    const [name] = foreignNames(1);
    group.a.congestion('b', true);
    const refused = [
      group.judge.visit('a', { name: name!, ...exclusive, how: 'try' }, 0),
      group.judge.visit('a', { name: 'gpu', ...exclusive, permits: 2 }, 0),
    ];
    // Not at once: a caller that asks again and again would not let the process read what ends the congestion.
    expect(refused.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting']);
    group.world.run(group.world.now + 110);
    for (const { outcome, error } of refused) {
      expect(outcome).toBe('failed');
      expect(error).toBeInstanceOf(OverloadedError);
      expect(error?.message).toMatch(/b acknowledge.* ask again after a pause/);
    }
    expect(group.a.stats.messages).toBe(0);
  });

  test('a refused request that its caller cancels is not told anything more', () => {
    const group = pair();
    group.a.congestion('b', true);
    const visit = group.judge.visit('a', { name: 'gpu', ...exclusive, permits: 2 }, 0, 10);
    group.world.run(group.world.now + 500);
    expect(visit.outcome).toBe('cancelled');
  });

  test('a steal asks at once, because it is for repairs', () => {
    const group = pair();
    const [name] = foreignNames(1);
    group.a.congestion('b', true);
    const before = group.a.stats.messages;
    group.judge.visit('a', { name: name!, ...exclusive, how: 'steal' }, 0);
    expect(group.a.stats.messages).toBeGreaterThan(before);
  });
});

test('when the congestion ends, the deferred requests ask at once', () => {
  const group = pair();
  const names = foreignNames(200);
  group.a.congestion('b', true);
  const visits = names.map((name) => ask(group, name).visit);
  group.a.congestion('b', false);
  group.world.run(group.world.now + 50);
  expect(visits.every(({ outcome }) => outcome === 'out')).toBe(true);
});

test(`one lock more than the ${MOST_DEFERRED} that may wait to ask is refused, and the others go on`, () => {
  const group = pair();
  group.a.congestion('b', true);
  const deferred = () => group.a.node.admission.count;
  const outcomes = { waiting: 0, failed: 0 };
  const errors: Error[] = [];
  const request = (name: string) =>
    group.a.request(
      { name, ...exclusive },
      {
        granted() {},
        busy() {},
        failed: (error) => errors.push(error),
        lost() {},
      },
    );
  let i = 0;
  while (deferred() < MOST_DEFERRED) request(`name ${i++}`);
  // Half of the names need no message.
  while (group.a.node.admission.refused.length === 0) request(`name ${i++}`);
  outcomes.waiting = deferred();
  group.world.run(group.world.now + 110);
  expect(outcomes.waiting).toBe(MOST_DEFERRED);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toBeInstanceOf(OverloadedError);
  expect(errors[0]?.message).toMatch(/10000 may/);
  expect(deferred()).toBe(MOST_DEFERRED - 16);
});

test('in a new view the deferred requests are asked again, and a congested process outside the view does not matter', () => {
  const group = pair();
  const [name] = foreignNames(1);
  group.a.congestion('b', true);
  group.world.crash('b');
  const { visit } = ask(group, name!);
  group.world.later(20, () => group.world.start('b'));
  // The session with the new process of b begins without unacknowledged messages.
  group.world.later(30, () => group.a.congestion('b', false));
  group.world.run(group.world.now + 5000);
  expect(visit.outcome).toBe('out');
  group.a.congestion('elsewhere', true);
  expect(group.a.node.admission.isOpen).toBe(true);
});

test('a member that ends tells the requests that it has refused', () => {
  const group = pair();
  group.a.congestion('b', true);
  const visit = group.judge.visit('a', { name: 'gpu', ...exclusive, permits: 2 }, 0);
  group.a.end(new Error('over'));
  expect(visit.outcome).toBe('failed');
});

describe('the answer to a survey', () => {
  const names = Array.from({ length: 40 }, (_, i) => `${i}`.padEnd(60_000, 'x'));
  function holding() {
    const group = pair();
    for (const name of names) group.judge.visit('a', { name, ...exclusive }, Infinity);
    group.world.run(group.world.now + 1000);
    return group;
  }

  test('stops while the member that asks is congested, and goes on when it is not', async () => {
    const { world, a } = holding();
    const survey = world.at('b')!.query();
    world.run(world.now + 15);
    a.congestion('b', true);
    world.run(world.now + 400);
    a.congestion('b', false);
    world.run(world.now + 400);
    const { held, unreachable } = await survey;
    expect(held).toHaveLength(40);
    expect(unreachable).toEqual([]);
  });

  test('is dropped when that lasts, however many surveys are asked for: nothing fills the outbox', async () => {
    const { world, a } = holding();
    a.congestion('b', true);
    world.largestMessage = 0;
    const surveys = Array.from({ length: 60 }, () => world.at('b')!.query());
    world.run(world.now + 3000);
    for (const { held, unreachable } of await Promise.all(surveys)) {
      expect(held).toHaveLength(0);
      expect(unreachable).toEqual(['a']);
    }
    expect(world.largestMessage).toBeLessThan(1000);
    a.congestion('b', false);
    const after = world.at('b')!.query();
    world.run(world.now + 3000);
    expect((await after).held).toHaveLength(40);
  });
});
