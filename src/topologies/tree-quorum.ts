/**
 * D. Agrawal, A. El Abbadi. "An Efficient and Fault-Tolerant Solution for Distributed Mutual
 * Exclusion". ACM Transactions on Computer Systems 9(1):1–20, February 1991.
 *
 * A quorum is a path from the root of a binary tree to a leaf; a site that is down is replaced by
 * two paths, one from each of its children. Any two quorums meet, whatever sites each believed to
 * be down. A quorum that contains a site meets a quorum that replaces it in the subtree they share.
 */
import type { NodeId } from '../core/algorithm.ts';

/**
 * A tree quorum for site `me`, ascending, or undefined when too many sites are down. The sites are
 * the complete binary tree of `binaryTree(n)`. The path leads through `me` if it can, and else
 * left.
 *
 * A site that is down cannot be replaced when it has one child or none: one of the two paths would
 * be missing.
 */
export function treeQuorum(
  n: number,
  me: NodeId,
  up: (site: NodeId) => boolean = () => true,
): readonly NodeId[] | undefined {
  // Adding 1 turns the number of a site into its path from the root, in binary: so i lies under v
  // if v + 1 is the beginning of i + 1.
  const under = (v: NodeId): boolean => {
    let i = me + 1;
    while (i > v + 1) i >>= 1;
    return i === v + 1;
  };
  const quorum = (v: NodeId): NodeId[] | undefined => {
    const left = 2 * v + 1;
    const right = left + 1;
    if (left >= n) return up(v) ? [v] : undefined;
    if (up(v)) {
      const [first, second] = right < n && under(right) ? [right, left] : [left, right];
      const path = quorum(first) ?? (second < n ? quorum(second) : undefined);
      return path && [v, ...path];
    }
    const one = right < n ? quorum(left) : undefined;
    const two = one && quorum(right);
    return two && [...one, ...two];
  };
  return quorum(0)?.sort((a, b) => a - b);
}
