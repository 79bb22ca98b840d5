/**
 * With `primes`: the numbers of Raynal's algorithm as he has them. X is A · (A / A of the next) to the power
 * of how often its site has left, so that it grows with each exit, and is no whole number but for the first.
 * Numbers are lists of digits in a base of ten million, the lowest first: states and messages are plain data.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { list, record } from '../../core/message.ts';

/** A positive fraction. */
export type Fraction = { over: number[]; under: number[] };

export const fraction = record({ over: list('int'), under: list('int') });

const BASE = 10_000_000n;

function digitsOf(value: bigint): number[] {
  const digits: number[] = [];
  for (let rest = value; rest > 0n; rest /= BASE) digits.push(Number(rest % BASE));
  return digits;
}

const numberOf = (digits: readonly number[]): bigint =>
  digits.reduceRight((value, digit) => value * BASE + BigInt(digit), 0n);

/** A of a site: 2, 3, 5, 7, … */
export function primeOf(site: NodeId): bigint {
  const primes: bigint[] = [];
  for (let candidate = 2n; primes.length <= site; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0n)) primes.push(candidate);
  }
  return primes[site]!;
}

/** X of a site at first: its prime, but 1 for the first site, which has the right. */
export const firstX = (site: NodeId): Fraction => ({
  over: digitsOf(site === 0 ? 1n : primeOf(site)),
  under: [1],
});

/** X := X · A of the site / A of the next. */
export function nextX({ over, under }: Fraction, site: NodeId, n: number): Fraction {
  if (n === 1) return { over, under };
  return {
    over: digitsOf(numberOf(over) * primeOf(site)),
    under: digitsOf(numberOf(under) * primeOf((site + 1) % n)),
  };
}

/** Whether T = Q/A of the site, T being the product of all X and Q that of all A. */
export function isMissing(values: readonly Fraction[], site: NodeId): boolean {
  const product = (numbers: readonly bigint[]) => numbers.reduce((all, one) => all * one, 1n);
  const over = product(values.map((x) => numberOf(x.over)));
  const under = product(values.map((x) => numberOf(x.under)));
  const all = product(values.map((_, i) => primeOf(i)));
  return over * primeOf(site) === all * under;
}
