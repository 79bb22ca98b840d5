/**
 * Mizuno–Neilsen–Rao: tell one set of sites that you want the token, another that you have it.
 *
 * M. Mizuno, M. L. Neilsen and R. Rao. "A Token Based Distributed Mutual Exclusion Algorithm Based on
 * Quorum Agreements". 11th International Conference on Distributed Computing Systems, 361–368, 1991.
 * Reconstructed from the survey, which describes it in words.
 *
 * The token is Suzuki and Kasami's: a queue, and the number of each site's last granted request. But a REQUEST goes
 * only to the request set of its sender. A site that gets the token says so to its acquired set (ACQUIRED). Every
 * request set meets every acquired set. So some site hears of both, and passes the request on to the holder
 * (RELAY). With small sets this costs far less than telling all sites.
 *
 * Example with four sites on a grid, where a request goes along the row and an ACQUIRED along the column: site 3
 * asks site 2. Site 2 is in the column of site 0, which has the token, and relays the request to it. Site 0 sends
 * the token to site 3. Site 3 enters and tells site 1, which is in its column. That is four messages. Later site 1
 * asks site 0 and, as it knows the holder itself, relays its request to site 3: four messages again.
 *
 * Nothing in the survey says in which order ACQUIREDs count. One that comes late must not replace what a later one
 * said. Otherwise the relaying site sends a request to a site that has long lost the token, and the request is
 * forgotten. So here the token counts its moves, and each ACQUIRED carries the count.
 *
 * It is fair only where stays are longer than messages take. A request that is relayed may find that the holder has
 * just given the token away, and follows the next holder. While stays are short, a few sites can keep the token
 * among themselves for as long as their messages are faster.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';
import { mostMessages, mostMessagesAlone } from './mizuno-neilsen-rao/cost.ts';
import { nextInLine, type Token } from './suzuki-kasami/token.ts';

const messages = {
  REQUEST: { n: 'int' }, // this is my n-th request
  ACQUIRED: { granted: perSite('int'), move: 'int' }, // I have the token, and this is what it knows
  RELAY: { asked: perSite('int') }, // requests you may not know of: the paper's REQUEST(RN)
  PRIVILEGE: { queue: list('node'), granted: perSite('int'), move: 'int' }, // Q, LN, our count
} as const satisfies Messages;

type State = {
  requesting: boolean; // from request to release, the stay included
  asked: number[]; //     RN: the number of the latest request known of each site
  token: Token | null; // Q and LN, if we have it
  move: number; //        the count of the latest move of the token that we know of
  holder: { who: NodeId; granted: number[] } | null; // the site that got it then, if it told us, and LN
};
type QuorumSite = Site<typeof messages, 'agreement'>;

export const mizunoNeilsenRao: Algorithm<State, typeof messages, 'agreement'> = {
  id: 'mizuno-neilsen-rao',
  title: 'Mizuno, Neilsen & Rao 1991',
  year: 1991,
  paper: '11th International Conference on Distributed Computing Systems, 361–368, 1991',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'agreement',
  defaultTopology: 'grid',
  links: 'any', // an ACQUIRED that comes late is known by its count
  options: {},
  messages,
  claims: {
    messages: {
      formula: '2|R|+2|A|−2 at most, 0 for the holder',
      bounds: ({ topology }) => ({ least: 0, most: mostMessages(topology) }),
    },
    light: {
      formula: '|R|+|A|−1+|R∩A|, 0 for the holder',
      bounds: ({ topology }) => ({ least: 0, most: mostMessagesAlone(topology) }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ me, n, topology: { acquired } }) => ({
    requesting: false,
    asked: each(n, 0),
    token: me === 0 ? { queue: [], granted: each(n, 0) } : null,
    move: 0,
    holder: me !== 0 && acquired[0]!.includes(me) ? { who: 0, granted: each(n, 0) } : null,
  }),

  request(my, site) {
    my.requesting = true;
    if (my.token !== null) return site.enter();
    const n = ++my.asked[site.me]!;
    for (const j of site.topology.request[site.me]!) {
      if (j !== site.me) site.send(j, { type: 'REQUEST', n });
    }
    relay(my, site); // we may be the go-between ourselves
  },

  release(my, site) {
    my.requesting = false;
    my.token!.granted[site.me] = my.asked[site.me]!;
    pass(my, site);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      if (n <= my.asked[from]!) return;
      my.asked[from] = n;
      if (isIdleHolder(my)) pass(my, site);
      else relay(my, site);
    },

    ACQUIRED(my, site, from, { granted, move }) {
      if (move > my.move) learn(my, site, from, granted, move);
    },

    // If the token has moved on, a site hears of the request and of that. Were we to learn from a
    // RELAY for which it is too late, we would then take the REQUEST itself for old, though we may
    // be that site.
    RELAY(my, site, _, { asked }) {
      if (my.token === null) return;
      my.asked = my.asked.map((n, j) => Math.max(n, asked[j]!));
      if (isIdleHolder(my)) pass(my, site);
    },

    PRIVILEGE(my, site, _, { queue, granted, move }) {
      assert(my.requesting, 'the token comes only to a site that asked for it');
      my.token = { queue: queue.slice(), granted: granted.slice() };
      my.move = move;
      my.holder = null;
      for (const j of site.topology.acquired[site.me]!) {
        if (j !== site.me) site.send(j, { type: 'ACQUIRED', granted, move });
      }
      site.enter();
    },
  },

  tokens: { held: ({ token }) => (token === null ? 0 : 1), carriers: ['PRIVILEGE'] },
  fields: { asked: 'RN', token: 'Q, LN', move: 'moves of the token', holder: 'holder, as told' },
  awaits: ({ token }, { others }) => (token === null ? others : []), // any of them may have it
};

function isIdleHolder({ token, requesting }: State): boolean {
  return token !== null && !requesting;
}

/** As Suzuki and Kasami: each site that waits and is not in the queue yet joins it; the first gets the token. */
function pass(my: State, site: QuorumSite): void {
  const head = nextInLine(my.asked, my.token!, site.others);
  if (head === undefined) return;
  const { queue, granted } = my.token!;
  my.token = null;
  site.send(head, { type: 'PRIVILEGE', queue, granted, move: my.move + 1 });
}

/** A site that has us in its acquired set has got the token. */
export function learn(
  my: State,
  site: QuorumSite,
  who: NodeId,
  granted: readonly number[],
  move: number,
): void {
  my.move = move;
  my.holder = { who, granted: granted.slice() };
  relay(my, site);
}

/** Tells the holder, if we know it, of requests that were not sent to it. */
function relay({ holder, asked }: State, site: QuorumSite): void {
  if (holder === null) return;
  const { who, granted } = holder;
  const isAwaited = asked.some(
    (n, j) => n === granted[j]! + 1 && !site.topology.request[j]!.includes(who),
  );
  if (isAwaited) site.send(who, { type: 'RELAY', asked: asked.slice() });
}
