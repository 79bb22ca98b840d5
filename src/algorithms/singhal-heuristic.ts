/**
 * Singhal's heuristic: ask only the sites that may know where the token is, namely those that ask for it.
 *
 * M. Singhal. "A Heuristically-Aided Algorithm for Mutual Exclusion in Distributed Systems".
 * IEEE Transactions on Computers 38(5):651–662, May 1989. The rules are those of the textbooks; the
 * survey gives the idea only.
 *
 * Each site keeps a guess of every other site's state, and sends its REQUEST to the sites that it takes to be
 * requesting. One of them has the token, or will have it. The token carries such guesses too. A site that leaves
 * brings its own guesses and the token's up to date with each other. Of any two sites at least one takes the other
 * to be requesting, so that a request and the token cannot miss each other.
 *
 * Example with three sites: at first site 1 takes site 0 to be requesting, and site 2 takes both others. Site 0
 * has the token. Site 1 asks site 0 only, and gets the token: two messages. Then site 2 asks sites 0 and 1, and
 * gets it from site 1: three messages. Site 0 has heard both requests. So it asks both others, and gets the token
 * from site 2: three messages.
 *
 * As the textbooks have it, that belief can be lost. A REQUEST may come when the token has already brought the news
 * that it was satisfied. It is discarded as old, and then neither of the two sites asks the other any more. If
 * one of them holds the idle token, the other waits until a third asks. Two rules of ours prevent that.
 * - A site takes over what the token knows when the token comes, not only when it goes.
 * - A site never drops an old REQUEST in silence. Without the token it takes the sender for requesting. With the
 *   token it does so when it passes the token on. If it keeps the token, it sends a HINT instead, so that the
 *   sender asks it the next time.
 */
import type { Algorithm, NodeId } from '../core/algorithm.ts';
import { each } from '../core/plain.ts';
import {
  hear,
  hearLate,
  leastServed,
  messages,
  pass,
  type State,
  take,
  takeForRequesting,
} from './singhal-heuristic/guesses.ts';

export const singhalHeuristic: Algorithm<State, typeof messages> = {
  id: 'singhal-heuristic',
  title: 'Singhal 1989',
  year: 1989,
  paper: 'IEEE Transactions on Computers 38(5):651–662, May 1989',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '0 to 2N−1',
      bounds: ({ n }) => ({ least: 0, most: 2 * n - 1 }), // N, and a HINT for each of N−1 late REQUESTs
    },
    light: {
      formula: '(N+1)/2 on average, 0 for the holder',
      bounds: ({ n }) => ({ least: 0, most: n }),
    },
    heavy: { formula: 'N', bounds: ({ n }) => ({ least: 0, most: n }) },
    synchronizationDelay: 'T',
  },
  recovers: [],

  // A staircase: of any two sites, the one with the larger number asks the other.
  init: ({ me, n }) => ({
    phase: me === 0 ? 'H' : 'N',
    requests: each(n, true).fill(false, me),
    asked: each(n, 0),
    token: me === 0 ? { requests: each(n, false), asked: each(n, 0) } : null,
    late: each(n, false),
  }),

  request(my, site) {
    if (my.phase === 'H') {
      my.phase = 'E';
      return site.enter();
    }
    my.phase = 'R';
    const n = ++my.asked[site.me]!;
    for (const j of site.others) if (my.requests[j]) site.send(j, { type: 'REQUEST', n });
  },

  release(my, site) {
    const token = my.token!;
    token.requests[site.me] = false;
    for (let j = 0; j < site.n; j++) {
      const [newer, older] = my.asked[j]! > token.asked[j]! ? [my, token] : [token, my];
      older.requests[j] = newer.requests[j]!;
      older.asked[j] = newer.asked[j]!;
    }
    const next = leastServed(my, site);
    if (next !== undefined) return pass(my, site, next);
    my.phase = 'H';
    for (const j of site.others) if (my.late[j]) site.send(j, { type: 'HINT' });
  },

  on: {
    REQUEST(my, site, from, { n }) {
      if (n > my.asked[from]!) hear(my, site, from, n);
      else hearLate(my, site, from);
    },

    TOKEN(my, site, _, { requests, asked }) {
      take(my, site, requests, asked);
      for (const j of site.others) {
        if (asked[j]! <= my.asked[j]!) continue;
        my.asked[j] = asked[j]!;
        my.requests[j] = requests[j]!;
      }
    },

    HINT(my, site, from) {
      // If we have the token by now, its sender has let it go, and has taken us for requesting then.
      if (my.token === null) takeForRequesting(my, site, from);
    },
  },

  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['TOKEN'] },
  fields: { phase: 'SV[i]', requests: 'SV', asked: 'SN', token: 'TSV, TSN' },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
  invariants: {
    'of two sites one will ask the other': ({ sites, inFlight }) =>
      sites.every((a, i) =>
        sites.every((b, j) => {
          const underWay = inFlight.some(
            ({ from, to, message }) =>
              message.type !== 'TOKEN' && ((from === i && to === j) || (from === j && to === i)),
          );
          return i >= j || willAsk(a, j) || willAsk(b, i) || underWay;
        }),
      ),
    'a site that holds the token idly knows of no request': ({ sites }) =>
      sites.every(({ phase, requests }) => phase !== 'H' || !requests.includes(true)),
  },
};

function willAsk({ requests, late }: State, j: NodeId): boolean {
  return requests[j]! || late[j]!;
}
