/**
 * Raynal's primes: the product of everyone's number says whose turn it is.
 *
 * M. Raynal. "Prime Numbers as a Tool to Design Distributed Algorithms". Information Processing
 * Letters 33(1):53–58, 1989. Here from the survey: M. G. Velazquez. "A Survey of Distributed Mutual
 * Exclusion Algorithms". Colorado State University, Technical Report CS-93-116, 1993, which also
 * proposes the form `inform`.
 *
 * Site i has a prime A_i and a number X_i, which is A_i at first, but 1 at site 0. Q is the product
 * of all A. Site i may go in when the product T of all X is Q/A_i, that is, when its own prime is the
 * one that lacks; on leaving it multiplies X_i by A_i/A_{i+1}, and now it is the next one's that
 * lacks. So the right to go in walks round a ring without ever being sent: whoever wants it polls
 * everyone's X until it has come. The right stays with a site that does not want it, and then all
 * who poll do so for ever. In the form `inform` nobody polls: everyone tells everyone its new X, and
 * who has the right and does not want it gives it away at once.
 *
 * As the A are known, X_i is known by how often i has left, and T by its exponents: that of A_i is 1
 * (0 for site 0) plus the times i has left, less those its predecessor has. Nobody falls a round
 * behind, so that even X read at different times give exponents of 0 to 2, and they add up to N−1.
 * So all may be kept modulo 2: where all exponents but ours are odd, they are 1, and ours is 0.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';
import { costs, options } from './raynal-primes/cost.ts';

const messages = {
  REQUEST: {}, //              what is your X?
  REPLY: { odd: 'bool' }, //   this is my X
  INFORM: { odd: 'bool' }, //  this is my X now (with `inform`)
} as const satisfies Messages;

type State = {
  phase: 'idle' | 'waiting' | 'inside';
  odd: boolean[]; //   X, as far as we know: whether each has left an odd number of times
  missing: number; //  of the REPLYs to our latest poll
};
type RaynalSite = Site<typeof messages, 'complete', typeof options>;

/** Until the next poll, in ticks. */
const PATIENCE = 10;

export const raynalPrimes: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'raynal-primes',
  title: 'Raynal 1989',
  year: 1989,
  paper: 'Information Processing Letters 33(1):53–58, 1989',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // before anyone sends its next X, the right has gone past all, and all had its last
  options,
  messages,
  claims: {
    ...costs,
    synchronizationDelay: 'T to (N−1)T with `inform`',
  },
  recovers: [],

  init: ({ n }) => ({ phase: 'idle', odd: each(n, false), missing: 0 }),

  ...rules(hasTheRight),

  release(my, site) {
    my.phase = 'idle';
    giveAway(my, site);
  },

  timers: { poll: { fires: 'anytime', expired: poll } },

  fields: { odd: 'X, modulo 2', missing: 'REPLYs missing' },
  turn: (sites, { n }) => {
    const odd = sites.map((my, j) => my.odd[j]!); // everyone's own is true
    return sites.findIndex((_, me) => isTurnOf(odd, me, n));
  },
  awaits: (_, { others }) => others, // any of them may have the right
};

/** What a site does when it asks and when it hears, given how it finds out whose turn it is. */
export function rules(
  isOurTurn: (my: State, site: RaynalSite) => boolean,
): Pick<typeof raynalPrimes, 'start' | 'request' | 'on'> {
  /** With `inform`, whenever we may have learnt that the right is ours. */
  function look(my: State, site: RaynalSite): void {
    if (!isOurTurn(my, site)) return;
    if (my.phase === 'waiting') goIn(my, site);
    else if (my.phase === 'idle') giveAway(my, site);
  }

  return {
    start(my, site) {
      if (site.options.inform && my.phase === 'idle') look(my, site);
    },

    request(my, site) {
      my.phase = 'waiting';
      if (site.options.inform) look(my, site);
      else poll(my, site);
    },

    on: {
      REQUEST(my, site, from) {
        site.send(from, { type: 'REPLY', odd: my.odd[site.me]! });
      },

      REPLY(my, site, from, { odd }) {
        assert(my.missing > 0, 'a REPLY answers our latest poll');
        my.odd[from] = odd;
        my.missing -= 1;
        if (my.missing > 0) return;
        if (isOurTurn(my, site)) goIn(my, site);
        else site.timer('poll', PATIENCE);
        for (const j of site.others) my.odd[j] = false; // it will be old when we look again
      },

      INFORM(my, site, from, { odd }) {
        my.odd[from] = odd;
        look(my, site);
      },
    },
  };
}

function poll(my: State, site: RaynalSite): void {
  my.missing = site.n - 1;
  for (const j of site.others) site.send(j, { type: 'REQUEST' });
  if (my.missing === 0) goIn(my, site); // alone in the world
}

/** Whether T = Q/A_me, as far as we know X: if so, it is. */
function hasTheRight({ odd }: State, { me, n }: RaynalSite): boolean {
  return isTurnOf(odd, me, n);
}

function isTurnOf(odd: readonly boolean[], me: NodeId, n: number): boolean {
  return odd.every((left, j) => {
    const predecessorLeft = odd[(j + n - 1) % n]!;
    const exponentIsOdd = (j !== 0) !== (left !== predecessorLeft);
    return exponentIsOdd === (j !== me);
  });
}

function goIn(my: State, site: RaynalSite): void {
  my.phase = 'inside';
  site.enter();
}

/** X := X · A_me / A_{me+1} */
function giveAway(my: State, site: RaynalSite): void {
  const odd = !my.odd[site.me]!;
  my.odd[site.me] = odd;
  if (!site.options.inform) return;
  for (const j of site.others) site.send(j, { type: 'INFORM', odd });
}
