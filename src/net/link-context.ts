import type { Beats } from './beats.ts';
import type { Clock } from './clock.ts';
import type { LinkEvents } from './events.ts';
import type { FramedConnection } from './framed-connection.ts';
import type { GroupSecret } from './group-secret.ts';
import type { Hello, Versions } from './hello.ts';
import type { Log, Refusals } from './refusals.ts';
import type { Limits } from './settings.ts';
import type { Transport } from './transport.ts';
import type { WriteBatch } from './write-batch.ts';

type SessionState = Pick<Hello, 'knows' | 'received' | 'gaveUp' | 'link' | 'knowsLink'>;

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
  /** Peers are added and removed while the links are open. */
  readonly findsMembers: boolean;
  readonly versions: Versions;
  /** Undefined without a group secret. */
  readonly secret: GroupSecret | undefined;
  readonly batch: WriteBatch;
  readonly beats: Beats;
  /** Our HELLO to a peer, with the state of the session with it. */
  hello(to: string, session: SessionState): Hello;
  /** A peer knows a later process of this member. */
  superseded(incarnation: number): void;
  /** A peer has given up its session with this process. */
  evicted(by: string): void;
  /** Reports an event after the current task, because the sender of a message is in the middle of its own work. */
  emitSoon(event: (events: LinkEvents) => void): void;
  /** Writes what is buffered, then closes; `closed` runs when the connection is gone. */
  endGracefully(connection: FramedConnection, closed?: () => void): void;
}
