/**
 * An engine decides who is in the group. It may exchange messages with itself at the other members, over
 * the same sessions as the locks, or ask a service that people trust with it.
 *
 * The contract, which `test/support/engine-suite.ts` holds every engine to:
 * - epochs only grow, and no two views share one;
 * - a view is announced at a member only if it names that member in its present incarnation;
 * - two members that are told the same epoch are told the same members;
 * - once nothing fails any more, everyone who is up and reachable ends in the same view;
 * - a member that is left out of a view while its process lives was `stopped` before that view begins.
 */
import type { Member, View } from './view.ts';

export interface Engine {
  readonly name: string;
  /** Takes the seat, once. From now on the other methods are called. */
  start(seat: Seat): void;
  /** A session with a process of a peer begins: what was sent to an earlier one is gone. */
  begins(peer: Member): void;
  /** From this engine at a peer: in order, exactly once within a session. It may be nonsense. */
  receive(from: string, payload: Uint8Array): void;
  /** The process is leaving: the last chance to say so. */
  stop(): Promise<void>;
  /** Whom a view is waiting for, if one is; for people to read. */
  waitsFor(): readonly string[];
}

/** What an engine knows and can do. It is told the time: an engine runs in the simulator too. */
export interface Seat {
  readonly self: Member;
  /** The other members that are configured, in order of their names. */
  readonly peers: readonly string[];
  send(to: string, payload: Uint8Array): void;
  /** From now on, this is the view. */
  view(view: View): void;
  /** This process can no longer prove that it is a member: whatever it holds is lost. For good. */
  stopped(reason: Error): void;
  /** Milliseconds since 1970, by this machine's clock. */
  now(): number;
  /** Calls back after so many milliseconds; returns how to cancel that. */
  later(ms: number, callback: () => void): () => void;
}
