import type { Acquisition } from './acquisition.ts';
import { GrantedLock, type Lock } from './lock.ts';

/** Even what is free is entered in a turn of its own. */
const AT_ONCE = Promise.resolve();

/**
 * Runs `callback` when the acquisition's turn comes, and releases when what it returned has settled. The promise
 * settles the same way, after that; or rejects at once if the lock is lost, while the callback runs on.
 *
 * Written without `await`, and with a promise of its own only where there is something to wait for: while
 * `AsyncLocalStorage` is in use every promise is expensive on Node 20.
 */
export function runCallback<R>(
  acquisition: Acquisition,
  callback: (lock: Lock | null) => R,
): Promise<Awaited<R>> {
  acquisition.callback = callback;
  const attend = () => {
    try {
      const lock = acquisition.enter() ? new GrantedLock(acquisition) : null;
      const result = acquisition.run(callback, lock);
      if (isThenable(result)) return attended(acquisition, result);
      acquisition.release();
      acquisition.throwIfLost();
      return result as Awaited<R>;
    } catch (error) {
      acquisition.release(error);
      acquisition.throwIfLost();
      throw error;
    }
  };
  return (acquisition.turn ?? AT_ONCE).then(attend);
}

function attended<R>(acquisition: Acquisition, result: R): Promise<Awaited<R>> {
  return new Promise((resolve, reject) => {
    acquisition.whenLost(reject);
    const succeed = (value: Awaited<R>): void => {
      acquisition.release();
      resolve(value);
    };
    const fail = (error: unknown): void => {
      acquisition.release(error);
      reject(error);
    };
    Promise.resolve(result).then(succeed, fail);
  });
}

const isThenable = <R>(result: R): result is R & PromiseLike<Awaited<R>> =>
  typeof (result as { then?: unknown } | null | undefined)?.then === 'function';
