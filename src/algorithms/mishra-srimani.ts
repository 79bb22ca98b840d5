/**
 * Mishra–Srimani: Suzuki and Kasami's algorithm, with a token that can be made anew.
 *
 * S. Mishra and P. K. Srimani. "Fault-Tolerant Mutual Exclusion Algorithms".
 * Journal of Systems and Software 11(2):111–129, February 1990.
 * Reconstructed from the survey, which describes it in words.
 *
 * While nothing fails it is Suzuki and Kasami's algorithm, but for a time-out. A site that waits for the token too
 * long finds out whether the token still exists. If it does not, the site makes another
 * (`mishra-srimani/regeneration.ts`).
 *
 * Example with three sites: site 0 has the token and crashes. Site 1 sends its REQUEST to both others and waits.
 * When its time-out is over it sends a PRIVILEGE_CHECK to both. Site 2 answers NO_CRIT, and site 0 is silent. When
 * the time for answers is over, site 1 sends CREATE_PRIVILEGE to both, and site 2 answers with an UPDATE. Site 0 is
 * silent again: site 1 makes a token, enters, and sends RESUME to both. That is ten messages.
 *
 * The survey gives L·N + (N−1) messages, which is the cost of L entries with bounded numbers. So `bounded=L` is
 * Suzuki and Kasami's bounded form with these time-outs. Numbers stay below 2L, and after every L-th of its
 * requests a site keeps the token until all have acknowledged it. While an acknowledgement is missing, a site that
 * asks for the token is told that it is not lost. A site that fails never acknowledges: this form survives no
 * failure, and the survey claims its cost "under the absence of failures".
 *
 * The paper's second algorithm, of another kind, is `mishra-srimani/moving-coordinator.ts`.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, perSite } from '../core/message.ts';
import { flag, type OptionDeclarations, whole } from '../core/option.ts';
import { each } from '../core/plain.ts';
import { found, wait } from './mishra-srimani/creation.ts';
import * as moving from './mishra-srimani/moving-coordinator.ts';
import * as regeneration from './mishra-srimani/regeneration.ts';
import { endsRound, modulusOf } from './suzuki-kasami/rounds.ts';
import { nextInLine, type Token, waits } from './suzuki-kasami/token.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  PRIVILEGE: { queue: list('node'), granted: perSite('int'), generation: 'int' }, // the token
  ACK: {}, // with `bounded`: I have counted your L-th REQUEST
  ...regeneration.messages,
  ...moving.messages,
} as const satisfies Messages;

const options = {
  bounded: whole('numbers below 2L; every L-th request is acknowledged by all; no site fails', 1),
  'moving-coordinator': flag(
    'the second algorithm: the site that is inside coordinates the others',
  ),
} as const satisfies OptionDeclarations;

export type State = {
  requesting: boolean; // from request to release, the stay included
  asked: number[]; //     RN: the number of the latest request known of each site
  token: Token | null; // Q and LN, if we have it
  generation: number; //  of our token; if we have none, the oldest that we accept
  trying: 'no' | 'checking' | 'creating'; // our part in making a new token
  rivals: boolean[]; //   the other sites that are trying, as far as we know
  answered: boolean[]; // the sites that have answered while we try
  youngest: number; //    while we check: the youngest generation that any site knows of
  rebuilt: number[]; //   while we create: LN, as far as we know it
  unacknowledged: number; // with `bounded`: how many have yet to acknowledge our request; else 0
  coordinator: NodeId; // with `moving-coordinator`: the site that we ask; else 0
  kept: NodeId[]; //      with `moving-coordinator`: the sites that asked us while we wait; else empty
};
export type MishraSrimaniSite = Site<typeof messages, 'complete', typeof options>;

export const mishraSrimani: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'mishra-srimani',
  title: 'Mishra & Srimani 1990',
  year: 1990,
  paper: 'Journal of Systems and Software 11(2):111–129, February 1990',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    // The survey says L·N + (N−1): that is for L entries, with bounded numbers.
    messages: {
      formula: 'N, or 0 for the holder; with `bounded` (N−1)/L more',
      bounds: ({ n, options: { bounded = Number.POSITIVE_INFINITY } }) => ({
        least: 0,
        most: n + (n - 1) / bounded,
      }),
    },
    synchronizationDelay: 'T',
  },
  recovers: regeneration.recovers,

  refuses: ({ options: { bounded, 'moving-coordinator': moves } }) =>
    bounded !== undefined && moves
      ? 'mishra-srimani with moving-coordinator has no numbers to bound: leave bounded out'
      : undefined,

  init: ({ me, n }) => ({
    requesting: false,
    asked: each(n, 0),
    token: me === 0 ? { queue: [], granted: each(n, 0) } : null,
    generation: 0,
    trying: 'no',
    rivals: each(n, false),
    answered: each(n, false),
    youngest: 0,
    rebuilt: each(n, 0),
    unacknowledged: 0,
    coordinator: 0,
    kept: [],
  }),

  request(my, site) {
    if (site.options['moving-coordinator']) return moving.request(my, site);
    my.requesting = true;
    if (my.token !== null) return site.enter();
    const { bounded } = site.options;
    const n = (my.asked[site.me]! + 1) % modulusOf(bounded);
    my.asked[site.me] = n;
    if (endsRound(bounded, n)) my.unacknowledged = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST', n });
    wait(my, site);
  },

  release(my, site) {
    if (site.options['moving-coordinator']) return moving.release(my, site);
    my.requesting = false;
    my.token!.granted[site.me] = my.asked[site.me]!;
    passOn(my, site);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      const { bounded } = site.options;
      if (bounded === undefined) {
        my.asked[from] = Math.max(my.asked[from]!, n);
      } else {
        // Which is the greater of two numbers is lost; how many have come is not.
        my.asked[from] = (my.asked[from]! + 1) % modulusOf(bounded);
        if (endsRound(bounded, my.asked[from]!)) site.send(from, { type: 'ACK' });
      }
      if (my.token === null || my.requesting || my.unacknowledged > 0) return;
      if (waits(my.asked, my.token, from, modulusOf(bounded))) send(my, site, from);
    },

    ACK(my, site) {
      assert(my.unacknowledged > 0, 'an ACK answers a REQUEST of ours');
      my.unacknowledged -= 1;
      if (my.token !== null && !my.requesting) passOn(my, site);
    },

    PRIVILEGE(my, site, _, { queue, granted, generation }) {
      if (generation < my.generation) return; // we have promised not to accept it
      assert(my.requesting, 'the token comes only to a site that asked for it');
      found(my, site);
      my.generation = generation;
      my.token = { queue: queue.slice(), granted: granted.slice() };
      site.enter();
    },

    ...regeneration.on,
    ...moving.on,
  },

  timers: regeneration.timers,

  tokens: {
    held: ({ token }) => (token === null ? 0 : 1),
    carriers: ['PRIVILEGE', 'COORDINATOR'],
  },
  fields: {
    asked: 'RN',
    token: 'Q, LN',
    generation: 'token generation',
    rebuilt: 'LN, rebuilt',
    coordinator: 'coordinator',
  },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
};

function passOn(my: State, site: MishraSrimaniSite): void {
  if (my.unacknowledged > 0) return;
  const modulus = modulusOf(site.options.bounded);
  const next = nextInLine(my.asked, my.token!, site.others, modulus);
  if (next !== undefined) send(my, site, next);
}

function send(my: State, site: MishraSrimaniSite, to: NodeId): void {
  const { queue, granted } = my.token!;
  my.token = null;
  site.send(to, { type: 'PRIVILEGE', queue, granted, generation: my.generation });
}
