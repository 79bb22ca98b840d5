/** k-coteries, for Kakugawa, Fujita, Yamashita and Ae: k quorums can be disjoint, never k + 1. */
import type { NodeId } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import type { KCoterie } from '../core/topology.ts';
import { majority } from './coterie.ts';
import { checkMembers } from './limits.ts';

/**
 * The sites are divided into k parts, and a quorum is a majority of one part. Of k + 1 quorums two
 * are of one part and meet; fewer than k leave a part untouched. Exists for all n ≥ k.
 */
export function parts(n: number, k: number): KCoterie {
  checkMembers('parts', n, Math.ceil((n * n) / (2 * k)), 'a larger k');
  const quorums: NodeId[][] = [];
  const choice: number[] = [];
  for (let part = 0; part < k; part++) {
    const first = Math.floor((part * n) / k);
    const size = Math.floor(((part + 1) * n) / k) - first;
    const { quorum } = majority(size);
    // Two sites share their only majority; every other site has its own.
    const shared = size === 2;
    for (const [i, members] of quorum.entries()) {
      choice.push(quorums.length - (shared ? i : 0));
      if (!shared || i === 0) quorums.push(members.map((j) => first + j));
    }
  }
  return { kind: 'k-coterie', quorums, choice };
}

/**
 * All sets of ⌈(n+1)/(k+1)⌉ sites: k + 1 of them cannot be disjoint, because there are too few
 * sites. Throws a UsageError where k of them cannot be disjoint either, or where there are too
 * many.
 */
export function kMajority(n: number, k: number): KCoterie {
  const size = Math.ceil((n + 1) / (k + 1));
  if (k * size > n) {
    throw new UsageError(
      `majority is for n ≥ k⌈(n+1)/(k+1)⌉, and ${n} nodes do not hold ${k} times ${size}: take parts`,
    );
  }
  let count = 1;
  for (let i = 1; i <= size; i++) count = (count * (n - size + i)) / i;
  checkMembers('majority', n, count * size, 'parts');
  const quorums = [...subsets(n, size)];
  // i prefers the set that starts with it and continues round the ring.
  const index = new Map(quorums.map((members, q) => [members.join(), q]));
  const choice = Array.from({ length: n }, (_, i) => {
    const run = Array.from({ length: size }, (_, d) => (i + d) % n).sort((a, b) => a - b);
    return index.get(run.join())!;
  });
  return { kind: 'k-coterie', quorums, choice };
}

/** All subsets of `size` sites, ascending, in lexical order. */
function* subsets(n: number, size: number): Generator<NodeId[]> {
  const set = Array.from({ length: size }, (_, i) => i);
  for (;;) {
    yield [...set];
    // The last position that can still grow is raised, and the later positions follow on.
    let at = size - 1;
    while (at >= 0 && set[at] === n - size + at) at--;
    if (at < 0) return;
    const base = set[at]! + 1 - at;
    for (; at < size; at++) set[at] = base + at;
  }
}

/**
 * The survey's example: four sites in a square, a quorum is a side, k is 2. Its nodes 2 and 4, which are our
 * sites 1 and 3, choose q1 and q4.
 */
export function foursquare(n: number, k: number): KCoterie {
  if (n !== 4 || k !== 2) {
    throw new UsageError(`square is for 4 nodes and k = 2, got ${n} and ${k}: take parts`);
  }
  return {
    kind: 'k-coterie',
    quorums: [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
    ],
    choice: [0, 0, 1, 3],
  };
}
