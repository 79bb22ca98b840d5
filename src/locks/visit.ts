import type { Claim } from './claim.ts';
import { GrantedLock, type Lock } from './lock.ts';

/** Even what is free is entered in a turn of its own. */
const AT_ONCE = Promise.resolve();

/**
 * Runs `callback` when the claim's turn comes, and releases when what it returned has settled. The promise
 * settles the same way, after that; or rejects at once if the lock is lost, while the callback runs on.
 *
 * Written without `await`, and with a promise of its own only where there is something to wait for: while
 * `AsyncLocalStorage` is in use every promise is dear on Node 20.
 */
export function visit<R>(claim: Claim, callback: (lock: Lock | null) => R): Promise<Awaited<R>> {
  claim.callback = callback;
  const attend = () => {
    try {
      const lock = claim.enter() ? new GrantedLock(claim) : null;
      const result = claim.run(callback, lock);
      if (isThenable(result)) return settled(claim, result);
      claim.release();
      claim.throwIfLost();
      return result as Awaited<R>;
    } catch (error) {
      claim.release(error);
      claim.throwIfLost();
      throw error;
    }
  };
  return (claim.turn ?? AT_ONCE).then(attend);
}

function settled<R>(claim: Claim, result: R): Promise<Awaited<R>> {
  return new Promise((resolve, reject) => {
    claim.whenLost(reject);
    const succeed = (value: Awaited<R>): void => {
      claim.release();
      resolve(value);
    };
    const fail = (error: unknown): void => {
      claim.release(error);
      reject(error);
    };
    Promise.resolve(result).then(succeed, fail);
  });
}

const isThenable = <R>(result: R): result is R & PromiseLike<Awaited<R>> =>
  typeof (result as { then?: unknown } | null | undefined)?.then === 'function';
