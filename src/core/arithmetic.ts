/**
 * Logarithm and exponential from the four basic operations alone.
 *
 * IEEE 754 fixes the four operations and the square root to the last bit; it leaves `Math.log` and `Math.exp`
 * to each engine. A run must be the same on every machine to the byte, and one bit of one delay is
 * enough to swap two events.
 */

// The logarithm of 2 in two parts, the first with trailing zeros, so that small multiples of it are exact.
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

/** The natural logarithm of a positive number, to within an ulp or two. */
export function ln(x: number): number {
  let mantissa = x;
  let exponent = 0;
  while (mantissa < 0.75) {
    mantissa *= 2;
    exponent--;
  }
  while (mantissa >= 1.5) {
    mantissa /= 2;
    exponent++;
  }
  // ln m = 2 artanh s = 2 (s + s³/3 + s⁵/5 + …), and s² is at most 1/25.
  const s = (mantissa - 1) / (mantissa + 1);
  const z = s * s;
  let sum = 1 / 23;
  for (let odd = 21; odd > 0; odd -= 2) sum = sum * z + 1 / odd;
  return exponent * LN2_HIGH + (2 * s * sum + exponent * LN2_LOW);
}

/** e to the power of a number from −700 to 700, to within an ulp or two. */
export function exp(x: number): number {
  const exponent = Math.floor(x / Math.LN2 + 0.5);
  const rest = x - exponent * LN2_HIGH - exponent * LN2_LOW;
  // Taylor's series, |rest| being at most ln 2 / 2.
  let sum = 1;
  for (let i = 14; i > 0; i--) sum = 1 + (sum * rest) / i;
  for (let i = 0; i < exponent; i++) sum *= 2;
  for (let i = 0; i > exponent; i--) sum /= 2;
  return sum;
}
