/**
 * Quorum agreements for Mizuno, Neilsen and Rao: i tells `request[i]` that it wants the token, and
 * whoever gets the token tells its `acquired` set. Each of the former meets each of the latter.
 */
import type { Agreement, Coterie } from '../core/topology.ts';
import { everyone, square } from './coterie.ts';

/** Ask everyone, tell no one: with this agreement the algorithm is Suzuki and Kasami's. */
export const askAll = (n: number): Agreement => ({
  kind: 'agreement',
  request: everyone(n).quorum,
  acquired: Array.from({ length: n }, (_, i) => [i]),
});

/**
 * Ask one's row, tell one's column. Where the last row is short, the site above stands in for each
 * one that is missing, so that this row too meets every column.
 */
export function rowsAndColumns(n: number): Agreement {
  const { width, row, column } = square(n);
  const last = row(n - 1);
  const filled = last.length < width ? [...row(last[0]! - 1).slice(last.length), ...last] : last;
  const sites = Array.from({ length: n }, (_, i) => i);
  return {
    kind: 'agreement',
    request: sites.map((i) => (i < last[0]! ? row(i) : filled)),
    acquired: sites.map(column),
  };
}

/** Any two sets of a coterie meet, so that it agrees with itself. */
export const bothWays = ({ quorum }: Coterie): Agreement => ({
  kind: 'agreement',
  request: quorum,
  acquired: quorum,
});
