/** Limits that are checked before a topology is built. */
import { UsageError } from '../core/errors.ts';

/**
 * Trees and rings of this many nodes still fit a laptop; a larger number is probably a typing
 * error.
 */
export const MAX_NODES = 10_000_000;
/** The members of all quorums, or the ends of all edges: a quarter of a gigabyte. */
const MAX_MEMBERS = 2 ** 25;

/** Throws a UsageError unless n is a possible number of nodes. */
export function checkNodes(n: number): void {
  if (Number.isInteger(n) && 1 <= n && n <= MAX_NODES) return;
  throw new UsageError(`the number of nodes is a whole number from 1 to ${MAX_NODES}, got ${n}`);
}

/** Throws a UsageError unless k sites can be inside at once. */
export function checkK(k: number, n: number): void {
  if (Number.isInteger(k) && 1 <= k && k <= n) return;
  throw new UsageError(`k is a whole number from 1 to the number of nodes, ${n}, got ${k}`);
}

/** Throws a UsageError, before memory runs out, when a structure would list too many sites. */
export function checkMembers(name: string, n: number, members: number, instead: string): void {
  if (members <= MAX_MEMBERS) return;
  throw new UsageError(
    `${name} at ${n} nodes lists ${members} sites, more than ${MAX_MEMBERS}: take fewer, or ${instead}`,
  );
}

/** Calls `make`, and puts `what` before the message of a UsageError that it throws. */
export function about<T>(what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${what}: ${error.message}`, { cause: error });
  }
}
