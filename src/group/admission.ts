/**
 * Which locks may ask the other members now. A peer is congested when it leaves much of what was sent to it
 * unacknowledged. While a member of the view is congested, a lock whose request would send messages is deferred. Its
 * requests wait here, and one that is cancelled meanwhile has cost no message. A request that needs no message is
 * served as always.
 *
 * Deferred locks ask in batches as soon as no member is congested. Until then a few of them ask at each tick.
 * So a peer that is stopped for an hour slows the group down, and does not block it.
 *
 * Mostly the newest of the deferred locks asks first. Its caller still has most of its timeout left. In an overload the
 * oldest is about to time out, and its messages would be wasted. Every eighth turn is the oldest's, so that a caller
 * without a timeout is served as well.
 */
import { LinkedList } from '../core/linked-list.ts';
import type { Effects, Timer } from './effects.ts';
import { overloaded } from './errors.ts';
import { MOST_DEFERRED } from './limits.ts';
import type { Lock } from './lock.ts';
import type { Request } from './request.ts';

/** How many deferred locks ask at once, and the rate at which they do while a member is congested. */
const BATCH = 64;
const TICK_MS = 100;
const PER_TICK = 16;
/** Every so many turns is the oldest's. */
const OLDEST_EVERY = 8;

export class Admission {
  /** The congested peers, of this view or not. */
  readonly congested = new Set<string>();
  readonly deferred = new LinkedList<Lock>();
  count = 0;
  /** Set while locks are deferred, or requests are refused. */
  timer: Timer | null = null;
  /** How many deferred locks have asked, modulo `OLDEST_EVERY`. */
  turn = 0;
  /** Requests that are told at the next tick that there is no room for them. */
  refused: Request[] = [];
  readonly #effects: Effects;
  readonly #forget: (lock: Lock) => void;
  #members: readonly string[] = [];
  #isCongested = false;
  /** The lock whose turn it is. */
  #admitted: Lock | null = null;

  constructor(effects: Effects, forget: (lock: Lock) => void) {
    this.#effects = effects;
    this.#forget = forget;
  }

  /** Whether every member of the view keeps up with what it is sent. */
  get isOpen(): boolean {
    return !this.#isCongested;
  }

  mayAsk(lock: Lock): boolean {
    return !this.#isCongested || lock === this.#admitted;
  }

  /** A view begins. All locks of the last one are closed. */
  begin(members: readonly string[]): void {
    this.#members = members;
    this.#look();
  }

  congestion(peer: string, isCongested: boolean): void {
    if (isCongested) this.congested.add(peer);
    else this.congested.delete(peer);
    this.#look();
    if (this.isOpen && this.count > 0) this.#askSome(BATCH);
  }

  #look(): void {
    this.#isCongested = this.#members.some((id) => this.congested.has(id));
  }

  /** A new request. It is refused if its lock would be one more than may be deferred. */
  ask(lock: Lock, request: Request): void {
    lock.ask(request);
    if (!lock.isDeferred || this.count <= MOST_DEFERRED || request.stage !== 'waiting') return;
    lock.takeOut(request);
    this.refuse(request);
  }

  defer(lock: Lock): void {
    if (lock.isDeferred) return;
    lock.isDeferred = true;
    this.deferred.push(lock);
    this.count++;
    this.#setTimer();
  }

  /** No request for the lock waits any more. Names that were never asked for must not fill the memory. */
  cancelled(lock: Lock): void {
    this.remove(lock);
    if (lock.isUntouched) this.#forget(lock);
  }

  remove(lock: Lock): void {
    if (!lock.isDeferred) return;
    lock.isDeferred = false;
    this.deferred.remove(lock);
    if (--this.count === 0) this.turn = 0;
  }

  /** The caller is told at the next tick: one that asks again at once cannot occupy the process. */
  refuse(request: Request): void {
    request.lock = null;
    this.refused.push(request);
    this.#setTimer();
  }

  timerFired(): void {
    this.timer = null;
    this.#failRefused();
    this.#askSome(this.isOpen ? BATCH : PER_TICK);
  }

  #failRefused(): void {
    for (const request of this.refused.splice(0)) {
      if (request.stage === 'over') continue;
      request.stage = 'over';
      const error = overloaded(request.name, this.count, [...this.congested]);
      this.#effects.outcomes.push({ type: 'failed', request, error });
    }
  }

  /** This process is no member any more. */
  end(): void {
    this.#failRefused();
    if (this.timer !== null) this.#effects.timersCancelled.push(this.timer);
    this.timer = null;
  }

  /** No lock is deferred any more: the locks are closed. */
  clear(): void {
    while (this.deferred.first !== null) this.remove(this.deferred.first);
  }

  #askSome(most: number): void {
    for (let i = 0; i < most && this.count > 0; i++) {
      const isOldest = this.turn === 0;
      this.turn = (this.turn + 1) % OLDEST_EVERY;
      const lock = (isOldest ? this.deferred.first : this.deferred.last)!;
      this.remove(lock);
      this.#admitted = lock;
      lock.advance();
      this.#admitted = null;
    }
    if (this.count > 0) this.#setTimer();
  }

  #setTimer(): void {
    const after = this.isOpen ? 'soon' : TICK_MS;
    if (this.timer !== null) {
      if (this.timer.after === after || after === TICK_MS) return;
      this.#effects.timersCancelled.push(this.timer);
    }
    this.timer = { lock: null, name: 'admission', after, handle: undefined };
    this.#effects.timersSet.push(this.timer);
  }
}
