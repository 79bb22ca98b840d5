/** Relative consensus voting: requests as tuples, and lists of them. */
import type { Value } from '../../core/message.ts';
import { list, record } from '../../core/message.ts';

/** A request: whose, and that site's counter when it was made. */
export const tuple = record({ node: 'node', ts: 'int' });
export type Tuple = Value<typeof tuple>;
/** What is known of one site: as of when, and the requests that have visited it. */
export const row = record({ ts: 'int', mnl: list(tuple) });
export type Row = { ts: number; mnl: Tuple[] };

/** The requests that are first in some row, by votes and then by site. */
export function rank(
  rows: readonly { readonly mnl: readonly Tuple[] }[],
): { readonly tuple: Tuple; readonly votes: number }[] {
  const candidates: { tuple: Tuple; votes: number }[] = [];
  for (const { mnl } of rows) {
    const [head] = mnl;
    if (head === undefined) continue;
    const candidate = candidates.find((other) => same(other.tuple, head));
    if (candidate === undefined) candidates.push({ tuple: head, votes: 1 });
    else candidate.votes += 1;
  }
  return candidates.sort((a, b) => b.votes - a.votes || a.tuple.node - b.tuple.node);
}

export function includes(tuples: readonly Tuple[], t: Tuple): boolean {
  return placeOf(t, tuples) !== -1;
}

export function placeOf(t: Tuple, tuples: readonly Tuple[]): number {
  return tuples.findIndex((other) => same(other, t));
}

export function same(a: Tuple, b: Tuple): boolean {
  return a.node === b.node && a.ts === b.ts;
}
