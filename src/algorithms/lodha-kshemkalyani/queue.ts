/** Lodha–Kshemkalyani: the local queue, in which all that is not finished waits in order. */
import { assert } from '../../core/assert.ts';
import type { LodhaKshemkalyaniSite, ReqID, State } from './state.ts';

/** As requests are satisfied in order, this one and all before it are: strike them. */
export function finished(my: State, request: ReqID): void {
  if (!isBefore(my.done, request)) return;
  my.done = request;
  my.queue = my.queue.filter((waiting) => isBefore(request, waiting));
}

/** A request that is concurrent with ours has come: it and ours answer each other. */
export function cross(my: State, request: ReqID): void {
  my.replied[request.pid] = true;
  // F1: what is finished stays out. The paper strikes it only from the queue of the moment: a request
  // that finished long ago, and whose REQUEST comes now, would bar the way for ever.
  if (isBefore(my.done, request)) insert(my.queue, request);
}

/** CheckExecuteCS */
export function enterIfFirst(my: State, site: LodhaKshemkalyaniSite): void {
  if (!my.waiting || !my.replied.every(Boolean)) return;
  assert(my.queue.length > 0, 'our own request is not finished before we enter');
  if (my.queue[0]!.pid !== site.me) return;
  my.waiting = false;
  site.enter();
}

export function isBefore(a: ReqID, b: ReqID): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.pid < b.pid);
}

/** Inserts in sorted order. */
export function insert(queue: ReqID[], request: ReqID): void {
  const at = queue.findIndex((other) => isBefore(request, other));
  queue.splice(at === -1 ? queue.length : at, 0, request);
}
