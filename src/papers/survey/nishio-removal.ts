/**
 * Nishio–Li–Manning with removal: "The resiliency mechanism presented can be easily modified to include the
 * recovery from a node insertion, or removal." The survey does not say how; this is one small modification.
 *
 * A node that is removed is down for good, and the others are told so by a failure detector that is never wrong.
 * They no longer wait for its ACK when a token is replaced, and they forget its requests, so that no token is sent
 * to it. If it had the token, the time-out of the next site that waits replaces the token as after a loss.
 */
import { take } from '../../algorithms/nishio-li-manning/token.ts';
import { nishioLiManning } from '../../algorithms/nishio-li-manning.ts';
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { each } from '../../core/plain.ts';

const { restart: _, timers, invariants, ...rest } = nishioLiManning;
const { missing } = timers!;
type Invariant = NonNullable<AnyAlgorithm['invariants']>[string];

/** Of the nodes that are left: the token of a removed node is lost. */
const amongTheRest =
  (holds: Invariant): Invariant =>
  (global, world) =>
    holds(
      {
        ...global,
        sites: global.sites.map((my, i) => (global.up[i] ? my : { ...my, token: null })),
        inFlight: global.inFlight.filter(({ to }) => global.up[to]),
      },
      world,
    );

export const withRemoval: AnyAlgorithm = {
  ...rest,
  invariants: Object.fromEntries(
    Object.entries(invariants!).map(([claim, holds]) => [claim, amongTheRest(holds as Invariant)]),
  ),
  // `removed` is beside the fields of the original, which does not know of it.
  init: (world) => ({ ...nishioLiManning.init(world), removed: each(world.n, false) }),

  peer(my, _site, peer, alive) {
    if (alive) return;
    my.removed[peer] = true;
    my.asked[peer] = 0;
    excuse(my);
  },

  on: {
    ...nishioLiManning.on,
    ACK(my, site, from, message) {
      excuse(my);
      nishioLiManning.on.ACK(my, site as never, from, message as never);
    },
  },

  timers: {
    missing: {
      fires: missing!.fires,
      expired(my, site) {
        missing!.expired(my, site as never);
        const isLast = site.others.every((j) => my.removed[j]);
        // No other node is left that could have the token, or promise to refuse an old one.
        if (isLast) take(my, site as never, each(site.n, 0).with(site.me, my.granted), my.age);
      },
    },
  },
};

/** A node that was removed need not answer. */
function excuse(my: { answered: boolean[]; removed: boolean[] }): void {
  for (const [j, isRemoved] of my.removed.entries()) if (isRemoved) my.answered[j] = true;
}
