/** What becomes of locks when a process is expelled, the group fails, or the lock manager is closed. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test, vi } from 'vitest';
import type { LockBackend, RequestListener } from '../../src/group/backend.ts';
import {
  ClosedError,
  type Lock,
  LockManager,
  LostError,
  NotMemberError,
  NotPossibleError,
  Semaphore,
  StolenError,
} from '../../src/locks/index.ts';
import { deferred } from '../support/locks-suite.ts';
import { atADistance, OneProcess } from '../support/one-process.ts';

const never = new Promise<never>(() => {});
const notMember = Object.assign(new Error('not in view 7'), { name: 'NotMemberError' });
const nothing = { held: [], pending: [], unreachable: [] };

function world() {
  const one = new OneProcess();
  const [a, b] = ['a', 'b'].map((id) => new LockManager(one.backend(id))) as [
    LockManager,
    LockManager,
  ];
  return { a, b, expel: () => one.expel('a', notMember) };
}

async function opened(locks: LockManager, name: string) {
  const inside = deferred<Lock>();
  const released = locks.request(name, (lock) => {
    inside.resolve(lock);
    return never;
  });
  released.catch(() => {});
  return { lock: await inside.promise, released };
}

describe('a lock that its own callback steals', () => {
  test.each<[string, () => unknown]>([
    ['returns', () => 'too late'],
    [
      'throws',
      () => {
        throw new Error('too late');
      },
    ],
    ['resolves', async () => 'too late'],
    ['rejects', () => Promise.reject(new Error('too late'))],
  ])('is lost, though the callback then %s', async (_, end) => {
    const { a } = world();
    let thief: Promise<string> | undefined;
    const victim = a.request('x', () => {
      thief = a.request('x', { steal: true }, () => 'stole');
      return end();
    });
    await expect(victim).rejects.toThrow(StolenError);
    expect(await thief).toBe('stole');
  });
});

describe('a process that is expelled', () => {
  test('loses what it holds: the promise rejects and the signal aborts, for the same reason', async () => {
    const { a, b, expel } = world();
    const { lock, released } = await opened(a, 'x');
    const handle = await a.acquire('y');
    const together = await a.acquire(['z', 'w']);
    const told = vi.fn();
    for (const { lost } of [lock, handle, together]) lost.addEventListener('abort', told);
    expel();
    const error = await released.catch((reason) => reason);
    expect(error).toBeInstanceOf(LostError);
    expect(error).not.toBeInstanceOf(StolenError);
    expect(error).toMatchObject({ name: 'LostError', cause: notMember });
    expect(error.message).toMatch('"x" was lost (not in view 7)');
    expect(told).toHaveBeenCalledTimes(3);
    expect(lock.lost.reason).toBe(error);
    expect(together.lost.reason).toMatchObject({ name: 'LostError' });
    handle.release();
    together.release();
    for (const name of ['x', 'y', 'z', 'w']) expect(await b.tryAcquire(name)).not.toBe(null);
    expect(a.stats).toMatchObject({ lost: 4, held: 0, waiting: 0 });
  });
  test('is told why it waits no longer', async () => {
    const { a, b, expel } = world();
    await opened(b, 'x');
    const waits = [a.request('x', () => {}), a.acquire('x'), a.acquire(['v', 'x'])];
    const settled = Promise.allSettled(waits);
    await vi.waitFor(async () => expect((await a.query()).pending).toHaveLength(3));
    expel();
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ reason: { name: 'NotMemberError', cause: notMember } });
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(NotMemberError);
    }
    expect(await b.tryAcquire('v')).not.toBe(null);
    expect(a.stats).toMatchObject({ failed: 3, held: 0, waiting: 0 });
  });
  test('does not begin what it has lost before its turn', async () => {
    const { a, expel } = world();
    const callback = vi.fn();
    const result = a.request('x', callback);
    expel();
    await expect(result).rejects.toThrow(LostError);
    expect(callback).not.toHaveBeenCalled();
    expect(a.stats).toMatchObject({ granted: 0, lost: 1, held: 0, waiting: 0 });
  });
  test('one of several names that is lost while the next is waited for: none is obtained', async () => {
    const { a, b } = world();
    const { lock } = await opened(b, 'y');
    const together = a.acquire(['x', 'y']);
    await vi.waitFor(async () => expect((await a.query()).pending).toHaveLength(1));
    await b.request('x', { steal: true }, () => {});
    await a.request('y', { steal: true }, () => {});
    await expect(together).rejects.toThrow(StolenError);
    expect(lock.lost.aborted).toBe(true);
    expect(await b.tryAcquire(['x', 'y'])).not.toBe(null);
  });
  test('may ask for locks as soon as it is told, also from within', async () => {
    const { a, expel } = world();
    const { lock } = await opened(a, 'x');
    const reacquired = new Promise((resolve, reject) => {
      lock.lost.addEventListener('abort', () => {
        a.request('x', ({ fence }) => fence > lock.fence).then(resolve, reject);
      });
    });
    expel();
    expect(await reacquired).toBe(true);
  });
  test('finds a signal already aborted, if it looks only then', async () => {
    const { a, expel } = world();
    const { lock } = await opened(a, 'x');
    expel();
    expect(lock.lost.aborted).toBe(true);
    expect(lock.lost.reason).toBeInstanceOf(LostError);
  });
  test('what a callback does after the loss changes nothing', async () => {
    const { a, b, expel } = world();
    const inside = deferred<void>();
    const released = a.request('x', () => inside.promise);
    released.catch(() => {});
    await vi.waitFor(() => expect(a.stats.held).toBe(1));
    expel();
    const { lock } = await opened(b, 'x');
    inside.reject(new Error('too late'));
    await expect(released).rejects.toThrow(LostError);
    expect(lock.lost.aborted).toBe(false);
    expect(await a.tryAcquire('x')).toBe(null);
  });
});

describe('a backend that cannot serve', () => {
  const failing = (ask: (caller: RequestListener) => void): LockManager => {
    const backend: LockBackend = {
      clientId: 'c',
      request: (_, caller) => {
        ask(caller);
        return { release: () => {} };
      },
      query: async () => nothing,
    };
    return new LockManager(backend);
  };
  test('says so, at once or by throwing', async () => {
    const odd = new Error('no such algorithm');
    const said = failing((caller) => caller.failed(odd));
    const thrown = failing(() => {
      throw odd;
    });
    for (const locks of [said, thrown]) {
      await expect(locks.request('x', () => {})).rejects.toBe(odd);
      await expect(locks.acquire('x')).rejects.toBe(odd);
      expect((await locks.query()).pending).toEqual([]);
      expect(locks.stats).toMatchObject({ failed: 2, waiting: 0 });
    }
  });
  test('errors that crossed a wire are known by their names', async () => {
    for (const [name, known] of Object.entries({ NotMemberError, NotPossibleError, ClosedError })) {
      const bare = Object.assign(new Error('as it was sent'), { name });
      const locks = failing((caller) => caller.failed(bare));
      const error = await locks.acquire('x').catch((reason) => reason);
      expect(error).toBeInstanceOf(known);
      expect(error).toMatchObject({ name, cause: bare });
    }
  });
});

describe('a lock manager that is closed', () => {
  test.each(['at once', 'at a distance'])('%s: refuses, and gives all back', async (where) => {
    const one = new OneProcess();
    const near = one.backend('a');
    const backend = where === 'at once' ? near : atADistance(near);
    const a = new LockManager(backend);
    const gpus = new Semaphore(backend, 'gpu', 1);
    const b = new LockManager(one.backend('b'));
    await opened(b, 'y');
    const { lock, released } = await opened(a, 'x');
    await gpus.acquire();
    const waits = [a.request('y', () => {}), a.acquire('y'), gpus.acquire()];
    const settled = Promise.allSettled(waits);
    await Promise.resolve();
    a.close();
    a.close();
    for (const outcome of await settled) {
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(ClosedError);
    }
    await expect(released).rejects.toMatchObject({
      name: 'LostError',
      cause: { name: 'ClosedError' },
    });
    expect(lock.lost.aborted).toBe(true);
    for (const ask of [
      () => a.request('q', () => {}),
      () => a.tryAcquire('q'),
      () => gpus.acquire(),
    ]) {
      await expect(ask()).rejects.toThrow(ClosedError);
    }
    await vi.waitFor(async () => expect((await b.query()).held).toHaveLength(1));
    expect((await b.query()).pending).toEqual([]);
    expect(a.stats).toMatchObject({ held: 0, waiting: 0 });
  });
  test('while a request is being made: it does not get through', async () => {
    const { a, b } = world();
    const close = () => a.close();
    subscribe('locks.request.start', close);
    await expect(a.acquire('x')).rejects.toThrow(ClosedError);
    unsubscribe('locks.request.start', close);
    expect(await b.tryAcquire('x')).not.toBe(null);
  });
});

describe('several names', () => {
  test('are released in the opposite order', async () => {
    const near = new OneProcess().backend('a');
    const done: string[] = [];
    const request: LockBackend['request'] = (spec, caller) => {
      const handle = near.request(spec, caller);
      return {
        release() {
          done.push(spec.name);
          handle.release();
        },
      };
    };
    const locks = new LockManager({ ...near, request });
    (await locks.acquire(['z', 'x', 'y'])).release();
    expect(done).toEqual(['z', 'y', 'x']);
  });
  test('have one time-out together', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const { a, b } = world();
      const [x] = [await b.acquire('x'), await b.acquire('y')];
      const outcome = a.acquire(['x', 'y'], { timeoutMs: 100 }).catch((reason) => reason);
      await vi.advanceTimersByTimeAsync(60);
      x.release();
      await vi.advanceTimersByTimeAsync(39);
      expect((await b.query()).held.map(({ clientId }) => clientId)).toEqual(['a', 'b']);
      await vi.advanceTimersByTimeAsync(1);
      expect((await outcome).message).toMatch('"y" was not granted within 100 ms');
      expect((await b.query()).held.map(({ clientId }) => clientId)).toEqual(['b']);
    } finally {
      vi.useRealTimers();
    }
  });
  test('an abort between one and the next counts', async () => {
    const { a, b } = world();
    await opened(b, 'y');
    const controller = new AbortController();
    const abort = () => controller.abort('enough');
    subscribe('locks.request.grant', abort);
    const together = a.acquire(['x', 'y'], { signal: controller.signal });
    await expect(together).rejects.toBe('enough');
    unsubscribe('locks.request.grant', abort);
    expect(await b.tryAcquire('x')).not.toBe(null);
  });
});

describe('query', () => {
  const held = { name: 'x', permits: 0, mode: 'exclusive', forMs: 5, member: 'm' } as const;

  test('shows our own requests while the group does not answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const query of [() => never, () => Promise.reject(new Error('no connection'))]) {
        const locks = new LockManager({ ...new OneProcess().backend('a'), query });
        const { lock } = await opened(locks, 'x');
        const waits = locks.acquire('x', { mode: 'shared' });
        waits.catch(() => {});
        const answer = locks.query();
        await vi.advanceTimersByTimeAsync(3000);
        expect(await answer).toEqual({
          held: [
            {
              name: 'x',
              mode: 'exclusive',
              clientId: 'a',
              permits: 0,
              forMs: expect.any(Number),
              fence: lock.fence.toString(),
            },
          ],
          pending: [
            { name: 'x', mode: 'shared', clientId: 'a', permits: 0, forMs: expect.any(Number) },
          ],
          unreachable: [],
          isComplete: false,
        });
        locks.close();
      }
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
  test('leaves out what the group still lists of ours, and keeps the others and their order', async () => {
    const list = (...ids: string[]) => ids.map((clientId) => ({ ...held, clientId }));
    const query = async () => ({
      held: [],
      pending: list('b', 'a', 'c', 'a', 'a'),
      unreachable: ['d'],
    });
    const locks = new LockManager({ ...new OneProcess().backend('a'), query });
    await opened(locks, 'x');
    for (let i = 0; i < 2; i++) locks.acquire('x').catch(() => {});
    const snapshot = await locks.query();
    expect(snapshot.pending.map(({ clientId }) => clientId)).toEqual(['b', 'a', 'c', 'a']);
    expect(snapshot.held.map(({ clientId }) => clientId)).toEqual(['a']);
    expect(snapshot).toMatchObject({ unreachable: ['d'], isComplete: true });
  });
});

test('permits are a whole number from 1 to 128', () => {
  const backend = new OneProcess().backend('a');
  for (const permits of [0, -1, 1.5, 129, Number.NaN]) {
    expect(() => new Semaphore(backend, 'gpu', permits)).toThrow(`cannot have ${permits} permits`);
  }
  expect(() => new Semaphore(backend, '-gpu', 1)).toThrow('reserved');
  expect(new Semaphore(backend, 'gpu', 128).permits).toBe(128);
});
