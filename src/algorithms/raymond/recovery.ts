/**
 * Raymond's recovery (section 8): a site that crashed and is back has forgotten everything, but each
 * neighbour knows its own end of their edge. It sends them RESTART and rebuilds its state from their
 * ADVISE. Until all have answered it only notes what comes in.
 *
 * The paper first waits until whatever was sent before the crash has arrived, and lets later messages
 * overtake ADVISE. That makes two privileges: a neighbour that sends PRIVILEGE and then ADVISE says
 * that the privilege is with us; the ADVISE arrives first, we take it that we hold the privilege, pass
 * it on, and then the PRIVILEGE arrives (`printed/raymond.ts`). Here no site waits and nothing is
 * assumed of delays: each site counts its lives, in stable storage, and every message says from which
 * life of its sender to which life of its receiver it goes. With RESTART a new life begins on every
 * edge, what was sent in an earlier one is void, and ADVISE alone says how the edge stands.
 *
 * With `unnumbered` the paper's own way is taken: the restarting site waits first (section 8, and the first
 * method of section 8.7), and no message is numbered. That is for links that keep order. A REQUEST that came
 * while the site waited is then named by an ADVISE as well, so that a neighbour may be in the queue twice; it
 * later gets the PRIVILEGE once without having asked for it, and keeps it until it is asked (section 8.6).
 *
 * Two neighbours down at once wait for each other's ADVISE for ever, and a site that needs the privilege
 * through them waits too; no site enters wrongly. The paper leaves this to further research.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import type { Messages, Payload } from '../../core/message.ts';
import type { RaymondSite, State } from '../raymond.ts';
import { NOWHERE } from './initialize.ts';
import { enqueueByRank, place, rankOf } from './rebuild.ts';

// Which life of its sender a message is from, and for which life of its receiver it is; and, with
// `rebuild=timestamps`, the sender's clock, else 0.
const stamped = { mine: 'int', yours: 'int', at: 'int' } as const;

export const messages = {
  STAMPED_REQUEST: stamped, //           with `recovery`, in place of REQUEST, …
  STAMPED_PRIVILEGE: stamped, //         … of PRIVILEGE …
  STAMPED_PRIVILEGE_REQUEST: stamped, // … and of PRIVILEGE_REQUEST
  RESTART: { life: 'int' }, //           I am back: this is my life of that number
  ADVISE: {
    mine: 'int',
    yours: 'int',
    holderIsYou: 'bool', // HOLDER_Y = X: the privilege is with you or beyond
    asked: 'bool', //       ASKED_Y, if so: I want it from you
    queued: 'bool', //      X ∈ REQUEST_Q_Y, if not: you want it from me
    at: 'int',
    rank: 'int', //         with `rebuild`: my place among those that want it from you; else 0
  },
} as const satisfies Messages;

export const recovers = [
  'with `recovery`: any site crashes, at any moment, also while it recovers, and restarts',
  'with `recovery`: several sites do so at the same time, no two of them neighbours',
];

export type Stamp = Payload<typeof messages, 'STAMPED_REQUEST'>;

type Options = RaymondSite['options'];

/** Whether a site that crashed can come back. */
export const isChosen = ({ recovery, rebuild, unnumbered }: Options): boolean =>
  recovery || rebuild !== undefined || unnumbered;

/** Whether messages say which lives they belong to. */
export const isNumbered = (options: Options): boolean => isChosen(options) && !options.unnumbered;

/** In place of a neighbour's life: its ADVISE has not come yet … */
const UNKNOWN = -1;
/** … or was not asked for yet, so that one which comes now is about an earlier restart. */
const NOT_ASKED = -2;

/** In ticks: the time within which all that was sent before the crash arrives. */
const DELAY = 100;

export function isUnderWay({ lives }: State): boolean {
  return lives.some((life) => life < 0);
}

/** We are back. */
export function begin(my: State, site: RaymondSite): void {
  if (site.options.unnumbered) {
    my.holder = NOWHERE;
    my.lives.fill(NOT_ASKED);
    site.timer('delay', DELAY);
    return;
  }
  my.life += 1;
  forget(my);
  askNeighbours(my, site);
  conclude(my, site); // at once, if we have no neighbours
}

/** With `unnumbered`: the timer `delay`. All that we sent before the crash has arrived. */
export function askAfterDelay(my: State, site: RaymondSite): void {
  my.lives.fill(UNKNOWN);
  askNeighbours(my, site);
  conclude(my, site);
}

export function forget(my: State): void {
  my.holder = NOWHERE;
  my.lives.fill(UNKNOWN);
}

export function askNeighbours(my: State, site: RaymondSite): void {
  for (const y of site.topology.neighbours[site.me]!) {
    site.send(y, { type: 'RESTART', life: my.life });
  }
}

/** RESTART */
export function advise(
  my: State,
  site: RaymondSite,
  from: NodeId,
  { life }: Payload<typeof messages, 'RESTART'>,
): void {
  // A neighbour of ours was down when we were: we know no more than it does.
  if (isUnderWay(my)) return;
  // It crashed again, and the RESTART of its later life was faster.
  if (life < my.lives[place(site, from)]!) return;
  my.lives[place(site, from)] = life;
  site.send(from, {
    type: 'ADVISE',
    mine: my.life,
    yours: life,
    holderIsYou: my.holder === from,
    asked: my.holder === from && my.asked,
    queued: my.queue.includes(from),
    at: my.clock,
    rank: rankOf(my, site, from),
  });
}

/** ADVISE */
export function follow(
  my: State,
  site: RaymondSite,
  from: NodeId,
  advice: Payload<typeof messages, 'ADVISE'>,
): void {
  if (advice.yours !== my.life) return; // it was for a life in which we crashed again (section 8.7)
  if (my.lives[place(site, from)] === NOT_ASKED) return; // the same, with `unnumbered`
  my.lives[place(site, from)] = advice.mine;
  my.clock = Math.max(my.clock, advice.at);
  if (advice.holderIsYou) {
    // The order of the queue is lost, which the paper shows to matter only if we crash for ever.
    if (advice.asked) enqueueByRank(my, site, from, advice.rank);
  } else if (my.holder !== site.me) {
    assert(my.holder === NOWHERE, 'at most one neighbour is nearer to the privilege than we');
    my.holder = from;
    my.asked = advice.queued; // section 8.3; cases 3 and 4 of section 8.1 say the contrary
  }
  conclude(my, site);
}

/** If all have answered and none of them is nearer to the privilege, it is with us (section 8.2). */
function conclude(my: State, { me }: RaymondSite): void {
  if (isUnderWay(my)) return;
  if (my.holder === NOWHERE) my.holder = me;
  if (my.holder === me) my.asked = false; // the PRIVILEGE may have come meanwhile
  my.ranks.fill(0);
}

/** From this life of ours to that life of our neighbour. */
export function stamp(my: State, site: RaymondSite, to: NodeId): Stamp {
  return { mine: my.life, yours: my.lives[place(site, to)]!, at: my.clock };
}

/** Whether a message belongs to the present life of both ends, rather than to one before a crash. */
export function isCurrent(my: State, site: RaymondSite, from: NodeId, stamp: Stamp): boolean {
  const life = my.lives[place(site, from)]!;
  return stamp.yours === my.life && (stamp.mine === life || life === UNKNOWN);
}
