/** How quorums fare while sites fail: exact, over every set of failed sites. */
import type { Coterie, Tree } from '../../core/topology.ts';
import type { Point } from '../figure.ts';

/** The size of the smallest quorum among the sites that are up, or infinity if there is none. */
export type Smallest = (isUp: (site: number) => boolean) => number;

export const ofCoterie =
  ({ quorum }: Coterie): Smallest =>
  (isUp) =>
    quorum.reduce(
      (least, members) => (members.every(isUp) ? Math.min(least, members.length) : least),
      Number.POSITIVE_INFINITY,
    );

/** Any more than half of n sites. */
export const ofMajority =
  (n: number): Smallest =>
  (isUp) => {
    const enough = Math.floor(n / 2) + 1;
    let up = 0;
    for (let i = 0; i < n; i++) if (isUp(i)) up += 1;
    return up >= enough ? enough : Number.POSITIVE_INFINITY;
  };

/** A path from the root to a leaf, with two or more paths in place of a site that is down. */
export function ofTree({ parent, neighbours }: Tree): Smallest {
  const children = neighbours.map((near, v) => near.filter((i) => i !== v && parent[i] === v));
  return (isUp) => {
    const smallest = (v: number): number => {
      const paths = children[v]!.map(smallest);
      const through = isUp(v) ? 1 + Math.min(...(paths.length === 0 ? [0] : paths)) : Infinity;
      const round = paths.length < 2 ? Infinity : paths.reduce((sum, size) => sum + size, 0);
      return Math.min(through, round);
    };
    return smallest(0);
  };
}

export interface Degradation {
  /** For each number of failed sites: the share of sets of that many that leave a quorum. */
  readonly availability: readonly Point[];
  /** The mean size of the smallest quorum that is left, where one is. */
  readonly cost: readonly Point[];
}

/** Over all 2ⁿ sets of failed sites. */
export function degradation(n: number, smallest: Smallest): Degradation {
  const sets = new Array<number>(n + 1).fill(0);
  const left = new Array<number>(n + 1).fill(0);
  const sizes = new Array<number>(n + 1).fill(0);
  for (let down = 0; down < 2 ** n; down++) {
    const failed = bits(down);
    const size = smallest((site) => ((down >> site) & 1) === 0);
    sets[failed]! += 1;
    if (!Number.isFinite(size)) continue;
    left[failed]! += 1;
    sizes[failed]! += size;
  }
  const availability = sets.map((count, x) => ({ x, y: left[x]! / count }));
  const cost = sizes.map((sum, x) => ({ x, y: sum / left[x]! }));
  return { availability, cost: cost.filter(({ x }) => left[x]! > 0) };
}

function bits(set: number): number {
  let count = 0;
  for (let rest = set; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** Pairs of different quorums of which one is part of the other. */
export function nested(quorums: readonly (readonly number[])[]): number {
  const distinct = [
    ...new Map(quorums.map((q) => [[...q].sort((a, b) => a - b).join(), q])).values(),
  ];
  return distinct.reduce(
    (sum, a) => sum + distinct.filter((b) => b !== a && a.every((i) => b.includes(i))).length,
    0,
  );
}
