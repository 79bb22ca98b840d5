/**
 * Lending: a caller that takes the same lock again and again, while no other caller wants it, is lent the lock. It may then
 * leave and re-enter without telling the member; so a client of a daemon re-acquires without a message. To the group the
 * lock is held until the caller releases it. As soon as another caller wants the lock, the member asks it back (`wanted`).
 * The caller answers that it releases the lock, or that it is inside (`inUse`) and releases it later.
 *
 * Until that answer it is not known whether the lock is free. So a try waits for it, and so do a steal and the answer to a
 * probe of another member. docs/decisions/0024-lending-to-clients.md has the argument.
 */
import type { Lock } from './lock.ts';
import type { Request } from './request.ts';
import type { LockSite } from './sites.ts';
import { robFor } from './stealing.ts';

/** A caller that asks for a lock again so soon after it was used is likely to ask a third time. */
export const REACQUIRE_MS = 100;

/** With how many re-entries the lock is lent to a request that is being granted; 0 if it is not lent. */
export function reentriesFor(lock: Lock, site: LockSite, request: Request): number {
  const { reentries, clientId, mode, how } = request;
  const isReacquired = reentries > 0 && clientId === lock.lastHolder;
  lock.lastHolder = reentries > 0 ? clientId : '';
  if (!isReacquired || lock.permits > 0 || mode === 'shared' || how === 'steal') return 0;
  // The holder of a token hears of every request. A holder of permissions may not.
  return lock.algorithm.algorithm.family === 'token' && !isWanted(lock, site) ? reentries : 0;
}

/** The caller of the request may enter again by itself. */
export function lend(lock: Lock, request: Request): void {
  request.loan = 'lent';
  request.step = lock.membership.size;
  lock.lent = request;
}

/** Another caller of this member waits, or another member does, as far as the algorithm knows. */
const isWanted = ({ queue, stealing, sites }: Lock, site: LockSite): boolean =>
  queue.first !== null || stealing !== null || sites.isAwaited(site);

export function recallIfWanted(lock: Lock, request: Request): void {
  if (isWanted(lock, lock.sites.all[0]!)) recall(lock, request);
}

/** Asks the lock back, once. */
export function recall({ effects }: Lock, request: Request): void {
  if (request.loan === 'recalled') return;
  request.loan = 'recalled';
  effects.outcomes.push({ type: 'wanted', request });
}

/** The caller that the lock is lent to is inside, after so many re-entries: it now holds the lock like any holder. */
export function inUse(lock: Lock, request: Request, reentries: number): void {
  if (request !== lock.lent) return;
  request.loan = 'none';
  request.clock += reentries * request.step;
  lock.lent = null;
  robIfStolen(lock);
  lock.advance();
}

/** The caller loses the lock at once, if a thief wants it. */
function robIfStolen(lock: Lock): void {
  const { first } = lock.queue;
  const [thief] = lock.stealing?.thieves ?? [];
  if (thief !== undefined) robFor(lock, thief);
  else if (first?.how === 'steal' && !first.isHeldBack) robFor(lock, first.clientId);
}
