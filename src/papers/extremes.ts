import type { NodeId } from '../core/algorithm.ts';
import type { Tree } from '../core/topology.ts';
import { distance } from '../topologies/tree.ts';

/** The least and the most of any number of values; `Math.min(...values)` takes only so many. */
export const least = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
export const most = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

/** Two nodes with the longest path between them. */
export function farthest(tree: Tree): { from: NodeId; to: NodeId; hops: number } {
  let best = { from: 0, to: 0, hops: 0 };
  for (const from of tree.parent.keys()) {
    for (const to of tree.parent.keys()) {
      const hops = distance(tree, from, to);
      if (hops > best.hops) best = { from, to, hops };
    }
  }
  return best;
}
