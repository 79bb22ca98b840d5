/**
 * Relative consensus voting, line by line as section 4 of the paper prints its three procedures; the
 * numbers are the paper's. MPM is here, Order and Exchange are in the folder beside.
 *
 * It is read as its authors mean it where the code is short:
 * - Every message passes Exchange first, an IM too: "When a message (RM, EM or IM) arrives in a node, it
 *   will firstly processed by the Exchange procedure" (Lemma 1).
 * - Line 26 tests the tuple <i, ti> that immediately precedes <j, tj>. The receiver of an IM finds it in
 *   the list that the IM carries.
 * - Lines 3 and 4 of Exchange print a where only b makes sense.
 *
 * What remains is one error, in the loop of Exchange (lines 13 to 22). Row k is copied from the message
 * before the loop has come to the rows behind it. Such a row may say that a tuple in row k is outdated.
 * The tuple then stays at the head of row k, and has its vote. So two sites count different votes, and
 * order the same requests differently: they wait for each other (`section-4`), or two enter (`theorem-1`).
 *
 * Example: sites 3 and 1 have been in and left. Site 3 copies row 0, in which the finished request of
 * site 3 still comes first, and so does not see that site 0 votes for itself: it orders 2 before 0.
 * Site 1 sees the vote, and orders 0 before 2. Sites 0 and 2 wait for each other.
 */
import type { Algorithm, NodeId, Site } from '../../core/algorithm.ts';
import { list, type Messages, perSite } from '../../core/message.ts';
import type { Printed } from '../../core/printed.ts';
import { options, route } from '../relative-consensus-voting/routing.ts';
import { includes, placeOf, row, type Tuple, tuple } from '../relative-consensus-voting/tuples.ts';
import { relativeConsensusVoting } from '../relative-consensus-voting.ts';
import { unknown } from './published.ts';
import {
  type Exchange,
  exchange,
  exchangeInTwoPasses,
  order,
  type Tables,
} from './relative-consensus-voting/procedures.ts';

const tables = { monl: list(tuple), msit: perSite(row) } as const;
const messages = {
  RM: { host: tuple, ul: perSite('bool'), ...tables },
  EM: tables,
  IM: { next: 'node', ...tables },
} as const satisfies Messages;

type State = Tables & { next: NodeId | null }; // Next
type PrintedSite = Site<typeof messages, 'complete', typeof options>;
type AsPrinted = Algorithm<State, typeof messages, 'complete', typeof options>;

const { id, title, year, paper, family, modes, k, topology, links } = relativeConsensusVoting;

/** Section 4, with one reading of the Exchange procedure. */
const mpm = (update: Exchange): AsPrinted => ({
  ...{ id, title, year, paper, family, modes, k, topology, links, options },
  defaultTopology: 'complete',
  messages,
  claims: { messages: relativeConsensusVoting.claims.messages },
  recovers: [],

  fields: { next: 'Next', nonl: 'NONL', nsit: 'NSIT' },

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
      update(my, monl, msit); // 15
      site.enter(); // 16
    },

    // MPM 25
    IM(my, site, _, { next, monl, msit }) {
      const following = monl.findLastIndex(({ node }) => node === next);
      const preceding = monl[following - 1]!;
      update(my, monl, msit);
      if (!includes(my.nonl, preceding)) {
        site.send(next, { type: 'EM', ...copy(my) }); // 26 to 29
      } else my.next = next; // 31
    },

    // MPM 33
    RM(my, site, _, { host, ul, monl, msit }) {
      update(my, monl, msit); // 34
      const mine = my.nsit[site.me]!;
      mine.mnl.push(host); // 35
      mine.ts = Math.max(...my.nsit.map(({ ts }) => ts)) + 1; // 36
      order(my, host); // 37
      const place = placeOf(host, my.nonl);
      if (place === 0) {
        site.send(host.node, { type: 'EM', ...copy(my) }); // 38 to 41
      } else if (place > 0) {
        const { node } = my.nonl[place - 1]!;
        site.send(node, { type: 'IM', next: host.node, ...copy(my) }); // 44
      } else forward(my, site, host, ul); // 46 to 53
    },
  },

  awaits: (_, { others }) => others,
});

function copy({ nonl, nsit }: State) {
  return { monl: nonl.slice(), msit: nsit.map(({ ts, mnl }) => ({ ts, mnl: mnl.slice() })) };
}

function forward(my: State, site: PrintedSite, host: Tuple, ul: readonly boolean[]): void {
  const to = route(site, ul); // 12, 51
  if (to === undefined) return; // which Lemma 3 says cannot be
  site.send(to, { type: 'RM', host, ul: ul.with(to, false), ...copy(my) }); // 13, 47 to 53
}

export const section4: Printed = {
  name: 'section-4',
  quote: {
    where: 'section 4.3, the Exchange procedure, lines 17 to 20',
    text:
      '17. if there exists a tuple <k, tk> in MSIT[k].MNL but is not in SIi.NSIT[k].MNL and … then … 18. ' +
      'delete <k, tk> from any entry of MSIT; 19. if SIi.NSIT[k].TS < MSIT[k].TS then 20. set ' +
      'SIi.NSIT[k] = MSIT[k];',
  },
  reading:
    'These lines are in one loop, “for k = 1 to N do”, as printed: row k is copied before the loop looks ' +
    'at the rows behind it. ' +
    'Everything else is read in the authors’ favour: each message, an IM too, passes Exchange ' +
    'first, and line 26 tests the tuple that immediately precedes.',
  about:
    'A row is copied together with an outdated tuple, because the row that would show that it is ' +
    'outdated comes later in the loop. The tuple keeps the vote of the copied row. Two sites then count ' +
    'different votes, and order the same two requests oppositely, against Lemma 7. Each of the two ' +
    'waits for the other, against Theorem 2.',
  charitable: {
    reading:
      'The text of section 4.3 says: “First, outdated tuples, if any, are deleted from SIi.NSIT and ' +
      'MSIT (line 15-18). Then SIi.NSIT[j] is set as MSIT if its TS is smaller (line 19, 20).” So ' +
      'outdated tuples are deleted from all rows first, in a loop of its own.',
    algorithm: mpm(exchangeInTwoPasses),
  },
  published: unknown,
  correction:
    'Every message says which requests are finished. A site removes these from both lists, takes the ' +
    'longer list and of two rows the newer. An IM names the request that it follows.',
  algorithm: mpm(exchange),
  shows: { nodes: 4, entries: [1, 1, 1, 1], links: 'fifo', violates: 'deadlock-freedom' },
};

/**
 * A timer runs at every site that has asked, and is set again whenever it fires. It does nothing else: as
 * long as something is to come no deadlock ends the search, which goes on to what is worse.
 */
const ticking = (algorithm: AsPrinted): AsPrinted => ({
  ...algorithm,
  links: 'fifo', // even over these
  request(my, site, mode) {
    algorithm.request(my, site, mode);
    site.timer('tick', 1);
  },
  timers: { tick: { fires: 'anytime', expired: (_, site) => site.timer('tick', 1) } },
});

export const theorem1: Printed = {
  ...section4,
  name: 'theorem-1',
  within: 'section-4',
  reading:
    `${section4.reading} It does not matter which tuple of its own the node looks for: with any of them, as ` +
    'with that one, two sites are inside after 22 steps. If a node that has asked again counts as one that ' +
    '“hasn’t entered the CS” instead, Theorem 1 holds in this world. Then three sites deadlock in 11 steps.',
  about:
    'The outdated tuple also comes second in the count of votes, with a higher NodeID than the first. So ' +
    'line 13 of Order takes the first for the winner of a tie, one vote too early. A site orders a request ' +
    'behind one that is over, and its site is told to enter while another is inside, against Theorem 1.',
  algorithm: ticking(mpm(exchange)),
  shows: { nodes: 4, entries: [2, 1, 1, 1], links: 'fifo', violates: 'mutual-exclusion' },
};
