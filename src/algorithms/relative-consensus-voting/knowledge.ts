/**
 * Relative consensus voting: what sites and messages know of all requests, and the paper's two
 * procedures on it, Exchange and Order.
 */
import { assert } from '../../core/assert.ts';
import { list, perSite, type Value } from '../../core/message.ts';
import { includes, type Row, rank, row, same, type Tuple, tuple } from './tuples.ts';

export const knowledge = {
  ordered: list(tuple), // MONL
  rows: perSite(row), //   MSIT
  done: perSite('int'), // ours: the latest finished request of each site
} as const;
/** The same, as a site keeps it. */
export type Table = {
  ordered: Tuple[]; // NONL: the order of entries, as far as known and not done
  rows: Row[]; //      NSIT
  done: number[]; //   the latest finished request of each site
};
type Knowledge = { readonly [F in keyof typeof knowledge]: Value<(typeof knowledge)[F]> };

/** What a message carries away: a copy, for ours goes on changing. */
export function share({ ordered, rows, done }: Table): Knowledge {
  return {
    ordered: ordered.slice(),
    rows: rows.map(({ ts, mnl }) => ({ ts, mnl: mnl.slice() })),
    done: done.slice(),
  };
}

/** Exchange: of the two orders the longer, of each row the newer, and nothing that is done. */
export function exchange(my: Table, heard: Knowledge): void {
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

/** Order: appends each request that leads beyond doubt to the order, until `host` is in it or doubt begins. */
export function order(my: Table, host: Tuple): void {
  while (!includes(my.ordered, host)) {
    const [first, second] = rank(my.rows);
    assert(first !== undefined, 'the site a request visits votes for it, or for one before it');
    const unknown = my.rows.filter(({ mnl }) => mnl.length === 0).length;
    const lead = first.votes - (second?.votes ?? 0);
    // Where there is no second, the paper compares with site 1. It means: any request that might yet show up.
    const rival = second?.tuple.node ?? (first.tuple.node === 0 ? 1 : 0);
    if (lead < unknown || (lead === unknown && first.tuple.node > rival)) return;
    my.ordered.push(first.tuple);
    for (const known of my.rows) known.mnl = known.mnl.filter((t) => !same(t, first.tuple));
  }
}

/** An order without its finished part, which is always its beginning. */
function unfinished(ordered: readonly Tuple[], done: readonly number[]): Tuple[] {
  return ordered.slice(ordered.findLastIndex(({ node, ts }) => ts <= done[node]!) + 1);
}

function isPrefix(shorter: readonly Tuple[], longer: readonly Tuple[]): boolean {
  return shorter.every((t, i) => longer[i] !== undefined && same(t, longer[i]));
}
