/** Votes for Gifford: the weight of each site, and the thresholds to read and to write. */
import { UsageError } from '../core/errors.ts';
import type { Votes } from '../core/topology.ts';
import { votesLaw } from './laws.ts';

/**
 * Weighted voting. By default a writer needs more than half of all votes, and a reader just enough
 * to meet every writer. Throws a UsageError where the thresholds do not exclude two writers, or a
 * reader and a writer.
 */
export function votes(
  weights: readonly number[],
  thresholds?: { readonly read: number; readonly write: number },
): Votes {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const write = thresholds?.write ?? Math.floor(all / 2) + 1;
  const read = thresholds?.read ?? all + 1 - write;
  const made: Votes = { kind: 'votes', votes: weights, read, write };
  const broken = votesLaw(made);
  if (broken !== undefined) throw new UsageError(broken);
  return made;
}

/** One vote each; a majority writes. */
export const equalVotes = (n: number): Votes => votes(new Array<number>(n).fill(1));

/** One vote each; one site is enough to read, and all are needed to write. */
export const readOne = (n: number): Votes =>
  votes(new Array<number>(n).fill(1), { read: 1, write: n });
