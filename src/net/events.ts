/** What the layer above sees of the links. */
import type { Reader } from '../core/wire.ts';
import type { Reason } from './refusals.ts';

/** What happens on the links, always in order: `begins`, then messages of that session, to the next one. */
export interface LinkEvents {
  /** A session with a new process of the peer: what was under way with its predecessor is gone. */
  begins(peer: string, incarnation: number): void;
  /** Exactly once and in order. The payload is valid only during the call. */
  message(peer: string, payload: Reader): void;
  /** For status and suspicion. The session outlives it: what is sent meanwhile arrives later. */
  connection(peer: string, up: boolean): void;
  /** A later process under our own name is known to a peer: this one must stop. */
  superseded(incarnation: number): void;
  /**
   * The peer has not acknowledged for so long that the limit is reached. What was kept for it is gone,
   * what is sent to it is dropped, until one of the two starts anew.
   */
  overflow(peer: string): void;
}

/** How it goes with one peer. */
export interface LinkStatus {
  readonly id: string;
  readonly connected: boolean;
  /** Of the process that the present session is with; undefined before the first. */
  readonly incarnation: number | undefined;
  /** Since anything was heard of it; undefined before that. */
  readonly silentMs: number | undefined;
  /** Of the last heartbeat that was answered. */
  readonly roundTripMs: number | undefined;
  /** Sent, and not acknowledged yet. */
  readonly queuedBytes: number;
  readonly sentMessages: number;
  readonly sentBytes: number;
  readonly receivedMessages: number;
  readonly receivedBytes: number;
  /** Why there is no connection, where we know; for people. */
  readonly trouble: string | undefined;
}

export interface LinksStatus {
  readonly peers: readonly LinkStatus[];
  /** How often someone was sent away, or cut off, and why. */
  readonly refusals: Readonly<Record<Reason, number>>;
  /** Connections that have not said yet who they are. */
  readonly halfOpen: number;
}
