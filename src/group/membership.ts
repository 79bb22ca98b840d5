import type { AnyMessage } from '../core/message.ts';
import type { Admission } from './admission.ts';
import type { Effects, SendingLock } from './effects.ts';
import type { LockRecord } from './lock-record.ts';
import type { Control } from './messages.ts';

/** A lock or, with permits, a semaphore: the two may share a name. */
export interface LockName {
  readonly name: string;
  readonly permits: number;
}

/** A member as its locks see it. The view is always the present one. */
export interface Membership {
  /** How many members the view has, and which of them this is. */
  readonly size: number;
  readonly index: number;
  readonly epoch: number;
  /** The names of the members, in the order of the view. */
  readonly members: readonly string[];
  /** How many requests of one member may follow one another before the other members get their turn. */
  readonly turns: number;
  /** After how many requests in a row the member looks for messages of the others, if it has heard of none. */
  readonly yieldAfter: number;
  /** All members have told what they still hold: from now on locks are granted in this view. */
  readonly hasBegun: boolean;
  /** Milliseconds since 1970, as of this step. */
  readonly now: number;
  readonly effects: Effects;
  /** A page watches the steps of locks. */
  readonly isObserved: boolean;
  /**
   * The number of the last probe in this view. All locks share it: a lock that was forgotten and is asked for again
   * must not take an answer to an earlier probe for its own.
   */
  lastProbe: number;
  /** Which locks may ask the other members now. */
  readonly admission: Admission;
  /** Whether the member may grant: its lease, if it has one, has not run out. */
  mayGrant(): boolean;
  /**
   * The next value of the member's Lamport clock, for an entry. Each member has values of its own, so that
   * readers that are inside together have different fences. The next value after it leaves room for so many re-entries.
   */
  tick(reentries: number): number;
  /** Whether the lock may be asked for: the view has begun, and no member holds it from an earlier view. */
  isOpen(lock: LockName): boolean;
  /** A request of this member that held the lock since an earlier view has released it. */
  freed(lock: LockName): void;
  /** The site of an idle lock has a timer that should fire soon. */
  timerIsDue(record: LockRecord): void;
  /** Sends a message of the lock's algorithm to a member of the view, by its index. */
  send(lock: SendingLock, to: number, fromSlot: number, toSlot: number, message: AnyMessage): void;
  /** Sends a member of the view, or all others, a message that is not of the lock's algorithm. */
  tell(message: Control, to: string): void;
  tellAll(message: Control): void;
}
