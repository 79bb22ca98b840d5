/**
 * Relative consensus voting: a request roams until it knows its place in the order of entries.
 *
 * J. Cao, J. Zhou, D. Chen and J. Wu. "An Efficient Distributed Mutual Exclusion Algorithm Based on
 * Relative Consensus Voting". 18th International Parallel and Distributed Processing Symposium, 2004.
 *
 * Each site keeps a list of the requests that have visited it, and the first of them has its vote. A roaming
 * request (RM) collects these lists. As soon as no vote still unknown could change which request leads, the leader
 * is ordered. Its votes go to the next in each list, and so on: one request may decide the order of many. An
 * ordered request enters if it is the first (EM), else its predecessor is told to let it in when it leaves (IM).
 *
 * Example with three sites: site 0 asks and sends its RM to site 1, which adds it to its empty list. The
 * RM now has two votes of three, and is ordered: site 1 sends an EM to site 0. Then site 1 asks, and its
 * RM visits site 2. It has two votes and is ordered behind the request of site 0, which site 1 knows of.
 * Site 2 sends an IM to site 0. Site 0 leaves, and sends an EM to site 1.
 *
 * The printed Exchange (`printed/relative-consensus-voting.ts`) tells from the times of rows which requests
 * are finished. Its loop copies rows before it has looked at all of them, and keeps finished requests in
 * them. They vote on, and sites come to order requests differently. Here every site and message says of
 * each site which of its requests are finished. Then the lists that two sites know are always the same but
 * for their length, and the longer one knows more (`relative-consensus-voting/knowledge.ts`).
 */
import type { Algorithm, Global, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { type Messages, perSite } from '../core/message.ts';
import { each } from '../core/plain.ts';
import {
  exchange,
  knowledge,
  order,
  share,
  type Table,
} from './relative-consensus-voting/knowledge.ts';
import { lemmas, type Snapshot } from './relative-consensus-voting/lemmas.ts';
import { options, route } from './relative-consensus-voting/routing.ts';
import { includes, placeOf, type Tuple, tuple } from './relative-consensus-voting/tuples.ts';

const messages = {
  RM: { host: tuple, unvisited: perSite('bool'), ...knowledge }, // which place is mine?
  EM: knowledge, //                                                 go in
  // In the paper the receiver looks up in the list which of its requests `next` follows. Ours names it,
  // for a finished request is in no list.
  IM: { next: 'node', after: 'int', ...knowledge }, //              next follows this request of yours
} as const satisfies Messages;

type State = Table & {
  ours: number; //        t_i: our request's timestamp, from request to release; else 0
  next: NodeId | null; // Next: the site that enters when we leave
};

export const relativeConsensusVoting: Algorithm<
  State,
  typeof messages,
  'complete',
  typeof options
> = {
  id: 'relative-consensus-voting',
  title: 'Cao, Zhou, Chen & Wu 2004',
  year: 2004,
  paper: '18th International Parallel and Distributed Processing Symposium, 2004',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    messages: {
      formula: '2 to N+1',
      bounds: ({ n }) => (n === 1 ? { least: 0, most: 0 } : { least: 2, most: n + 1 }),
    },
    light: {
      // The paper forgets that a request has its home's vote before it leaves; but it may need an IM
      // to a site that has left. A random route meets old news late, and goes on.
      formula: '[N/2]+2',
      bounds: ({ n, options: { routing } }) => ({
        least: n === 1 ? 0 : Math.max(2, Math.ceil(n / 2)),
        most: routing === 'random' ? n + 1 : Math.floor(n / 2) + 2,
      }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init: ({ n }) => ({
    ours: 0,
    next: null,
    ordered: [],
    rows: Array.from({ length: n }, () => ({ ts: 0, mnl: [] })),
    done: each(n, 0),
  }),

  request(my, site) {
    const mine = my.rows[site.me]!;
    my.ours = ++mine.ts;
    const host = { node: site.me, ts: my.ours };
    mine.mnl.push(host);
    if (site.n > 1) {
      roam(my, site, host, each(site.n, true).with(site.me, false));
    } else {
      order(my, host);
      site.enter();
    }
  },

  release(my, site) {
    my.rows[site.me]!.ts += 1;
    my.done[site.me] = my.ours;
    my.ours = 0;
    my.ordered.shift();
    if (my.next !== null) site.send(my.next, { type: 'EM', ...share(my) });
    my.next = null;
  },

  on: {
    EM(my, site, _, heard) {
      exchange(my, heard);
      const place = placeOf({ node: site.me, ts: my.ours }, my.ordered);
      assert(place !== -1, 'a request that an EM lets in has been ordered');
      for (const { node, ts } of my.ordered.splice(0, place)) my.done[node] = ts;
      site.enter();
    },

    IM(my, site, _, { next, after, ...heard }) {
      exchange(my, heard);
      if (my.done[site.me]! >= after) {
        site.send(next, { type: 'EM', ...share(my) });
      } else {
        assert(my.next === null, 'a request has one successor');
        my.next = next;
      }
    },

    RM(my, site, _, { host, unvisited, ...heard }) {
      exchange(my, heard);
      const mine = my.rows[site.me]!;
      if (!includes(my.ordered, host)) mine.mnl.push(host);
      mine.ts += 1; // the paper: the highest of all rows, plus one. A row only meets its own past
      order(my, host);
      const place = placeOf(host, my.ordered);
      if (place === -1) return roam(my, site, host, unvisited);
      if (place === 0) return site.send(host.node, { type: 'EM', ...share(my) });
      const { node, ts } = my.ordered[place - 1]!;
      site.send(node, { type: 'IM', next: host.node, after: ts, ...share(my) });
    },
  },

  fields: { ours: 't_i', next: 'Next', ordered: 'NONL', rows: 'NSIT', done: 'finished' },
  awaits: ({ ours, ordered }, { me, others }) => {
    const place = placeOf({ node: me, ts: ours }, ordered);
    return place === -1 ? others : ordered.slice(0, place).map(({ node }) => node);
  },
  invariants: Object.fromEntries(
    Object.entries(lemmas).map(([claim, holds]) => [claim, (global) => holds(snapshotOf(global))]),
  ),
};

/** The checker asks for all eight lemmas of one state: they share a snapshot. */
const snapshots = new WeakMap<object, Snapshot>();

/** What the lemmas of section 5 speak of. */
function snapshotOf(global: Global<State, typeof messages>): Snapshot {
  const known = snapshots.get(global);
  if (known !== undefined) return known;
  const { sites, inside, inFlight } = global;
  const carried = inFlight.map(({ to, message }) => ({
    ...{ to, ordered: message.ordered, rows: message.rows },
    host: message.type === 'RM' ? message.host : null,
  }));
  const snapshot = { sites, inside, carried };
  snapshots.set(global, snapshot);
  return snapshot;
}

function roam(
  my: State,
  site: Site<typeof messages, 'complete', typeof options>,
  host: Tuple,
  unvisited: readonly boolean[],
): void {
  const to = route(site, unvisited);
  assert(to !== undefined, 'a request that has visited all sites is ordered (Lemma 3)');
  site.send(to, { type: 'RM', host, unvisited: unvisited.with(to, false), ...share(my) });
}
