import { UsageError } from '../core/errors.ts';
import type { LockBackend } from '../group/backend.ts';
import { quote } from '../group/errors.ts';
import { MAX_PERMITS } from '../group/limits.ts';
import { Acquisition } from './acquisition.ts';
import { type Acquisitions, acquisitionsOf } from './acquisitions.ts';
import { type Held, hold } from './held.ts';
import type { Lock } from './lock.ts';
import {
  checkOptions,
  notSupported,
  readOptions,
  refuseReserved,
  type WaitOptions,
  type Wanted,
} from './options.ts';
import { runCallback } from './run-callback.ts';
import { readSelfWait, type SelfWaitOptions } from './self-deadlock.ts';

/** How a permit is asked for with a callback. */
export interface PermitOptions extends WaitOptions {
  /** Do not wait: the callback gets `null` if no permit is free. Default false. Not with `signal`. */
  readonly ifAvailable?: boolean | undefined;
}

/**
 * Up to so many holders at once, in the whole group. Each holds one permit, which is like a lock in all
 * else: fence, loss, waiting in turn. All members must give the same number of permits for a name: a
 * request with another number is refused. A lock of the same name has nothing to do with it.
 *
 * @example
 * ```ts
 * import type { Semaphore } from 'latchkey/locks';
 * declare const gpus: Semaphore; // group.semaphore('gpu', 4)
 * declare function train(): Promise<void>;
 *
 * await gpus.request(() => train());
 * await using permit = await gpus.acquire({ timeoutMs: 60_000 });
 * console.log(permit.fence);
 * ```
 */
export class Semaphore {
  readonly name: string;
  readonly permits: number;
  readonly #acquisitions: Acquisitions;
  readonly #selfWaitMs: number;

  constructor(backend: LockBackend, name: string, permits: number, options: SelfWaitOptions = {}) {
    refuseReserved(name);
    if (!Number.isInteger(permits) || permits < 1 || permits > MAX_PERMITS) {
      throw new UsageError(
        `the semaphore ${quote(name)} cannot have ${permits} permits: ` +
          `their number is whole, from 1 to ${MAX_PERMITS}`,
      );
    }
    this.name = name;
    this.permits = permits;
    this.#acquisitions = acquisitionsOf(backend);
    this.#selfWaitMs = readSelfWait(options);
  }

  /** Runs `callback` while holding a permit; otherwise as `LockManager.request`. */
  request<R>(callback: (permit: Lock) => R): Promise<Awaited<R>>;
  request<R>(
    options: PermitOptions & { readonly ifAvailable?: false | undefined },
    callback: (permit: Lock) => R,
  ): Promise<Awaited<R>>;
  request<R>(options: PermitOptions, callback: (permit: Lock | null) => R): Promise<Awaited<R>>;
  request<R>(...passed: unknown[]): Promise<Awaited<R>> {
    try {
      const callback = passed.at(-1);
      const wanted = this.#read(passed.length > 1 ? passed[0] : undefined);
      if (typeof callback !== 'function') throw new TypeError('the callback must be a function');
      return runCallback(
        this.#ask(wanted, this.#selfWaitMs),
        callback as (permit: Lock | null) => R,
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Waits for a permit, and gives it as a handle; otherwise as `LockManager.acquire`. */
  async acquire(options?: WaitOptions): Promise<Held> {
    const wanted = this.#read(options);
    if (wanted.how === 'try') throw notSupported('`ifAvailable` is what `tryAcquire` does');
    return (await hold(this.#ask(wanted, 0)))!;
  }

  /** As `acquire`, but `null` when no permit is free, or a request waits for one. */
  async tryAcquire(options?: WaitOptions): Promise<Held | null> {
    return hold(this.#ask({ ...this.#read(options), how: 'try' }, 0));
  }

  #read(options: unknown): Wanted {
    const wanted = checkOptions(this.name, readOptions(options));
    if (wanted.how === 'steal') throw notSupported('permits cannot be stolen: only locks can');
    return wanted;
  }

  #ask(wanted: Wanted, selfWaitMs: number): Acquisition {
    const acquisition = new Acquisition(
      this.#acquisitions,
      this.name,
      this.permits,
      'exclusive',
      wanted.how,
    );
    acquisition.ask(wanted, selfWaitMs);
    return acquisition;
  }
}
