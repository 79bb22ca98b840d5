/**
 * The contract between an engine and the group that runs it. `src/group/engine.ts` will replace this file:
 * until then it is a copy of the types that `leased` is written against.
 *
 * An engine is a pure step machine. It is told the time, is given events, and records what it wants through its
 * seat. The simulator and the checker run the same engine as a deployed member.
 */
import type { Plain } from '../core/plain.ts';
import type { RegisterAnswer, RegisterOperation } from './register.ts';

/** A process of the group: its name, and when it started. */
export interface Member {
  readonly id: string;
  /** When the process started, in milliseconds since 1970. */
  readonly incarnation: number;
}

/** A process that a session is to be kept with. */
export interface Contact {
  readonly id: string;
  /** Where it listens. */
  readonly address: string;
}

/**
 * One uninterrupted membership of a process. A process that was left out of a view comes back under a higher
 * tenure, without a restart; a tenure that was left out never appears in a view again.
 */
export interface ViewMember extends Member, Contact {
  readonly tenure: number;
}

export interface View {
  /** Grows from view to view, by at least the milliseconds that have passed. */
  readonly epoch: number;
  /** In order of their names. */
  readonly members: readonly ViewMember[];
}

export interface EngineStatus {
  readonly name: string;
  /** Milliseconds until the right to act ends unless it is renewed; null if it never ends. */
  readonly leaseLeftMs: number | null;
  /** Whether the last call of the store succeeded; null for an engine without a store. */
  readonly storeReachable: boolean | null;
  /** Members of the view that look dead or cut off, in order of their names. */
  readonly suspected: readonly SuspectedMember[];
}

export interface SuspectedMember {
  readonly id: string;
  readonly why: 'not renewed' | 'unreachable' | 'fenced';
  /** Milliseconds for which this member has known that. */
  readonly forMs: number;
  /** Milliseconds until a view without it is proposed; null while it has not been fenced. */
  readonly viewInMs: number | null;
}

/** Decides which processes are in the group. */
export interface Engine {
  readonly name: string;
  /** Takes the seat, once. From now on the other methods are called. */
  start(seat: Seat): void;
  /** A session with a process of a peer begins: what was sent to an earlier session is gone. */
  sessionBegan(peer: Member): void;
  /** From this engine at a peer: in order, exactly once within a session. Throws `Malformed` if it is. */
  received(from: string, payload: Uint8Array): void;
  /** A timer that the engine set has expired. */
  timerFired(timer: string): void;
  /** The answer to `seat.call`. */
  answered(call: number, answer: RegisterAnswer): void;
  /** A hint from the register's watch: something may have changed. */
  hinted(): void;
  /** The process leaves: the last chance to say so. */
  leave(): void;
  /** Members that a view waits for. */
  waitsFor(): readonly string[];
  status(): EngineStatus;
  /** Everything that the engine knows, as plain data. */
  save(): Plain;
  load(state: Plain): void;
}

/** What an engine knows and can do. */
export interface Seat {
  readonly self: Member;
  /** The configured peers; empty with a register. */
  readonly peers: readonly string[];
  /** Milliseconds since 1970, as of this step. */
  readonly now: number;
  /** Milliseconds on a clock that never goes back, as of this step. */
  readonly monotonic: number;
  send(to: string, payload: Uint8Array): void;
  /** Keep a session with each of these processes, and with no others. */
  reach(contacts: readonly Contact[]): void;
  /** From now on, this is the view. */
  view(view: View): void;
  /** Until this monotonic time the member may act. */
  mayActUntil(monotonic: number): void;
  /** The member cannot prove its membership for now: holders are told, waiters keep waiting. */
  suspended(reason: Error): void;
  /** For good. */
  stopped(reason: Error): void;
  /** Sets the timer `name`, or replaces it; 0 cancels it. */
  timer(name: string, ms: number): void;
  /** Asks the register. The answer comes as `answered(call, ...)`, perhaps late, perhaps never. */
  call(call: number, operation: RegisterOperation): void;
}
