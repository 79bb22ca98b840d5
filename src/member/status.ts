/** The state of a member and its group, as that member sees it. */
import type { Survey } from '../group/backend.ts';
import { type Cycle, cyclesOf } from '../group/cycles.ts';
import type { View } from '../group/view.ts';

/** What a member knows without asking the others. */
export interface MemberStatus {
  readonly self: string;
  readonly group: string;
  readonly view: View | null;
  /**
   * Members that requests may have to wait for: those that the next view waits for, and those that are not
   * connected.
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
  /** What was sent to this peer and is not acknowledged yet. */
  readonly queuedBytes: number;
}

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
