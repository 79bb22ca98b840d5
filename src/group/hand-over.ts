/**
 * How a member hands a lock over.
 *
 * Where it saves messages to release and re-request in one step, the member must know whether a caller
 * here wants the lock again. Most callers that do so request it within their turn, so the site waits for the
 * end of the turn. But other members wait too. So if a request came the last time, the member expects another:
 * it re-requests at once, and the hand-over leaves before the callers have run. If no request has come when the
 * site enters, the site passes the lock on. The next time it waits for the end of the turn.
 */
import type { Mode } from '../core/algorithm.ts';
import type { Lock } from './lock.ts';
import type { Request } from './request.ts';
import type { LockSite } from './sites.ts';

/** No caller of this member is inside through this site any more. */
export function leave(lock: Lock, site: LockSite): void {
  const { sites, effects } = lock;
  if (!sites.savesByRerequest(site)) {
    sites.release(site);
    return;
  }
  // The site entered for no request.
  if (site.turns === 0) lock.isFollowed = false;
  const next = nextToAsk(lock);
  if (next !== null) rerequestUrgently(lock, site, next.mode);
  // A writer could not get in through a reader's site.
  else if (lock.isFollowed && site.mode === 'exclusive') rerequestUrgently(lock, site, 'exclusive');
  else {
    site.phase = 'leaving';
    if (lock.turnTimer !== null) return;
    lock.turnTimer = { lock, name: 'turn', after: 'turn', handle: undefined };
    effects.timersSet.push(lock.turnTimer);
  }
}

/** The callers have run: each that wants the lock again has requested it. */
export function endTurn(lock: Lock): void {
  lock.turnTimer = null;
  lock.effects.isUrgent = true;
  lock.isFollowed = nextToAsk(lock) !== null;
  for (const site of lock.sites.all) {
    if (site.phase !== 'leaving') continue;
    const next = nextToAsk(lock);
    if (next === null) lock.sites.release(site);
    else lock.sites.rerequest(site, next.mode);
  }
}

function rerequestUrgently({ effects, sites }: Lock, site: LockSite, mode: Mode): void {
  effects.isUrgent = true;
  sites.rerequest(site, mode);
}

function nextToAsk(lock: Lock): Request | null {
  const next = lock.queue.first;
  return next?.how === 'wait' && !lock.isBarred(next) ? next : null;
}
