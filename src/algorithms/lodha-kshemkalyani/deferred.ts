/**
 * Lodha–Kshemkalyani: answers, at once or deferred; with the second and third improvements of section
 * 5, which are about them.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { cross } from './queue.ts';
import type { LodhaKshemkalyaniSite, State } from './state.ts';

/** With `linger`: how long deferred requests wait for our next one. */
const SOON = 50;

/** We are out. */
export function replyOrLinger(my: State, site: LodhaKshemkalyaniSite): void {
  if (!site.options.linger) replyToDeferred(my, site);
  else if (my.deferred.some((seq) => seq > 0)) site.timer('linger', SOON);
}

/** With `linger`: the requests that we have kept are as good as concurrent with ours. */
export function crossKept(my: State, site: LodhaKshemkalyaniSite): void {
  for (const pid of site.others)
    if (my.deferred[pid] !== 0) cross(my, { seq: my.deferred[pid]!, pid });
  my.deferred.fill(0);
  site.timer('linger', 0);
}

export function replyToDeferred(my: State, site: LodhaKshemkalyaniSite): void {
  for (const j of site.others) {
    if (my.deferred[j] !== 0) send(my, site, j, 'REPLY');
    my.deferred[j] = 0;
  }
}

export function send(
  my: State,
  site: LodhaKshemkalyaniSite,
  to: NodeId,
  type: 'REPLY' | 'FLUSH',
): void {
  const { last, highest } = my;
  if (!site.options['clock-on-all']) site.send(to, { type, last });
  else site.send(to, { type: `${type}_WITH_CLOCK`, last, highest });
}
