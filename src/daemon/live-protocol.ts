/** What `/live` sends: server-sent events of four types, each with one JSON value. The lab reads them. */
import type { AnyMessage } from '../core/message.ts';
import type { Topologies } from '../core/topology.ts';
import type { SurveyEntry } from '../group/backend.ts';
import type { Cycle } from '../group/cycles.ts';

/** `event: status`, every second, and at once when a member comes or goes. */
export interface LiveStatus {
  /** Milliseconds since 1970, by the clock of `self`; likewise in the other events. */
  readonly at: number;
  readonly self: string;
  readonly group: string;
  /** Null while there is no view. */
  readonly epoch: number | null;
  readonly members: readonly LiveMember[];
  readonly unreachable: readonly string[];
  /** Longest first. */
  readonly pending: readonly SurveyEntry[];
  readonly held: readonly SurveyEntry[];
  /** How many there are of each, in the lists and beyond. */
  readonly counts: { readonly held: number; readonly pending: number };
  readonly deadlocks: readonly Cycle[];
  /** Of `self`, since it started. */
  readonly entries: number;
  readonly messages: number;
  /** The members whose steps this stream carries, if a lock is watched: those that have a page, and `self`. */
  readonly watched: readonly string[];
}

export interface LiveMember {
  readonly id: string;
  readonly isInView: boolean;
  readonly isConnected: boolean;
  readonly roundTripMs: number | null;
  readonly silentMs: number | null;
}

/** `event: frame`: how a lock is served in a view. Sent first, and again by every member when a view begins. */
export interface LiveFrame {
  readonly name: string;
  /** 0 for a lock. */
  readonly permits: number;
  readonly epoch: number;
  readonly algorithm: string;
  readonly nodes: number;
  readonly k: number;
  readonly topology: Topologies[keyof Topologies];
  readonly options: { readonly [name: string]: unknown };
  /** By site of the algorithm, the member that it is at. */
  readonly members: readonly string[];
}

/** `event: steps`: what a member's sites of the lock did since the last such event. */
export interface LiveSteps {
  readonly member: string;
  readonly epoch: number;
  readonly steps: readonly LiveStep[];
  /**
   * Entries to this lock that no step tells: callers that followed one another inside, without a step of the
   * algorithm; and, while steps were left out beyond the limit, the requests that callers of this member made.
   */
  readonly left: { readonly entries: number };
  /**
   * When the member reached the limit. It tells nothing of what happens from then on, until a `start` tells how its
   * sites are. Missing where it did not reach the limit.
   */
  readonly pausedAt?: number | undefined;
}

export interface LiveStep {
  readonly at: number;
  readonly site: number;
  /** As in a trace. `start` tells the state of a site when it is first watched, or again after steps were left out. */
  readonly event: 'start' | 'request' | 'deliver' | 'rerequest' | 'exit' | 'timer';
  /** With `deliver`: the sender, the number that the sender gave the message, and its type. */
  readonly from?: number | undefined;
  readonly id?: number | undefined;
  readonly type?: string | undefined;
  /** After the step: 0 idle, 1 waiting, 2 inside. */
  readonly phase: 0 | 1 | 2;
  readonly enters: boolean;
  readonly tokens: number;
  /** The state of the site after the step. */
  readonly state: unknown;
  readonly sends: readonly LiveSend[];
  /** The callers that were granted the lock in this step. */
  readonly grants: readonly string[];
}

export interface LiveSend {
  readonly to: number;
  /** Grows from message to message of a member. */
  readonly id: number;
  readonly message: AnyMessage;
}

/** `event: problem`: why the stream carries less than was asked for. */
export interface LiveProblem {
  readonly member: string;
  readonly text: string;
}
