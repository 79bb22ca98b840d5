/**
 * The engine that survives crashes. A register in a store (a database, etcd, NATS) keeps the view. Each member has a
 * lease there, which it renews: its right to act. The register is never on the path of a lock.
 *
 * The lease is W. A member renews its own key by compare-and-set every W/10. It may act until 0.8 W after it *sent* the
 * last renewal that the register acknowledged, on its own monotonic clock. An unknown outcome extends nothing.
 *
 * To leave out a member that renews no longer, or that the others do not reach, a process first fences it: a
 * compare-and-set on that member's key from revision r, so that its next renewal fails. It then waits until W after it
 * first saw r. Only then it writes the view without the member. The member's right ended before: r was its last
 * renewal, and was sent before it was seen. This holds while the rates of two clocks differ by less than 1.25 = 1/0.8.
 *
 * A process that was left out, or could not renew in time, tells its group so (`suspended`), and comes back under a
 * higher tenure. docs/safety.md has the whole argument. Own key: leased-own.ts. Other keys: leased-sight.ts. Which
 * process is left out or admitted: leased-plan.ts.
 */
import { clone, type Plain } from '../core/plain.ts';
import type { Engine, EngineEnvironment, EngineStatus, SuspectedMember } from '../group/engine.ts';
import type { RegisterAnswer } from '../group/register.ts';
import type { Member } from '../group/view.ts';
import {
  BEAT,
  end,
  expire,
  loseTenure,
  ownAnswered,
  RETRY,
  writeOwn,
  writeOwnIfChanged,
} from './leased-own.ts';
import { contactsOf, peerBegan, peerSaid, reachedPeers, tell, wire } from './leased-peers.ts';
import { CUT_GRACE, planOf, propose, trustedAt, viewAnswered } from './leased-propose.ts';
import { Keys } from './leased-records.ts';
import { seeIdentity, seeRecords } from './leased-sight.ts';
import {
  giveUpCalls,
  initialState,
  isOver,
  type LeasedSettings,
  type Process,
  partOf,
  readAll,
  type State,
} from './leased-state.ts';

/** See the head of this file. */
export function leased(settings: LeasedSettings): Engine {
  return new Leased(settings);
}

class Leased implements Engine {
  readonly name = 'leased';
  readonly wire = wire;
  readonly #settings: LeasedSettings;
  #us!: Process;

  constructor(settings: LeasedSettings) {
    this.#settings = settings;
  }

  start(environment: EngineEnvironment): void {
    const keys = new Keys(this.#settings.group);
    const my = initialState(environment.self.incarnation);
    this.#us = { settings: this.#settings, keys, environment, my };
    environment.timer('beat', partOf(this.#us, BEAT));
    readAll(this.#us);
  }

  sessionBegan(peer: Member): void {
    expire(this.#us);
    peerBegan(this.#us, peer);
  }

  received(from: string, message: Plain): void {
    expire(this.#us);
    if (peerSaid(this.#us, from, message)) this.#proceed();
  }

  timerFired(timer: string): void {
    const us = this.#us;
    expire(us);
    if (us.my.phase === 'ended') return;
    if (timer === 'beat') this.#beat();
    if (timer === 'beat' || timer === 'retry') {
      giveUpCalls(us);
      writeOwn(us);
      readAll(us);
    }
    this.#proceed();
  }

  answered(number: number, answer: RegisterAnswer): void {
    const us = this.#us;
    const { my, environment } = us;
    expire(us);
    const call = my.calls[number];
    if (call === undefined || my.phase === 'ended') return;
    delete my.calls[number];
    const isFailure =
      answer.type === 'failed' || (answer.type === 'set' && answer.outcome === 'unknown');
    my.storeReachable = !isFailure;
    if (isFailure) environment.timer('retry', partOf(us, RETRY));
    if ('identity' in answer && answer.identity !== undefined) {
      seeIdentity(us, answer.identity);
    }
    if (answer.type === 'records') seeRecords(us, call.sentAt, answer);
    else if (answer.type === 'set') {
      if (call.kind === 'own') ownAnswered(us, call, answer);
      else if (call.kind === 'view') viewAnswered(us, call.view, answer);
      // What another process wrote, or this one, is worth a look.
      if (call.kind !== 'own') readAll(us);
    }
    this.#proceed();
  }

  hinted(): void {
    expire(this.#us);
    if (!isOver(this.#us)) readAll(this.#us);
  }

  deadlinePassed(): void {
    expire(this.#us);
  }

  evicted(by: string): void {
    expire(this.#us);
    if (isOver(this.#us)) return;
    loseTenure(this.#us, `${by} has given up its messages to it`);
    this.#proceed();
  }

  leave(): void {
    const us = this.#us;
    const { my, environment } = us;
    if (isOver(us)) return;
    my.deadline = null;
    environment.timer('deadline', 0);
    my.phase = 'leaving';
    // Nothing was ever written: there is nothing to take back.
    if (!my.isConfirmed && my.attempts.length === 0) end(us);
    else writeOwn(us);
  }

  waitsFor(): readonly string[] {
    const us = this.#us;
    if (isOver(us)) return [];
    const { standings, unreachable } = planOf(us);
    const isNot = (id: string, ...these: string[]) => !these.includes(standings[id]!.is);
    const reached = [us.environment.self.id, ...reachedPeers(us)];
    const isWaitedFor = (id: string) =>
      isNot(id, 'live', 'gone') ||
      unreachable.includes(id) ||
      (us.my.phase === 'joining' && isNot(id, 'gone') && !reached.includes(id));
    return Object.keys(standings).filter(isWaitedFor).sort();
  }

  status(): EngineStatus {
    const { my, environment } = this.#us;
    const leaseLeftMs = my.deadline === null ? 0 : Math.max(0, my.deadline - environment.monotonic);
    const suspected = isOver(this.#us) ? [] : suspectedBy(this.#us);
    const { storeReachable, phase, identity } = my;
    const firstViewInMs = trustedAt(this.#us) - environment.monotonic;
    const isAwaited = phase === 'joining' && identity !== null && firstViewInMs > 0;
    const status = { name: this.name, leaseLeftMs, storeReachable, suspected };
    return isAwaited ? { ...status, firstViewInMs } : status;
  }

  save(): Plain {
    return clone(this.#us.my) as unknown as Plain;
  }

  load(state: Plain): void {
    this.#us.my = clone(state) as unknown as State;
  }

  #beat(): void {
    this.#us.environment.timer('beat', partOf(this.#us, BEAT));
    if (isOver(this.#us)) return;
    for (const { id } of contactsOf(this.#us)) tell(this.#us, id, false);
  }

  /** The end of each step: reports our own changes, carries out the plan, and repeats a read if it must. */
  #proceed(): void {
    const us = this.#us;
    if (us.my.phase === 'ended') return;
    writeOwnIfChanged(us);
    propose(us);
    if (us.my.mustReread) readAll(us);
  }
}

/** A member that has missed this many renewals is reported as silent, long before it can be fenced. */
const MISSED_BEATS = 3;

function suspectedBy(us: Process): SuspectedMember[] {
  const { my, environment } = us;
  const { standings, unreachable } = planOf(us);
  const { monotonic } = environment;
  const found = Object.entries(standings).flatMap(([id, standing]): SuspectedMember[] => {
    const { at = monotonic } = my.sightings[id] ?? {};
    const forMs = monotonic - at;
    if (standing.is === 'fenced') {
      return [{ id, why: 'fenced', forMs, viewInMs: standing.until - monotonic }];
    }
    const { leaseMs } = us.settings;
    const isOverdue =
      id !== environment.self.id && my.readAt - at >= partOf(us, MISSED_BEATS * BEAT);
    if (standing.is === 'stale' || (standing.is === 'live' && isOverdue)) {
      return [{ id, why: 'not renewed', forMs, viewInMs: Math.max(0, leaseMs - forMs) }];
    }
    if (!unreachable.includes(id)) return [];
    const since = my.peers[id]?.confirmedAt ?? monotonic;
    // First it is fenced, and then its lease ends.
    const fenceAt = (my.cutSince ?? monotonic) + partOf(us, CUT_GRACE);
    const viewInMs = Math.max(0, fenceAt - monotonic) + leaseMs;
    return [{ id, why: 'unreachable', forMs: monotonic - since, viewInMs }];
  });
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}
