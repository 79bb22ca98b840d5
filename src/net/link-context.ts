import type { Clock } from './clock.ts';
import type { DelayedAcks } from './delayed-acks.ts';
import type { LinkEvents } from './events.ts';
import type { FramedConnection } from './framed-connection.ts';
import type { Hello } from './hello.ts';
import type { Log, Refusals } from './refusals.ts';
import type { Limits } from './settings.ts';
import type { Transport } from './transport.ts';
import type { WriteBatch } from './write-batch.ts';

/** The context that all links, dialers and pending handshakes of one process share. */
export interface LinkContext {
  readonly events: LinkEvents;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly transport: Transport;
  readonly incarnation: number;
  readonly batch: WriteBatch;
  readonly acks: DelayedAcks;
  /** Our HELLO to a peer whose incarnation `knows` is the latest known, 0 for none. */
  hello(to: string, knows: number, received: number): Hello;
  /** A peer knows a later process of this member. */
  superseded(incarnation: number): void;
  /** The session with the peer was given up. */
  overflowed(peer: string): void;
  /** Writes what is buffered, then closes; `closed` runs when the connection is gone. */
  endGracefully(connection: FramedConnection, closed?: () => void): void;
}
