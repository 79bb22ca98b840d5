/** Carries out the plan: fences members, proposes views, and deletes old records. */
import { EPOCH_ZERO } from '../group/fence.ts';
import type { SetResult } from '../group/register.ts';
import { hearOf, reachedPeers, tellAll } from './leased-peers.ts';
import { type Plan, plan } from './leased-plan.ts';
import { type ViewRecord, write } from './leased-records.ts';
import { considerView } from './leased-sight.ts';
import { beginCall, isOver, isUnderWay, type Process, partOf, selfOf } from './leased-state.ts';

/** Joins are batched for this part of W. Each further proposer waits by this much longer than the proposer before it. */
const TURN = 1 / 20;
const MOST_TURNS = 4;
/**
 * Members notice a cut at different times. Until all have noticed which peers they no longer reach, the wrong member
 * may look cut off. With different clocks a silence of W/2 is noticed up to 0.1 W apart; then come one beat to write
 * and one to read.
 */
export const CUT_GRACE = 0.35;

export const planOf = (us: Process): Plan =>
  plan({
    self: selfOf(us),
    reaches: reachedPeers(us),
    view: us.my.view,
    sightings: us.my.sightings,
    leaseMs: us.settings.leaseMs,
    longestLeaseMs: longestLease(us),
    monotonic: us.environment.monotonic,
    readAt: us.my.readAt,
    identity: us.my.identity,
  });

/** Carries out the parts of the plan that are due, and sets a timer for the others. */
export function propose(us: Process): void {
  const { my, environment } = us;
  // Without a valid lease we may have been left out. A read under way may change the plan.
  if (isOver(us) || my.deadline === null || isUnderWay(us, 'read')) return;
  const next = planOf(us);
  const { monotonic } = environment;
  my.staleSince = next.stale.length > 0 ? (my.staleSince ?? monotonic) : null;
  my.cutSince = next.unreachable.length > 0 ? (my.cutSince ?? monotonic) : null;
  my.wantsViewSince = next.next !== null ? (my.wantsViewSince ?? monotonic) : null;
  const staleTime = dueAt(us, my.staleSince, 0, next.rank);
  const cutTime = dueAt(us, my.cutSince, CUT_GRACE, next.rank);
  const viewTime = timeToPropose(us, next);
  const isDue = (time: number | null) => time !== null && time <= monotonic;
  fence(us, [...(isDue(staleTime) ? next.stale : []), ...(isDue(cutTime) ? next.unreachable : [])]);
  if (isDue(viewTime)) writeView(us, next);
  if (next.rank === 0) forget(us, next.forget);
  const times = [next.changesAt, staleTime, cutTime, viewTime];
  const ahead = times.filter((time) => time !== null && time > monotonic) as number[];
  environment.timer('plan', ahead.length > 0 ? Math.min(...ahead) - monotonic : 0);
}

/** When an action that is wanted since then is due: after that part of W, and after processes of lower rank. */
const dueAt = (
  us: Process,
  since: number | null,
  part: number,
  rank: number | null,
): number | null =>
  since === null || rank === null ? null : since + partOf(us, part) + delayOf(us, rank);

/** The next renewal of these members fails: their keys no longer have the revisions that they know. */
function fence(us: Process, ids: readonly string[]): void {
  const { my, environment, keys, settings } = us;
  if (isUnderWay(us, 'fence')) return;
  for (const id of ids) {
    const { revision } = my.sightings[id]!;
    const { incarnation, tenure, address } = my.view!.members.find((member) => member.id === id)!;
    const call = beginCall(us, { kind: 'fence', sentAt: environment.monotonic });
    const value = write({
      ...{ incarnation, tenure, nonce: 0, address, state: 'fenced', fencedFrom: revision },
      ...{ reaches: [], seen: 0, heard: 0, identity: my.identity!, leaseMs: settings.leaseMs },
    });
    environment.call(call, { type: 'compareAndSet', key: keys.member(id), revision, value });
  }
}

/** When we may propose a view; null if we may not. */
function timeToPropose(us: Process, { rank, removes }: Plan): number | null {
  const { my } = us;
  const time = dueAt(us, my.wantsViewSince, removes ? 0 : TURN, rank);
  if (time === null) return null;
  const caughtUp = my.behindSince === null ? time : my.behindSince + longestLease(us);
  return Math.max(time, trustedAt(us), caughtUp);
}

/** A store that has no view of its own may have lost one: the rights that were given by that must end first. */
export const trustedAt = (us: Process): number =>
  isTrusted(us) ? Number.NEGATIVE_INFINITY : us.my.identityAt + longestLease(us);

/** The view in the register was written to this very store. */
const isTrusted = ({ my }: Process): boolean =>
  my.view !== null && my.view.identity === my.identity;

/** All have the same W; but a group that has ended may have had a longer one. */
const longestLease = ({ my, settings }: Process): number =>
  Math.max(settings.leaseMs, my.view?.leaseMs ?? 0);

const delayOf = (us: Process, rank: number): number =>
  Math.min(rank, MOST_TURNS) * partOf(us, TURN);

function writeView(us: Process, { next }: Plan): void {
  const { my, environment, keys, settings } = us;
  if (isUnderWay(us, 'view')) return;
  const view: ViewRecord = {
    epoch: nextEpoch(us),
    identity: my.identity!,
    leaseMs: settings.leaseMs,
    members: next!,
  };
  const call = beginCall(us, { kind: 'view', sentAt: environment.monotonic, view });
  const value = write(view);
  environment.call(call, {
    type: 'compareAndSet',
    key: keys.view,
    revision: my.viewRevision,
    value,
  });
}

/** An epoch above all known ones, by at least the milliseconds that have passed since: so fences grow. */
function nextEpoch({ my, environment }: Process): number {
  const passed = Math.ceil(environment.monotonic - my.heardAt);
  return Math.max(Math.floor(environment.now) - EPOCH_ZERO, my.heard + 1 + passed);
}

export function viewAnswered(
  us: Process,
  view: ViewRecord,
  { outcome, revision }: SetResult,
): void {
  const { my } = us;
  if (outcome !== 'done' || view.epoch <= my.heard) return;
  my.view = view;
  my.viewRevision = revision!;
  my.behindSince = null;
  hearOf(us, view.epoch);
  considerView(us);
  tellAll(us);
}

/** Deletes the records of processes that have been gone for long. */
function forget(us: Process, ids: readonly string[]): void {
  const { my, environment, keys } = us;
  for (const id of ids) {
    const { revision } = my.sightings[id]!;
    delete my.sightings[id];
    const call = beginCall(us, { kind: 'forget', sentAt: environment.monotonic });
    environment.call(call, { type: 'compareAndSet', key: keys.member(id), revision, value: null });
  }
}
