/** Suzuki and Kasami's token, which others have taken over. */
import type { NodeId } from '../../core/algorithm.ts';

/** Q and LN: the sites that get the token next, and the number of each site's last granted request. */
export type Token = { queue: NodeId[]; granted: number[] };

/** Appends the sites that wait to the queue, in ascending order, and takes the first from it. */
export function nextInLine(
  asked: readonly number[],
  token: Token,
  others: readonly NodeId[],
  modulus = Number.POSITIVE_INFINITY,
): NodeId | undefined {
  const { queue } = token;
  for (const j of others) if (!queue.includes(j) && waits(asked, token, j, modulus)) queue.push(j);
  return queue.shift();
}

/** Whether j's latest request is the one after its last that was granted. */
export function waits(
  asked: readonly number[],
  { granted }: Token,
  j: NodeId,
  modulus = Number.POSITIVE_INFINITY,
): boolean {
  return asked[j] === (granted[j]! + 1) % modulus;
}
