/**
 * One request of one caller, from asking to the end. To the backend it is the spec and the caller in one;
 * the lock API waits for its `turn`, enters, and releases.
 *
 *     waiting ─▶ granted ─▶ held ─▶ over
 *        │          └▶ refused └▶ lost
 *        ├▶ refused (aborted, timed out, failed, closed: `reason` says)
 *        └▶ missed (not free, and not to be waited for)
 *
 * `granted` lasts until the caller's next turn: an abort before that still wins, as Web Locks demands.
 */
import type { Mode } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { withoutStack } from '../core/errors.ts';
import type { Linked } from '../core/linked-list.ts';
import type { Fence, RequestHandle, RequestListener, RequestSpec } from '../group/backend.ts';
import type { Cycle, CycleStep } from '../group/cycles.ts';
import { fenceValue } from '../group/fence.ts';
import type { Acquisitions } from './acquisitions.ts';
import { publishEnd, publishGrant, publishMiss, publishStart } from './channels.ts';
import { ClosedError, lossOf, refusalOf, StolenError, TimeoutError } from './errors.ts';
import type { Wanted } from './options.ts';
import { holding, refuseIfCircular } from './self-deadlock.ts';
import type { Refusal } from './stats.ts';
import { Spans } from './telemetry.ts';

/** How long before the end of its time a request looks for a deadlock: a survey of the group takes less. */
const LOOK_MS = 200;

interface Found {
  /** The deadlock that it is part of. */
  readonly circle?: Cycle | undefined;
  /** The unreachable members that it waits for, as the daemon of a client says. */
  readonly unreachable?: readonly string[];
}

type Stage = 'waiting' | 'granted' | 'held' | 'over' | 'refused' | 'missed' | 'lost';

export class Acquisition implements RequestSpec, RequestListener, Linked<Acquisition> {
  readonly acquisitions: Acquisitions;
  readonly name: string;
  readonly permits: number;
  readonly mode: Mode;
  readonly how: RequestSpec['how'];
  stage: Stage = 'waiting';
  /** When it was asked for, then when it was entered; in milliseconds. */
  since: number;
  /** The held acquisition inside whose callback this one was made. */
  outer: Acquisition | undefined;
  /** What runs inside, where it is a callback. */
  callback: { readonly name: string } | undefined;
  /** It waits until it is granted, whatever happens. */
  isPatient = false;
  before: Acquisition | null = null;
  behind: Acquisition | null = null;
  #isWatched = false;
  #handle: RequestHandle | undefined;
  #fence: Fence | undefined;
  #reason: unknown;
  #wake: (() => void) | undefined;
  #signal: AbortSignal | undefined;
  #timeoutMs = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #selfWait: NodeJS.Timeout | undefined;
  /** What was found shortly before the end of its time, for the error to name. */
  #found: Found | undefined;
  #lost: AbortController | undefined;
  #spans: Spans | undefined;
  #onLost: ((reason: unknown) => void) | undefined;

  constructor(
    acquisitions: Acquisitions,
    name: string,
    permits: number,
    mode: Mode,
    how: RequestSpec['how'],
  ) {
    this.acquisitions = acquisitions;
    this.name = name;
    this.permits = permits;
    this.mode = mode;
    this.how = how;
    this.since = acquisitions.monotonic();
  }

  /** `selfWaitMs`: how long it may wait for itself; see self-deadlock.ts. `leftMs`: what is left of `timeoutMs`. */
  ask({ signal, timeoutMs }: Wanted, selfWaitMs: number, leftMs = timeoutMs): void {
    const { acquisitions } = this;
    if (acquisitions.isClosed) throw new ClosedError();
    acquisitions.telemetry.look(this.since);
    this.isPatient = this.how === 'wait' && signal === undefined && timeoutMs === Infinity;
    this.#isWatched = selfWaitMs !== Infinity;
    if (this.#isWatched) this.outer = holding.getStore();
    acquisitions.stats.waiting++;
    acquisitions.all.push(this);
    publishStart(this);
    const { tracer } = acquisitions.telemetry;
    if (tracer !== undefined) this.#spans = new Spans(tracer, this);
    try {
      this.#handle = acquisitions.backend.request(this, this, this.since);
    } catch (error) {
      this.failed(error as Error);
    }
    // Refused while it was being asked: now there is something to give back.
    if (this.stage === 'refused') this.#handle?.release();
    if (signal !== undefined && this.#isOpen()) {
      this.#signal = signal;
      signal.addEventListener('abort', this);
    }
    if (this.stage !== 'waiting') return;
    if (leftMs !== Infinity) this.#timeOut(timeoutMs, leftMs);
    if (this.outer !== undefined && this.how === 'wait') refuseIfCircular(this, selfWaitMs);
  }

  /**
   * Shortly before its time is over, the request looks for what the error can name, so that the error is not late. A
   * client asks its daemon which members cannot be reached. If the process holds other locks, the request looks for a
   * deadlock: callers that wait for each other in a circle with it.
   */
  #timeOut(timeoutMs: number, leftMs: number): void {
    this.#timeoutMs = timeoutMs;
    const lookMs = Math.min(LOOK_MS, leftMs / 2);
    this.#timer = setTimeout(look, leftMs - lookMs, this, lookMs);
  }

  look(lookMs: number): void {
    this.#timer = setTimeout(expire, lookMs, this);
    const { acquisitions, name, permits } = this;
    if (acquisitions.backend.askUnreachable !== undefined) {
      const told = (unreachable: readonly string[]) => {
        this.#found = { ...this.#found, unreachable };
      };
      acquisitions.backend.askUnreachable(name, permits).then(told, () => {});
    }
    if (acquisitions.stats.held === 0) return;
    const isOurs = ({ clientId, waitsFor }: CycleStep) =>
      clientId === acquisitions.backend.clientId && waitsFor === name;
    const found = (cycles: readonly Cycle[]) => {
      this.#found = { ...this.#found, circle: cycles.find((steps) => steps.some(isOurs)) };
    };
    acquisitions.cycles().then(found, () => {}); // not known, and not worth another error
  }

  /** Its time is over. */
  expire(): void {
    if (!this.#isOpen()) return;
    const { name, permits } = this;
    const { backend } = this.acquisitions;
    const { unreachable = backend.unreachableFor?.(name, permits), circle } = this.#found ?? {};
    const error = withoutStack(() => new TimeoutError(name, this.#timeoutMs, unreachable, circle));
    this.refuse('timedOut', error);
  }

  /** Resolves when the wait is over, one way or the other; at the earliest in the caller's next turn. */
  get turn(): Promise<void> | undefined {
    if (this.stage !== 'waiting') return undefined;
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }

  /** Whether the lock is now held; false if it was not free. Throws why it was refused, if it was. */
  enter(): boolean {
    const { acquisitions } = this;
    const now = acquisitions.monotonic();
    // The process may have been paused since the grant, which was made in this turn.
    if (this.stage === 'granted') acquisitions.backend.checkDeadline?.(now);
    if (this.stage === 'refused') throw this.#reason;
    acquisitions.stats.waiting--;
    if (this.stage === 'missed') {
      acquisitions.stats.busy++;
      acquisitions.all.remove(this);
      this.#spans?.outcome('busy');
      publishMiss(this);
      return false;
    }
    assert(this.stage === 'granted', 'an acquisition is entered once, after its turn has come');
    this.#stopListening();
    this.stage = 'held';
    acquisitions.stats.granted++;
    acquisitions.stats.held++;
    acquisitions.stats.wait.add(now - this.since);
    acquisitions.telemetry.waited(this, now - this.since);
    this.since = now;
    this.#spans?.enter(this.#fence!);
    publishGrant(this);
    return true;
  }

  /** Runs `callback` where spans, and requests for the same lock, can know that it is inside. */
  run<A, R>(callback: (argument: A) => R, argument: A): R {
    if (this.stage !== 'held') return callback(argument);
    const spans = this.#spans;
    if (spans !== undefined) {
      const traced = () => spans.run(callback, argument);
      return this.#isWatched ? holding.run(this, traced) : traced();
    }
    return this.#isWatched ? holding.run(this, callback, argument) : callback(argument);
  }

  /**
   * Gives back what is held; otherwise nothing. `error` is what it ended with, for telemetry. If the right of this
   * process to act has ended before, the lock is lost instead.
   */
  release(error?: unknown): void {
    if (this.stage === 'held') {
      // First of all, so that no subscriber of a channel or a span delays the next holder.
      const now = this.acquisitions.monotonic();
      this.#handle?.release(now);
      if ((this.stage as Stage) !== 'held') return;
      this.stage = 'over';
      this.#end(error, now);
    } else if (this.stage === 'missed') {
      this.stage = 'over';
      publishEnd(this, error);
    }
  }

  /** A callback may lose its lock while it runs: it steals it from itself, leaves the group, or is paused too long. */
  throwIfLost(): void {
    if (this.stage === 'lost') throw this.#reason;
  }

  /** Calls back as soon as the lock is lost: now, if it has been. */
  whenLost(callback: (reason: unknown) => void): void {
    if (this.stage === 'lost') callback(this.#reason);
    else this.#onLost = callback;
  }

  refuse(outcome: Refusal, reason: unknown): void {
    if (!this.#isOpen()) return;
    this.#stopListening();
    this.stage = 'refused';
    this.#reason = reason;
    this.#handle?.release();
    this.#wake?.();
    this.#forget();
    this.acquisitions.stats[outcome]++;
    this.acquisitions.stats.waiting--;
    this.acquisitions.all.remove(this);
    this.#spans?.outcome(outcome, reason);
    publishEnd(this, reason);
  }

  close(reason: ClosedError): void {
    const handle = this.#handle;
    if (this.stage === 'held') this.lost(reason);
    else this.refuse('failed', reason);
    handle?.release();
  }

  /** Calls back after so many milliseconds, if it still waits. */
  startSelfWait(ms: number, callback: () => void): void {
    this.#selfWait = setTimeout(callback, ms);
  }

  get fence(): bigint {
    return fenceValue(this.#fence!);
  }

  get lostSignal(): AbortSignal {
    if (this.#lost === undefined) {
      this.#lost = new AbortController();
      if (this.stage === 'lost') this.#lost.abort(this.#reason);
    }
    return this.#lost.signal;
  }

  // What the backend says.

  granted(fence: Fence): void {
    if (this.stage !== 'waiting') return;
    this.stage = 'granted';
    this.#fence = fence;
    this.#wake?.();
  }

  busy(): void {
    if (this.stage !== 'waiting') return;
    this.stage = 'missed';
    this.#stopListening();
    this.#wake?.();
  }

  failed(error: Error): void {
    this.refuse('failed', refusalOf(error));
  }

  lost(cause: Error): void {
    const reason = lossOf(this.name, cause);
    const outcome = reason instanceof StolenError ? 'stolen' : 'lost';
    if (this.stage === 'granted') this.refuse(outcome, reason);
    if (this.stage !== 'held') return;
    this.stage = 'lost';
    this.#reason = reason;
    this.#onLost?.(reason);
    this.acquisitions.stats[outcome]++;
    this.#end(reason, this.acquisitions.monotonic());
    this.#lost?.abort(reason);
  }

  // What the signal says.

  handleEvent(): void {
    this.refuse('aborted', this.#signal!.reason);
  }

  #isOpen(): boolean {
    return this.stage === 'waiting' || this.stage === 'granted';
  }

  #end(error: unknown, now: number): void {
    const { acquisitions } = this;
    const ms = now - this.since;
    acquisitions.stats.held--;
    acquisitions.stats.hold.add(ms);
    acquisitions.telemetry.held(this, ms);
    acquisitions.all.remove(this);
    this.#forget();
    this.#spans?.end(error);
    publishEnd(this, error);
  }

  /**
   * What was asked for inside a callback leads back to its acquisition, and promises lead to the acquisition around
   * them: a chain of requests, each made in the one before, must not keep all of them alive.
   */
  #forget(): void {
    this.outer = undefined;
    this.#onLost = undefined;
    this.#wake = undefined;
  }

  #stopListening(): void {
    this.#signal?.removeEventListener('abort', this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#selfWait !== undefined) clearTimeout(this.#selfWait);
    // A timer keeps the callback alive inside which it was set.
    this.#timer = undefined;
    this.#selfWait = undefined;
  }
}

// Not closures: thousands of requests may wait at once.
const look = (acquisition: Acquisition, lookMs: number): void => acquisition.look(lookMs);
const expire = (acquisition: Acquisition): void => acquisition.acquisitions.expiry.run(acquisition);
