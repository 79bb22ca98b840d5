import type { Clock } from './clock.ts';
import type { LinkEvents } from './events.ts';
import type { Hello } from './hello.ts';
import type { Line } from './line.ts';
import type { Log, Refusals } from './refusals.ts';
import type { Limits } from './settings.ts';
import type { Transport } from './transport.ts';

/** What the parts of `Links` share. */
export interface Host {
  readonly events: LinkEvents;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly transport: Transport;
  readonly incarnation: number;
  /** Our words to a peer of which we know that incarnation, and have received so much from it. */
  hello(to: string, knows: number, received: number): Hello;
  /** A later process under our own name is known to someone. */
  superseded(incarnation: number): void;
  /** A session was given up, its peer having acknowledged too little for too long. */
  overflowed(peer: string): void;
  /** Ends a line when all is written, listening no more; says when it is gone. */
  farewell(line: Line, gone?: () => void): void;
  /** Whatever is sent now is flushed soon: frames are being handed over, or someone is in a hurry. */
  isHandling: boolean;
  /** Someone has been in a hurry since something was last heard. */
  hasHurried: boolean;
  /** Writes whatever was sent in this turn. */
  flush(): void;
}
