/**
 * Srimani–Reddy: k tokens, each with what it knows of who was served.
 *
 * P. K. Srimani and R. L. N. Reddy. "Another Distributed Algorithm for Multiple Entries to a Critical
 * Section". Information Processing Letters 41(1):51–57, January 1992. A reconstruction from the survey,
 * with unbounded numbers.
 *
 * Suzuki and Kasami's algorithm with k tokens. A site that has none shouts for one, and two may come: it
 * keeps the spare one until somebody asks. No token knows what the others have granted; so each site
 * remembers what all tokens that passed it knew, and to which requests it has sent one itself.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { list, type Messages, perSite, record } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  PRIVILEGE: { queue: list(record({ who: 'node', n: 'int' })), granted: perSite('int') }, // Q and LN
} as const satisfies Messages;

type Token = { queue: { who: NodeId; n: number }[]; granted: number[] };
type State = {
  waiting: boolean;
  asked: number[]; //     RN: the number of the latest request known of each site
  granted: number[]; //   PLN: of each, the latest that any token seen here knew to be granted
  sent: number[]; //      of each, the latest to which we have sent a token
  using: Token | null; // the token that lets us be inside
  spare: Token[]; //      those that nobody needs
};
type SrimaniReddySite = Site<typeof messages>;

export const srimaniReddy: Algorithm<State, typeof messages> = {
  id: 'srimani-reddy',
  title: 'Srimani & Reddy 1992',
  year: 1992,
  paper: 'Information Processing Letters 41(1):51–57, 1992',
  family: 'token',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // a REQUEST that comes late is known by its number
  options: {},
  messages,
  claims: {
    messages: {
      formula: '0, or N to N+k−1',
      bounds: ({ n, k }) => ({ least: 0, most: n + k - 1 }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n, k }) => ({
    waiting: false,
    asked: each(n, 0),
    granted: each(n, 0),
    sent: each(n, 0),
    using: null,
    spare: me === 0 ? Array.from({ length: k }, () => ({ queue: [], granted: each(n, 0) })) : [],
  }),

  request(my, site) {
    const token = my.spare.pop();
    if (token !== undefined) return goIn(my, site, token);
    my.waiting = true;
    const n = ++my.asked[site.me]!;
    for (const j of site.others) site.send(j, { type: 'REQUEST', n });
  },

  release(my, site) {
    const token = my.using!;
    my.using = null;
    place(my, site, token);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      my.asked[from] = Math.max(my.asked[from]!, n);
      const token = my.spare.pop();
      if (token !== undefined) place(my, site, token);
    },

    PRIVILEGE(my, site, _, { queue, granted }) {
      const token = { queue: queue.slice(), granted: granted.slice() };
      for (const { who, n } of queue) my.asked[who] = Math.max(my.asked[who]!, n);
      if (my.waiting) goIn(my, site, token);
      else place(my, site, token);
    },
  },

  tokens: {
    held: ({ using, spare }) => spare.length + (using === null ? 0 : 1),
    carriers: ['PRIVILEGE'],
  },
  awaits: ({ waiting }, { others }) => (waiting ? others : []), // any of them may have one
};

function goIn(my: State, site: SrimaniReddySite, token: Token): void {
  my.waiting = false;
  my.using = token;
  // Granted already now, and not when we leave: else a second token that comes and goes during our
  // stay does not know it, and is sent to us once more (four sites with two tokens: 22 messages, not
  // 4(N+k−1) = 20).
  my.granted[site.me] = my.asked[site.me]!;
  site.enter();
}

/** Sends a token to the first who waits, as far as it and we know; else keeps it. */
function place(my: State, site: SrimaniReddySite, token: Token): void {
  my.granted = my.granted.map((n, j) => Math.max(n, token.granted[j]!));
  const waits = (who: NodeId, n: number) => n > my.granted[who]! && n > my.sent[who]!;
  const queue = token.queue.filter(({ who, n }) => who !== site.me && waits(who, n));
  for (const j of site.others) {
    const n = my.asked[j]!;
    if (waits(j, n) && !queue.some(({ who }) => who === j)) queue.push({ who: j, n });
  }
  const head = queue.shift();
  const granted = my.granted.slice();
  if (head === undefined) {
    my.spare.push({ queue, granted });
  } else {
    my.sent[head.who] = head.n;
    site.send(head.who, { type: 'PRIVILEGE', queue, granted });
  }
}
