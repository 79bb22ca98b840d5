/** The state of a member and its group, as that member sees it. */
import type { Survey } from '../group/backend.ts';
import { type Cycle, cyclesOf } from '../group/cycles.ts';
import type { EngineStatus } from '../group/engine.ts';
import type { View } from '../group/view.ts';

/** What a member knows without asking the others. */
export interface MemberStatus {
  readonly self: string;
  readonly group: string;
  readonly view: View | null;
  /** What decides the views: `fixed`, or the store; with the lease of this member and the members that look dead. */
  readonly engine: EngineStatus;
  /**
   * Members that requests may have to wait for: the ones that the next view waits for, and members of the view that are
   * not connected.
   */
  readonly waitsFor: readonly string[];
  readonly peers: readonly PeerStatus[];
  readonly algorithms: readonly {
    readonly of: 'locks' | 'semaphores';
    readonly match: string;
    readonly algorithm: string;
  }[];
  /** Counted since this process started. */
  readonly entries: number;
  readonly messages: number;
  /** Why connections of peers were refused or cut, and how often. */
  readonly refusals: { readonly [reason: string]: number };
  /** Why peers refused connections of this member, and how often. */
  readonly refusedBy: { readonly [reason: string]: number };
}

/** What a member knows when it has asked the others for their holders and waiting requests. */
export interface GroupStatus extends MemberStatus, Survey {
  /** Callers that wait for each other in a circle: deadlocks, if they stay. */
  readonly deadlocks: readonly Cycle[];
}

export interface PeerStatus {
  readonly id: string;
  readonly connected: boolean;
  readonly roundTripMs: number | null;
  /** Time since the last message of this peer; null if there was none. */
  readonly silentMs: number | null;
  /** Time since the connection ended, or since this peer has left a ping unanswered; null if it is connected or never was. */
  readonly unreachableMs: number | null;
  /** What was sent to this peer and is not acknowledged yet. */
  readonly queuedBytes: number;
}

/**
 * Why a member keeps requests waiting, in a few words for people: "unreachable for 3.2 s; a view without c in 4.8 s".
 * Undefined if it is there.
 */
function absenceOf({ engine, peers }: MemberStatus, id: string): string | undefined {
  const suspected = engine.suspected.find((one) => one.id === id);
  if (suspected !== undefined) {
    const { why, forMs, viewInMs } = suspected;
    const state = why === 'unreachable' ? 'unreachable' : 'not seen in the store';
    return `${state} for ${seconds(forMs)}; a view without ${id} in ${seconds(viewInMs)}`;
  }
  const peer = peers.find((one) => one.id === id);
  if (peer === undefined || peer.connected) return undefined;
  const { unreachableMs } = peer;
  return unreachableMs === null ? 'never reached' : `unreachable for ${seconds(unreachableMs)}`;
}

/** The members that a request waits for, each with the reason if it is not there. */
export const awaitedText = (status: MemberStatus, ids: readonly string[]): string =>
  ids
    .map((id) => {
      const absence = absenceOf(status, id);
      return absence === undefined ? id : `${id}, ${absence}`;
    })
    .join(', ');

/** The engine, and the lease of this member if it has one. */
export function engineText({ engine }: MemberStatus): string {
  const { name, leaseLeftMs, storeReachable } = engine;
  if (leaseLeftMs === null) return `engine ${name}`;
  const store = storeReachable === false ? 'the store does not answer' : 'the store answers';
  return `engine ${name}, lease ${seconds(leaseLeftMs)} left, ${store}`;
}

/** Why there is no view, where time alone will bring one: "the first view in this store in 7.6 s". */
export function firstViewText({ engine: { firstViewInMs } }: MemberStatus): string | undefined {
  if (firstViewInMs === undefined) return undefined;
  return `the first view in this store in ${seconds(firstViewInMs)}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Members that did not answer the survey are members that a request may have to wait for. */
export const waitsForOf = (
  { waitsFor }: MemberStatus,
  { unreachable }: Survey,
): readonly string[] => [...new Set([...waitsFor, ...unreachable])].sort();

export const withSurvey = (member: MemberStatus, survey: Survey): GroupStatus => ({
  ...member,
  ...survey,
  waitsFor: waitsForOf(member, survey),
  deadlocks: cyclesOf(survey),
});
