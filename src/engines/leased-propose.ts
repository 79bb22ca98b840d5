/** What a process does about the plan: it fences members, proposes views, and deletes old records. */
import { EPOCH_ZERO } from '../group/fence.ts';
import { hearOf, reachedPeers, tellAll } from './leased-peers.ts';
import { type Plan, plan } from './leased-plan.ts';
import { type ViewRecord, write } from './leased-records.ts';
import { considerView } from './leased-sight.ts';
import { beginCall, isOver, isUnderWay, type Process, partOf, selfOf } from './leased-state.ts';
import type { SetResult } from './register.ts';

/** Joins are batched for this part of W; and each further proposer waits so much longer than the one before it. */
const PATIENCE = 1 / 20;
const MOST_PATIENCE = 4;

export const planOf = (us: Process): Plan =>
  plan({
    self: selfOf(us),
    reaches: reachedPeers(us),
    view: us.my.view,
    sightings: us.my.sightings,
    leaseMs: us.settings.leaseMs,
    monotonic: us.seat.monotonic,
    readAt: us.my.readAt,
    identity: us.my.identity,
  });

/** Does what the plan says and is due, and sets the timer for what is not due yet. */
export function propose(us: Process): void {
  const { my, seat } = us;
  // Without a valid lease we may have been left out; and what is being read may change the plan.
  if (isOver(us) || my.deadline === null || isUnderWay(us, 'read')) return;
  const next = planOf(us);
  const { monotonic } = seat;
  my.wantsFenceSince = next.fence.length > 0 ? (my.wantsFenceSince ?? monotonic) : null;
  my.wantsViewSince = next.next !== null ? (my.wantsViewSince ?? monotonic) : null;
  const fenceTime = timeToFence(us, next);
  const viewTime = timeToPropose(us, next);
  if (fenceTime !== null && fenceTime <= monotonic) fence(us, next.fence);
  if (viewTime !== null && viewTime <= monotonic) writeView(us, next);
  if (next.rank === 0) forget(us, next.forget);
  const times = [next.again, fenceTime, viewTime];
  const ahead = times.filter((time) => time !== null && time > monotonic) as number[];
  seat.timer('plan', ahead.length > 0 ? Math.min(...ahead) - monotonic : 0);
}

function timeToFence(us: Process, { rank }: Plan): number | null {
  const since = us.my.wantsFenceSince;
  return since === null || rank === null ? null : since + patience(us, rank);
}

/** The next renewal of these members fails: their keys no longer have the revisions that they know. */
function fence(us: Process, ids: readonly string[]): void {
  const { my, seat, keys } = us;
  if (isUnderWay(us, 'fence')) return;
  for (const id of ids) {
    const { revision } = my.sightings[id]!;
    const { incarnation, tenure, address } = my.view!.members.find((member) => member.id === id)!;
    const call = beginCall(us, { kind: 'fence', sentAt: seat.monotonic });
    const value = write({
      ...{ incarnation, tenure, nonce: 0, address, state: 'fenced', fencedFrom: revision },
      ...{ reaches: [], seen: 0, heard: 0, identity: my.identity! },
    });
    seat.call(call, { type: 'compareAndSet', key: keys.member(id), revision, value });
  }
}

/** When we may propose a view; null for never, as things are. */
function timeToPropose(us: Process, { rank, removes }: Plan): number | null {
  const { my, settings } = us;
  if (my.wantsViewSince === null || rank === null) return null;
  const batch = removes ? 0 : partOf(us, PATIENCE);
  const time = my.wantsViewSince + batch + patience(us, rank);
  // A store that has no view of its own may have lost one: the rights that were given by that must end first.
  const trusted = isTrusted(us) ? time : my.identityAt + settings.leaseMs;
  const caughtUp = my.behindSince === null ? time : my.behindSince + settings.leaseMs;
  return Math.max(time, trusted, caughtUp);
}

/** The view in the register was written to this very store. */
const isTrusted = ({ my }: Process): boolean =>
  my.view !== null && my.view.identity === my.identity;

const patience = (us: Process, rank: number): number =>
  Math.min(rank, MOST_PATIENCE) * partOf(us, PATIENCE);

function writeView(us: Process, { next }: Plan): void {
  const { my, seat, keys } = us;
  if (isUnderWay(us, 'view')) return;
  const view: ViewRecord = {
    epoch: nextEpoch(us),
    identity: my.identity!,
    members: next!,
  };
  const call = beginCall(us, { kind: 'view', sentAt: seat.monotonic, view });
  const value = write(view);
  seat.call(call, { type: 'compareAndSet', key: keys.view, revision: my.viewRevision, value });
}

/** Above all that we have heard of, by at least the milliseconds that have passed since: so fences grow. */
function nextEpoch({ my, seat }: Process): number {
  const passed = Math.ceil(seat.monotonic - my.heardAt);
  return Math.max(Math.floor(seat.now) - EPOCH_ZERO, my.heard + 1 + passed);
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
  const { my, seat, keys } = us;
  for (const id of ids) {
    const { revision } = my.sightings[id]!;
    delete my.sightings[id];
    const call = beginCall(us, { kind: 'forget', sentAt: seat.monotonic });
    seat.call(call, { type: 'compareAndSet', key: keys.member(id), revision, value: null });
  }
}
