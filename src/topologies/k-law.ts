/** The law of k-coteries. */
import type { KCoterie } from '../core/topology.ts';
import { type Broken, minimalityLaw, type Sets, show } from './laws.ts';

/** The limit on families to examine: a few seconds. */
const MAX_FAMILIES = 200_000;

/**
 * No quorum lies within another, and every family of disjoint quorums that cannot be extended has
 * exactly k members. That is Kakugawa's pair of conditions in one: fewer than k disjoint quorums
 * leave another that is disjoint from all of them, and k + 1 disjoint ones do not exist.
 */
export function kCoterieLaw({ quorums, choice }: KCoterie, k: number): Broken {
  const stray = choice.find((q) => quorums[q] === undefined);
  if (stray !== undefined) return `a site prefers quorum ${stray}, and there are ${quorums.length}`;
  if (quorums.some((quorum) => quorum.length === 0)) return 'a quorum is empty';
  return minimalityLaw(quorums) ?? familiesLaw(quorums, k);
}

function familiesLaw(quorums: Sets, k: number): Broken {
  let looked = 0;
  for (const { family, complete } of families(disjointness(quorums))) {
    if (++looked > MAX_FAMILIES) {
      return `there are more than ${MAX_FAMILIES} families of disjoint quorums, too many to check`;
    }
    if (!complete || family.length === k) continue;
    const sets = family.map((q) => show(quorums[q]!)).join(', ');
    return family.length < k
      ? `no quorum is disjoint from all of ${sets}, and k is ${k}`
      : `the ${family.length} quorums ${sets} are disjoint, and k is ${k}`;
  }
  return undefined;
}

/** `apart[p]` are the quorums that share no site with p. */
function disjointness(quorums: Sets): readonly ReadonlySet<number>[] {
  return quorums.map((one) => {
    const members = new Set(one);
    const isApart = (other: readonly number[]) => !other.some((site) => members.has(site));
    return new Set(quorums.flatMap((other, q) => (isApart(other) ? q : [])));
  });
}

interface Family {
  readonly family: readonly number[];
  /** False where another branch of the search has already tried every extension. */
  readonly complete: boolean;
}

/**
 * All families of disjoint quorums that cannot be extended: the maximal cliques of disjointness,
 * after Bron and Kerbosch (1973) with a pivot. A clique of all quorums is then found at once, where
 * trying all subsets would not end.
 */
function* families(apart: readonly ReadonlySet<number>[]): Generator<Family> {
  const extend = function* (
    family: readonly number[],
    candidates: readonly number[],
    done: readonly number[],
  ): Generator<Family> {
    if (candidates.length === 0) {
      yield { family, complete: done.length === 0 };
      return;
    }
    // A family without the pivot has a member that meets it: only these need be tried.
    const pivot = apart[candidates[0]!]!;
    let open = candidates;
    let closed = done;
    for (const q of candidates.filter((c) => !pivot.has(c))) {
      const fits = (other: number) => apart[q]!.has(other);
      yield* extend([...family, q], open.filter(fits), closed.filter(fits));
      open = open.filter((other) => other !== q);
      closed = [...closed, q];
    }
  };
  const all = apart.map((_, q) => q);
  yield* extend([], all, []);
}
