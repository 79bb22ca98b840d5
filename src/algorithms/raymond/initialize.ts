/**
 * Raymond's initialization (section 7): one site is chosen to hold the privilege first; the others
 * know their neighbours only, and learn from INITIALIZE in which direction it is.
 *
 * The paper does not say when the chosen site begins. Here it begins when someone wants in: whoever
 * does, and has not been told yet, sends WAKE through the tree, and its request waits in its queue.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import type { Messages } from '../../core/message.ts';
import type { RaymondSite, State } from '../raymond.ts';

export const initialization = {
  WAKE: {}, //       with `initialize`: someone wants in; whoever was chosen, begin
  INITIALIZE: {}, // with `initialize`: the privilege is on my side of this edge
} as const satisfies Messages;

/** In place of a holder: we do not know where the privilege is. */
export const NOWHERE = -1;

/** We have heard from there, or found out ourselves, that someone wants in. */
export function wake(my: State, site: RaymondSite, from: NodeId): void {
  if (my.awake) return;
  my.awake = true;
  if (my.holder === site.me) spread(site, 'INITIALIZE', site.me);
  else spread(site, 'WAKE', from);
}

/**
 * We have been told. No REQUEST can have come before: whoever sends us one points at us, so it has
 * been told by us.
 */
export function learn(my: State, site: RaymondSite, from: NodeId): void {
  assert(my.holder === NOWHERE, 'in a tree everyone is told once');
  my.holder = from;
  my.awake = true;
  spread(site, 'INITIALIZE', from);
}

function spread(site: RaymondSite, type: 'WAKE' | 'INITIALIZE', but: NodeId): void {
  for (const j of site.topology.neighbours[site.me]!) if (j !== but) site.send(j, { type });
}
