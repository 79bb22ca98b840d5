/** Finite fields, small enough for a table of logarithms. */
import { assert } from '../core/assert.ts';

/** GF(q). Its elements are the numbers 0 … q − 1, whose digits in base p are polynomials. */
export interface Field {
  add(a: number, b: number): number;
  multiply(a: number, b: number): number;
}

/** The prime p and the power m with q = pᵐ, or undefined if q is no prime power. */
export function primePower(q: number): { readonly p: number; readonly m: number } | undefined {
  if (q < 2) return undefined;
  let p = 2;
  while (q % p !== 0) {
    p++;
    if (p * p > q) p = q;
  }
  let m = 0;
  let rest = q;
  for (; rest % p === 0; rest /= p) m++;
  return rest === 1 ? { p, m } : undefined;
}

/**
 * The field of q elements; q is a prime power.
 *
 * There is no test of irreducibility. The function looks for a polynomial modulo which the powers
 * of x run through all q − 1 numbers but zero. Then each of them has an inverse, so the ring is a
 * field, and the powers are its table of logarithms.
 */
export function field(q: number): Field {
  const power = primePower(q);
  assert(power !== undefined, 'the order of a field is a prime power');
  const { p } = power;
  const add = (a: number, b: number): number => {
    let sum = 0;
    for (let unit = 1; unit < q; unit *= p) {
      const digit = (Math.floor(a / unit) + Math.floor(b / unit)) % p;
      sum += digit * unit;
    }
    return sum;
  };
  const times = (digit: number, a: number): number => {
    let product = 0;
    for (let i = 0; i < digit; i++) product = add(product, a);
    return product;
  };
  const top = q / p;
  // xᵐ = tail: the leading digit is replaced by that many tails.
  const timesX = (a: number, tail: number): number =>
    add((a % top) * p, times(Math.floor(a / top), tail));

  for (let tail = 1; tail < q; tail++) {
    const exp = [1];
    for (let a = timesX(1, tail); a !== 1 && exp.length < q; a = timesX(a, tail)) exp.push(a);
    if (exp.length !== q - 1) continue;
    const log = new Array<number>(q).fill(0);
    for (const [i, a] of exp.entries()) log[a] = i;
    const multiply = (a: number, b: number): number =>
      a === 0 || b === 0 ? 0 : exp[(log[a]! + log[b]!) % (q - 1)]!;
    return { add, multiply };
  }
  assert(false, 'every finite field has a primitive element');
}
