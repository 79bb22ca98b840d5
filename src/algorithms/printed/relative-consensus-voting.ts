/**
 * Relative consensus voting, line by line as section 4 of the paper prints its three procedures; the
 * numbers are the paper's. MPM is here, Order and Exchange are in the folder beside.
 *
 * What is wrong with it:
 * - MPM 26 takes a site whose tuple is not in its NONL for one that has left. A site that has been
 *   ordered elsewhere, and does not know it yet, is taken for such: it sends its successor in, and is
 *   then sent in itself.
 * - Exchange keeps the longer of two lists, though it may be the older, and guesses by timestamps of
 *   rows which tuples are outdated. So sites come to order the same two requests oppositely, or lose
 *   one: two go in, or all wait.
 */
import type { Algorithm, NodeId, Printed, Site } from '../../core/algorithm.ts';
import { list, type Messages, type Payload, perSite } from '../../core/message.ts';
import { options, route } from '../relative-consensus-voting/routing.ts';
import { placeOf, row, type Tuple, tuple } from '../relative-consensus-voting/tuples.ts';
import { relativeConsensusVoting } from '../relative-consensus-voting.ts';
import { exchange, order, type Tables } from './relative-consensus-voting/procedures.ts';

const tables = { monl: list(tuple), msit: perSite(row) } as const;
export const messages = {
  RM: { host: tuple, ul: perSite('bool'), ...tables },
  EM: tables,
  IM: { next: 'node' }, // with tables as well, which lines 25 to 32 do not look at
} as const satisfies Messages;

export type State = Tables & { next: NodeId | null }; // Next
type PrintedSite = Site<typeof messages, 'complete', typeof options>;

const { id, title, year, paper, family, modes, k, topology, links } = relativeConsensusVoting;

const algorithm: Algorithm<State, typeof messages, 'complete', typeof options> = {
  ...{ id, title, year, paper, family, modes, k, topology, links, options },
  defaultTopology: 'complete',
  messages,
  claims: { messages: relativeConsensusVoting.claims.messages },
  recovers: [],

  init: ({ n }) => ({
    next: null,
    nonl: [],
    nsit: Array.from({ length: n }, () => ({ ts: 0, mnl: [] })),
  }),

  // MPM 3
  request(my, site) {
    const mine = my.nsit[site.me]!;
    mine.ts += 1; // 4
    const host = { node: site.me, ts: mine.ts };
    mine.mnl.push(host); // 5
    const ul = my.nsit.map((_, j) => j !== site.me); // 9
    forward(my, site, host, ul); // 6 to 13
  },

  // MPM 17
  release(my, site) {
    my.nsit[site.me]!.ts += 1; // 18
    my.nonl = my.nonl.filter(({ node }) => node !== site.me); // 19
    if (my.next !== null) site.send(my.next, { type: 'EM', ...copy(my) }); // 20 to 22
    my.next = null; // 23
  },

  on: {
    // MPM 14
    EM(my, site, _, { monl, msit }) {
      exchange(my, monl, msit); // 15
      site.enter(); // 16
    },

    // MPM 25
    IM(my, site, _, { next }) {
      const isOrdered = my.nonl.some(({ node }) => node === site.me); // 26
      if (!isOrdered)
        site.send(next, { type: 'EM', ...copy(my) }); // 27 to 29
      else my.next = next; // 31
    },

    RM: (my, site, _, message) =>
      rcvRM(my, site, message, ({ node }, next) => site.send(node, { type: 'IM', next })), // 44
  },

  awaits: (_, { others }) => others,
};

/** MPM 33. `inform` tells the home of a tuple who follows it. */
export function rcvRM(
  my: State,
  site: PrintedSite,
  { host, ul, monl, msit }: Payload<typeof messages, 'RM'>,
  inform: (predecessor: Tuple, next: NodeId) => void,
): void {
  exchange(my, monl, msit); // 34
  const mine = my.nsit[site.me]!;
  mine.mnl.push(host); // 35
  mine.ts = Math.max(...my.nsit.map(({ ts }) => ts)) + 1; // 36
  order(my, host); // 37
  const place = placeOf(host, my.nonl);
  if (place === 0) {
    site.send(host.node, { type: 'EM', ...copy(my) }); // 38 to 41
  } else if (place > 0) {
    inform(my.nonl[place - 1]!, host.node);
  } else forward(my, site, host, ul); // 46 to 53
}

export function copy({ nonl, nsit }: State) {
  return { monl: nonl.slice(), msit: nsit.map(({ ts, mnl }) => ({ ts, mnl: mnl.slice() })) };
}

function forward(my: State, site: PrintedSite, host: Tuple, ul: readonly boolean[]): void {
  const to = route(site, ul); // 12, 51
  if (to === undefined) return; // which Lemma 3 says cannot be
  site.send(to, { type: 'RM', host, ul: ul.with(to, false), ...copy(my) }); // 13, 47 to 53
}

export const section4: Printed = {
  name: 'section-4',
  about:
    'a site that is ordered but has not heard of it passes for one that has left, and outdated ' +
    'tuples are guessed from timestamps: two sites inside, or all wait for ever',
  correction:
    'every message says which requests are finished; of two orders the longer is taken, after ' +
    'both are rid of what is finished, and of two rows the newer; an IM names the request ' +
    'that it follows',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 1], violates: 'mutual-exclusion' },
};
