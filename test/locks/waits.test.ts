/** Requests that wait for themselves, and what a request leaves behind when it is over. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Lock, LockManager, SelfDeadlockError, Semaphore } from '../../src/locks/index.ts';
import { deferred } from '../support/locks-suite.ts';
import { atADistance, OneProcess } from '../support/one-process.ts';

const make = (selfWaitMs?: number) => {
  const backend = new OneProcess().backend('a');
  return { backend, locks: new LockManager(backend, { selfWaitMs }) };
};
const turn = () => new Promise(setImmediate);

describe('what waits for itself', () => {
  test('is refused after a second, by default', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { locks } = make();
      let inner: Promise<unknown> | undefined;
      const outer = locks.request('x', () => {
        inner = locks.request('x', () => {});
        return inner;
      });
      const outcome = outer.catch((reason) => reason);
      await vi.advanceTimersByTimeAsync(999);
      expect((await locks.query()).pending).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await outcome).toBeInstanceOf(SelfDeadlockError);
      expect(locks.stats).toMatchObject({ deadlocked: 1, held: 0, waiting: 0 });
      expect(await locks.request('x', () => 'free')).toBe('free');
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
  test('is refused at once with 0, and the stack tells where', async () => {
    const { locks } = make(0);
    const error = await locks
      .request('x', async function outer() {
        await locks.request('x', () => {});
      })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(SelfDeadlockError);
    expect(error.stack).toMatch(/at (async )?outer/);
    expect(error.stack).toMatch('locks/waits.test');
  });
  test('is left alone with Infinity', async () => {
    const { locks } = make(Infinity);
    const result = await locks.request('x', async () => {
      const signal = AbortSignal.timeout(30);
      return locks.request('x', { signal }, () => {}).catch((reason) => reason.name);
    });
    expect(result).toBe('TimeoutError');
    await locks.request('x', async () => {
      const handle = locks.acquire('x', { timeoutMs: 5 });
      await expect(handle).rejects.toMatchObject({ name: 'TimeoutError' });
    });
  });
  test('is not what has no circle', async () => {
    const { locks } = make(0);
    const other = deferred<void>();
    const holder = locks.request('y', () => other.promise);
    const nested = locks.request('x', async () => {
      // Shared in shared, another name, a theft, a try: none of them waits for its own callback.
      const waits = locks.request('y', () => 'y');
      await locks.request('s', { mode: 'shared' }, () => locks.acquire('s', { mode: 'shared' }));
      expect(await locks.tryAcquire('x')).toBe(null);
      other.resolve();
      return waits;
    });
    expect(await nested).toBe('y');
    await holder;
    const stolen = locks.request('x', () =>
      locks.request('x', { steal: true }, () => 'mine again'),
    );
    await expect(stolen).rejects.toMatchObject({ name: 'AbortError' });
  });
  test('is not what outlives its callback', async () => {
    const { locks } = make(0);
    const later = deferred<void>();
    let after: Promise<unknown> | undefined;
    await locks.request('x', () => {
      after = later.promise.then(async () => {
        const held = deferred<void>();
        const inner = locks.request('x', () => held.promise);
        const waits = locks.acquire('x');
        held.resolve();
        await inner;
        (await waits).release();
      });
    });
    later.resolve();
    await after;
    expect(locks.stats.deadlocked).toBe(0);
  });
  test('is a reader behind a writer that waits for it', async () => {
    const { locks } = make(0);
    const mode = 'shared';
    const opened = deferred<void>();
    const goOn = deferred<void>();
    const reader = locks.request('x', { mode }, async () => {
      opened.resolve();
      await goOn.promise;
      return locks.acquire('x', { mode }).catch((reason) => reason);
    });
    await opened.promise;
    const writer = locks.request('x', () => 'written');
    goOn.resolve();
    expect(await reader).toMatchObject({ name: 'SelfDeadlockError', circle: ['x'] });
    expect(await writer).toBe('written');
  });
  test('is a callback that wants one permit more than there are', async () => {
    const { backend } = make();
    const gpus = new Semaphore(backend, 'gpu', 2, { selfWaitMs: 0 });
    await gpus.request(async () => {
      const second = await gpus.request(async () => gpus.acquire().catch((reason) => reason));
      expect(second).toBeInstanceOf(SelfDeadlockError);
      expect(await gpus.request(() => 'a permit')).toBe('a permit');
    });
  });
  test('is not a callback that has one permit, when another caller has the other', async () => {
    const { backend } = make();
    const gpus = new Semaphore(backend, 'gpu', 2, { selfWaitMs: 0 });
    const other = await gpus.acquire();
    const result = gpus.request(async () => {
      const waits = gpus.acquire();
      other.release();
      (await waits).release();
      return 'both';
    });
    expect(await result).toBe('both');
  });
  test('is not what was a circle, and is none when its time has come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { locks } = make(100);
      const [open, asked, last] = [deferred<void>(), deferred<void>(), deferred<void>()];
      const x = locks.request('x', async () => {
        await open.promise;
        const wait = locks.request('y', () => {});
        asked.resolve();
        await wait;
      });
      const y = locks.request('y', async () => {
        open.resolve();
        await asked.promise;
        return locks.request('x', () => 'in the end');
      });
      await vi.advanceTimersByTimeAsync(50);
      expect((await locks.query()).pending).toHaveLength(2);
      const thief = locks.request('x', { steal: true }, () => last.promise);
      await expect(x).rejects.toMatchObject({ name: 'AbortError' });
      await vi.advanceTimersByTimeAsync(500);
      last.resolve();
      expect(await y).toBe('in the end');
      await thief;
    } finally {
      vi.useRealTimers();
    }
  });
  test('is not what waits for a request that may give up', async () => {
    const { locks } = make(0);
    for (const limits of [{ timeoutMs: 20 }, { signal: AbortSignal.timeout(20) }]) {
      const [open, asked] = [deferred<void>(), deferred<void>()];
      const x = locks.request('x', async () => {
        await open.promise;
        const wait = locks.request('y', limits, () => {});
        asked.resolve();
        await wait.catch(() => {});
      });
      const y = locks.request('y', async () => {
        open.resolve();
        await asked.promise;
        return locks.request('x', () => 'in the end');
      });
      expect(await y).toBe('in the end');
      await x;
    }
    // And a try, at a distance, waits only for an answer.
    const far = new LockManager(atADistance(new OneProcess().backend('a')));
    const mode = 'shared';
    await far.request('x', { mode }, async () => {
      const attempt = far.tryAcquire('x');
      (await far.acquire('x', { mode })).release();
      expect(await attempt).toBe(null);
    });
  });
  test('names a circle of three, and one refusal frees all', async () => {
    const { locks } = make(0);
    const names = ['x', 'y', 'z'];
    const opened = names.map(() => deferred<void>());
    const all = names.map((name, i) =>
      locks.request(name, async () => {
        opened[i]!.resolve();
        await Promise.all(opened.map(({ promise }) => promise));
        return locks.request(names[(i + 1) % 3]!, () => 'both');
      }),
    );
    const outcomes = await Promise.allSettled(all);
    const reasons = outcomes.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
    expect(reasons).toHaveLength(1);
    expect(reasons[0].circle).toEqual(['x', 'y', 'z']);
    expect(reasons[0].message).toMatch(
      'its holder waits for "y", whose holder waits for "z", which',
    );
  });
  test('the option is checked', () => {
    for (const wrong of [-1, Number.NaN, 2 ** 31])
      expect(() => make(wrong)).toThrow('selfWaitMs must');
  });
});

describe('a request that is over', () => {
  test('listens to no signal and sets no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { locks } = make(500);
      const controller = new AbortController();
      const { signal } = controller;
      const options = { signal, timeoutMs: 9000 };
      await locks.request('x', options, async () => {
        expect(getEventListeners(signal, 'abort')).toHaveLength(0);
        const waits = locks.request('x', options, () => {});
        expect(getEventListeners(signal, 'abort')).toHaveLength(1);
        expect(vi.getTimerCount()).toBe(2);
        controller.abort();
        await expect(waits).rejects.toBe(signal.reason);
      });
      (await locks.acquire('x', { timeoutMs: 9000 })).release();
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
  test('keeps alive nothing of the requests that it was made in', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const { locks } = make();
    const references: WeakRef<object>[] = [];
    const last = deferred<void>();
    const open = deferred<void>();
    function reacquire(left: number): void {
      const callback = async () => {
        if (left > 0) return reacquire(left - 1);
        open.resolve();
        await last.promise;
      };
      references.push(new WeakRef(callback));
      void locks.request('x', callback);
    }
    reacquire(100);
    await open.promise;
    await turn();
    gc();
    await turn();
    // Each was asked for inside the one before, and the last of them is still there.
    expect(references.slice(0, 90).filter((it) => it.deref() !== undefined)).toEqual([]);
    last.resolve();
  });
});

test('a callback runs in the context of its request, wherever the grant comes from', async () => {
  const context = new AsyncLocalStorage<string>();
  const one = new OneProcess();
  for (const backend of [one.backend('a'), atADistance(one.backend('b'))]) {
    const locks = new LockManager(backend);
    const held = await context.run('the holder', () => locks.acquire('x'));
    const waits = context.run('the asker', () => locks.request('x', () => context.getStore()));
    context.run('the releaser', () => held.release());
    expect(await waits).toBe('the asker');
  }
});

test('any mix of requests, aborts, thefts and time-outs keeps the rules and ends', async () => {
  const spec = fc.record({
    by: fc.nat(2),
    name: fc.constantFrom('x', 'y'),
    kind: fc.constantFrom('exclusive', 'shared', 'ifAvailable', 'steal', 'abort', 'timeout'),
    turns: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(spec, { maxLength: 25 }), fc.boolean(), async (wishes, isFar) => {
      const one = new OneProcess();
      const managers = [0, 1, 2].map((i) => {
        const near = one.backend(`${i}`);
        return new LockManager(isFar ? atADistance(near) : near);
      });
      const inside = new Map<Lock, string>();
      // At a distance a victim hears of a theft only after the thief is inside.
      const mayOverlap = isFar && wishes.some(({ kind }) => kind === 'steal');
      const fences = new Map<string, bigint>();
      const all = wishes.map(async ({ by, name, kind, turns }, i) => {
        if (i % 4 === 0) await turn();
        const controller = new AbortController();
        const options = {
          mode: kind === 'shared' ? 'shared' : 'exclusive',
          ifAvailable: kind === 'ifAvailable',
          steal: kind === 'steal',
          ...(kind === 'abort' && { signal: controller.signal }),
          ...(kind === 'timeout' && { timeoutMs: 0 }),
        } as const;
        const result = managers[by]!.request(name, options, async (lock) => {
          if (lock === null) return;
          for (const [other, mode] of inside) {
            if (other.name !== name || other.lost.aborted || mayOverlap) continue;
            expect([mode, lock.mode]).toEqual(['shared', 'shared']);
          }
          if (lock.mode === 'exclusive') {
            expect(lock.fence > (fences.get(name) ?? 0n)).toBe(true);
            fences.set(name, lock.fence);
          }
          inside.set(lock, lock.mode);
          for (let t = 0; t < turns; t++) await turn();
          inside.delete(lock);
        });
        if (kind === 'abort') setImmediate(() => controller.abort());
        await result.catch((reason: Error) => {
          if (!['AbortError', 'TimeoutError'].includes(reason.name)) throw reason;
        });
      });
      await Promise.all(all);
      for (const { stats } of managers) expect(stats).toMatchObject({ held: 0, waiting: 0 });
      await turn();
      await turn();
      expect(await managers[0]!.query()).toMatchObject({ held: [], pending: [] });
    }),
    { numRuns: 300 },
  );
});
