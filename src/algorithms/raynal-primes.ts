/**
 * Raynal's primes: the product of the numbers of all sites says whose turn it is.
 *
 * M. Raynal. "Prime Numbers as a Tool to Design Distributed Algorithms". Information Processing
 * Letters 33(1):53–58, 1989. Here from the survey: M. G. Velazquez. "A Survey of Distributed Mutual
 * Exclusion Algorithms". Colorado State University, Technical Report CS-93-116, 1993, which also
 * proposes the form `inform`.
 *
 * Site i has a prime A_i and a number X_i, which is A_i at first, but 1 at site 0. Q is the product of all A. Site
 * i may enter when the product T of all X is Q/A_i, that is, when its own prime is the one that is missing. When it
 * leaves it multiplies X_i by A_i/A_{i+1}, and now the prime of the next site is missing. So the right to enter
 * goes round a ring without ever being sent. A site that wants it polls the X of all others until it has come. The
 * right stays with a site that does not want it, and then the sites that poll do so for ever. In the form `inform`
 * no site polls: each site tells all others its new X. A site that has the right and does not want it gives it away
 * at once.
 *
 * Example with three sites and the primes 2, 3 and 5: X is 1, 3 and 5 at first. T = 15 = 30/2, so that it is the
 * turn of site 0. Site 0 polls both others, gets 3 and 5, and enters: four messages. It leaves, X_0 is 2/3, and T =
 * 10 = 30/3: it is the turn of site 1, which polls and enters with four messages.
 *
 * As the A are known, X_i is known by how often i has left, and T by its exponents. That of A_i is 1 (0 for site 0)
 * plus the times i has left, less those its predecessor has. No site falls a round behind. So even X read at
 * different times give exponents of 0 to 2, and they add up to N−1. So all may be kept modulo 2: where all
 * exponents but ours are odd, they are 1, and ours is 0. With `primes` the numbers are sent as they are, and grow
 * with each exit (`raynal-primes/numbers.ts`).
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages, Payload } from '../core/message.ts';
import { each } from '../core/plain.ts';
import { costs, options } from './raynal-primes/cost.ts';
import { type Fraction, firstX, fraction, isMissing, nextX } from './raynal-primes/numbers.ts';

const messages = {
  REQUEST: {}, //              what is your X?
  REPLY: { odd: 'bool' }, //   this is my X
  INFORM: { odd: 'bool' }, //  this is my X now (with `inform`)
  REPLY_X: { x: fraction }, //  the same as numbers (with `primes`)
  INFORM_X: { x: fraction },
} as const satisfies Messages;

type State = {
  phase: 'idle' | 'waiting' | 'inside';
  odd: boolean[]; //   X, as far as we know: whether each has left an odd number of times
  missing: number; //  of the REPLYs to our latest poll
  values: Fraction[]; // with `primes`: X, as far as we know; else empty
};
type RaynalSite = Site<typeof messages, 'complete', typeof options>;

/** Until the next poll, in ticks. */
const POLL_INTERVAL = 10;

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
  links: 'any', // before any site sends its next X, the right has gone past all, and all had its last
  options,
  messages,
  claims: {
    ...costs,
    synchronizationDelay: 'T to (N−1)T with `inform`',
  },
  recovers: [],

  init: ({ n, options: { primes } }) => ({
    phase: 'idle',
    odd: each(n, false),
    missing: 0,
    values: primes ? Array.from({ length: n }, (_, i) => firstX(i)) : [],
  }),

  ...rules(hasTheRight),

  release(my, site) {
    my.phase = 'idle';
    giveAway(my, site);
  },

  timers: { poll: { fires: 'anytime', expired: poll } },

  fields: { odd: 'X, modulo 2', missing: 'REPLYs missing' },
  turn: (sites, { n, options: { primes } }) => {
    if (primes) {
      const values = sites.map((my, j) => my.values[j]!);
      return sites.findIndex((_, me) => isMissing(values, me));
    }
    const odd = sites.map((my, j) => my.odd[j]!); // each site's own is true
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
        if (site.options.primes) site.send(from, { type: 'REPLY_X', x: my.values[site.me]! });
        else site.send(from, { type: 'REPLY', odd: my.odd[site.me]! });
      },

      REPLY(my, site, from, { odd }) {
        my.odd[from] = odd;
        answered(my, site);
      },

      REPLY_X(my, site, from, { x }) {
        my.values[from] = copy(x);
        answered(my, site);
      },

      INFORM(my, site, from, { odd }) {
        my.odd[from] = odd;
        look(my, site);
      },

      INFORM_X(my, site, from, { x }) {
        my.values[from] = copy(x);
        look(my, site);
      },
    },
  };

  /** A REPLY to our poll: with the last of them we know whose turn it was. */
  function answered(my: State, site: RaynalSite): void {
    assert(my.missing > 0, 'a REPLY answers our latest poll');
    my.missing -= 1;
    if (my.missing > 0) return;
    if (isOurTurn(my, site)) goIn(my, site);
    else site.timer('poll', POLL_INTERVAL);
    // It will be old when we look again.
    for (const j of site.others) {
      my.odd[j] = false;
      if (site.options.primes) my.values[j] = firstX(j);
    }
  }
}

const copy = ({ over, under }: Payload<typeof messages, 'REPLY_X'>['x']): Fraction => ({
  over: over.slice(),
  under: under.slice(),
});

function poll(my: State, site: RaynalSite): void {
  my.missing = site.n - 1;
  for (const j of site.others) site.send(j, { type: 'REQUEST' });
  if (my.missing === 0) goIn(my, site); // alone in the world
}

/** Whether T = Q/A_me, as far as we know X: if so, it is. */
function hasTheRight({ odd, values }: State, { me, n, options: { primes } }: RaynalSite): boolean {
  if (primes) return isMissing(values, me);
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
  const {
    me,
    n,
    others,
    options: { inform, primes },
  } = site;
  if (primes) {
    const x = nextX(my.values[me]!, me, n);
    my.values[me] = x;
    if (inform) for (const j of others) site.send(j, { type: 'INFORM_X', x });
    return;
  }
  const odd = !my.odd[me]!;
  my.odd[me] = odd;
  if (inform) for (const j of others) site.send(j, { type: 'INFORM', odd });
}
