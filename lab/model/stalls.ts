/** Waits that last: kept when they have ended, so that an operator who looks later still sees them. */
import type { SurveyEntry } from '../../src/group/backend.ts';

/** The group at one moment. */
export interface Sample {
  readonly at: number;
  readonly waiting: number;
  readonly longestMs: number;
  /** Granted by the member that the page is connected to: since it started, and a second. */
  readonly entries: number;
  readonly granted: number;
  readonly away: number;
}

export interface Stall {
  readonly name: string;
  readonly permits: number;
  readonly clientId: string;
  readonly member: string;
  readonly since: number;
  /** When it had ended; null while it lasts. */
  readonly until: number | null;
  readonly forMs: number;
  /** When it was last seen: the members whose answer was missing, and the callers that held the lock. */
  readonly waitsFor: readonly string[];
}

/** A wait of this length is a stall. */
export const STALL_MS = 1_000;
const MOST_STALLS = 200;
/** A survey is up to a second old when it is told, and on its way for some time: the beginning of a wait is known to within this. */
const SAME_MS = 1_500;

export function stallsAfter(
  before: readonly Stall[],
  pending: readonly SurveyEntry[],
  at: number,
  held: readonly SurveyEntry[] = [],
): readonly Stall[] {
  const holders = ({ name, permits }: SurveyEntry) =>
    held.filter((own) => own.name === name && own.permits === permits).map((own) => own.clientId);
  const now = pending
    .filter(({ forMs }) => forMs >= STALL_MS)
    .map((entry): Stall => {
      const { name, permits, clientId, member, forMs, waitsFor = [] } = entry;
      return {
        ...{ name, permits, clientId, member, forMs, since: at - forMs, until: null },
        waitsFor: [...waitsFor, ...holders(entry)],
      };
    });
  // A wait that is shorter than it was is another one.
  const isSame = (old: Stall, next: Stall) =>
    old.name === next.name &&
    old.permits === next.permits &&
    old.clientId === next.clientId &&
    old.member === next.member &&
    old.forMs <= next.forMs &&
    Math.abs(old.since - next.since) < SAME_MS;
  const ended = before
    .filter((stall) => stall.until !== null || !now.some((next) => isSame(stall, next)))
    .map((stall) =>
      stall.until === null ? { ...stall, until: at, forMs: at - stall.since } : stall,
    );
  const open = now.map((stall) => {
    const known = before.find((old) => old.until === null && isSame(old, stall));
    return known === undefined ? stall : { ...stall, since: known.since };
  });
  return [...open.sort((a, b) => b.forMs - a.forMs), ...ended].slice(0, MOST_STALLS);
}
