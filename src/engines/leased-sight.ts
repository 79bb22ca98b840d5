/** What a process learns from the register: the view, the other records, and whether it is still the same store. */
import type { ReadResult, RegisterRecord } from '../group/register.ts';
import type { View } from '../group/view.ts';
import { loseTenure, resolveBase, stop } from './leased-own.ts';
import { hearOf, reachContacts } from './leased-peers.ts';
import type { Sighting } from './leased-plan.ts';
import {
  type LeasedMember,
  type MemberRecord,
  otherFormat,
  readMember,
  readView,
  type ViewRecord,
} from './leased-records.ts';
import { doubtBase, isOver, type Process, partOf, type State, selfOf } from './leased-state.ts';

/** A higher epoch that was heard of must show in the register after this part of W. */
const CATCH_UP = 1 / 5;

/** Compares the identity of the store. If it has changed, its data may be older, and what we knew of it is void. */
export function seeIdentity(us: Process, identity: string): void {
  const { my, environment } = us;
  if (my.identity === identity) return;
  const isFirst = my.identity === null;
  my.identity = identity;
  my.identityAt = environment.monotonic;
  if (isFirst) return;
  loseTenure(us, 'the store has lost or rolled back its data');
  Object.assign(my, { view: null, viewRevision: null, sightings: {}, calls: {} });
  doubtBase(us);
}

export function seeRecords(us: Process, sentAt: number, { records }: ReadResult): void {
  const { my, keys, environment } = us;
  my.readAt = sentAt;
  const recordAt = (key: string) => records.find((record) => record.key === key);
  const view = recordAt(keys.view);
  seeView(us, view);
  seeMembers(us, records);
  const own = recordAt(keys.member(environment.self.id));
  const record = my.sightings[environment.self.id]?.record ?? null;
  const isFenced = record?.state === 'fenced' && record.tenure === my.tenure;
  if (my.phase === 'ended') return;
  if (isFenced || (!my.isBaseKnown && sentAt >= my.doubtAt)) {
    resolveBase(us, own?.revision ?? null, record);
  }
  considerView(us);
}

function seeView(us: Process, found: RegisterRecord | undefined): void {
  const { my, environment } = us;
  const isKnown = my.view !== null && my.viewRevision === found?.revision;
  const view = isKnown ? my.view : found === undefined ? null : readView(found.value);
  if (found !== undefined && view === null && otherFormat(found.value) !== undefined) {
    const format = otherFormat(found.value);
    stop(us, `the view has the format ${format}, which this version does not know: upgrade`);
    return;
  }
  hearOf(us, view?.epoch ?? 0);
  // A stale read passes. A store that has lost data does not recover.
  const isBehind = (view?.epoch ?? 0) < my.heard;
  my.behindSince = isBehind ? (my.behindSince ?? environment.monotonic) : null;
  const isLost = isBehind && environment.monotonic - my.behindSince! > partOf(us, CATCH_UP);
  if (isLost && my.phase === 'member') {
    loseTenure(us, 'the store has lost a view that others have heard of');
  }
  // A member does not go back to an earlier view.
  if (isBehind && my.phase === 'member') return;
  my.view = view;
  my.viewRevision = found?.revision ?? null;
}

/** Tells the group of the view in the register, if it is a later one and we are in it. */
export function considerView(us: Process): void {
  const { my, environment } = us;
  const { view } = my;
  if (view === null || isOver(us) || !isValid(my, view)) return;
  const self = selfOf(us);
  const isIn = view.members.some((member) => isSameTenure(member, self));
  if (!isIn && my.phase === 'member') loseTenure(us, 'the others left it out');
  if (!isIn || my.deadline === null) return;
  my.adopted = view.epoch;
  my.phase = 'member';
  const told: View = { epoch: view.epoch, members: view.members };
  reachContacts(us);
  environment.view(told);
}

/** It is later than the view that we know, no later one was heard of, and the store did not roll it back. */
const isValid = (my: State, { epoch, identity }: ViewRecord): boolean =>
  epoch > my.adopted && epoch >= my.heard && identity === my.identity;

function seeMembers(us: Process, records: ReadResult['records']): void {
  const { my, keys } = us;
  const sightings: State['sightings'] = {};
  for (const { key, value, revision } of records) {
    const id = keys.memberOf(key);
    if (id === null) continue;
    const last = my.sightings[id];
    const isKnown = last !== undefined && last.revision === revision;
    sightings[id] = isKnown ? last : sight(us, last, revision, readMember(value));
    hearOf(us, sightings[id].record?.heard ?? 0);
    if (last !== undefined && !isKnown) refuseOtherLease(us, id, sightings[id]);
  }
  for (const { id } of my.view?.members ?? []) {
    const last = my.sightings[id];
    sightings[id] ??= last?.revision === null ? last : sight(us, last, null, null);
  }
  my.sightings = sightings;
  reachContacts(us);
}

/** A member that lives has another W than we: it would wait too short a time for us, or we for it. */
function refuseOtherLease(us: Process, id: string, { record }: Sighting): void {
  const { my, settings } = us;
  if (record?.state !== 'present' || record.leaseMs === settings.leaseMs) return;
  if (!my.view?.members.some((member) => member.id === id) || my.phase === 'ended') return;
  const [ours, theirs] = [settings.leaseMs, record.leaseMs];
  stop(us, `leaseMs is ${ours} here and ${theirs} at ${id}: give all members the same`);
}

/** The first sight of a revision, given the sight of the revision before it. */
function sight(
  { environment: { monotonic } }: Process,
  last: Sighting | undefined,
  revision: string | null,
  record: MemberRecord | null,
): Sighting {
  // The lease of a fenced member counts from its last renewal, if we have seen that.
  const isFence = record?.state === 'fenced' && last?.revision === record.fencedFrom;
  const isSameOwner = last?.record?.incarnation === record?.incarnation;
  return {
    revision,
    record,
    at: isFence ? last!.at : monotonic,
    ownerAt: isSameOwner && last !== undefined ? last.ownerAt : monotonic,
  };
}

const isSameTenure = (a: LeasedMember, b: LeasedMember): boolean =>
  a.id === b.id && a.incarnation === b.incarnation && a.tenure === b.tenure;
