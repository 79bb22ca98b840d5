/**
 * Raymond's initialization (section 7): one site is chosen to hold the privilege first; the others
 * know their neighbours only, and learn from INITIALIZE in which direction it is. Until then what they
 * want waits in their queues.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import type { Messages } from '../../core/message.ts';
import type { RaymondSite, State } from '../raymond.ts';

export const initialization = {
  INITIALIZE: {}, // with `initialize`: the privilege is on my side of this edge
} as const satisfies Messages;

/** In place of a holder: we do not know where the privilege is. */
export const NOWHERE = -1;

/** The group begins: if we are chosen, we say so. */
export function begin(_: State, site: RaymondSite): void {
  const isChosen = site.topology.parent[site.me] === site.me;
  if (site.options.initialize && isChosen) spread(site, site.me);
}

/**
 * We have been told. No REQUEST can have come before: a site that sends us one points at us, so it has
 * been told by us.
 */
export function learn(my: State, site: RaymondSite, from: NodeId): void {
  assert(my.holder === NOWHERE, 'in a tree each site is told once');
  my.holder = from;
  spread(site, from);
}

function spread(site: RaymondSite, but: NodeId): void {
  for (const j of site.topology.neighbours[site.me]!) {
    if (j !== but) site.send(j, { type: 'INITIALIZE' });
  }
}
