/** Trees, all oriented towards site 0, and distances in them. */
import type { NodeId } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { Random } from '../core/random.ts';
import type { Tree } from '../core/topology.ts';
import { type Edge, neighboursOf, outOfReach, walkFrom } from './adjacency.ts';

/** 0 – 1 – 2 – …: the worst tree, with diameter n − 1. */
export const lineTree = (n: number): Tree => fromParents(n, (i) => i - 1);

/** Every site is a child of site 0: the best tree, if its hub can bear the load. */
export const starTree = (n: number): Tree => fromParents(n, () => 0);

/** The complete binary tree, filled level by level. */
export const binaryTree = (n: number): Tree => fromParents(n, (i) => (i - 1) >> 1);

/**
 * Raymond's "radiating star" (section 5, figure 6): every site that is no leaf has `valency`
 * neighbours, so the centre has one child more than the rest. Filled level by level; the last site
 * that is no leaf may have fewer. With valency 3 and ten sites it is the tree of figure 7.
 */
export function radiatingStar(n: number, valency: number): Tree {
  if (!Number.isInteger(valency) || valency < 2) {
    throw new UsageError(`a radiating star has a valency of 2 or more, got ${valency}`);
  }
  return fromParents(n, (i) =>
    i <= valency ? 0 : 1 + Math.floor((i - valency - 1) / (valency - 1)),
  );
}

/** Drawn from all nⁿ⁻² labelled trees, each as likely as the other: Prüfer's code, decoded. */
export function randomTree(n: number, seed: number): Tree {
  if (n === 1) return starTree(1);
  const random = new Random(seed, 'tree');
  const leaves = new Int32Array(n - 1);
  // The site that each leaf is attached to: the code, and at the end the site that is never
  // removed.
  const stems = Int32Array.from(leaves, (_, e) => (e < n - 2 ? random.below(n) : n - 1));
  const left = new Int32Array(n).fill(1);
  for (const i of stems.subarray(0, n - 2)) left[i]!++;
  // The smallest leaf is removed first. A site that becomes a leaf is next if it lies below `scan`,
  // which has passed every leaf before it. So the scan never goes back, and decoding is linear.
  let scan = left.indexOf(1);
  let leaf = scan;
  for (let e = 0; e < n - 2; e++) {
    leaves[e] = leaf;
    const stem = stems[e]!;
    left[stem]!--;
    if (left[stem] === 1 && stem < scan) {
      leaf = stem;
    } else {
      do scan++;
      while (left[scan] !== 1);
      leaf = scan;
    }
  }
  leaves[n - 2] = leaf;
  return oriented(n, leaves, stems);
}

/** The tree with these edges. Throws a UsageError if they make none. */
export function treeFromEdges(n: number, edges: readonly Edge[]): Tree {
  if (edges.length !== n - 1) {
    throw new UsageError(`a tree of ${n} nodes has ${n - 1} edges, got ${edges.length}`);
  }
  const a = edges.map(([i]) => i);
  const b = edges.map(([, j]) => j);
  // With n − 1 edges a cycle leaves a site out of reach, so this is the only check.
  const cutOff = outOfReach(neighboursOf(n, a, b));
  if (cutOff !== undefined) {
    throw new UsageError(`a tree is connected, and node ${cutOff} is out of reach of node 0`);
  }
  return oriented(n, a, b);
}

function fromParents(n: number, parentOf: (i: NodeId) => NodeId): Tree {
  const parent = Array.from({ length: n }, (_, i) => (i === 0 ? 0 : parentOf(i)));
  const children = Int32Array.from({ length: n - 1 }, (_, i) => i + 1);
  return { kind: 'tree', parent, neighbours: neighboursOf(n, children, parent.slice(1)) };
}

function oriented(n: number, a: ArrayLike<NodeId>, b: ArrayLike<NodeId>): Tree {
  const neighbours = neighboursOf(n, a, b);
  return { kind: 'tree', parent: Array.from(walkFrom(neighbours, 0).parent), neighbours };
}

/**
 * The longest path between two sites, in edges: D in the papers. Linear: the site farthest from any
 * site is an end of a longest path.
 */
export function diameter({ neighbours }: Tree): number {
  const end = walkFrom(neighbours, 0).order.at(-1)!;
  const { order, distance } = walkFrom(neighbours, end);
  return distance[order.at(-1)!]!;
}

/** The path between two sites, in edges. */
export function distance({ parent }: Tree, i: NodeId, j: NodeId): number {
  const depth = (site: NodeId): number => {
    let hops = 0;
    for (let at = site; parent[at] !== at; at = parent[at]!) hops++;
    return hops;
  };
  let below = i;
  let above = j;
  let lead = depth(i) - depth(j);
  if (lead < 0) [below, above, lead] = [j, i, -lead];
  let hops = lead;
  for (; lead > 0; lead--) below = parent[below]!;
  for (; below !== above; hops += 2) {
    below = parent[below]!;
    above = parent[above]!;
  }
  return hops;
}
