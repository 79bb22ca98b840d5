/** What a daemon needs of the group it serves. */
import type { SurveyEntry } from '../group/backend.ts';
import type { Clerk } from './clients-session.ts';

export interface DaemonGroup {
  readonly id: string;
  readonly backend: Clerk;
  status(): Promise<GroupStatus>;
  /** Aborted when this process is no member any more. */
  readonly stopped: AbortSignal;
  leave(): Promise<void>;
}

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
  /** Since this process began. */
  readonly entries: number;
  readonly messages: number;
  /** Why connections of peers were refused or cut, and how often. */
  readonly refusals: { readonly [reason: string]: number };
}

/** Members that are missing: whoever asks for a lock that needs one of them waits. */
export function missingOf({ waitsFor, peers, unreachable }: GroupStatus): readonly string[] {
  const away = peers.filter(({ connected }) => !connected).map(({ id }) => id);
  return [...new Set([...waitsFor, ...away, ...unreachable])].sort();
}

export interface PeerStatus {
  readonly id: string;
  readonly connected: boolean;
  readonly roundTripMs: number | null;
  /** Since something was last heard of it; null if never. */
  readonly silentMs: number | null;
}
