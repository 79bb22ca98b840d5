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
  /** The members whose answer was missing when it was last seen. */
  readonly waitsFor: readonly string[];
}

/** A wait of this length is a stall. */
export const STALL_MS = 1_000;
const MOST_STALLS = 200;
/** Surveys measure a wait anew each time: its beginning is known to within this. */
const SAME_MS = 900;

export function stallsAfter(
  before: readonly Stall[],
  pending: readonly SurveyEntry[],
  at: number,
): readonly Stall[] {
  const now = pending
    .filter(({ forMs }) => forMs >= STALL_MS)
    .map(
      ({ name, permits, clientId, member, forMs, waitsFor = [] }): Stall => ({
        ...{ name, permits, clientId, member, forMs, waitsFor, since: at - forMs, until: null },
      }),
    );
  const isSame = (a: Stall, b: Stall) =>
    a.name === b.name &&
    a.permits === b.permits &&
    a.clientId === b.clientId &&
    a.member === b.member &&
    Math.abs(a.since - b.since) < SAME_MS;
  const ended = before
    .filter((stall) => !now.some((other) => isSame(stall, other)))
    .map((stall) =>
      stall.until === null ? { ...stall, until: at, forMs: at - stall.since } : stall,
    );
  const open = now.map((stall) => {
    const known = before.find((other) => other.until === null && isSame(stall, other));
    return known === undefined ? stall : { ...stall, since: known.since };
  });
  return [...open.sort((a, b) => b.forMs - a.forMs), ...ended].slice(0, MOST_STALLS);
}
