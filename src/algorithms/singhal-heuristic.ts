/**
 * Singhal's heuristic: ask only those who may know where the token is, namely those who ask.
 *
 * M. Singhal. "A Heuristically-Aided Algorithm for Mutual Exclusion in Distributed Systems".
 * IEEE Transactions on Computers 38(5):651–662, May 1989. The rules are those of the textbooks; the
 * survey gives the idea only.
 *
 * Each site keeps a guess of everyone's state, and sends its REQUEST to those it takes to be
 * requesting: one of them has the token, or will. The token carries such a guess too, and whoever
 * leaves brings the two up to date with each other. It works because of any two sites at least one
 * believes the other to be requesting, so that a request and the token cannot miss each other.
 *
 * As the textbooks have it, that belief can be lost: a REQUEST that comes when the token has already
 * brought the news that it was satisfied is discarded as old, and then neither of the two asks the
 * other any more. If one of them holds the idle token, the other waits until a third asks. So ours
 * - takes over what the token knows when it comes, not only when it goes, and
 * - never drops an old REQUEST in silence. A site without the token takes its sender for requesting.
 *   One with the token does so when it passes the token on; if it keeps it, it sends a HINT instead,
 *   so that the other asks it the next time.
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
    'whoever holds the token idly knows of no request': ({ sites }) =>
      sites.every(({ phase, requests }) => phase !== 'H' || !requests.includes(true)),
  },
};

function willAsk({ requests, late }: State, j: NodeId): boolean {
  return requests[j]! || late[j]!;
}
