/** What the layer above sees of the links. */
import type { Reader } from '../core/wire.ts';
import type { Reason } from './refusals.ts';

/** Events of the links. For each peer they come in order: `begins`, then the messages of that session. */
export interface LinkEvents {
  /** A session with a new process of the peer. All messages of the session before it are gone. */
  begins(peer: string, incarnation: number): void;
  /** A message, exactly once and in order. The payload is valid only during the call. */
  message(peer: string, payload: Reader): void;
  /** The connection came up or went down. The session survives: messages sent meanwhile arrive later. */
  connection(peer: string, up: boolean): void;
  /** A peer knows a later process of this member: this process must stop. */
  superseded(incarnation: number): void;
  /** A process that is no peer wants a session. Only where peers are added and removed. */
  unknown(): void;
  /**
   * The peer has acknowledged too little for too long. All messages kept for it are gone, and messages to it are
   * dropped until one of the two processes is replaced. Reported once for each session.
   */
  overflow(peer: string): void;
  /**
   * The peer has given up its messages to this process, so that their session cannot go on. This process must start
   * anew: a new incarnation gets a new session. Reported once for each peer.
   */
  evicted(by: string): void;
  /**
   * The peer became congested, or no longer is: the layer above should send it less, or may send more. That it became
   * congested is told within `send`, which must not be called then.
   */
  congestion(peer: string, isCongested: boolean): void;
}

/** The state of the link with one peer. */
export interface LinkStatus {
  readonly id: string;
  readonly connected: boolean;
  /** The version of the protocol that both sides speak; undefined before the first session. */
  readonly version: number | undefined;
  /** Messages to it are dropped until it starts anew: see `overflow`. */
  readonly gaveUp: boolean;
  readonly congested: boolean;
  /** Of the process at the other end of the present session; undefined before the first. */
  readonly incarnation: number | undefined;
  /** Time since the last byte of the peer; undefined before the first. */
  readonly silentMs: number | undefined;
  /**
   * Time since the connection ended, or since the PING that the peer did not answer; undefined while it is connected, and
   * before the first connection.
   */
  readonly unreachableMs: number | undefined;
  /** Of the last heartbeat that was answered. */
  readonly roundTripMs: number | undefined;
  /** Sent, and not acknowledged yet. */
  readonly queuedBytes: number;
  readonly sentMessages: number;
  readonly sentBytes: number;
  readonly receivedMessages: number;
  readonly receivedBytes: number;
  /** Why there is no connection, if this is known; for people. */
  readonly trouble: string | undefined;
}

export interface LinksStatus {
  readonly peers: readonly LinkStatus[];
  /** How many connections were refused or cut, by reason. */
  readonly refusals: Readonly<Record<Reason, number>>;
  /** How often peers refused this process, by reason. */
  readonly refusedBy: Readonly<Record<Reason, number>>;
  /** Connections whose handshake is not complete. */
  readonly halfOpen: number;
}
