/** The state of a process with the engine `leased` besides its member: a clock, calls in flight, contacts. */
import type { RegisterAnswer, RegisterOperation } from '../../group/register.ts';
import type { Local } from './processes.ts';

/**
 * W is 10, and a clock advances in ticks of 4 or 3. With 4 the right to act (0.8 W) lasts two ticks, and a fenced member is
 * waited for until the third (W). With 3 it lasts for more than two ticks, so that an answer may come one tick late. With any
 * other tick, the clock of one member might pass W while another passes less than 0.8 W, or there are more states.
 */
export const LEASE = 10;
export const TICKS = [4, 3] as const;
export type Tick = (typeof TICKS)[number];
/** Times are kept relative to the present, which is always here. */
export const PRESENT = 100;
/** Older times count as this old: the engine does not look further back. */
export const OLDEST = PRESENT - 16;

/** A call of the register that was not answered in the step that made it. */
export interface Flight {
  /** The call that the process waits for; 0 if it waits no longer. */
  readonly call: number;
  readonly operation: RegisterOperation;
  /** The call has not taken effect yet. */
  readonly isPending: boolean;
  /** What the process will be told. */
  readonly answer: RegisterAnswer;
}

export interface Leasing {
  /** The engine's timers, and in how many milliseconds they are due. */
  readonly alarms: readonly (readonly [string, number])[];
  /** Until when the process may act, by its own clock; null if no lease was ever given to it. */
  readonly right: number | null;
  /** The members that the process wants sessions with. */
  readonly contacts: readonly number[];
  readonly flights: readonly Flight[];
}

/**
 * What goes wrong with the calls that a step makes. The process is told of each one later, at any moment:
 * - `lost`: it never takes effect; its outcome is unknown;
 * - `unanswered`: it takes effect at once; its outcome is unknown;
 * - `late`: it takes effect at once, and is answered late;
 * - `delayed`: it takes effect at any later moment, and is answered then; or its outcome is unknown before that.
 */
export const CALL_FAULTS = ['lost', 'unanswered', 'late', 'delayed'] as const;
export type CallFault = (typeof CALL_FAULTS)[number];

export type LeasedEvent =
  /** The clock advances. From a `pause` until it resumes, a process takes no other step. */
  | { readonly kind: 'tick' | 'pause' | 'resume' }
  /** The process takes no step any more, as under SIGSTOP. Its waiting callers count no longer; its holders do. */
  | { readonly kind: 'stop' }
  /** The register hints that something has changed. It may also stay silent. */
  | { readonly kind: 'hint' }
  /** A call that was delayed takes effect; or the process is told the outcome of a call. */
  | { readonly kind: 'effect' | 'outcome'; readonly flight: number }
  /** Within a step: the register's answer. */
  | { readonly kind: 'answer'; readonly call: number; readonly answer: RegisterAnswer }
  /** The link from this member to the other is cut: it carries nothing until it is mended. */
  | { readonly kind: 'cut' | 'mend'; readonly to: number };

/** Whether the process may act: it is in a view, and its own clock has not reached the deadline. */
export const mayAct = ({ phase, node, leased }: Local): boolean =>
  phase === 'up' &&
  node !== null &&
  node.view !== null &&
  !node.isSuspended &&
  leased!.right !== null &&
  leased!.right > PRESENT;

export const dueAlarms = ({ leased }: Local): string[] =>
  leased!.alarms.filter(([, ms]) => ms <= 0).map(([name]) => name);
