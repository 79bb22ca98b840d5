/** Parses the part after the colon in the name of a topology. */
import { didYouMean, UsageError } from '../core/errors.ts';

/** A whole number from `min` to `max`. */
export function whole(what: string, word: string, min: number, max: number): number {
  const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (min <= number && number <= max) return number;
  throw new UsageError(`${what} is a whole number from ${min} to ${max}, got "${word}"`);
}

/** One vote count per site, as in `2,1,1`. */
export function weights(word: string, n: number): readonly number[] {
  const counts = word.split(',');
  if (!/^\d{1,6}(,\d{1,6})*$/.test(word) || counts.length !== n) {
    throw new UsageError(
      `weighted takes the votes of ${n} nodes, as in "weighted:${example(n)}", got "${word}"`,
    );
  }
  return counts.map(Number);
}

/** The same, and the votes needed to read and to write if they are given, as in `2,1,1/2/3`. */
export function weightsAndThresholds(word: string, n: number) {
  const [counts, ...rest] = word.split('/');
  const votes = weights(counts!, n);
  if (rest.length === 0) return { votes };
  if (rest.length !== 2 || !rest.every((part) => /^\d{1,9}$/.test(part))) {
    throw new UsageError(
      `to read and to write take two numbers, as in "weighted:${example(n)}/1/${n + 1}", got "${word}"`,
    );
  }
  const [read, write] = rest.map(Number);
  return { votes, thresholds: { read: read!, write: write! } };
}

/** One of a few names. */
export function oneOf<T>(what: string, word: string, table: { readonly [name: string]: T }): T {
  if (Object.hasOwn(table, word)) return table[word]!;
  const names = Object.keys(table);
  throw new UsageError(
    `${what} is one of ${names.join(', ')}, got "${word}"${didYouMean(word, names)}`,
  );
}

/** Two votes for the first site and one for each other; at most the first three sites. */
function example(n: number): string {
  const shown = Array.from({ length: Math.min(n, 3) }, (_, i) => (i === 0 ? 2 : 1)).join();
  return n > 3 ? `${shown},…` : shown;
}
