import type { LockBackend } from '../group/backend.ts';
import { Acquisition } from './acquisition.ts';
import { type Acquisitions, acquisitionsOf } from './acquisitions.ts';
import { type Held, type HeldTogether, hold, holdTogether } from './held.ts';
import type { Lock } from './lock.ts';
import {
  type AcquireOptions,
  checkOptions,
  type LockOptions,
  notSupported,
  readName,
  readOptions,
  type TryOptions,
  type Wanted,
  withoutOptions,
} from './options.ts';
import { type LockManagerSnapshot, snapshotOf } from './query.ts';
import { runCallback } from './run-callback.ts';
import { readSelfWait, type SelfWaitOptions } from './self-deadlock.ts';
import type { Stats } from './stats.ts';

/**
 * Locks by name, for all processes of a group. `request` and `query` are those of the Web Locks API
 * (`navigator.locks`); `acquire` and `tryAcquire` give handles for `await using`. A name is
 * any string that does not begin with `-`.
 *
 * A lock alone cannot keep a paused process from writing late: hand `lock.fence` to what you protect, and
 * look at `lock.lost`.
 *
 * @example
 * ```ts
 * import type { LockManager } from 'latchkey/locks';
 * declare const locks: LockManager; // group.locks
 * declare function save(fence: bigint, signal: AbortSignal): Promise<number>;
 *
 * const saved = await locks.request('invoices', (lock) => save(lock.fence, lock.lost));
 *
 * await using held = await locks.acquire('invoices', { timeoutMs: 5000 });
 * console.log(saved, held.fence);
 * ```
 */
export class LockManager {
  readonly #acquisitions: Acquisitions;
  readonly #selfWaitMs: number;

  constructor(backend: LockBackend, options: SelfWaitOptions = {}) {
    this.#acquisitions = acquisitionsOf(backend);
    this.#selfWaitMs = readSelfWait(options);
  }

  /**
   * Runs `callback` while holding the lock `name`, and releases it when what the callback returns has
   * settled. The promise then settles in the same way.
   *
   * Rejects with the reason of `signal` if that aborts first, and with a `TimeoutError` after `timeoutMs`.
   * Rejects with a `StolenError` or a `LostError` as soon as the lock is stolen or lost. The callback is not
   * stopped then, and can see the loss from `lock.lost`. With `ifAvailable` the callback gets `null` if the lock is not free.
   *
   * Locks are not reentrant: a callback that waits for the lock it holds is refused with a
   * `SelfDeadlockError` (see `selfWaitMs`).
   *
   * @example
   * ```ts
   * import type { LockManager } from 'latchkey/locks';
   * declare const locks: LockManager;
   * declare const signal: AbortSignal;
   *
   * const total = await locks.request('report', { mode: 'shared', signal }, async (lock) => {
   *   return `${lock.name} under ${lock.fence}`;
   * });
   * await locks.request('nightly', { ifAvailable: true }, async (lock) => {
   *   if (lock === null) return; // another process is at it
   *   console.log(total);
   * });
   * ```
   */
  request<R>(name: string, callback: (lock: Lock) => R): Promise<Awaited<R>>;
  request<R>(
    name: string,
    options: LockOptions & { readonly ifAvailable?: false | undefined },
    callback: (lock: Lock) => R,
  ): Promise<Awaited<R>>;
  request<R>(
    name: string,
    options: LockOptions,
    callback: (lock: Lock | null) => R,
  ): Promise<Awaited<R>>;
  request<R>(...passed: unknown[]): Promise<Awaited<R>> {
    try {
      // By their number, not by their type: so Web Locks tells its two forms apart.
      if (passed.length < 2) throw new TypeError('request() needs a name and a callback');
      const name = readName(passed[0]);
      const options = passed.length > 2 ? readOptions(passed[1]) : undefined;
      const callback = passed[options === undefined ? 1 : 2];
      if (typeof callback !== 'function') throw new TypeError('the callback must be a function');
      const wanted = options === undefined ? withoutOptions(name) : checkOptions(name, options);
      const acquisition = this.#ask(name, wanted, this.#selfWaitMs);
      return runCallback(acquisition, callback as (lock: Lock | null) => R);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Waits for the lock, and gives it as a handle, which holds it until `release()` or, with `await using`,
   * until the end of the scope. Rejects as `request` does while it waits; once the handle is there, `lost`
   * tells of a loss. Inside a callback that holds the lock already, it is refused at once with a
   * `SelfDeadlockError`.
   *
   * Given several names it obtains all or none, in order of their names, so that no two callers wait for each
   * other; `timeoutMs` is then for all together.
   *
   * @example
   * ```ts
   * import type { LockManager } from 'latchkey/locks';
   * declare const locks: LockManager;
   * declare function transfer(fences: ReadonlyMap<string, bigint>): Promise<void>;
   *
   * await using accounts = await locks.acquire(['account/7', 'account/3'], { timeoutMs: 2000 });
   * await transfer(accounts.fences);
   * ```
   */
  acquire(name: string, options?: AcquireOptions): Promise<Held>;
  acquire(names: readonly string[], options?: AcquireOptions): Promise<HeldTogether>;
  acquire(
    names: string | readonly string[],
    options?: AcquireOptions,
  ): Promise<Held | HeldTogether | null> {
    return this.#obtain(names, () => {
      const read = readOptions(options);
      if (read.ifAvailable) throw notSupported('`ifAvailable` is what `tryAcquire` does');
      return (name) => checkOptions(name, read);
    });
  }

  /**
   * As `acquire`, but does not wait for others: `null` when another caller holds the lock or waits for it. The group
   * may have to be asked; `timeoutMs` and `signal` limit that.
   *
   * @example
   * ```ts
   * import type { LockManager } from 'latchkey/locks';
   * declare const locks: LockManager;
   *
   * await using mine = await locks.tryAcquire('nightly');
   * if (mine === null) console.log('another process is at it');
   * ```
   */
  tryAcquire(name: string, options?: TryOptions): Promise<Held | null>;
  tryAcquire(names: readonly string[], options?: TryOptions): Promise<HeldTogether | null>;
  tryAcquire(
    names: string | readonly string[],
    options?: TryOptions,
  ): Promise<Held | HeldTogether | null> {
    return this.#obtain(names, () => {
      const read = readOptions(options);
      if (read.steal) throw notSupported('`steal` is what `acquire` does');
      return (name) => ({ ...checkOptions(name, read), how: 'try' });
    });
  }

  /**
   * The callers that hold and wait in the whole group, semaphores included. The caller's own requests are always
   * there, even while the group does not answer.
   */
  async query(): Promise<LockManagerSnapshot> {
    return snapshotOf(this.#acquisitions);
  }

  /** What happened to the requests of this process, in numbers; semaphores included. */
  get stats(): Readonly<Stats> {
    return this.#acquisitions.stats;
  }

  /**
   * Ends it, for the semaphores of the same group too: what waits is refused with a `ClosedError`, what is
   * held is given back and lost. Leaving the group does this.
   */
  close(): void {
    this.#acquisitions.close();
  }

  /** Not `async`: thousands may wait at once, and each promise that waits for another one is memory and time. */
  #obtain(
    names: string | readonly string[],
    read: () => (name: string) => Wanted,
  ): Promise<Held | HeldTogether | null> {
    try {
      const wantedFor = read();
      if (Array.isArray(names)) return this.#obtainAll(names, wantedFor);
      const name = readName(names);
      return hold(this.#ask(name, wantedFor(name), 0));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #obtainAll(
    names: readonly string[],
    wantedFor: (name: string) => Wanted,
  ): Promise<HeldTogether | null> {
    const all = new Map(names.map(readName).map((name) => [name, wantedFor(name)]));
    if (all.size === 0) throw new TypeError('acquire() needs at least one name');
    const begin = performance.now();
    return holdTogether([...all.keys()], (name) => {
      const wanted = all.get(name)!;
      wanted.signal?.throwIfAborted();
      return this.#ask(name, wanted, 0, wanted.timeoutMs - (performance.now() - begin));
    });
  }

  #ask(name: string, wanted: Wanted, selfWaitMs: number, leftMs = wanted.timeoutMs): Acquisition {
    const acquisition = new Acquisition(this.#acquisitions, name, 0, wanted.mode, wanted.how);
    acquisition.ask(wanted, selfWaitMs, Math.max(0, leftMs));
    return acquisition;
  }
}
