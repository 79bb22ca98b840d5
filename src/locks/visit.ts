import type { Claim } from './claim.ts';
import { GrantedLock, type Lock } from './lock.ts';

/**
 * Runs `callback` when the claim's turn comes, and releases when what it returned has settled. The promise
 * settles the same way, after that; or rejects at once if the lock is lost, while the callback runs on.
 */
export function visit<R>(claim: Claim, callback: (lock: Lock | null) => R): Promise<Awaited<R>> {
  claim.callback = callback;
  return new Promise((resolve, reject) => {
    claim.onLost = reject;
    void attend(claim, callback, resolve, reject);
  });
}

async function attend<R>(
  claim: Claim,
  callback: (lock: Lock | null) => R,
  resolve: (result: Awaited<R>) => void,
  reject: (reason: unknown) => void,
): Promise<void> {
  try {
    // Even what is free is entered in a turn of its own.
    await claim.turn;
    const lock = claim.enter() ? new GrantedLock(claim) : null;
    const result = await claim.run(callback, lock);
    claim.release();
    resolve(result);
  } catch (error) {
    claim.release(error);
    reject(error);
  }
}
