/** The state of a group, as one of its members sees it. */
import type { SurveyEntry } from '../group/backend.ts';

export interface GroupStatus {
  readonly self: string;
  readonly group: string;
  readonly view: {
    readonly epoch: number;
    readonly members: readonly { readonly id: string; readonly incarnation: number }[];
  } | null;
  /** Members that a view waits for. */
  readonly waitsFor: readonly string[];
  readonly peers: readonly PeerStatus[];
  readonly held: readonly SurveyEntry[];
  readonly pending: readonly SurveyEntry[];
  /** Members that did not answer: what they hold and wait for is not in the lists. */
  readonly unreachable: readonly string[];
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

/** Members that are away or silent: a request for a lock that needs one of them waits. */
export function missingOf({ waitsFor, peers, unreachable }: GroupStatus): readonly string[] {
  const away = peers.filter(({ connected }) => !connected).map(({ id }) => id);
  return [...new Set([...waitsFor, ...away, ...unreachable])].sort();
}

export interface PeerStatus {
  readonly id: string;
  readonly connected: boolean;
  readonly roundTripMs: number | null;
  /** Time since the last message of this peer; null if there was none. */
  readonly silentMs: number | null;
}
