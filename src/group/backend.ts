/**
 * What the lock API stands on: a source of locks. A member of the group is one, and a client of a daemon is
 * another.
 */
import type { Mode } from '../core/algorithm.ts';

export interface LockBackend {
  /** The name under which `query` lists the callers of this process. */
  readonly clientId: string;
  /** The clock by which the right to act ends, in milliseconds. Default: `performance.now`. */
  readonly monotonic?: () => number;
  /**
   * Asks for a lock, for one caller. The caller hears of the outcome through `caller`, perhaps before this call
   * returns, and gives up or gives back through the handle. `at` is what `monotonic` has just returned: to read a clock
   * takes as long as a short step.
   */
  request(spec: RequestSpec, caller: RequestListener, at?: number): RequestHandle;
  /**
   * Looks at the clocks. If the right to act has ended, tells all callers that have lost their locks, before it returns.
   * A process may have been paused since it was told that it holds a lock. With `at`, which `monotonic` has just returned,
   * it looks at no clock: for a caller that was granted the lock in this turn, by a step that has looked at all clocks.
   */
  checkDeadline?(at?: number): void;
  /** The callers that hold and wait, in the whole group. */
  query(): Promise<Survey>;
  /** The unreachable members that requests of this process for the lock wait for, where that is known. */
  unreachableFor?(name: string, permits: number): readonly string[];
  /** The same where a daemon knows it: a request asks shortly before its time is over. */
  askUnreachable?(name: string, permits: number): Promise<readonly string[]>;
}

export interface RequestSpec {
  /** Any string, lone surrogates too. */
  readonly name: string;
  /** 0 for a lock; for a semaphore, how many permits it has. A lock and a semaphore may share a name. */
  readonly permits: number;
  readonly mode: Mode;
  /**
   * `wait`: until it is our turn. `try`: only if no caller holds the lock and none is before us. `steal`:
   * take the lock from its holders, and be the next.
   */
  readonly how: 'wait' | 'try' | 'steal';
  /** How often the caller could enter again by itself, if it is lent the lock. Without this it is never lent. */
  readonly reentries?: number | undefined;
}

/**
 * A lock that is lent. Its holder may leave and re-enter without a message, up to `reentries` times; the group counts it
 * as held until the holder releases it. The k-th of these entries has the fence of the grant with `clock + k * step`.
 */
export interface Loan {
  readonly reentries: number;
  readonly step: number;
}

/** Exactly one of `granted`, `busy` and `failed` is called, once; `lost` perhaps after `granted`. */
export interface RequestListener {
  /** The lock is ours until `handle.release()`. */
  granted(fence: Fence, loan?: Loan): void;
  /** Only for `try`: another caller has the lock. */
  busy(): void;
  /** The request cannot be served, and waits no longer. */
  failed(error: Error): void;
  /** The lock is no longer ours, whether we are finished or not. `done` is then without effect. */
  lost(reason: Error): void;
  /** Only of a lock that is lent, and once: another caller wants it. The answer is `release` or `inUse`. */
  wanted?(): void;
}

export interface RequestHandle {
  /** Cancels a waiting request, or releases a granted one. Otherwise it does nothing. `at` is as for `LockBackend.request`. */
  release(at?: number): void;
  /** Answers `wanted`: a caller is inside, after so many re-entries. From now on the lock is held, and not lent. */
  inUse?(reentries: number): void;
}

/** Grows from holder to holder, whatever the algorithm. Made into a bigint only where it is looked at. */
export interface Fence {
  readonly epoch: number;
  readonly clock: number;
}

export interface Survey {
  readonly held: readonly SurveyEntry[];
  readonly pending: readonly SurveyEntry[];
  /** Members that did not answer: what they hold and wait for is not in the lists. */
  readonly unreachable: readonly string[];
}

export interface SurveyEntry {
  readonly name: string;
  readonly permits: number;
  readonly mode: Mode;
  readonly clientId: string;
  /** The member through which it was asked. */
  readonly member: string;
  /** How long it has been held, or waited for, in milliseconds. */
  readonly forMs: number;
  /** As a decimal number; for what is held. */
  readonly fence?: string;
  /** For what is waited for, where it is known: the members whose answer is missing. */
  readonly waitsFor?: readonly string[];
}
