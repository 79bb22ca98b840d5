/** What Raynal's algorithm costs: no site knows beforehand how often it must poll. */
import type { Claims } from '../../core/algorithm.ts';
import { flag, type OptionDeclarations } from '../../core/option.ts';
import type { Plain } from '../../core/plain.ts';

export const options = {
  inform: flag(
    'each site tells all others its new X, and none keeps a right that it does not want',
  ),
  primes: flag('X is sent as a fraction of primes, as the paper has it, and grows with each exit'),
} as const satisfies OptionDeclarations;

export const costs: Pick<
  Claims<Plain, 'complete', typeof options>,
  'messages' | 'light' | 'heavy'
> = {
  messages: {
    formula: '2(N−1) a poll; N−1 to ∞ with `inform`',
    bounds: ({ n, options: { inform } }) => ({
      least: inform ? n - 1 : 2 * (n - 1),
      most: Number.POSITIVE_INFINITY,
    }),
  },
  // The survey counts what is sent until the farthest site goes in, (N−1)²; here with what it
  // sends when it leaves.
  light: {
    formula: '2(N−1) a poll; N−1 to N(N−1) with `inform`',
    bounds: ({ n, options: { inform } }) => ({
      least: inform ? n - 1 : 2 * (n - 1),
      most: inform ? n * (n - 1) : Number.POSITIVE_INFINITY,
    }),
  },
  heavy: {
    formula: '2(N−1) a poll; N−1 with `inform`',
    bounds: ({ n, options: { inform } }) => ({
      least: inform ? n - 1 : 2 * (n - 1),
      most: inform ? n - 1 : Number.POSITIVE_INFINITY,
    }),
  },
};
