/**
 * What a step of a member wants done. A step only records it; the driver carries it out after the step has
 * returned: first the messages, so that no other member waits for a caller, then the rest in order.
 *
 * The arrays are used again and again: `clear` empties them.
 */
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import type { Survey } from './backend.ts';
import type { RegisterOperation } from './engine.ts';
import type { Lock } from './lock.ts';
import type { Control } from './messages.ts';
import type { Request } from './request.ts';

/** A message from one site of a lock to another, at another member. */
export interface LockSend {
  readonly type: 'lock';
  readonly to: string;
  readonly lock: Lock;
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly clock: number;
  readonly message: AnyMessage;
}

export type Send =
  | LockSend
  | { readonly type: 'member'; readonly to: string; readonly message: Control }
  | { readonly type: 'engine'; readonly to: string; readonly message: Plain };

/** What a caller is told. `refused` answers a try: another caller has the lock. */
export type Outcome =
  | { readonly type: 'granted' | 'refused'; readonly request: Request }
  | { readonly type: 'failed' | 'lost'; readonly request: Request; readonly error: Error };

/**
 * A timer that a step has set. `lock` is null for those of the member and of its engine. The driver keeps
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
  /** The peer has broken the protocol: only its connection is to be closed. */
  | { readonly type: 'reject'; readonly peer: string; readonly why: string }
  | { readonly type: 'ended'; readonly reason: Error };

export interface LogDetails {
  readonly [name: string]: unknown;
}

export class Effects {
  readonly sends: Send[] = [];
  /** A hand-over for which another member waits is among the sends: they had better be written at once. */
  isUrgent = false;
  readonly outcomes: Outcome[] = [];
  readonly timersSet: Timer[] = [];
  readonly timersCancelled: Timer[] = [];
  readonly reports: Report[] = [];

  log(event: string, details: LogDetails): void {
    this.reports.push({ type: 'log', event, details });
  }

  clear(): void {
    if (this.sends.length > 0) this.sends.length = 0;
    if (this.outcomes.length > 0) this.outcomes.length = 0;
    if (this.timersSet.length > 0) this.timersSet.length = 0;
    if (this.timersCancelled.length > 0) this.timersCancelled.length = 0;
    if (this.reports.length > 0) this.reports.length = 0;
    this.isUrgent = false;
  }
}
