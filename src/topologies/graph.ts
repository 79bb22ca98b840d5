/** Connected graphs, and the one-way ring. */
import { UsageError } from '../core/errors.ts';
import { Random } from '../core/random.ts';
import type { Graph, Ring, Tree } from '../core/topology.ts';
import { type Edge, neighboursOf, outOfReach } from './adjacency.ts';
import { checkMembers } from './limits.ts';
import { randomTree } from './tree.ts';

/** Messages travel one way: i's successor is i + 1. */
export const ring = (n: number): Ring => ({
  kind: 'ring',
  next: Array.from({ length: n }, (_, i) => (i + 1) % n),
});

/** The ring as a graph, in both directions. */
export function ringGraph(n: number): Graph {
  // One site has no neighbour, and two sites share one edge, not two.
  const edges = n < 3 ? n - 1 : n;
  const from = Array.from({ length: edges }, (_, i) => i);
  return graph(
    n,
    from,
    from.map((i) => (i + 1) % n),
  );
}

/** Every site is next to every other. */
export function completeGraph(n: number): Graph {
  checkMembers('complete', n, n * (n - 1), 'random');
  const everyone = Array.from({ length: n }, (_, i) => i);
  return { kind: 'graph', neighbours: everyone.map((i) => everyone.filter((j) => j !== i)) };
}

/** The graph of a tree, without its root. */
export const graphOfTree = ({ neighbours }: Tree): Graph => ({ kind: 'graph', neighbours });

/**
 * A random tree with n/2 chords: connected, with three neighbours on average, and with enough
 * cycles for a flood to meet itself.
 */
export function randomGraph(n: number, seed: number): Graph {
  const { parent } = randomTree(n, seed);
  // Drawn from another stream, or the chords would follow the numbers that made the tree.
  const random = new Random(seed, 'chords');
  const possible = (n * (n - 1)) / 2 - (n - 1);
  const chords = new Set<number>();
  while (chords.size < Math.min(Math.floor(n / 2), possible)) {
    const i = random.below(n);
    const j = random.below(n);
    if (i < j && parent[i] !== j && parent[j] !== i) chords.add(i * n + j);
  }
  const a = parent.slice(1);
  const b = Array.from({ length: n - 1 }, (_, i) => i + 1);
  for (const chord of chords) {
    a.push(Math.floor(chord / n));
    b.push(chord % n);
  }
  return graph(n, a, b);
}

/** The graph with these edges. Throws a UsageError if a site is out of reach. */
export function graphFromEdges(n: number, edges: readonly Edge[]): Graph {
  const made = graph(
    n,
    edges.map(([i]) => i),
    edges.map(([, j]) => j),
  );
  const cutOff = outOfReach(made.neighbours);
  if (cutOff !== undefined) {
    throw new UsageError(`a graph must be connected, and node ${cutOff} is out of reach of node 0`);
  }
  return made;
}

const graph = (n: number, a: readonly number[], b: readonly number[]): Graph => ({
  kind: 'graph',
  neighbours: neighboursOf(n, a, b),
});
