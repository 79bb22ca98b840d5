/**
 * Quorum agreements for Mizuno, Neilsen and Rao: i sends its request for the token to `request[i]`.
 * A site that gets the token informs its `acquired` set. Each request set meets each acquired set.
 */
import type { Agreement, Coterie } from '../core/topology.ts';
import { everyone, square } from './coterie.ts';

/**
 * Every site asks all sites and informs none: with this agreement the algorithm is Suzuki and
 * Kasami's.
 */
export const askAll = (n: number): Agreement => ({
  kind: 'agreement',
  request: everyone(n).quorum,
  acquired: Array.from({ length: n }, (_, i) => [i]),
});

/**
 * A site asks its row and informs its column. Where the last row is short, the site above stands in
 * for each site that is missing, so that this row too meets every column.
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

/** Any two sets of a coterie meet, so a coterie agrees with itself. */
export const bothWays = ({ quorum }: Coterie): Agreement => ({
  kind: 'agreement',
  request: quorum,
  acquired: quorum,
});
