/** Finite projective planes: lines of q + 1 points, any two of which meet in exactly one. */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { UsageError } from '../core/errors.ts';
import { type Field, field, primePower } from './field.ts';
import { checkMembers } from './limits.ts';

/**
 * The lines of a plane of n points, the i-th of which contains i. Throws a UsageError where no
 * plane is known: n must be q² + q + 1 and q a prime power. A point and a triangle count as orders
 * 0 and 1.
 */
export function planeLines(n: number): readonly (readonly NodeId[])[] {
  if (n === 7) return maekawa;
  const q = order(n);
  if (!hasPlane(q)) throw new UsageError(noPlane(n));
  checkMembers('fpp', n, n * (q + 1), 'tree');
  const points = differenceSet(q);
  return Array.from({ length: n }, (_, i) => points.map((d) => (i + d) % n).sort((a, b) => a - b));
}

// The plane of seven points with the assignment of lines that Maekawa (1985) gives, numbered from
// 0. No shift of a difference set gives this assignment, and printed examples count messages on it.
const maekawa = [
  [0, 1, 2],
  [1, 3, 5],
  [2, 4, 5],
  [0, 3, 4],
  [1, 4, 6],
  [0, 5, 6],
  [2, 3, 6],
] as const;

/** q with q² + q + 1 = n, or a fraction. */
const order = (n: number): number => (Math.sqrt(4 * n - 3) - 1) / 2;
const hasPlane = (q: number): boolean =>
  q === 0 || q === 1 || (Number.isInteger(q) && primePower(q) !== undefined);

function noPlane(n: number): string {
  let below = Math.floor(order(n));
  while (!hasPlane(below)) below--;
  let above = Math.ceil(order(n));
  while (!hasPlane(above)) above++;
  const [less, more] = [below, above].map((q) => q * q + q + 1);
  return `fpp has q²+q+1 points, q a prime power, not ${n}: take ${less} or ${more}, or take grid`;
}

/**
 * Numbers whose differences modulo n = q² + q + 1 are 1 … n − 1, each exactly once; so any two
 * shifts of the set share exactly one number. Of all such sets up to shift and factor it is the
 * first in lexical order that contains 0 and 1, which is the set that tables print.
 */
export function differenceSet(q: number): readonly number[] {
  if (q < 2) return q === 0 ? [0] : [0, 1];
  return firstInOrder(singer(field(q), q), q * q + q + 1);
}

/**
 * Singer's theorem (1938): modulo a suitable cubic, multiplication by x walks through all points of
 * the plane. The steps at which it is on a given line are a difference set. The points are
 * a + bx + cx² up to a factor from GF(q); the line is c = 0.
 */
function singer({ add, multiply }: Field, q: number): readonly number[] {
  const n = q * q + q + 1;
  for (let cubic = 1; cubic < q ** 3; cubic++) {
    // x³ = r + sx + tx².
    const [r, s, t] = [cubic % q, Math.floor(cubic / q) % q, Math.floor(cubic / q ** 2)];
    if (r === 0) continue; // x would have no inverse
    const line: number[] = [];
    let [a, b, c] = [1, 0, 0];
    let steps = 0;
    do {
      if (c === 0) line.push(steps);
      [a, b, c] = [multiply(c, r), add(a, multiply(c, s)), add(b, multiply(c, t))];
      steps++;
    } while (b !== 0 || c !== 0);
    // Back at the start. If that took fewer than n steps, the walk missed some points: try another
    // cubic.
    if (steps === n) return line;
  }
  assert(false, 'every finite field has a primitive element');
}

/** The least of all sets that are a multiple of this one, shifted so that it contains 0 and 1. */
function firstInOrder(set: readonly number[], n: number): readonly number[] {
  // Each difference occurs once; `from[d]` is the number that d is counted from.
  const from = new Array<number>(n).fill(-1);
  for (const a of set) for (const b of set) from[(b - a + n) % n] = a;
  let best: number[] | undefined;
  for (let step = 1; step < n; step++) {
    // The factor that makes `step` 1, and so `from[step]` 0 and the number after it 1.
    const factor = inverse(step, n);
    if (factor === undefined) continue;
    const moved = (a: number) => ((a - from[step]! + n) * factor) % n;
    // Comparing the third number first avoids most of the sorting.
    const third = Math.min(...set.map(moved).filter((a) => a > 1));
    if (best !== undefined && third > best[2]!) continue;
    const candidate = set.map(moved).sort((a, b) => a - b);
    if (best === undefined || precedes(candidate, best)) best = candidate;
  }
  assert(best !== undefined, 'the factor 1 makes a set');
  return best;
}

function precedes(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((number, i) => number !== b[i]);
  return at !== -1 && a[at]! < b[at]!;
}

/** Euclid's algorithm: 1/a modulo n, where there is one. */
function inverse(a: number, n: number): number | undefined {
  let [rest, next] = [n, a];
  let [factor, following] = [0, 1];
  while (next !== 0) {
    const times = Math.floor(rest / next);
    [rest, next] = [next, rest - times * next];
    [factor, following] = [following, factor - times * following];
  }
  return rest === 1 ? (factor + n) % n : undefined;
}
