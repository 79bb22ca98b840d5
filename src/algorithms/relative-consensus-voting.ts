/**
 * Relative consensus voting: a request roams until it knows its place in the order of entries.
 *
 * J. Cao, J. Zhou, D. Chen and J. Wu. "An Efficient Distributed Mutual Exclusion Algorithm Based on
 * Relative Consensus Voting". 18th International Parallel and Distributed Processing Symposium, 2004.
 *
 * Each site keeps a list of the requests that have visited it, and the first of them has its vote. A
 * roaming request (RM) collects these lists. As soon as no vote still unknown could change who leads,
 * the leader is ordered, its votes go to the next in each list, and so on: one request may settle the
 * order of many. An ordered request goes in if it is the first (EM), else its predecessor is told to
 * send it in when it leaves (IM).
 *
 * The printed procedures (`printed/relative-consensus-voting.ts`) guess from timestamps which tuples
 * are outdated, and guess wrong: two sites go in at once, or order the same two requests oppositely.
 * Here every site and message says of each site which of its requests are done; then the lists that
 * two sites know are always the same but for their length, and the longer one knows more.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages, perSite, record, type Value } from '../core/message.ts';
import { choice, type OptionDeclarations } from '../core/option.ts';
import { each } from '../core/plain.ts';

/** A request: whose, and that site's counter when it was made. */
export const tuple = record({ node: 'node', ts: 'int' });
export type Tuple = Value<typeof tuple>;
/** What is known of one site: as of when, and the requests that have visited it. */
export const row = record({ ts: 'int', mnl: list(tuple) });
export type Row = { ts: number; mnl: Tuple[] };

const knowledge = {
  ordered: list(tuple), // MONL
  rows: perSite(row), //   MSIT
  done: perSite('int'), // ours: the latest finished request of each site
} as const;
const messages = {
  RM: { host: tuple, unvisited: perSite('bool'), ...knowledge }, // which place is mine?
  EM: knowledge, //                                                 go in
  // The paper's IM names the next site only. Its receiver may by now be waiting with a newer request
  // than the one that `next` follows: so it names that one too.
  IM: { next: 'node', after: 'int', ...knowledge }, //              next follows this request of yours
} as const satisfies Messages;

export const options = {
  routing: choice(
    'where a request roams next: to the next site it has not visited, or to any such',
    ['cyclic', 'random'],
  ),
} as const satisfies OptionDeclarations;

type State = {
  ours: number; //           t_i: our request's timestamp, from request to release; else 0
  next: NodeId | null; //    Next: whom to send in when we leave
  ordered: Tuple[]; //       NONL: the order of entries, as far as known and not done
  rows: Row[]; //            NSIT
  done: number[]; //         the latest finished request of each site
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
  paper: 'https://hdl.handle.net/10397/846',
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
      // to one who has left. A random route meets old news late, and goes on.
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
      assert(place !== -1, 'whoever is sent in has been ordered');
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

  awaits: ({ ours, ordered }, { me, others }) => {
    const place = placeOf({ node: me, ts: ours }, ordered);
    return place === -1 ? others : ordered.slice(0, place).map(({ node }) => node);
  },
  invariants: {
    'all order the requests in the same way (Lemma 7)': ({ sites, inFlight }) => {
      const all = [...sites, ...inFlight.map(({ message }) => message)];
      const done = sites.map((_, j) => Math.max(...all.map((known) => known.done[j]!)));
      const orders = all.map(({ ordered }) => unfinished(ordered, done));
      const longest = orders.reduce((a, b) => (a.length < b.length ? b : a));
      return orders.every((ordered) => isPrefix(ordered, longest));
    },
    'whoever is inside is the first in its own list (Lemma 8)': ({ sites, inside }) =>
      sites.every(({ ordered }, i) => !inside[i] || ordered[0]?.node === i),
  },
};

type Knowledge = { readonly [F in keyof typeof knowledge]: Value<(typeof knowledge)[F]> };

/** What a message carries away: a copy, for ours goes on changing. */
function share({ ordered, rows, done }: State): Knowledge {
  return {
    ordered: ordered.slice(),
    rows: rows.map(({ ts, mnl }) => ({ ts, mnl: mnl.slice() })),
    done: done.slice(),
  };
}

/** Exchange: of the two orders the longer, of each row the newer, and nothing that is done. */
function exchange(my: State, heard: Knowledge): void {
  my.done = my.done.map((ts, j) => Math.max(ts, heard.done[j]!));
  const ours = unfinished(my.ordered, my.done);
  const theirs = unfinished(heard.ordered, my.done);
  const [shorter, longer] = ours.length < theirs.length ? [ours, theirs] : [theirs, ours];
  assert(isPrefix(shorter, longer), 'all order the requests in the same way');
  my.ordered = longer;
  for (const [j, { ts, mnl }] of heard.rows.entries()) {
    if (my.rows[j]!.ts < ts) my.rows[j] = { ts, mnl: mnl.slice() };
  }
  for (const known of my.rows) {
    known.mnl = known.mnl.filter((t) => t.ts > my.done[t.node]! && !includes(my.ordered, t));
  }
}

/** Order: appends to the order whoever leads beyond doubt, until `host` is in it or doubt begins. */
function order(my: State, host: Tuple): void {
  while (!includes(my.ordered, host)) {
    const [first, second] = rank(my.rows);
    assert(first !== undefined, 'the site a request visits votes for it, or for one before it');
    const unknown = my.rows.filter(({ mnl }) => mnl.length === 0).length;
    const lead = first.votes - (second?.votes ?? 0);
    // Against nobody, the paper compares with site 1. It means: whoever might yet show up.
    const rival = second?.tuple.node ?? (first.tuple.node === 0 ? 1 : 0);
    if (lead < unknown || (lead === unknown && first.tuple.node > rival)) return;
    my.ordered.push(first.tuple);
    for (const known of my.rows) known.mnl = known.mnl.filter((t) => !same(t, first.tuple));
  }
}

/** The requests that are first in some row, by votes and then by site. */
export function rank(rows: readonly Row[]): { readonly tuple: Tuple; readonly votes: number }[] {
  const candidates: { tuple: Tuple; votes: number }[] = [];
  for (const { mnl } of rows) {
    const [head] = mnl;
    if (head === undefined) continue;
    const candidate = candidates.find((other) => same(other.tuple, head));
    if (candidate === undefined) candidates.push({ tuple: head, votes: 1 });
    else candidate.votes += 1;
  }
  return candidates.sort((a, b) => b.votes - a.votes || a.tuple.node - b.tuple.node);
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

/** One of the sites that a request has not visited, if any are left. */
export function route(
  site: Site<Messages, 'complete', typeof options>,
  unvisited: readonly boolean[],
): NodeId | undefined {
  const left = site.others.filter((j) => unvisited[j]);
  const isRandom = site.options.routing === 'random' && left.length > 0;
  return isRandom ? left[site.random(left.length)] : (left.find((j) => j > site.me) ?? left[0]);
}

/** An order without its finished part, which is always its beginning. */
function unfinished(ordered: readonly Tuple[], done: readonly number[]): Tuple[] {
  return ordered.slice(ordered.findLastIndex(({ node, ts }) => ts <= done[node]!) + 1);
}

function isPrefix(shorter: readonly Tuple[], longer: readonly Tuple[]): boolean {
  return shorter.every((t, i) => longer[i] !== undefined && same(t, longer[i]));
}

export function includes(tuples: readonly Tuple[], t: Tuple): boolean {
  return placeOf(t, tuples) !== -1;
}

export function placeOf(t: Tuple, tuples: readonly Tuple[]): number {
  return tuples.findIndex((other) => same(other, t));
}

export function same(a: Tuple, b: Tuple): boolean {
  return a.node === b.node && a.ts === b.ts;
}
