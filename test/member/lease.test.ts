/** The right of a member to act, which its engine renews: what happens to callers when it has ended. */
import { describe, expect, test } from 'vitest';
import type { AnyMessage } from '../../src/core/message.ts';
import { Reader, recordOf } from '../../src/core/wire.ts';
import { Encoder } from '../../src/group/codec.ts';
import type { Engine, EngineEnvironment } from '../../src/group/engine.ts';
import { NotMemberError } from '../../src/group/errors.ts';
import { GroupNode } from '../../src/group/node.ts';
import { LostError } from '../../src/locks/errors.ts';
import { LockManager } from '../../src/locks/manager.ts';
import { GroupDriver } from '../../src/member/driver.ts';

const LEASE = 1000;
const TURNS = 16;
const START = 1_800_000_000_000;

/** A group of one member, whose lease the test renews, on clocks that the test sets. */
function make() {
  const clock = { monotonic: 0, now: START, reads: 0 };
  const pass = (ms: number) => {
    clock.monotonic += ms;
    clock.now += ms;
  };
  let environment!: EngineEnvironment;
  let epoch = 0;
  const self = { id: 'a', incarnation: 1 };
  const renew = () => environment.mayActUntil(clock.monotonic + LEASE, clock.now + LEASE);
  const join = () => {
    renew();
    environment.view({ epoch: ++epoch, members: [self] });
  };
  const engine = {
    name: 'one',
    wire: recordOf({}),
    start(given: EngineEnvironment) {
      environment = given;
      join();
    },
    deadlinePassed: () => environment.suspended(new NotMemberError('a is no member for now')),
    // The test's word that the member is in a view again.
    hinted: join,
    waitsFor: () => [],
  } as unknown as Engine;
  const rules = { locks: [], semaphores: [] };
  const node = new GroupNode({ self, peers: [], rules, turns: TURNS }, engine);
  const driver = new GroupDriver(node, {
    ...{ send() {}, urgently: (send) => send(), log() {}, reject() {}, reach() {}, call() {} },
    now() {
      clock.reads++;
      return clock.now;
    },
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
    // To suspend and to resume takes some milliseconds on both clocks.
    clock.monotonic += 1;
    clock.now += LEASE;
    expect(() => held.release()).toThrow(LostError);
  });

  test.each([
    ['monotonic', { monotonic: 0.06, now: 0 }],
    ['wall', { monotonic: 0.06, now: 0.06 }],
  ])(
    'the %s clock shows it at once, though a request read the clocks just before',
    async (which, passed) => {
      const { clock, locks } = make();
      const held = await locks.acquire('x');
      clock.monotonic += which === 'monotonic' ? LEASE - 0.05 : 1;
      clock.now += LEASE - 0.05;
      await locks.request('y', () => {});
      expect(held.lost.aborted).toBe(false);
      clock.monotonic += passed.monotonic;
      clock.now += passed.now;
      expect(() => held.release()).toThrow(LostError);
    },
  );

  test('the monotonic clock alone shows it to a message of a lock, though the wall clock was set back', async () => {
    const { clock, driver, locks } = make();
    const held = await locks.acquire('x');
    const { node } = driver;
    const encoder = new Encoder(node.engineWire);
    const length = encoder.encode({
      ...{
        type: 'lock',
        to: 'a',
        lock: node.locks.inUse('x', 0)!,
        fromSlot: 0,
        toSlot: 0,
        clock: 1,
      },
      message: { type: 'REQUEST', n: 1, mode: 'exclusive' } as AnyMessage,
    });
    clock.monotonic += LEASE;
    clock.now -= LEASE;
    driver.receive('b', new Reader(encoder.bytes.slice(0, length)));
    expect(held.lost.reason).toBeInstanceOf(LostError);
  });
});

test('the wall clock is read once in a moment, however many requests there are', async () => {
  const { clock, locks } = make();
  await locks.request('x', () => {});
  const before = clock.reads;
  for (let i = 0; i < 10 * TURNS; i++) await locks.request('x', () => {});
  // A member that takes its lock again and again looks for messages after some turns, and reads the clocks then.
  expect(clock.reads - before).toBeLessThanOrEqual(10);
  clock.monotonic += 1;
  const after = clock.reads;
  await locks.request('x', () => {});
  expect(clock.reads).toBeGreaterThan(after);
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
