/**
 * Node's own diagnostics channels for Web Locks, with the payloads that Node 24 documents, so that tools
 * which watch `navigator.locks` see these locks as well:
 * `locks.request.start`, `.grant`, `.miss` and `.end`.
 */
import { channel } from 'node:diagnostics_channel';
import type { Wish } from '../group/locksmith.ts';

const start = channel('locks.request.start');
const grant = channel('locks.request.grant');
const miss = channel('locks.request.miss');
const end = channel('locks.request.end');

const aboutOf = ({ name, mode, permits }: Wish) => ({ name, mode, permits });

/** A request is made. */
export function publishStart(wish: Wish): void {
  if (start.hasSubscribers) start.publish(aboutOf(wish));
}

/** The lock is granted, and what it was asked for is about to run. */
export function publishGrant(wish: Wish): void {
  if (grant.hasSubscribers) grant.publish(aboutOf(wish));
}

/** The lock was not free, and not to be waited for. */
export function publishMiss(wish: Wish): void {
  if (miss.hasSubscribers) miss.publish(aboutOf(wish));
}

/** The request is settled; with an error, if it was. */
export function publishEnd(wish: Wish, error: unknown): void {
  if (!end.hasSubscribers) return;
  const { how } = wish;
  end.publish({ ...aboutOf(wish), steal: how === 'steal', ifAvailable: how === 'now', error });
}
