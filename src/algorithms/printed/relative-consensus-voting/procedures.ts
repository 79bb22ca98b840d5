/** Relative consensus voting as printed: the procedures Order and Exchange. */
import type { NodeId } from '../../../core/algorithm.ts';
import type { Value } from '../../../core/message.ts';
import {
  includes,
  type Row,
  rank,
  type row,
  same,
  type Tuple,
} from '../../relative-consensus-voting/tuples.ts';

export type Tables = {
  nonl: Tuple[]; // NONL
  nsit: Row[]; //   NSIT
};

/** The Order procedure. */
export function order(my: Tables, host: Tuple): void {
  if (includes(my.nonl, host)) {
    erase(my.nsit, host); // 3 to 7
    return;
  }
  for (;;) {
    const [first, second] = rank(my.nsit); // 12
    const sum = my.nsit.filter(({ mnl }) => mnl.length > 0).length;
    const lead = first!.votes - (second?.votes ?? 0);
    const left = my.nsit.length - sum;
    const secondNode = second?.tuple.node ?? 1;
    const wins = lead > left || (lead === left && first!.tuple.node < secondNode); // 13
    if (!wins) return; // 21
    my.nonl.push(first!.tuple); // 14
    erase(my.nsit, first!.tuple); // 15
    if (first!.tuple.node === host.node) return; // 16 to 19
  }
}

/** The Exchange procedure: a site takes in the tables of a message. */
export type Exchange = (
  my: Tables,
  heardOrder: readonly Tuple[],
  heardTable: readonly Value<typeof row>[],
) => void;

/** As printed: one loop, which deletes and copies row by row. */
export const exchange: Exchange = (my, heardOrder, heardTable) => {
  const msit = exchangeOrders(my, heardOrder, heardTable); // 1 to 12
  for (const k of msit.keys()) {
    eraseOutdated(my, msit, k); // 15 to 18
    copyNewer(my, msit, k); // 19, 20
  }
};

/** As section 4.3 tells it: "First, outdated tuples, if any, are deleted […]. Then SIi.NSIT[j] is set". */
export const exchangeInTwoPasses: Exchange = (my, heardOrder, heardTable) => {
  const msit = exchangeOrders(my, heardOrder, heardTable);
  for (const k of msit.keys()) eraseOutdated(my, msit, k);
  for (const k of msit.keys()) copyNewer(my, msit, k);
};

/** Lines 1 to 12: NONL and MONL become one list. Where lines 3 and 4 say a, they mean b. */
function exchangeOrders(
  my: Tables,
  heardOrder: readonly Tuple[],
  heardTable: readonly Value<typeof row>[],
): Row[] {
  let monl = heardOrder.slice();
  const msit: Row[] = heardTable.map(({ ts, mnl }) => ({ ts, mnl: mnl.slice() }));
  const isOutdated = (t: Tuple, other: readonly Tuple[], theirs: Row[], ours: Row[]) =>
    !includes(other, t) &&
    !includes(theirs[t.node]!.mnl, t) &&
    ours[t.node]!.ts < theirs[t.node]!.ts;
  const a = monl.findLastIndex((t) => isOutdated(t, my.nonl, my.nsit, msit)); // 1
  monl = monl.slice(a + 1); // 2
  const b = my.nonl.findLastIndex((t) => isOutdated(t, monl, msit, my.nsit)); // 3
  my.nonl = my.nonl.slice(b + 1); // 4
  if (monl.length > my.nonl.length) {
    for (const c of monl) if (!includes(my.nonl, c)) erase(my.nsit, c); // 5 to 7
    my.nonl = monl; // 8
  } else {
    for (const c of my.nonl) if (!includes(monl, c)) erase(msit, c); // 9 to 11
  }
  return msit;
}

/** Lines 15 to 18: where the older row k has k's own tuple and the newer has not, it is outdated. */
function eraseOutdated(my: Tables, msit: Row[], k: NodeId): void {
  const [mine, heard] = [my.nsit[k]!, msit[k]!];
  if (mine.ts < heard.ts) eraseOwn(my.nsit, mine, heard, k); // 15, 16
  if (mine.ts > heard.ts) eraseOwn(msit, heard, mine, k); // 17, 18
}

function eraseOwn(table: Row[], older: Row, newer: Row, k: NodeId): void {
  const own = older.mnl.find(({ node }) => node === k);
  if (own !== undefined && !includes(newer.mnl, own)) erase(table, own);
}

/** Lines 19 and 20. */
function copyNewer(my: Tables, msit: readonly Row[], k: NodeId): void {
  const { ts, mnl } = msit[k]!;
  if (my.nsit[k]!.ts < ts) my.nsit[k] = { ts, mnl: mnl.slice() };
}

function erase(table: Row[], t: Tuple): void {
  for (const entry of table) entry.mnl = entry.mnl.filter((other) => !same(other, t));
}
