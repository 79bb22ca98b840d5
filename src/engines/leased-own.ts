/** Our own key in the register: the lease, and the tenure that it stands for. */
import { NotMemberError } from '../group/errors.ts';
import type { SetResult } from '../group/register.ts';
import { reachedPeers, tellAll } from './leased-peers.ts';
import { RIGHT } from './leased-plan.ts';
import { type MemberRecord, type RecordState, write } from './leased-records.ts';
import {
  beginCall,
  type Call,
  doubtBase,
  isUnderWay,
  type Process,
  partOf,
} from './leased-state.ts';

/** A record is renewed each time that this part of W has passed. */
export const BEAT = 1 / 10;
/** A call that did not help is tried again after this part of W. */
export const RETRY = 1 / 40;
const TIMERS = ['beat', 'retry', 'deadline', 'plan'];

/** Checks the deadline, first of all in every step: after a pause, a step may come before the timer of the deadline. */
export function expire(us: Process): void {
  const { my, environment } = us;
  if (my.deadline === null) return;
  if (environment.monotonic < my.deadline && environment.now < my.deadlineClock) return;
  my.deadline = null;
  if (my.phase === 'member') loseTenure(us, 'the lease was not renewed in time');
}

/** Renews our record. */
export function writeOwn(us: Process): void {
  const { my, environment, settings, keys } = us;
  if (my.phase === 'ended' || !my.isBaseKnown || isUnderWay(us, 'own')) return;
  const { monotonic, now } = environment;
  const content = ownContent(us);
  const said = JSON.stringify(content);
  const nonce = ++my.nonce;
  const { tenure, state } = content;
  const isNews = said !== my.said;
  my.said = said;
  my.attempts = my.attempts.filter(({ at }) => monotonic - at < settings.leaseMs);
  my.attempts.push({ nonce, at: monotonic, clock: now });
  const call = { kind: 'own', sentAt: monotonic, nonce, tenure, state, isNews } as const;
  environment.call(beginCall(us, call), {
    type: 'compareAndSet',
    key: keys.member(environment.self.id),
    revision: my.base,
    value: write({ ...content, nonce }),
  });
}

/** Renews our record at once if it no longer says what is true. */
export function writeOwnIfChanged(us: Process): void {
  if (JSON.stringify(ownContent(us)) !== us.my.said) writeOwn(us);
}

function ownContent(us: Process): Omit<MemberRecord, 'nonce'> {
  const { my, environment, settings } = us;
  const state: RecordState = my.phase === 'leaving' ? 'left' : 'present';
  return {
    incarnation: environment.self.incarnation,
    tenure: my.tenure,
    address: settings.address,
    leaseMs: settings.leaseMs,
    state,
    fencedFrom: null,
    reaches: reachedPeers(us),
    seen: my.view?.epoch ?? 0,
    heard: my.heard,
    identity: my.identity!,
  };
}

export function ownAnswered(
  us: Process,
  call: Call & { kind: 'own' },
  { outcome, revision }: SetResult,
): void {
  const { my } = us;
  if (outcome !== 'done') {
    doubtBase(us);
    return;
  }
  my.base = revision!;
  // A tenure that ended while this was under way is not renewed by it.
  if (call.tenure !== my.tenure) return;
  if (call.isNews) tellAll(us);
  if (call.state === 'left') end(us);
  else confirm(us, call.nonce);
}

/** The register has the write with that nonce: the right to act counts from when it was sent. */
function confirm({ my, environment, settings }: Process, nonce: number): void {
  my.isConfirmed = true;
  const attempt = my.attempts.find((one) => one.nonce === nonce);
  if (attempt === undefined || my.phase === 'leaving') return;
  const { monotonic, now } = environment;
  // If the machine slept since then, its monotonic clock stood still, and its wall clock did not.
  const slept = Math.max(0, now - attempt.clock - (monotonic - attempt.at));
  const deadline = attempt.at + RIGHT * settings.leaseMs - slept;
  if (deadline <= Math.max(monotonic, my.deadline ?? monotonic)) return;
  my.deadline = deadline;
  my.deadlineClock = now + (deadline - monotonic);
  environment.mayActUntil(deadline, my.deadlineClock);
  environment.timer('deadline', deadline - monotonic);
}

/** Compares our own record in the register with ours, after a write with an unknown outcome, or after we were fenced. */
export function resolveBase(
  us: Process,
  revision: string | null,
  record: MemberRecord | null,
): void {
  const { my, environment } = us;
  const { id, incarnation } = environment.self;
  const isOurProcess = record !== null && record.incarnation === incarnation;
  // A member that was paused for long has lost its tenure by now. It must not take its name from its successor.
  const isReplaced = my.isConfirmed || (my.adopted > 0 && (record?.incarnation ?? 0) > incarnation);
  if (record !== null && !isOurProcess && isReplaced) {
    stop(us, `another process is ${id} now: give each process a name of its own`);
    return;
  }
  const isOurs = isOurProcess && record.tenure === my.tenure;
  if (my.isConfirmed && !isOurs) {
    // The register had our record: this read is stale. Should the record be gone, then the lease runs out.
    environment.timer('retry', partOf(us, RETRY));
    return;
  }
  if (isOurs && record.state === 'fenced') loseTenure(us, 'the others left it out');
  if (isFinished(us)) return;
  my.base = revision;
  my.isBaseKnown = true;
  if (isOurs && record.state === 'left') end(us);
  else if (isOurs && record.state === 'present') {
    confirm(us, record.nonce);
    // Beats went by while the base was unknown: the next one may come after the deadline.
    if (isOverdue(us)) writeOwn(us);
  } else {
    const inView = my.view?.members.find((member) => member.id === id)?.tenure ?? 0;
    my.tenure = Math.max(my.tenure, (record?.tenure ?? 0) + 1, inView + 1);
  }
}

const isOverdue = (us: Process): boolean =>
  us.environment.monotonic - (us.my.attempts.at(-1)?.at ?? 0) >= partOf(us, BEAT);

/** Ends this tenure. The process goes on under a higher one. */
export function loseTenure(us: Process, why: string): void {
  const { my, environment } = us;
  if (my.phase === 'leaving') end(us);
  if (my.phase === 'ended') return;
  const wasMember = my.phase === 'member';
  my.phase = 'joining';
  my.tenure++;
  my.isConfirmed = false;
  my.attempts = [];
  my.deadline = null;
  environment.timer('deadline', 0);
  if (wasMember)
    environment.suspended(
      new NotMemberError(`${environment.self.id} is no member for now: ${why}`),
    );
}

export function stop(us: Process, why: string): void {
  end(us);
  us.environment.stopped(new NotMemberError(why));
}

export function end({ my, environment }: Process): void {
  my.phase = 'ended';
  my.deadline = null;
  for (const timer of TIMERS) environment.timer(timer, 0);
}

const isFinished = ({ my }: Process): boolean => my.phase === 'ended';
