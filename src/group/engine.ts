/**
 * An engine decides which processes are in the group. It may exchange messages with the engines of the other members,
 * over the same sessions as the locks, or ask a register in a store.
 *
 * An engine is a part of the member's step machine: it is called with the time and with events, and records
 * its effects through its environment. It owns no clock, no socket and no promise.
 *
 * The contract, which `test/support/engine-suite.ts` holds every engine to:
 * - epochs only grow, and no two views share one;
 * - a view is announced at a member only if it names that member in its present incarnation;
 * - two members that are told the same epoch are told the same members;
 * - once nothing fails any more, all members that are up and reachable end in the same view;
 * - before a view begins that leaves out a living member, that member is `suspended` or `stopped`, or its
 *   deadline (`mayActUntil`) has passed.
 */
import type { Plain } from '../core/plain.ts';
import type { Wire } from '../core/wire.ts';
import type { RegisterAnswer, RegisterOperation } from './register.ts';
import type { Contact, Member, View } from './view.ts';

export interface Engine {
  readonly name: string;
  /** The messages between the engines of the members. */
  readonly wire: Wire<Plain>;
  /** Gets its environment, once. From now on the other methods are called. */
  start(environment: EngineEnvironment): void;
  /** A session with a process of a peer begins: what was sent in an earlier session is gone. */
  sessionBegan(peer: Member): void;
  /** From this engine at a peer: in order, exactly once within a session. Throws Malformed if it is absurd. */
  received(from: string, message: Plain): void;
  /** A timer that the engine has set expires. */
  timerFired(timer: string): void;
  /** The answer to `EngineEnvironment.call`. */
  answered(call: number, answer: RegisterAnswer): void;
  /** The register may have changed: a hint, no more. */
  hinted(): void;
  /** The deadline of `EngineEnvironment.mayActUntil` has passed, and a step begins: the engine suspends the member. */
  deadlinePassed(): void;
  /** A peer has given up its messages to this process: what the two agreed on in this view is lost. */
  evicted(by: string): void;
  /**
   * An operator says that the process of this member is gone for good. Only for engines that cannot find that out
   * themselves. If the process still runs, two callers may hold one lock.
   */
  forget?(id: string): void;
  /** The process leaves the group: the last chance to tell the others. */
  leave(): void;
  /** The members that a view is waiting for, if one is. */
  waitsFor(): readonly string[];
  status(): EngineStatus;
  /** All that the engine knows, as plain data; and the engine as it was. */
  save(): Plain;
  load(state: Plain): void;
}

export interface EngineStatus {
  readonly name: string;
  /** How long this member may go on without an answer of the register; null where there is no lease. */
  readonly leaseLeftMs: number | null;
  /** Whether the register answered last time; null where there is no register. */
  readonly storeReachable: boolean | null;
  /** Members of the view that look dead or cut off, in order of their names. */
  readonly suspected: readonly SuspectedMember[];
  /** Milliseconds until a view may be written, where the rights by a view that the register may have lost must end first. */
  readonly firstViewInMs?: number;
}

export interface SuspectedMember {
  readonly id: string;
  readonly why: 'not renewed' | 'unreachable' | 'fenced';
  /** Milliseconds since the member last renewed its record or, if it is unreachable, since its last message. */
  readonly forMs: number;
  /** Milliseconds until a view without it is expected, if nothing changes. */
  readonly viewInMs: number;
}

/** The member as its engine sees it: its clocks, and what the engine can do. */
export interface EngineEnvironment {
  readonly self: Member;
  /** The other configured members, in order of their names; none where a register lists the members. */
  readonly peers: readonly string[];
  /** Milliseconds since 1970, and milliseconds on a clock that never goes back; both as of this step. */
  readonly now: number;
  readonly monotonic: number;
  send(to: string, message: Plain): void;
  /** Keep a session with each of these processes, and with no others. Only where a register lists the members. */
  reach(contacts: readonly Contact[]): void;
  /** From now on, this is the view. */
  view(view: View): void;
  /**
   * Until then the member may act: it grants locks, and its holders are protected. Not called where there is no
   * lease. Both clocks count, because the monotonic one stands still while a machine sleeps.
   */
  mayActUntil(monotonic: number, now: number): void;
  /** The member cannot prove its membership for now: what it holds is lost, its waiting requests wait on. */
  suspended(reason: Error): void;
  /** This process is no member any more, for good: what it holds is lost. */
  stopped(reason: Error): void;
  /** Sets the timer `name` in place of an earlier one; 0 cancels it. */
  timer(name: string, ms: number): void;
  /** Asks the register. The answer comes as `answered`, perhaps late, perhaps never. */
  call(call: number, operation: RegisterOperation): void;
}
