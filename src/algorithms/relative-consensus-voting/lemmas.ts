/**
 * Relative consensus voting: the lemmas of the paper's section 5, each as a predicate of a global state. They
 * are stated of the lists and rows that sites keep and messages carry, so that they apply to any form of the
 * algorithm: ours, and the printed one.
 *
 * "Outdated" is taken at its word: a request is outdated when its site has left the critical section.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { includes, placeOf, rank, same, type Tuple } from './tuples.ts';

/** What a site or a message knows. */
interface Known {
  readonly ordered: readonly Tuple[]; // NONL, MONL
  readonly rows: readonly { readonly mnl: readonly Tuple[] }[]; // NSIT, MSIT
}

/** What the lemmas speak of. */
export interface Snapshot {
  readonly sites: readonly (Known & {
    readonly ours: number; // the timestamp of the site's request, from request to release; else 0
  })[];
  readonly inside: readonly boolean[];
  readonly carried: readonly (Known & {
    readonly to: NodeId;
    readonly host: Tuple | null; // of an RM: the request that roams
  })[];
}

type Lemma = (snapshot: Snapshot) => boolean;

const outstanding = ({ sites }: Snapshot, { node, ts }: Tuple): boolean => sites[node]!.ours === ts;
const without = (list: readonly Tuple[], snapshot: Snapshot) =>
  list.filter((t) => outstanding(snapshot, t));

/** The order of entries at each site, without the requests that are over. */
const orders = (snapshot: Snapshot): Tuple[][] =>
  snapshot.sites.map(({ ordered }) => without(ordered, snapshot));

const tables = ({ sites, carried }: Snapshot): Known[] => [...sites, ...carried];

/** Whether all that both lists name comes in the same order in both. */
function agree(a: readonly Tuple[], b: readonly Tuple[]): boolean {
  const places = a.map((t) => placeOf(t, b)).filter((place) => place >= 0);
  return places.every((place, i) => i === 0 || places[i - 1]! < place);
}

const isPartOf = (a: readonly Tuple[], b: readonly Tuple[]) => a.every((t) => includes(b, t));

export const lemmas: { readonly [claim: string]: Lemma } = {
  'every MNL has fewer than N tuples (Lemma 1)': ({ sites }) =>
    sites.every(({ rows }) => rows.every(({ mnl }) => mnl.length < sites.length)),

  'where every MNL has a tuple, one can be ordered (Lemma 2)': (snapshot) =>
    snapshot.sites.every(({ rows }) => {
      if (rows.some(({ mnl }) => mnl.length === 0)) return true;
      const [first, second] = rank(rows);
      if (second === undefined || first!.votes > second.votes) return true;
      return first!.tuple.node < second.tuple.node;
    }),

  'a request roams or has been ordered (Lemma 3)': (snapshot) =>
    snapshot.sites.every(({ ours: ts }, node) => {
      if (ts === 0 || snapshot.inside[node]) return true;
      const own = { node, ts };
      const roams = snapshot.carried.some(({ host }) => host !== null && same(host, own));
      return roams || tables(snapshot).some(({ ordered }) => includes(ordered, own));
    }),

  'an ordered request has all unfinished predecessors before it (Lemma 4)': (snapshot) => {
    const all = orders(snapshot);
    return all.every((list) =>
      list.every((t) =>
        all.every((other) => isPartOf(other.slice(0, Math.max(0, placeOf(t, other))), list)),
      ),
    );
  },

  'two tuples never have the same rank (Lemma 5)': ({ sites }) =>
    sites.every(({ rows }) =>
      rank(rows).every(
        ({ tuple, votes }, i, all) =>
          i === 0 || votes !== all[i - 1]!.votes || tuple.node !== all[i - 1]!.tuple.node,
      ),
    ),

  'of the orders that an Exchange compares one contains the other (Lemma 6)': (snapshot) => {
    const all = orders(snapshot);
    return snapshot.carried.every(({ to, ordered }) => {
      const [nonl, monl] = [all[to]!, without(ordered, snapshot)];
      const [top, other] = [nonl[0], monl[0]];
      const isSameTop = top === undefined || other === undefined || same(top, other);
      return isSameTop && (isPartOf(nonl, monl) || isPartOf(monl, nonl));
    });
  },

  'all order the requests in the same way (Lemma 7)': (snapshot) => {
    // A list of one request agrees with every other.
    const all = tables(snapshot)
      .map(({ ordered }) => without(ordered, snapshot))
      .filter(({ length }) => length > 1);
    return all.every((a, i) => all.every((b, j) => j <= i || agree(a, b)));
  },

  'the request of a site that is inside is the first in its own list (Lemma 8)': ({
    sites,
    inside,
  }) =>
    sites.every(
      ({ ordered, ours: ts }, node) =>
        !inside[node] || (ordered[0] !== undefined && same(ordered[0], { node, ts })),
    ),
};
