/**
 * Node's own diagnostics channels for Web Locks, with the payloads that Node 24 documents, so that tools
 * which watch `navigator.locks` see these locks as well:
 * `locks.request.start`, `.grant`, `.miss` and `.end`.
 */
import { channel } from 'node:diagnostics_channel';
import type { RequestSpec } from '../group/backend.ts';

const start = channel('locks.request.start');
const grant = channel('locks.request.grant');
const miss = channel('locks.request.miss');
const end = channel('locks.request.end');

const aboutOf = ({ name, mode, permits }: RequestSpec) => ({ name, mode, permits });

/** A request is made. */
export function publishStart(spec: RequestSpec): void {
  if (start.hasSubscribers) start.publish(aboutOf(spec));
}

/** The lock is granted, and its callback is about to run. */
export function publishGrant(spec: RequestSpec): void {
  if (grant.hasSubscribers) grant.publish(aboutOf(spec));
}

/** The lock was not free, and not to be waited for. */
export function publishMiss(spec: RequestSpec): void {
  if (miss.hasSubscribers) miss.publish(aboutOf(spec));
}

/** The request is over; with its error, if it failed. */
export function publishEnd(spec: RequestSpec, error: unknown): void {
  if (!end.hasSubscribers) return;
  const { how } = spec;
  end.publish({ ...aboutOf(spec), steal: how === 'steal', ifAvailable: how === 'try', error });
}
