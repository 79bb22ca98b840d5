import type { NodeId } from './algorithm.ts';

/** Every site may send to every other site. */
export interface Complete {
  readonly kind: 'complete';
}
/** `next[i]` is i's successor. */
export interface Ring {
  readonly kind: 'ring';
  readonly next: readonly NodeId[];
}
/** `parent[i]` is i's neighbour towards the root; the root is its own parent. */
export interface Tree {
  readonly kind: 'tree';
  readonly parent: readonly NodeId[];
  readonly neighbours: readonly (readonly NodeId[])[];
}
/** Any connected graph: a site may send to its neighbours only. */
export interface Graph {
  readonly kind: 'graph';
  readonly neighbours: readonly (readonly NodeId[])[];
}
/** `quorum[i]` is the set whose consent i needs, ascending. Any two quorums intersect. */
export interface Coterie {
  readonly kind: 'coterie';
  readonly quorum: readonly (readonly NodeId[])[];
}
/** A quorum agreement: every `request[i]` meets every `acquired[j]`; i is in both of its own. */
export interface Agreement {
  readonly kind: 'agreement';
  readonly request: readonly (readonly NodeId[])[];
  readonly acquired: readonly (readonly NodeId[])[];
}
/**
 * Sanders's information structure: i asks `request[i]` and informs `inform[i]`, a subset of it. For
 * all i and j, their inform sets meet, or i and j ask each other.
 */
export interface Information {
  readonly kind: 'information';
  readonly inform: readonly (readonly NodeId[])[];
  readonly request: readonly (readonly NodeId[])[];
}
/** Weighted voting: a writer needs `write` votes, a reader `read`; read + write > all, 2·write > all. */
export interface Votes {
  readonly kind: 'votes';
  readonly votes: readonly number[];
  readonly read: number;
  readonly write: number;
}
/** Groups of sites, and a coterie over the groups: a quorum is a majority of each of its groups. */
export interface Groups {
  readonly kind: 'groups';
  readonly groups: readonly (readonly NodeId[])[];
  readonly groupQuorum: readonly (readonly number[])[];
}
/** A k-coterie: up to k disjoint quorums, never k + 1. Site i prefers `quorums[choice[i]]`. */
export interface KCoterie {
  readonly kind: 'k-coterie';
  readonly quorums: readonly (readonly NodeId[])[];
  readonly choice: readonly number[];
}

export interface Topologies {
  complete: Complete;
  ring: Ring;
  tree: Tree;
  graph: Graph;
  coterie: Coterie;
  agreement: Agreement;
  information: Information;
  votes: Votes;
  groups: Groups;
  'k-coterie': KCoterie;
}
export type TopologyKind = keyof Topologies;
