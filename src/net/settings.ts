import { UsageError } from '../core/errors.ts';
import type { Clock } from './clock.ts';
import type { Log } from './refusals.ts';
import type { Transport } from './transport.ts';

export interface LinkSettings {
  /** Our name, and which life of ours this is: it must grow from start to start of the process. */
  readonly self: string;
  readonly incarnation: number;
  /** Members of other groups are refused. */
  readonly group: string;
  /** Of everything that all members must agree on; whoever has another is refused. */
  readonly digest: string;
  /** Where we listen. */
  readonly listen: string;
  /** Where the others listen, by their names. */
  readonly peers: { readonly [id: string]: string };
  readonly transport: Transport;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  readonly clock?: Clock;
  /** From 0 to below 1; spreads the times of reconnecting. */
  readonly random?: () => number;
}

export interface Limits {
  /** The largest message, with its header of 13 bytes. All members must allow the same. */
  readonly maxFrameBytes: number;
  /** What is kept for a peer that does not acknowledge. Beyond it, the session is given up: `overflow`. */
  readonly maxUnackedBytes: number;
  /** From here on a peer counts as congested: whoever can wait should. */
  readonly congestedBytes: number;
  /** How often a peer is pinged; and after how much silence its connection is cut and made anew. */
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  /** How long a connection may take from its beginning to the other's HELLO. */
  readonly handshakeMs: number;
  /** The pause before dialling again doubles from the one to the other, less up to a half at random. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /**
   * Acknowledgements travel with messages. Where none goes the other way, one of its own is sent after so
   * much. Later costs the sender memory, earlier costs both a write: nobody waits for it.
   */
  readonly ackAfterMs: number;
  readonly ackAfterMessages: number;
  readonly ackAfterBytes: number;
  /** How long `close` may take to send what is left and to say goodbye. */
  readonly closeMs: number;
  /** Connections that have not introduced themselves: of more, the oldest are cut. */
  readonly maxHalfOpen: number;
  readonly maxHalfOpenPerAddress: number;
}

const defaultLimits: Limits = {
  maxFrameBytes: 1024 * 1024,
  maxUnackedBytes: 64 * 1024 * 1024,
  congestedBytes: 16 * 1024 * 1024,
  heartbeatMs: 1000,
  silenceMs: 5000,
  handshakeMs: 5000,
  backoffMinMs: 20,
  backoffMaxMs: 1000,
  ackAfterMs: 40,
  ackAfterMessages: 256,
  ackAfterBytes: 256 * 1024,
  closeMs: 1000,
  maxHalfOpen: 512,
  maxHalfOpenPerAddress: 128,
};

/** The limits in full. */
export function checkedSettings(settings: LinkSettings): Limits {
  const { self, incarnation, peers } = settings;
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(`expected the peers to be others, got ${JSON.stringify(self)} among them`);
  }
  if (!Number.isSafeInteger(incarnation) || incarnation < 1 || incarnation >= 2 ** 48) {
    throw new UsageError(
      `expected incarnation to be an integer from 1 to 2^48 - 1, got ${incarnation}`,
    );
  }
  const limits = { ...defaultLimits, ...settings.limits };
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isFinite(value) && value > 0)) {
      throw new UsageError(`expected ${name} to be a number above 0, got ${value}`);
    }
  }
  return limits;
}
