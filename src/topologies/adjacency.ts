/** What trees and graphs have in common: lists of neighbours, and walks along them. */
import type { NodeId } from '../core/algorithm.ts';

export type Edge = readonly [NodeId, NodeId];
export type Neighbours = readonly (readonly NodeId[])[];

/** The neighbours of every site, ascending, when edge e joins `a[e]` and `b[e]`. */
export function neighboursOf(
  n: number,
  a: ArrayLike<NodeId>,
  b: ArrayLike<NodeId>,
): readonly NodeId[][] {
  // Counted first: an array that grows by `push` starts with room for seventeen, and in a tree of a
  // million nodes half of them have one neighbour.
  const missing = new Int32Array(n);
  for (let e = 0; e < a.length; e++) {
    missing[a[e]!]!++;
    missing[b[e]!]!++;
  }
  const lists = new Array<NodeId[]>(n);
  for (let i = 0; i < n; i++) lists[i] = new Array<NodeId>(missing[i]!);
  const add = (i: NodeId, j: NodeId) => {
    const list = lists[i]!;
    list[list.length - missing[i]!--] = j;
  };
  for (let e = 0; e < a.length; e++) {
    add(a[e]!, b[e]!);
    add(b[e]!, a[e]!);
  }
  for (const list of lists) {
    // Most lists are already in order, and a million calls of `sort` would take half the time.
    if (list.some((i, at) => at > 0 && i < list[at - 1]!)) list.sort((i, j) => i - j);
  }
  return lists;
}

/** The result of a breadth-first walk. */
interface Walk {
  /** The sites that were reached, nearest first: the last one is as far away as any. */
  readonly order: Int32Array;
  /** Hops from the start, or −1. */
  readonly distance: Int32Array;
  /** The neighbour towards the start; the start is its own parent; −1 for sites out of reach. */
  readonly parent: Int32Array;
}

/**
 * Walks the graph breadth first. No recursion: a line of a million nodes is deeper than a stack.
 */
export function walkFrom(neighbours: Neighbours, from: NodeId): Walk {
  const n = neighbours.length;
  const order = new Int32Array(n);
  const distance = new Int32Array(n).fill(-1);
  const parent = new Int32Array(n).fill(-1);
  let reached = 1;
  order[0] = from;
  distance[from] = 0;
  parent[from] = from;
  for (let head = 0; head < reached; head++) {
    const i = order[head]!;
    for (const j of neighbours[i]!) {
      if (distance[j] !== -1) continue;
      distance[j] = distance[i]! + 1;
      parent[j] = i;
      order[reached++] = j;
    }
  }
  return { order: order.subarray(0, reached), distance, parent };
}

/** A site that cannot be reached from site 0, if there is one. */
export function outOfReach(neighbours: Neighbours): NodeId | undefined {
  const { order, distance } = walkFrom(neighbours, 0);
  return order.length === neighbours.length ? undefined : distance.indexOf(-1);
}
