/**
 * What every backend must make possible: the lock API with the behaviour of Web Locks, within one process
 * and between several, and what is ours on top. `web` follows the order of the Web Platform Tests for Web
 * Locks, file by file.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LockBackend } from '../../src/group/backend.ts';
import {
  type Lock,
  type LockInfo,
  LockManager,
  type LockOptions,
  SelfDeadlockError,
  Semaphore,
  StolenError,
  TimeoutError,
} from '../../src/locks/index.ts';

/** Several processes of one group, or what looks like it. */
export interface Fleet {
  readonly backends: readonly LockBackend[];
  stop(): Promise<void> | void;
}

/** Runs the whole suite. `makeBackends` makes a new group of so many. */
export function locksSuite(
  title: string,
  makeBackends: (count: number) => Promise<Fleet> | Fleet,
): void {
  describe(title, () => {
    let fleet: Fleet;
    /** In the first process, the second and the third. */
    let locks: LockManager;
    let second: LockManager;
    let third: LockManager;
    /** A name that no other test uses. */
    let name: string;
    let numbers = 0;
    const cleanups: (() => unknown)[] = [];

    beforeAll(async () => {
      fleet = await makeBackends(3);
    });
    afterAll(() => fleet.stop());
    beforeEach(() => {
      const managers = fleet.backends.map((backend) => new LockManager(backend));
      [locks, second, third] = managers as [LockManager, LockManager, LockManager];
      name = `test ${++numbers}`;
    });
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
      // Whatever a test did, it leaves nothing behind anywhere.
      await vi.waitFor(async () => {
        for (const manager of [locks, second, third]) {
          expect(await manager.query()).toMatchObject({ held: [], pending: [] });
        }
      });
    });

    /** With arguments that TypeScript would not let through. */
    const request = (...passed: unknown[]): Promise<unknown> =>
      Reflect.apply(locks.request, locks, passed);
    const unreached = (): never => {
      throw new Error('this callback must not run');
    };

    /** Asks for a lock and holds it until the test ends, or `release` is called. */
    function keep(by: LockManager, of: string, options: LockOptions = {}) {
      const opened = deferred<Lock>();
      const closed = deferred<string>();
      const released = by.request(of, options, (lock) => {
        opened.resolve(lock!);
        return closed.promise;
      });
      released.catch(() => {});
      cleanups.push(
        () => closed.resolve('at the end'),
        () => released.catch(() => {}),
      );
      return { granted: opened.promise, released, release: () => closed.resolve('released') };
    }

    async function states(of: string, by = locks) {
      const { held, pending } = await by.query();
      return { held: modes(held, of), pending: modes(pending, of) };
    }

    describe('arguments', () => {
      test('a name and a callback are required', async () => {
        await expect(request()).rejects.toThrow(TypeError);
        await expect(request(name)).rejects.toThrow(TypeError);
      });
      test.each([undefined, null, 123, 'abc', [], {}, Promise.resolve()])(
        'the callback cannot be %o',
        async (callback) => {
          await expect(request(name, callback)).rejects.toThrow(TypeError);
          await expect(request(name, {}, callback)).rejects.toThrow(TypeError);
        },
      );
      test('with three arguments the second is the options, whatever it is', async () => {
        await expect(request(name, unreached, undefined)).rejects.toThrow(TypeError);
        const options = Object.assign(() => {}, { mode: 'shared' });
        expect(await request(name, options, (lock: Lock) => lock.mode)).toBe('shared');
      });
      test('the name is made a string, unless it is a symbol', async () => {
        const nameOf = (lock: Lock) => lock.name;
        expect(await request(12.5, nameOf)).toBe('12.5');
        expect(await request(null, nameOf)).toBe('null');
        expect(await request(undefined, nameOf)).toBe('undefined');
        expect(await request({ toString: () => 'made' }, nameOf)).toBe('made');
        await expect(request(Symbol('x'), unreached)).rejects.toThrow(TypeError);
      });
      test.each([undefined, null, {}])('no options at all: %o', async (options) => {
        expect(await request(name, options, (lock: Lock) => lock.mode)).toBe('exclusive');
      });
      test.each([1, 'shared', true, Symbol('x')])('options cannot be %o', async (options) => {
        await expect(request(name, options, unreached)).rejects.toThrow(TypeError);
      });
      test('members that nobody knows are ignored', async () => {
        expect(await request(name, { priority: 7 }, () => 'done')).toBe('done');
      });
      test('options are read once each, in alphabetical order, after the name', async () => {
        const order: string[] = [];
        const options = new Proxy({}, { get: (_, key) => void order.push(String(key)) });
        const text = {
          toString() {
            order.push('name');
            return name;
          },
        };
        await request(text, options, () => {});
        expect(order).toEqual(['name', 'ifAvailable', 'mode', 'signal', 'steal', 'timeoutMs']);
      });
      test('what a getter throws is what the promise rejects with', async () => {
        const thrown = { odd: true };
        const options = {
          get mode() {
            throw thrown;
          },
        };
        await expect(request(name, options, unreached)).rejects.toBe(thrown);
      });
      test.each(['foo', null, '', 'EXCLUSIVE', 0])('the mode cannot be %o', async (mode) => {
        await expect(request(name, { mode }, unreached)).rejects.toThrow(TypeError);
      });
      test('the mode is made a string', async () => {
        const mode = { toString: () => 'shared' };
        expect(await request(name, { mode }, (lock: Lock) => lock.mode)).toBe('shared');
      });
      test.each(['string', 12.34, false, null, {}, Symbol('x'), () => {}, globalThis])(
        'the signal cannot be number %#',
        async (signal) => {
          await expect(request(name, { signal }, unreached)).rejects.toThrow(TypeError);
        },
      );
      test.each([-1, Number.NaN, '5', null, 2 ** 31])(
        'timeoutMs cannot be %o',
        async (timeoutMs) => {
          await expect(request(name, { timeoutMs }, unreached)).rejects.toThrow(TypeError);
        },
      );
      const { signal } = new AbortController();
      test.each([
        { steal: true, ifAvailable: true },
        { steal: true, mode: 'shared' },
        { steal: true, signal },
        { ifAvailable: true, signal },
      ])('these exclude each other: %o', async (options) => {
        await expect(request(name, options, unreached)).rejects.toSatisfy(isNotSupported);
      });
      test('wrong types come before what is not supported, and that before an aborted signal', async () => {
        const aborted = AbortSignal.abort(new Error('aborted'));
        await expect(request('-', { mode: 'x' }, unreached)).rejects.toThrow(TypeError);
        await expect(request('-', {}, 'not a function')).rejects.toThrow(TypeError);
        await expect(request('-', { signal: aborted }, unreached)).rejects.toSatisfy(
          isNotSupported,
        );
        const options = { signal: aborted, ifAvailable: true };
        await expect(request(name, options, unreached)).rejects.toSatisfy(isNotSupported);
        await expect(request(name, { signal: aborted }, unreached)).rejects.toThrow('aborted');
      });
      test('a method without its object rejects', async () => {
        const { request: alone } = locks;
        await expect(Reflect.apply(alone, undefined, [name, unreached])).rejects.toThrow(TypeError);
      });
    });

    describe('results', () => {
      test('a plain result is made a promise', async () => {
        const promise = locks.request(name, () => 123);
        expect(Promise.resolve(promise)).toBe(promise);
        expect(await promise).toBe(123);
      });
      test('a thenable is waited for', async () => {
        const later = deferred<string>();
        // biome-ignore lint/suspicious/noThenProperty: a thenable is the point
        const thenable = { then: later.promise.then.bind(later.promise) };
        const result = locks.request(name, () => thenable);
        await vi.waitFor(async () => expect((await states(name)).held).toEqual(['exclusive']));
        later.resolve('in the end');
        expect(await result).toBe('in the end');
      });
      test('the callback never runs before request() has returned', async () => {
        let hasReturned = false;
        const result = locks.request(name, () => hasReturned);
        hasReturned = true;
        expect(await result).toBe(true);
      });
      test('the promise resolves after the lock is released', async () => {
        const { released, granted, release } = keep(locks, name);
        await granted;
        const next = locks.request(name, { mode: 'shared' }, () => 'next');
        const seen = released.then(() => states(name));
        release();
        expect((await seen).held).not.toContain('exclusive');
        expect(await next).toBe('next');
      });
      test('it settles after what the callback returned', async () => {
        const order: string[] = [];
        const inner = deferred<void>();
        const outer = locks.request(name, () => inner.promise);
        const both = [
          outer.then(() => order.push('returned')),
          inner.promise.then(() => order.push('holding')),
        ];
        inner.resolve();
        await Promise.all(both);
        expect(order).toEqual(['holding', 'returned']);
      });
      test.each(['at once', 'later'])('what is thrown %s is what it rejects with', async (when) => {
        const thrown = { name: 'test' };
        const sync = () => {
          throw thrown;
        };
        const result = locks.request(name, when === 'at once' ? sync : async () => sync());
        expect(Promise.resolve(result)).toBe(result);
        await expect(result).rejects.toBe(thrown);
        // And the lock is free again.
        expect(await locks.request(name, () => 'next')).toBe('next');
      });
      test.each(['at once', 'later'])('a thenable thrown %s is not unwrapped', async (when) => {
        const then = vi.fn();
        const thrown = { then };
        const sync = () => {
          throw thrown;
        };
        const outcome = await locks
          .request(name, when === 'at once' ? sync : async () => sync())
          .then(unreached, (reason) => [reason]);
        expect(outcome[0] === thrown).toBe(true);
        expect(then).not.toHaveBeenCalled();
      });
      test('the lock is held until the promise of the callback resolves, or rejects', async () => {
        for (const end of ['resolve', 'reject'] as const) {
          const inside = deferred<void>();
          const opened = deferred<void>();
          const order: string[] = [];
          const first = locks.request(name, () => {
            opened.resolve();
            return inside.promise;
          });
          first.catch(() => {});
          await opened.promise;
          const next = locks.request(name, () => order.push('next'));
          await locks.request(name, { ifAvailable: true }, (lock) => expect(lock).toBeNull());
          order.push(end);
          inside[end](undefined as never);
          await next;
          await first.catch(() => {});
          expect(order).toEqual([end, 'next']);
        }
      });
    });

    describe('the lock', () => {
      test.each(['exclusive', 'shared'] as const)('knows its name and mode: %s', async (mode) => {
        await locks.request(name, { mode }, (lock) => {
          expect([lock.name, lock.mode]).toEqual([name, mode]);
          expect(() => Object.assign(lock, { name: 'x' })).toThrow(TypeError);
        });
      });
      test.each([
        ['empty', ''],
        ['with a NUL', 'abc\x00def'],
        ['a lone high surrogate', '\uD800'],
        ['a lone low surrogate', '\uDC00'],
        ['swapped surrogates', '\uDC00\uD800'],
        ['a non-character', '\uFFFF'],
        ['of JavaScript', '__proto__'],
        ['with a hyphen inside', 'x-y'],
        ['long', 'x'.repeat(3000)],
      ])('a name can be %s', async (_, odd) => {
        for (const manager of [locks, second]) {
          expect(await manager.request(odd, (lock) => lock.name === odd)).toBe(true);
          expect(await states(odd, manager)).toEqual({ held: [], pending: [] });
        }
        const { granted } = keep(second, odd);
        await granted;
        await vi.waitFor(async () => expect((await states(odd)).held).toEqual(['exclusive']));
      });
      test('names that are not valid UTF-16 are not mangled', async () => {
        await locks.request('\uD800', async () => {
          expect(await second.request('\uFFFD', (lock) => lock.name === '\uFFFD')).toBe(true);
          expect(await third.request('\uD800', { ifAvailable: true }, (lock) => lock)).toBe(null);
        });
      });
      test.each(['-', '-foo'])('the name cannot be %s', async (reserved) => {
        await expect(locks.request(reserved, unreached)).rejects.toSatisfy(isNotSupported);
        await expect(locks.acquire(reserved)).rejects.toSatisfy(isNotSupported);
        await expect(locks.tryAcquire(reserved)).rejects.toSatisfy(isNotSupported);
      });
    });

    describe('modes', () => {
      test('exclusive requests are granted in order', async () => {
        const order: number[] = [];
        const all = [1, 2, 3].map((i) => locks.request(name, () => order.push(i)));
        await Promise.all(all);
        expect(order).toEqual([1, 2, 3]);
      });
      test('shared requests are granted in order', async () => {
        const order: number[] = [];
        const ask = (i: number) => {
          const options = { mode: 'shared' } as const;
          return locks.request(`${name} ${i % 3}`, options, () => order.push(i));
        };
        await Promise.all([0, 1, 2, 3, 4, 5].map(ask));
        expect(order.filter((i) => i % 3 === 0)).toEqual([0, 3]);
        expect(order.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
      });
      test('a callback may ask for its own lock, and for others, without waiting', async () => {
        const order: number[] = [];
        let inner: Promise<unknown> | undefined;
        await locks.request(name, async () => {
          inner = Promise.all([
            locks.request(name, () => order.push(1)),
            locks.request(`${name} other`, () => order.push(2)),
          ]);
        });
        await inner;
        expect(order.toSorted()).toEqual([1, 2]);
      });
      test('shared locks are held together, in one process and in several', async () => {
        const all = [locks, locks, second, third].map((by) => keep(by, name, { mode: 'shared' }));
        await Promise.all(all.map(({ granted }) => granted));
        await locks.request(name, { ifAvailable: true }, (lock) => expect(lock).toBeNull());
      });
      test('as long as one reads, others come and go', async () => {
        const stays = keep(locks, name, { mode: 'shared' });
        await stays.granted;
        for (let i = 0; i < 50; i++) {
          const by = [locks, second][i % 2]!;
          expect(await by.request(name, { mode: 'shared' }, () => i)).toBe(i);
        }
      });
      test('a callback may share what it shares already', async () => {
        await locks.request(name, { mode: 'shared' }, async () => {
          expect(await locks.request(name, { mode: 'shared' }, () => 'again')).toBe('again');
          await using held = await locks.acquire(name, { mode: 'shared' });
          expect(held.mode).toBe('shared');
        });
      });
      test('shared, then exclusive, and a name apart', async () => {
        const order: string[] = [];
        const readers = [1, 2, 3].map(() => keep(locks, name, { mode: 'shared' }));
        const writer = locks.request(name, async (lock) => order.push(lock.mode));
        await Promise.all(readers.map(({ granted }) => granted));
        await locks.request(`${name} apart`, () => order.push('apart'));
        expect(order).toEqual(['apart']);
        for (const { release } of readers) release();
        await writer;
        expect(order).toEqual(['apart', 'exclusive']);
      });
      test('releasing an exclusive lock grants all the shared ones behind it', async () => {
        const writer = keep(locks, name);
        await writer.granted;
        const readers = Array.from({ length: 20 }, () => keep(locks, name, { mode: 'shared' }));
        const shared = readers.map(() => 'shared');
        expect(await states(name)).toEqual({ held: ['exclusive'], pending: shared });
        writer.release();
        await Promise.all(readers.map(({ granted }) => granted));
        expect(await states(name)).toEqual({ held: shared, pending: [] });
      });
      test('releasing an exclusive lock grants the shared ones behind it in every process', async () => {
        const writer = keep(locks, name);
        await writer.granted;
        const readers = [locks, second, third].map((by) => keep(by, name, { mode: 'shared' }));
        await vi.waitFor(async () => expect((await states(name)).pending).toHaveLength(3));
        writer.release();
        await Promise.all(readers.map(({ granted }) => granted));
      });
      test('an exclusive lock between shared ones keeps its place', async () => {
        const before = [1, 2, 3].map(() => keep(locks, name, { mode: 'shared' }));
        await Promise.all(before.map(({ granted }) => granted));
        const between = keep(locks, name);
        const behind = [1, 2].map(() => keep(locks, name, { mode: 'shared' }));
        expect(await states(name)).toEqual({
          held: ['shared', 'shared', 'shared'],
          pending: ['exclusive', 'shared', 'shared'],
        });
        for (const { release } of before) release();
        await between.granted;
        expect(await states(name)).toEqual({ held: ['exclusive'], pending: ['shared', 'shared'] });
        between.release();
        await Promise.all(behind.map(({ granted }) => granted));
      });
      test('between processes too, a lock is held by one, or shared', async () => {
        let writers = 0;
        let readers = 0;
        const entered: string[] = [];
        const work = async (by: LockManager, i: number) => {
          const mode = i % 3 === 0 ? 'shared' : 'exclusive';
          await by.request(name, { mode }, async () => {
            if (mode === 'shared') readers++;
            else writers++;
            entered.push(`${readers} readers, ${writers} writers`);
            await new Promise(setImmediate);
            if (mode === 'shared') readers--;
            else writers--;
          });
        };
        const all = Array.from({ length: 60 }, (_, i) => work([locks, second, third][i % 3]!, i));
        await Promise.all(all);
        expect(entered).toHaveLength(60);
        const wrong = entered.filter((it) => !/^(\d+ readers, 0|0 readers, 1) writers$/.test(it));
        expect(wrong).toEqual([]);
      });
    });

    describe('ifAvailable', () => {
      const ifAvailable = true;

      test('a lock that is free is granted', async () => {
        expect(await locks.request(name, { ifAvailable }, (lock) => lock?.name)).toBe(name);
      });
      test.each(['the same process', 'another'])(
        'held by %s: null, and no rejection',
        async (who) => {
          const { granted } = keep(who === 'another' ? second : locks, name);
          await granted;
          const answer = await locks.request(name, { ifAvailable }, async (lock) => [lock, 123]);
          expect(answer).toEqual([null, 123]);
        },
      );
      test('what the callback throws is what it rejects with, at once or later', async () => {
        await keep(locks, name).granted;
        const thrown = { name: 'test' };
        const sync = () => {
          throw thrown;
        };
        await expect(locks.request(name, { ifAvailable }, sync)).rejects.toBe(thrown);
        await expect(locks.request(name, { ifAvailable }, async () => sync())).rejects.toBe(thrown);
      });
      test('a callback does not get its own lock again', async () => {
        await locks.request(name, async () => {
          await locks.request(name, { ifAvailable }, (lock) => expect(lock).toBeNull());
        });
      });
      test('another lock that is held does not matter', async () => {
        await keep(locks, `${name} other`).granted;
        expect(await locks.request(name, { ifAvailable }, (lock) => lock?.name)).toBe(name);
      });
      test.each([
        { held: 'shared', asked: 'shared', isGranted: true },
        { held: 'shared', asked: 'exclusive', isGranted: false },
        { held: 'exclusive', asked: 'shared', isGranted: false },
      ] as const)('$held is held, $asked is asked for: $isGranted', async (each) => {
        await keep(locks, name, { mode: each.held }).granted;
        const options = { mode: each.asked, ifAvailable };
        expect(await locks.request(name, options, (lock) => lock !== null)).toBe(each.isGranted);
      });
      test('a waiting request is before ours, even if both could hold the lock together', async () => {
        await keep(locks, name, { mode: 'shared' }).granted;
        keep(locks, name);
        const options = { mode: 'shared', ifAvailable } as const;
        expect(await locks.request(name, options, (lock) => lock)).toBe(null);
      });
      test('a lock is available as soon as it is released', async () => {
        for (const by of [locks, locks, second, locks]) {
          await by.request(name, () => {});
          expect(await by.request(name, { ifAvailable }, (lock) => lock?.name)).toBe(name);
        }
      });
    });

    describe('signal', () => {
      test.each([
        ['a reason', 'My dog ate it.'],
        ['none', undefined],
      ])('aborted before, with %s', async (_, reason) => {
        const signal = AbortSignal.abort(reason);
        await expect(locks.request(name, { signal }, unreached)).rejects.toBe(signal.reason);
        await expect(locks.acquire(name, { signal })).rejects.toBe(signal.reason);
        await expect(locks.acquire([name], { signal })).rejects.toBe(signal.reason);
      });
      test.each(['the same process', 'another'])(
        'a wait for %s that is aborted leaves the queue',
        async (who) => {
          const holder = keep(who === 'another' ? second : locks, name);
          await holder.granted;
          const controller = new AbortController();
          const { signal } = controller;
          const waits = [
            locks.request(name, { signal }, unreached),
            locks.acquire(name, { signal }),
            locks.acquire([name, 'z'], { signal }),
          ];
          const settled = Promise.allSettled(waits);
          expect((await states(name)).pending).toHaveLength(3);
          controller.abort();
          for (const outcome of await settled) {
            expect(outcome).toEqual({ status: 'rejected', reason: signal.reason });
          }
          expect(signal.reason).toMatchObject({ name: 'AbortError' });
          expect((await states(name)).pending).toEqual([]);
          holder.release();
          expect(await locks.request(name, () => 'next')).toBe('next');
        },
      );
      test('the wait rejects with the reason that was given, even if it is no error', async () => {
        await keep(locks, name).granted;
        const controller = new AbortController();
        const wait = locks.request(name, { signal: controller.signal }, unreached);
        controller.abort('My cat handled it');
        await expect(wait).rejects.toBe('My cat handled it');
      });
      test('a signal that does not abort changes nothing', async () => {
        const { signal } = new AbortController();
        expect(await locks.request(name, { signal }, async () => 'done')).toBe('done');
      });
      test('a signal of another realm will do', async () => {
        class Foreign extends EventTarget {
          readonly [Symbol.toStringTag] = 'AbortSignal';
          readonly reason = 'from far away';
          throwIfAborted() {}
        }
        await keep(locks, name).granted;
        const signal = new Foreign();
        const wait = request(name, { signal }, unreached);
        signal.dispatchEvent(new Event('abort'));
        await expect(wait).rejects.toBe('from far away');
      });
      test('an abort in the same turn wins, even over a lock that is free', async () => {
        const controller = new AbortController();
        const { signal } = controller;
        const wait = locks.request(name, { signal }, unreached);
        const handle = locks.acquire(name, { signal });
        const next = locks.request(name, () => 'next');
        controller.abort();
        await expect(wait).rejects.toBe(signal.reason);
        await expect(handle).rejects.toBe(signal.reason);
        expect(await next).toBe('next');
      });
      test('once granted, the signal is ignored', async () => {
        for (const order of [
          ['abort', 'release'],
          ['release', 'abort'],
        ]) {
          const controller = new AbortController();
          const { granted, released, release } = keep(locks, name, { signal: controller.signal });
          const lock = await granted;
          for (const step of order) step === 'abort' ? controller.abort() : release();
          expect(await released).toBe('released');
          expect(lock.lost.aborted).toBe(false);
        }
      });
      test('requests behind an aborted request move up', async () => {
        const holder = keep(locks, name, { mode: 'shared' });
        await holder.granted;
        const controller = new AbortController();
        const writer = locks.request(name, { signal: controller.signal }, unreached);
        const reader = locks.request(name, { mode: 'shared' }, () => 'together');
        controller.abort();
        await expect(writer).rejects.toBe(controller.signal.reason);
        expect(await reader).toBe('together');
      });
      test('in other processes, too', async () => {
        const holder = keep(locks, name, { mode: 'shared' });
        await holder.granted;
        for (const by of [locks, second, third]) {
          await expect(by.request(name, { timeoutMs: 20 }, unreached)).rejects.toThrow(
            TimeoutError,
          );
          for (const reader of [third, second, locks]) {
            expect(await reader.request(name, { mode: 'shared' }, () => 'together')).toBe(
              'together',
            );
          }
        }
      });
    });

    describe('steal', () => {
      const steal = true;

      test('a lock that is free is granted', async () => {
        expect(await locks.request(name, { steal }, (lock) => lock.name)).toBe(name);
      });
      test.each(['the same process', 'another'])(
        'from %s: the victim is told at once, and runs on',
        async (who) => {
          const opened = deferred<Lock>();
          const goOn = deferred<void>();
          let hasRunOn = false;
          const victim = (who === 'another' ? second : locks).request(name, async (lock) => {
            opened.resolve(lock);
            await goOn.promise;
            hasRunOn = true;
            return 'too late';
          });
          const outcome = victim.catch((reason: unknown) => reason);
          const stolen = await opened.promise;
          const before = stolen.fence;
          const after = await locks.request(name, { steal }, (lock) => lock.fence);
          const reason = await outcome;
          expect(hasRunOn).toBe(false);
          expect(reason).toBeInstanceOf(StolenError);
          expect(reason).toBeInstanceOf(DOMException);
          expect(reason).toMatchObject({ name: 'AbortError', cause: { name: 'StolenError' } });
          expect(stolen.lost.reason).toBe(reason);
          expect(after > before).toBe(true);
          goOn.resolve();
          await vi.waitFor(() => expect(hasRunOn).toBe(true));
          expect(await locks.request(name, () => 'free')).toBe('free');
        },
      );
      test('all shared holders lose it', async () => {
        const readers = [locks, second, third].map((by) => keep(by, name, { mode: 'shared' }));
        await Promise.all(readers.map(({ granted }) => granted));
        const thief = keep(locks, name, { steal });
        for (const { released } of readers) await expect(released).rejects.toThrow(StolenError);
        expect(await thief.granted).toMatchObject({ mode: 'exclusive' });
      });
      test('waiting requests stay, behind the thief', async () => {
        const holder = keep(locks, name);
        await holder.granted;
        const order: string[] = [];
        const waits = locks.request(name, () => order.push('waited'));
        await locks.request(name, { steal }, () => order.push('stole'));
        await expect(holder.released).rejects.toThrow(StolenError);
        await waits;
        expect(order).toEqual(['stole', 'waited']);
      });
      test('the last thief wins', async () => {
        await keep(locks, name).granted;
        const first = keep(locks, name, { steal });
        await locks.request(name, { steal }, () => {});
        await expect(first.released).rejects.toThrow(StolenError);
      });
      test('a handle is told by its signal', async () => {
        const held = await second.acquire(name);
        const told = new Promise((resolve) => held.lost.addEventListener('abort', resolve));
        await using thief = await locks.acquire(name, { steal });
        await told;
        expect(held.lost.reason).toBeInstanceOf(StolenError);
        held.release(); // which takes nothing from the thief
        expect(await second.tryAcquire(name)).toBe(null);
        expect(thief.lost.aborted).toBe(false);
      });
    });

    describe('query', () => {
      test('without requests, nothing is held and nothing waits', async () => {
        const { held, pending } = await locks.query();
        expect([held, pending]).toEqual([[], []]);
      });
      test('has the fields of Web Locks, and ours', async () => {
        const { fence } = await keep(locks, name).granted;
        keep(locks, name, { mode: 'shared' });
        const { held, pending, isComplete } = await locks.query();
        const clientId = fleet.backends[0]!.clientId;
        const common = { name, clientId, permits: 0, forMs: expect.any(Number) };
        expect(held).toEqual([
          expect.objectContaining({ ...common, mode: 'exclusive', fence: fence.toString() }),
        ]);
        expect(pending).toEqual([expect.objectContaining({ ...common, mode: 'shared' })]);
        expect(isComplete).toBe(true);
        expect(JSON.parse(JSON.stringify(held))).toEqual(held);
      });
      test('shows what was asked a moment ago', async () => {
        await keep(locks, name).granted;
        keep(locks, name);
        keep(locks, name, { mode: 'shared' });
        expect(await states(name)).toEqual({
          held: ['exclusive'],
          pending: ['exclusive', 'shared'],
        });
      });
      test('each shared lock counts', async () => {
        const all = [1, 2].map(() => keep(locks, name, { mode: 'shared' }));
        await Promise.all(all.map(({ granted }) => granted));
        expect(await states(name)).toEqual({ held: ['shared', 'shared'], pending: [] });
      });
      test('a process has one id, and others have others', async () => {
        const all = [locks, locks, second].map((by) => keep(by, name, { mode: 'shared' }));
        await Promise.all(all.map(({ granted }) => granted));
        const { held } = await locks.query();
        const ids = held.map(({ clientId }) => clientId);
        expect(ids).toHaveLength(3);
        expect(new Set(ids).size).toBe(2);
      });
      test('shows a deadlock of two processes', async () => {
        await keep(locks, `${name} 1`).granted;
        await keep(second, `${name} 2`).granted;
        const controller = new AbortController();
        const { signal } = controller;
        const waits = [
          locks.request(`${name} 2`, { signal }, unreached),
          second.request(`${name} 1`, { signal }, unreached),
        ];
        const settled = Promise.allSettled(waits);
        const clients = (list: LockInfo[], i: number) =>
          list.filter((info) => info.name === `${name} ${i}`).map(({ clientId }) => clientId);
        await vi.waitFor(async () => {
          const { held, pending } = await third.query();
          expect(clients(held, 1)).toEqual([fleet.backends[0]!.clientId]);
          expect(clients(pending, 1)).toEqual([fleet.backends[1]!.clientId]);
          expect(clients(held, 2)).toEqual(clients(pending, 1));
          expect(clients(pending, 2)).toEqual(clients(held, 1));
        });
        controller.abort();
        await settled;
      });
    });

    describe('fences', () => {
      test('grow from holder to holder, in any process', async () => {
        const fences: bigint[] = [];
        const everyone = [locks, second, third, second, locks, locks, third];
        for (const by of everyone) await by.request(name, ({ fence }) => fences.push(fence));
        for (const by of everyone) fences.push((await by.acquire(name).then(giveBack)).fence);
        const all = everyone.map((by) => by.request(name, ({ fence }) => fences.push(fence)));
        await Promise.all(all);
        expect(fences).toHaveLength(3 * everyone.length);
        expect(fences.every((fence, i) => i === 0 || fence > fences[i - 1]!)).toBe(true);
      });
    });

    describe('handles', () => {
      test('hold the lock until the end of the scope', async () => {
        {
          await using held = await locks.acquire(name);
          expect(held).toMatchObject({ name, mode: 'exclusive' });
          expect(held.fence).toBeTypeOf('bigint');
          expect(await second.tryAcquire(name)).toBe(null);
          expect(await locks.tryAcquire(name)).toBe(null);
        }
        await using reacquired = await second.acquire(name, { mode: 'shared' });
        await using together = await locks.tryAcquire(name, { mode: 'shared' });
        expect([reacquired.mode, together?.mode]).toEqual(['shared', 'shared']);
      });
      test('can be released twice, and then release nothing', async () => {
        const held = await locks.acquire(name);
        held.release();
        await using other = await locks.acquire(name);
        held.release();
        await held[Symbol.asyncDispose]();
        expect(await locks.tryAcquire(name)).toBe(null);
        expect(other.lost.aborted).toBe(false);
      });
      test('null needs no disposal', async () => {
        await keep(second, name).granted;
        await using mine = await locks.tryAcquire(name);
        expect(mine).toBe(null);
      });
      test('trying is not waiting', async () => {
        await expect(locks.acquire(name, { ifAvailable: true } as object)).rejects.toSatisfy(
          isNotSupported,
        );
        await expect(locks.tryAcquire(name, { steal: true } as object)).rejects.toSatisfy(
          isNotSupported,
        );
      });
    });

    describe('timeoutMs', () => {
      test.each(['the same process', 'another'])('a wait for %s ends', async (who) => {
        const holder = keep(who === 'another' ? second : locks, name);
        await holder.granted;
        const error = await locks.acquire(name, { timeoutMs: 20 }).catch((reason) => reason);
        expect(error).toBeInstanceOf(TimeoutError);
        expect(error).toMatchObject({ name: 'TimeoutError' });
        expect(error.message).toMatch(`"${name}" was not granted within 20 ms`);
        const wait = locks.request(name, { timeoutMs: 20 }, unreached);
        await expect(wait).rejects.toThrow(TimeoutError);
        expect(await states(name)).toEqual({ held: ['exclusive'], pending: [] });
        holder.release();
        expect(await third.request(name, () => 'free')).toBe('free');
      });
      test('is not for what is held', async () => {
        await locks.request(name, { timeoutMs: 2000 }, async (lock) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          expect(lock.lost.aborted).toBe(false);
        });
      });
    });

    describe('several names', () => {
      const names = (...numbers: number[]) => numbers.map((i) => `${name} ${i}`);

      test('are obtained in order, once each, and released together', async () => {
        {
          await using all = await locks.acquire(names(2, 1, 3, 1));
          expect(all.names).toEqual(names(1, 2, 3));
          expect([...all.fences.keys()]).toEqual(names(1, 2, 3));
          expect(all.fences.get(names(2)[0]!)).toBeTypeOf('bigint');
          expect(all.mode).toBe('exclusive');
          for (const one of all.names) expect(await second.tryAcquire(one)).toBe(null);
        }
        await using reacquired = await second.acquire(names(1, 2, 3));
        expect(reacquired.lost.aborted).toBe(false);
      });
      test('are all given back when one is not to be had', async () => {
        const busy = keep(second, names(2)[0]!);
        await busy.granted;
        await expect(locks.acquire(names(1, 2, 3), { timeoutMs: 20 })).rejects.toThrow(
          TimeoutError,
        );
        const controller = new AbortController();
        const wait = locks.acquire(names(1, 2, 3), { signal: controller.signal });
        const outcome = expect(wait).rejects.toThrow('enough');
        await vi.waitFor(async () => expect((await states(names(2)[0]!)).pending).toHaveLength(1));
        controller.abort(new Error('enough'));
        await outcome;
        expect(await locks.tryAcquire(names(1, 2, 3))).toBe(null);
        await using first = await second.acquire(names(1, 3), { timeoutMs: 10_000 });
        expect(first.names).toEqual(names(1, 3));
      });
      test('no callers wait in a circle', async () => {
        const everyone = [locks, second, third, locks];
        let entries = 0;
        const work = async (by: LockManager, i: number) => {
          for (let round = 0; round < 3; round++) {
            await using _ = await by.acquire(names(i % 3, (i + 1) % 3, (i + 2) % 3));
            entries++;
          }
        };
        await Promise.all(everyone.map(work));
        expect(entries).toBe(12);
      });
      test('one that is stolen is told', async () => {
        await using all = await locks.acquire(names(1, 2));
        const told = new Promise((resolve) => all.lost.addEventListener('abort', resolve));
        await second.request(names(2)[0]!, { steal: true }, () => {});
        await told;
        expect(all.lost.reason).toBeInstanceOf(StolenError);
      });
      test('there is at least one', async () => {
        await expect(locks.acquire([])).rejects.toThrow(TypeError);
      });
    });

    describe('semaphores', () => {
      const semaphores = (permits: number) =>
        fleet.backends.map((backend) => new Semaphore(backend, name, permits));

      test('let so many in at once, and no more', async () => {
        let inside = 0;
        let most = 0;
        const all = semaphores(3).flatMap((semaphore) =>
          Array.from({ length: 8 }, () =>
            semaphore.request(async () => {
              most = Math.max(most, ++inside);
              await new Promise((resolve) => setTimeout(resolve, 2));
              inside--;
            }),
          ),
        );
        await Promise.all(all);
        expect(most).toBe(3);
      });
      test('give handles, null when none is free, and time out', async () => {
        const [here, there] = semaphores(2) as [Semaphore, Semaphore, Semaphore];
        await using one = await here.acquire();
        {
          await using two = await there.acquire({ timeoutMs: 10_000 });
          expect(one.fence === two.fence).toBe(false);
          await using none = await here.tryAcquire();
          expect(none).toBe(null);
          const nothing = await here.request({ ifAvailable: true }, (permit) => permit);
          expect(nothing).toBe(null);
          await expect(there.acquire({ timeoutMs: 10 })).rejects.toThrow(TimeoutError);
          const { held } = await locks.query();
          expect(held.map(({ permits }) => permits)).toEqual([2, 2]);
        }
        await using reacquired = await here.acquire({ timeoutMs: 10_000 });
        expect(reacquired.name).toBe(name);
      });
      test('have nothing to do with a lock of the same name', async () => {
        const [semaphore] = semaphores(1);
        await using lock = await locks.acquire(name);
        await using permit = await semaphore!.acquire({ timeoutMs: 10_000 });
        expect([lock.name, permit.name]).toEqual([name, name]);
      });
      test('cannot be stolen from', async () => {
        const [semaphore] = semaphores(1);
        const stolen = Reflect.apply(semaphore!.request, semaphore, [{ steal: true }, unreached]);
        await expect(stolen).rejects.toSatisfy(isNotSupported);
      });
      test('a wait can be aborted', async () => {
        const [here, there] = semaphores(1) as [Semaphore, Semaphore, Semaphore];
        await using _ = await there.acquire();
        const controller = new AbortController();
        const wait = here.request({ signal: controller.signal }, unreached);
        controller.abort('enough');
        await expect(wait).rejects.toBe('enough');
      });
    });

    describe('what waits for itself is refused', () => {
      const watchful = (selfWaitMs: number) => new LockManager(fleet.backends[0]!, { selfWaitMs });

      test('a callback that waits for its own lock', async () => {
        const error = await watchful(10)
          .request(name, function save() {
            return watchful(10).request(name, unreached);
          })
          .catch((reason) => reason);
        expect(error).toBeInstanceOf(SelfDeadlockError);
        expect(error).toMatchObject({ name: 'SelfDeadlockError', circle: [name] });
        expect(error.message).toMatch(
          `"${name}" can never be granted here, as the callback save()`,
        );
      });
      test('a handle that a callback waits for is refused at once', async () => {
        await locks.request(name, async () => {
          await expect(locks.acquire(name)).rejects.toThrow(SelfDeadlockError);
          await locks.request(`${name} inner`, async () => {
            await expect(locks.acquire(name, { mode: 'shared' })).rejects.toThrow(
              SelfDeadlockError,
            );
          });
        });
      });
      test('two callbacks of one process that wait for each other', async () => {
        const [x, y] = [`${name} x`, `${name} y`];
        const careful = watchful(10);
        const opened = [deferred<void>(), deferred<void>()] as const;
        const cross = (i: 0 | 1, from: string, to: string) =>
          careful.request(from, async () => {
            opened[i].resolve();
            await opened[1 - i]!.promise;
            return careful.request(to, () => 'both');
          });
        const outcomes = await Promise.allSettled([cross(0, x, y), cross(1, y, x)]);
        const refused = outcomes.filter(({ status }) => status === 'rejected');
        expect(refused).toHaveLength(1);
        expect((refused[0] as PromiseRejectedResult).reason).toBeInstanceOf(SelfDeadlockError);
        expect(outcomes.map((it) => it.status)).toContain('fulfilled');
      });
    });
  });
}

/** A promise and what settles it. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const modes = (list: LockInfo[], name: string) =>
  list.filter((info) => info.name === name).map(({ mode }) => mode);

const isNotSupported = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotSupportedError';

function giveBack<H extends { release(): void }>(held: H): H {
  held.release();
  return held;
}
