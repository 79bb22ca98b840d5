/** The right of a member to act, which its engine renews: what happens to callers when it has ended. */
import { describe, expect, test } from 'vitest';
import { recordOf } from '../../src/core/wire.ts';
import type { Engine, Seat } from '../../src/group/engine.ts';
import { NotMemberError } from '../../src/group/errors.ts';
import { GroupNode } from '../../src/group/node.ts';
import { LostError } from '../../src/locks/errors.ts';
import { LockManager } from '../../src/locks/manager.ts';
import { GroupDriver } from '../../src/member/driver.ts';

const LEASE = 1000;
const START = 1_800_000_000_000;

/** A group of one member, whose lease the test renews, on clocks that the test sets. */
function make() {
  const clock = { monotonic: 0, now: START };
  const pass = (ms: number) => {
    clock.monotonic += ms;
    clock.now += ms;
  };
  let seat!: Seat;
  let epoch = 0;
  const self = { id: 'a', incarnation: 1 };
  const renew = () => seat.mayActUntil(clock.monotonic + LEASE, clock.now + LEASE);
  const join = () => {
    renew();
    seat.view({ epoch: ++epoch, members: [self] });
  };
  const engine = {
    name: 'one',
    wire: recordOf({}),
    start(taken: Seat) {
      seat = taken;
      join();
    },
    deadlinePassed: () => seat.suspended(new NotMemberError('a is no member for now')),
    // The test's word that the member is in a view again.
    hinted: join,
    waitsFor: () => [],
  } as unknown as Engine;
  const rules = { locks: [], semaphores: [] };
  const node = new GroupNode({ self, peers: [], rules, turns: 16 }, engine);
  const driver = new GroupDriver(node, {
    ...{ send() {}, urgently: (send) => send(), log() {}, reject() {}, reach() {}, call() {} },
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    later: () => () => {},
    soon: (callback) => callback(),
    atEndOfTurn: (callback) => queueMicrotask(callback),
    isConnected: () => true,
  });
  driver.start();
  return { clock, pass, renew, driver, locks: new LockManager(driver) };
}

describe('when the lease of a member has ended', () => {
  test('its holders have lost their locks with its first step, and its waiting requests wait on', async () => {
    const { pass, driver, locks } = make();
    const held = await locks.acquire('x');
    const waiting = locks.acquire('x');
    pass(LEASE);
    expect(held.lost.aborted).toBe(false);
    // Any request is a step.
    const other = locks.acquire('y');
    expect(held.lost.reason).toBeInstanceOf(LostError);
    driver.step({ type: 'hint' });
    const [next] = await Promise.all([waiting, other]);
    expect(next.fence).toBeGreaterThan(held.fence);
    expect(next.lost.aborted).toBe(false);
  });

  test('no lock is granted until it is in a view again', async () => {
    const { pass, driver, locks } = make();
    pass(LEASE);
    let isGranted = false;
    const waiting = locks.acquire('x').then(() => {
      isGranted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isGranted).toBe(false);
    driver.step({ type: 'hint' });
    await waiting;
  });

  test('a callback does not start, though the lock was granted before', async () => {
    const { pass, locks } = make();
    let hasRun = false;
    const running = locks.request('x', () => {
      hasRun = true;
    });
    pass(LEASE);
    await expect(running).rejects.toBeInstanceOf(LostError);
    expect(hasRun).toBe(false);
  });

  test('a release is too late: it throws, and `request` rejects', async () => {
    const { pass, locks } = make();
    const held = await locks.acquire('x');
    pass(LEASE);
    expect(() => held.release()).toThrow(LostError);
    expect(held.lost.aborted).toBe(true);
    held.release();
  });

  test.each([
    ['at once', () => undefined],
    ['later', () => Promise.resolve()],
  ])('`request` rejects when its callback ends too late, %s', async (_, end) => {
    const { pass, locks } = make();
    const running = locks.request('x', () => {
      pass(LEASE);
      return end();
    });
    await expect(running).rejects.toBeInstanceOf(LostError);
  });

  test('several locks that are held together are all given back before the first loss is thrown', async () => {
    const { pass, driver, locks } = make();
    const held = await locks.acquire(['x', 'y']);
    pass(LEASE);
    expect(() => held.release()).toThrow(LostError);
    driver.step({ type: 'hint' });
    await locks.acquire(['x', 'y']);
  });

  test('the wall clock alone shows it, as after a machine has slept', async () => {
    const { clock, locks } = make();
    const held = await locks.acquire('x');
    clock.now += LEASE;
    expect(() => held.release()).toThrow(LostError);
  });
});

test('a lease that is renewed in time is not noticed', async () => {
  const { pass, renew, locks } = make();
  const held = await locks.acquire('x');
  for (let i = 0; i < 5; i++) {
    pass(LEASE - 1);
    renew();
  }
  held.release();
  await locks.request('x', () => pass(LEASE - 1));
});
