/**
 * Coteries: for each site the set whose consent it needs. Any two sets meet, and i is in the i-th.
 */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { UsageError } from '../core/errors.ts';
import type { Coterie } from '../core/topology.ts';
import { checkMembers } from './limits.ts';
import { planeLines } from './plane.ts';
import { treeQuorum } from './tree-quorum.ts';

/** Thomas 1979: i and the ⌊n/2⌋ sites that follow it round the ring. */
export function majority(n: number): Coterie {
  const others = Math.floor(n / 2);
  checkMembers('majority', n, n * (others + 1), 'tree');
  return coterie(n, (i) =>
    Array.from({ length: others + 1 }, (_, d) => (i + d) % n).sort((a, b) => a - b),
  );
}

/**
 * Maekawa 1985: the sites fill a square row by row, and i asks its row and its column. The last row
 * may be short; of the two cells where the lines of two sites cross, at least one exists.
 *
 * Minimal except for n = 5 and n = c(c−1) + 1, where a short last row leaves one set within
 * another.
 */
export function grid(n: number): Coterie {
  const { width, row, column } = square(n);
  checkMembers('grid', n, n * 2 * width, 'tree');
  return coterie(n, (i) => {
    const ours = row(i);
    // Sites above this row have smaller numbers, and sites below it larger ones.
    const above = column(i).filter((j) => j < ours[0]!);
    const below = column(i).filter((j) => j > ours.at(-1)!);
    return [...above, ...ours, ...below];
  });
}

/** The rows and columns of ⌈√n⌉ columns filled row by row; the last row may be short. */
export function square(n: number) {
  const width = Math.ceil(Math.sqrt(n));
  const rows: NodeId[][] = [];
  for (let first = 0; first < n; first += width) {
    rows.push(Array.from({ length: Math.min(width, n - first) }, (_, c) => first + c));
  }
  const columns = rows[0]!.map((_, c) => rows.flatMap((row) => row[c] ?? []));
  return {
    width,
    row: (i: NodeId): readonly NodeId[] => rows[Math.floor(i / width)]!,
    column: (i: NodeId): readonly NodeId[] => columns[i % width]!,
  };
}

/** Maekawa 1985: lines of a finite projective plane. No sets of equal size are smaller. */
export const plane = (n: number): Coterie => ({ kind: 'coterie', quorum: planeLines(n) });

/** Agrawal and El Abbadi 1991: the path from the root through i to a leaf. */
export function treePaths(n: number): Coterie {
  checkMembers('tree', n, n * (Math.floor(Math.log2(n)) + 1), 'triangle');
  return coterie(n, (i) => {
    const path = treeQuorum(n, i);
    assert(path !== undefined, 'while all sites are up there is a path');
    return path;
  });
}

/**
 * The modified grid: row t of a triangle has t sites, and its quorum is the row and one site of
 * each row below, in column t; √(2n) in all. All sites of a row share their quorum.
 *
 * The last row may be short. Minimal unless it has only one site, which is then in every quorum.
 */
export function triangle(n: number): Coterie {
  const rows: NodeId[][] = [];
  for (let first = 0; first < n; first += rows.length) {
    rows.push(Array.from({ length: Math.min(rows.length + 1, n - first) }, (_, c) => first + c));
  }
  const quorums = rows.map((row, t) => [
    ...row,
    ...rows.slice(t + 1).map((lower) => lower[t % lower.length]!),
  ]);
  return { kind: 'coterie', quorum: rows.flatMap((row, t) => row.map(() => quorums[t]!)) };
}

/**
 * Gifford 1979: more than half of all votes. i takes its own votes, then those of the sites that
 * follow it round the ring until they are enough. It then drops every site that is not needed. A
 * site without votes is still in its own set, which is then larger than necessary.
 */
export function weighted(votes: readonly number[]): Coterie {
  const n = votes.length;
  checkMembers('weighted', n, Math.ceil((n * n) / 2), 'tree');
  const all = votes.reduce((sum, v) => sum + v, 0);
  if (all <= 0)
    throw new UsageError('weighted needs at least one vote, got none: write weighted:1,…');
  return coterie(n, (i) => {
    const chosen = [i];
    let sum = votes[i]!;
    for (let j = (i + 1) % n; 2 * sum <= all; j = (j + 1) % n) {
      chosen.push(j);
      sum += votes[j]!;
    }
    const needed = chosen.filter((j) => {
      const spare = j !== i && 2 * (sum - votes[j]!) > all;
      if (spare) sum -= votes[j]!;
      return !spare;
    });
    return needed.sort((a, b) => a - b);
  });
}

/** Every site asks every site: the cost that the others are compared with. */
export function everyone(n: number): Coterie {
  const all = Array.from({ length: n }, (_, i) => i);
  return coterie(n, () => all);
}

const coterie = (n: number, quorumOf: (i: NodeId) => readonly NodeId[]): Coterie => ({
  kind: 'coterie',
  quorum: Array.from({ length: n }, (_, i) => quorumOf(i)),
});
