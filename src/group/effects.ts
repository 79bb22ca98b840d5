/**
 * The effects of a step of a member. A step only records them; the driver carries them out after the step has
 * returned: first the messages, so that no other member waits for a caller, then the rest in order.
 *
 * The lists are used again and again: `clear` empties them.
 */
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import { ReusedList } from '../core/reused-list.ts';
import type { Survey } from './backend.ts';
import type { Lock } from './lock.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { LockName } from './membership.ts';
import type { Control } from './messages.ts';
import type { RegisterOperation } from './register.ts';
import type { Request } from './request.ts';
import type { Contact } from './view.ts';

/** The lock of a message, and how it is written. */
export interface SendingLock extends LockName {
  /** Of the view that the lock lives in. */
  readonly epoch: number;
  readonly algorithm: LockAlgorithm;
}

/** A message from one site of a lock to another, at another member. */
export interface LockSend {
  readonly type: 'lock';
  readonly to: string;
  readonly lock: SendingLock;
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly clock: number;
  readonly message: AnyMessage;
}

export type Send =
  | LockSend
  | { readonly type: 'member'; readonly to: string; readonly message: Control }
  | { readonly type: 'engine'; readonly to: string; readonly message: Plain };

/** What a caller is told. `refused` answers a try: another caller has the lock. `wanted` asks a loan back. */
export type Outcome =
  | { readonly type: 'granted' | 'refused' | 'wanted'; readonly request: Request }
  | { readonly type: 'failed' | 'lost'; readonly request: Request; readonly error: Error };

/**
 * A timer that a step has set. `lock` is null for timers of the member and of its engine. The driver keeps
 * what it needs to cancel the timer in `handle`.
 */
export interface Timer {
  readonly lock: Lock | null;
  readonly name: string;
  /** Milliseconds; or when this turn of the event loop ends; or when the process has read what has arrived. */
  readonly after: number | 'turn' | 'soon';
  handle: unknown;
}

export type Report =
  | { readonly type: 'log'; readonly event: string; readonly details: LogDetails }
  | { readonly type: 'survey'; readonly query: number; readonly survey: Survey }
  | { readonly type: 'call'; readonly call: number; readonly operation: RegisterOperation }
  /** The sessions that the engine wants, and no others. */
  | { readonly type: 'reach'; readonly contacts: readonly Contact[] }
  /** The peer has broken the protocol: only its connection is to be closed. */
  | { readonly type: 'reject'; readonly peer: string; readonly why: string }
  | { readonly type: 'ended'; readonly reason: Error };

export interface LogDetails {
  readonly [name: string]: unknown;
}

export class Effects {
  readonly sends = new ReusedList<Send>();
  /** A hand-over for which another member waits is among the sends, so they should be written at once. */
  isUrgent = false;
  readonly outcomes = new ReusedList<Outcome>();
  readonly timersSet = new ReusedList<Timer>();
  readonly timersCancelled = new ReusedList<Timer>();
  readonly reports = new ReusedList<Report>();

  log(event: string, details: LogDetails): void {
    this.reports.push({ type: 'log', event, details });
  }

  /** Whether the step has no effects but messages. */
  get areOnlySends(): boolean {
    return (
      this.outcomes.length === 0 &&
      this.timersSet.length === 0 &&
      this.timersCancelled.length === 0 &&
      this.reports.length === 0
    );
  }

  clear(): void {
    this.sends.clear();
    this.outcomes.clear();
    this.timersSet.clear();
    this.timersCancelled.clear();
    this.reports.clear();
    this.isUrgent = false;
  }
}
