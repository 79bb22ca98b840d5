/**
 * Suzuki–Kasami: ask all others for the token; the token knows which requests have been granted.
 *
 * I. Suzuki and T. Kasami. "A Distributed Mutual Exclusion Algorithm".
 * ACM Transactions on Computer Systems 3(4):344–349, November 1985.
 *
 * A site that wants to enter, and does not have the token, sends a numbered REQUEST to all others. The token
 * carries the number of each site's last granted request. The holder compares the two numbers, and so tells a
 * request that still waits from one that has been granted and only arrives late. When the holder leaves, it
 * appends the sites that wait to the queue in the token, and sends the token to the first of them.
 *
 * Example: site 0 of three has the token, and is idle. Site 2 sends REQUEST 1 to sites 0 and 1, and site 0 sends
 * it the token: three messages. While site 2 is inside, site 1 sends REQUEST 1 to both others. Site 2 leaves, finds
 * that the token has granted no request of site 1, and sends it the token: three messages more. Site 1 asks again
 * later. It still has the token, and enters without a message.
 *
 * `bounded=L` is a reconstruction. The survey says only that the numbers can be bounded at a cost of L·N + (N−1)
 * messages for L entries of a site. Counting to L and starting anew fails for every L. A site that has not heard
 * for long takes the last number of an old round for the first of the next. Here sites count each other's REQUESTs
 * modulo 2L, and every L-th is acknowledged: its sender keeps the token until all have counted it. So what is
 * counted of a site and what was granted to it differ by −(L−1) to 1. These L+1 differences are distinct modulo 2L.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, perSite } from '../core/message.ts';
import { type OptionDeclarations, whole } from '../core/option.ts';
import { each } from '../core/plain.ts';
import { endsRound, modulusOf } from './suzuki-kasami/rounds.ts';
import { nextInLine, type Token, waits } from './suzuki-kasami/token.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  PRIVILEGE: { queue: list('node'), granted: perSite('int') }, // the token: Q and LN
  ACK: {}, // with `bounded`: I have counted your L-th REQUEST
} as const satisfies Messages;

const options = {
  bounded: whole('numbers below 2L; every L-th request of a site is acknowledged by all', 1),
} as const satisfies OptionDeclarations;

type State = {
  requesting: boolean; // Requesting: from request to release, the stay included
  asked: number[]; //     RN: the number of the latest request known of each site
  token: Token | null; // if HavePrivilege
  missing: number; //     with `bounded`: how many have yet to acknowledge our request; else 0
};
type SuzukiKasamiSite = Site<typeof messages, 'complete', typeof options>;

export const suzukiKasami: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'suzuki-kasami',
  title: 'Suzuki & Kasami 1985',
  year: 1985,
  paper: 'https://doi.org/10.1145/6110.214406',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // a REQUEST that comes late is known by its number
  options,
  messages,
  claims: {
    messages: {
      formula: 'N, or 0 for the holder; with `bounded` (N−1)/L more',
      bounds: ({ n, options: { bounded = Number.POSITIVE_INFINITY } }) => ({
        least: 0,
        most: n + (n - 1) / bounded,
      }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n }) => ({
    requesting: false,
    asked: each(n, 0),
    token: me === 0 ? { queue: [], granted: each(n, 0) } : null,
    missing: 0,
  }),

  request(my, site) {
    my.requesting = true;
    if (my.token !== null) return site.enter();
    const n = (my.asked[site.me]! + 1) % modulusOf(site.options.bounded);
    my.asked[site.me] = n;
    if (endsRound(site.options.bounded, n)) my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST', n });
  },

  // The paper's P1 tests the queue and only then clears Requesting. A REQUEST handled in between
  // waits until another site asks; here nothing comes in between, for a handler is atomic.
  release(my, site) {
    my.requesting = false;
    const { granted } = my.token!;
    granted[site.me] = my.asked[site.me]!;
    passOn(my, site);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      if (site.options.bounded === undefined) {
        my.asked[from] = Math.max(my.asked[from]!, n);
      } else {
        // Which is the greater of two numbers is lost; how many have come is not.
        my.asked[from] = (my.asked[from]! + 1) % modulusOf(site.options.bounded);
        if (endsRound(site.options.bounded, my.asked[from]!)) site.send(from, { type: 'ACK' });
      }
      const isIdle = my.token !== null && !my.requesting && my.missing === 0;
      if (isIdle && waits(my.asked, my.token!, from, modulusOf(site.options.bounded)))
        send(my, site, from);
    },

    PRIVILEGE(my, site, _, { queue, granted }) {
      assert(my.requesting, 'the token comes only to a site that asked for it');
      my.token = { queue: queue.slice(), granted: granted.slice() };
      site.enter();
    },

    ACK(my, site) {
      assert(my.missing > 0, 'an ACK answers a REQUEST of ours');
      my.missing -= 1;
      if (my.token !== null && !my.requesting) passOn(my, site);
    },
  },

  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['PRIVILEGE'] },
  fields: { requesting: 'Requesting', asked: 'RN', token: 'Q, LN' },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
};

function passOn(my: State, site: SuzukiKasamiSite): void {
  if (my.missing > 0) return;
  const next = nextInLine(my.asked, my.token!, site.others, modulusOf(site.options.bounded));
  if (next !== undefined) send(my, site, next);
}

function send(my: State, site: SuzukiKasamiSite, to: NodeId): void {
  const { queue, granted } = my.token!;
  my.token = null;
  site.send(to, { type: 'PRIVILEGE', queue, granted });
}
