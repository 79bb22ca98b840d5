/**
 * What a process proposes, given what it knows: which members to fence, and which view comes next. A pure function
 * of plain data. Processes that know different things may propose different things: compare-and-set lets one win.
 */
import type { LeasedMember, MemberRecord, ViewRecord } from './leased-records.ts';

/** A key as this process has seen it. All times are on this process's monotonic clock. */
export interface Sighting {
  /** Null if the key does not exist. */
  readonly revision: string | null;
  /** Null if there is none, or if it is not understood. */
  readonly record: MemberRecord | null;
  /** When this process first saw this revision; of a fenced record, the revision that was fenced. */
  readonly at: number;
  /** When this process first saw a record of this incarnation. */
  readonly ownerAt: number;
}

export interface Knowledge {
  /** This process, as its own record says, or will say once it is written. */
  readonly self: LeasedMember;
  readonly reaches: readonly string[];
  readonly view: ViewRecord | null;
  /** Of the store, as it is now. */
  readonly identity: string | null;
  readonly sightings: { readonly [id: string]: Sighting };
  /** Our own W, and the longest that a member of the view may have. */
  readonly leaseMs: number;
  readonly longestLeaseMs: number;
  readonly monotonic: number;
  /** When the latest answered read was sent. */
  readonly readAt: number;
}

/**
 * - `live`: it renews its record.
 * - `stale`: its record has not changed for so long that it may no longer act.
 * - `fenced`: it cannot renew any more; its right to act may last until a time.
 * - `gone`: it cannot act, for certain.
 */
export type Standing =
  | { readonly is: 'live' | 'stale' | 'gone' }
  | { readonly is: 'fenced'; readonly until: number };

export interface Plan {
  /** How each member of the view stands. */
  readonly standings: { readonly [id: string]: Standing };
  /** Members that renew their records, and are to be fenced because the others do not reach them. */
  readonly unreachable: readonly string[];
  /** Members that renew no longer, and are to be fenced. */
  readonly stale: readonly string[];
  /** The members of the next view, or null if the view is as it should be or cannot be changed yet. */
  readonly next: readonly LeasedMember[] | null;
  /** Whether the next view leaves a member out; else it only admits some. */
  readonly removes: boolean;
  /** How many processes should propose before this one; null if this one should not. */
  readonly rank: number | null;
  /** Records of processes that have been gone for long. */
  readonly forget: readonly string[];
  /** The first time at which the plan may change though nothing is heard; null if there is none. */
  readonly changesAt: number | null;
}

/** A member may act for this part of W after it sent its last renewal. */
export const RIGHT = 0.8;
/** Records of processes that are gone are deleted after so many leases. */
const FORGET_LEASES = 10;

/** See the head of this file. */
export function plan(known: Knowledge): Plan {
  const { view, self, sightings, longestLeaseMs: leaseMs, monotonic } = known;
  // By a view that the store rolled back to, no process has a right any more: see `timeToPropose`.
  const members = view?.identity === known.identity ? view.members : [];
  const standings = Object.fromEntries(members.map((m) => [m.id, standing(m, known)]));
  const inView = (id: string) => members.some((member) => member.id === id);
  const live = members.filter(({ id }) => standings[id]!.is === 'live');
  const { kept, dropped } = connectedPart(live, known);
  const newcomers = joiners(known).filter(
    (joiner) => !kept.some(({ id }) => id === joiner.id) && !isBlocked(joiner, standings),
  );
  const admitted = connectedPart(
    newcomers.filter((joiner) => kept.every((member) => isConnected(joiner, member, known))),
    known,
  ).kept;
  const areAllDecided = members.every(({ id }) => ['live', 'gone'].includes(standings[id]!.is));
  const removes = members.some(({ id }) => standings[id]!.is === 'gone');
  const next = [...kept, ...admitted].sort((a, b) => (a.id < b.id ? -1 : 1));
  // Processes that do not reach each other would each propose a view: only processes in the next view propose it.
  const hasSelf = next.some(({ id }) => id === self.id);
  const isChange = removes || admitted.length > 0;
  const proposers = [...kept, ...(kept.length > 0 ? admitted : newcomers)].map(({ id }) => id);
  const rank = proposers.indexOf(self.id);
  const fencedUntil = Object.values(standings).flatMap((s) => (s.is === 'fenced' ? [s.until] : []));
  return {
    standings,
    unreachable: dropped.map(({ id }) => id),
    stale: members
      .map(({ id }) => id)
      .filter((id) => standings[id]!.is === 'stale' && id !== self.id),
    next: areAllDecided && dropped.length === 0 && isChange && hasSelf ? next : null,
    removes,
    rank: rank === -1 ? null : rank,
    forget: Object.keys(sightings).filter(
      (id) =>
        id !== self.id &&
        !inView(id) &&
        sightings[id]!.revision !== null &&
        monotonic - sightings[id]!.at > FORGET_LEASES * leaseMs,
    ),
    changesAt: fencedUntil.length > 0 ? Math.min(...fencedUntil) : null,
  };
}

/** Whether a member of the view, in that tenure, may still act: the proofs that it may not are listed here. */
function standing(member: LeasedMember, known: Knowledge): Standing {
  const { self, sightings, longestLeaseMs: leaseMs, monotonic, readAt } = known;
  if (member.id === self.id && member.incarnation === self.incarnation) {
    // What we know of our own tenure is true: we begin one only after we stopped acting in the tenure before.
    return { is: member.tenure === self.tenure ? 'live' : 'gone' };
  }
  const sighting = sightings[member.id];
  if (sighting === undefined) return { is: 'live' };
  const { record, at, ownerAt } = sighting;
  const fencedUntil = (until: number): Standing =>
    monotonic >= until ? { is: 'gone' } : { is: 'fenced', until };
  if (record !== null && record.tenure > member.tenure) {
    // Its own process has begun another tenure; or another process has taken its key, and so fenced it.
    if (record.incarnation === member.incarnation) return { is: 'gone' };
    return fencedUntil(ownerAt + leaseMs);
  }
  if (record !== null && isOf(record, member)) {
    if (record.state === 'left') return { is: 'gone' };
    if (record.state === 'fenced') return fencedUntil(at + leaseMs);
  }
  // Only a read that was sent after that time shows that it has not renewed until then.
  return { is: readAt - at >= RIGHT * leaseMs ? 'stale' : 'live' };
}

const isOf = (record: MemberRecord, { incarnation, tenure }: LeasedMember): boolean =>
  record.incarnation === incarnation && record.tenure === tenure;

/** Processes that are not in the view and renew their records, having seen this view and no other. */
function joiners({ self, view, identity, sightings, leaseMs, readAt }: Knowledge): LeasedMember[] {
  const found: LeasedMember[] = [self];
  for (const [id, { record, at }] of Object.entries(sightings)) {
    if (id === self.id || record === null || record.state !== 'present') continue;
    if (readAt - at >= RIGHT * leaseMs) continue;
    // A record that names an earlier view may be of a tenure that was in this one or in a later one before.
    if (record.seen !== (view?.epoch ?? 0)) continue;
    // Nor does it count what was written before the store lost data.
    if (record.identity !== identity) continue;
    // All members of a view have the same W: the argument of docs/safety.md rests on it.
    if (record.leaseMs !== leaseMs) continue;
    const { incarnation, tenure, address } = record;
    found.push({ id, incarnation, tenure, address });
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A process cannot be admitted while an earlier process of its name may act. */
const isBlocked = ({ id }: LeasedMember, standings: Plan['standings']): boolean =>
  standings[id] !== undefined && standings[id].is !== 'gone';

/**
 * A large part in which all processes reach each other. As long as two do not, the process with the most unreachable
 * peers is dropped; of several such processes, the last to join. Processes that know the same records find the same
 * part.
 */
function connectedPart(
  all: readonly LeasedMember[],
  known: Knowledge,
): { kept: LeasedMember[]; dropped: LeasedMember[] } {
  let kept = [...all];
  const dropped: LeasedMember[] = [];
  for (;;) {
    const missing = (one: LeasedMember) =>
      kept.filter((other) => other.id !== one.id && !isConnected(one, other, known)).length;
    const worst = kept
      .map((member) => ({ member, count: missing(member) }))
      .sort((a, b) => b.count - a.count || isLater(a.member, b.member))[0];
    if (worst === undefined || worst.count === 0) return { kept, dropped };
    kept = kept.filter((member) => member !== worst.member);
    dropped.push(worst.member);
  }
}

const isLater = (a: LeasedMember, b: LeasedMember): number =>
  b.tenure - a.tenure || (a.id < b.id ? 1 : -1);

/** A process reports a peer as reached only if that peer hears it, so the report of either one suffices. */
function isConnected(a: LeasedMember, b: LeasedMember, known: Knowledge): boolean {
  const reaches = ({ id }: LeasedMember): readonly string[] =>
    id === known.self.id ? known.reaches : (known.sightings[id]?.record?.reaches ?? []);
  return reaches(a).includes(b.id) || reaches(b).includes(a.id);
}
