/**
 * D. Agrawal, A. El Abbadi. "An Efficient and Fault-Tolerant Solution for Distributed Mutual
 * Exclusion". ACM Transactions on Computer Systems 9(1):1–20, February 1991.
 *
 * A quorum is a path from the root of a tree to a leaf; a site that is down is replaced by paths from
 * all of its children, which are two in a binary tree. Any two quorums meet, whatever sites each
 * believed to be down. Let one quorum contain a site that another quorum replaces. The first goes on to
 * one child of that site and the second to all children, so the two meet below that child.
 *
 * A site that is down cannot be replaced when it has one child or none. With one child, the quorum that
 * is left would be part of the other; with none, there is no site left to meet in.
 */
import type { NodeId } from '../core/algorithm.ts';
import type { Tree } from '../core/topology.ts';

type IsUp = (site: NodeId) => boolean;

/**
 * A tree quorum for site `me`, ascending, or undefined when too many sites are down. The sites are
 * the complete binary tree of `binaryTree(n)`. The path leads through `me` if it can, and else
 * left.
 */
export function treeQuorum(
  n: number,
  me: NodeId,
  up: IsUp = () => true,
): readonly NodeId[] | undefined {
  // Adding 1 turns the number of a site into its path from the root, in binary: so i lies under v
  // if v + 1 is the beginning of i + 1.
  const isAboveUs = (v: NodeId): boolean => {
    let i = me + 1;
    while (i > v + 1) i >>= 1;
    return i === v + 1;
  };
  const children = (v: NodeId): NodeId[] => [2 * v + 1, 2 * v + 2].filter((child) => child < n);
  return quorumUnder(0, children, isAboveUs, up)?.sort((a, b) => a - b);
}

/** The same in any tree. */
export function quorumInTree(
  { parent, neighbours }: Tree,
  me: NodeId,
  up: IsUp = () => true,
): readonly NodeId[] | undefined {
  const aboveUs = new Set([me]);
  for (let v = me; v !== parent[v]; v = parent[v]!) aboveUs.add(parent[v]!);
  const children = (v: NodeId): NodeId[] => neighbours[v]!.filter((i) => i !== parent[v]);
  const quorum = quorumUnder(0, children, (v) => aboveUs.has(v), up);
  return quorum?.sort((a, b) => a - b);
}

function quorumUnder(
  v: NodeId,
  childrenOf: (v: NodeId) => readonly NodeId[],
  isAboveUs: (v: NodeId) => boolean,
  up: IsUp,
): NodeId[] | undefined {
  const children = childrenOf(v);
  const under = (child: NodeId) => quorumUnder(child, childrenOf, isAboveUs, up);
  if (up(v)) {
    if (children.length === 0) return [v];
    const ours = children.filter(isAboveUs);
    for (const child of [...ours, ...children.filter((other) => !ours.includes(other))]) {
      const path = under(child);
      if (path !== undefined) return [v, ...path];
    }
    return undefined;
  }
  if (children.length < 2) return undefined;
  const round: NodeId[] = [];
  for (const child of children) {
    const path = under(child);
    if (path === undefined) return undefined;
    round.push(...path);
  }
  return round;
}

/** How many sites the shortest and the longest path from the root to a leaf have. */
export function pathLengths({ parent, neighbours }: Tree): { least: number; most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, 1];
  let level: NodeId[] = [0];
  for (let length = 1; level.length > 0; length++) {
    const next: NodeId[] = [];
    for (const v of level) {
      const children = neighbours[v]!.filter((i) => i !== parent[v]);
      if (children.length === 0) least = Math.min(least, length);
      next.push(...children);
    }
    most = length;
    level = next;
  }
  return { least, most };
}
