/**
 * Groups for Rangarajan, Setia and Tripathi: a coterie over groups of sites, and any majority in
 * each group. Quorums are larger than in the coterie alone, but no single crash disables a
 * quorum.
 */
import { UsageError } from '../core/errors.ts';
import type { Coterie, Groups } from '../core/topology.ts';
import { about } from './limits.ts';

/**
 * Groups of `size` consecutive sites, or one more where n is no multiple, and a coterie over them.
 * `groupQuorum[g]` is the quorum of the sites of group g.
 */
export function groups(n: number, size: number, coterie: (count: number) => Coterie): Groups {
  if (!Number.isInteger(size) || size < 1 || size > n) {
    throw new UsageError(`the size of a group is a whole number from 1 to ${n}, got ${size}`);
  }
  const count = Math.floor(n / size);
  const first = (g: number): number => Math.floor((g * n) / count);
  return {
    kind: 'groups',
    groups: Array.from({ length: count }, (_, g) =>
      Array.from({ length: first(g + 1) - first(g) }, (_, i) => first(g) + i),
    ),
    groupQuorum: about(`${n} nodes make ${count} groups of ${size}`, () => coterie(count).quorum),
  };
}
