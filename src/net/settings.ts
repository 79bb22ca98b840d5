import { UsageError } from '../core/errors.ts';
import type { Clock } from './clock.ts';
import type { Versions } from './hello.ts';
import type { Log } from './refusals.ts';
import type { Transport } from './transport.ts';

export interface LinkSettings {
  /** The name of this member. */
  readonly self: string;
  /** The number of this process: it must grow from each start of the member to the next. */
  readonly incarnation: number;
  /** Members of other groups are refused. */
  readonly group: string;
  /** A fingerprint of the declarations of all messages (core/wire.ts). Members with another one are refused. */
  readonly declarations?: string;
  /** A digest of the configuration that all members must share. Members with another one are refused. */
  readonly digest: string;
  /** The address at which this process listens. */
  readonly listen: string;
  /** The addresses of the other members, by their names. */
  readonly peers: { readonly [id: string]: string };
  /** Whether `reach` adds and removes peers while the links are open. Default false: `peers` are all. */
  readonly findsMembers?: boolean;
  readonly transport: Transport;
  /** Known to all members: a process that cannot prove that it knows it is refused. */
  readonly secret?: string | undefined;
  /** For tests: the versions of the protocol that this process speaks. */
  readonly versions?: Versions;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  readonly clock?: Clock;
  /** Milliseconds since 1970, to judge incarnations by. */
  readonly wallTime?: () => number;
  /** From 0 to below 1; spreads the pauses before reconnecting. */
  readonly random?: () => number;
}

export interface Limits {
  /** The largest message, with its header of 13 bytes. All members must allow the same. */
  readonly maxFrameBytes: number;
  /** How many unacknowledged bytes are kept for a peer. Beyond it the session is given up: `overflow`. */
  readonly maxUnackedBytes: number;
  /** With fewer unacknowledged bytes a peer never counts as congested: see send-window.ts. */
  readonly congestedBytes: number;
  /** The interval of heartbeats, and the silence after which a connection is closed and dialed again. */
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  /** After so long without a message a connection is idle, and has heartbeats at a longer interval. */
  readonly idleAfterMs: number;
  readonly idleHeartbeatMs: number;
  /** The longest time from the beginning of a connection to the end of its handshake. */
  readonly handshakeMs: number;
  /** The pause before dialing again doubles from the minimum to the maximum, less up to a half at random. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /**
   * Messages carry acknowledgements. If no message goes the other way, an ACK is sent after so much, when the peer asks
   * for it, or with the next heartbeat. A later ACK costs the sender memory, an earlier one costs both sides a write.
   */
  readonly ackAfterMessages: number;
  readonly ackAfterBytes: number;
  /** How far in the future the start of a process may lie, by the clock of this machine. */
  readonly maxClockAheadMs: number;
  /** A member that should be dialed is dialed by this process itself after so long, to find out why not. */
  readonly reverseDialAfterMs: number;
  /** How long `close` may take to write the remaining messages. */
  readonly closeMs: number;
  /** The most connections whose handshake is not complete; a newer one evicts the oldest. */
  readonly maxHalfOpen: number;
  readonly maxHalfOpenPerAddress: number;
}

const defaultLimits: Limits = {
  maxFrameBytes: 1024 * 1024,
  maxUnackedBytes: 64 * 1024 * 1024,
  congestedBytes: 4 * 1024,
  heartbeatMs: 1000,
  silenceMs: 5000,
  idleAfterMs: 10_000,
  idleHeartbeatMs: 15_000,
  handshakeMs: 5000,
  backoffMinMs: 20,
  backoffMaxMs: 1000,
  ackAfterMessages: 256,
  ackAfterBytes: 64 * 1024,
  maxClockAheadMs: 24 * 60 * 60 * 1000,
  reverseDialAfterMs: 10_000,
  closeMs: 1000,
  maxHalfOpen: 512,
  maxHalfOpenPerAddress: 128,
};

/** Throws a UsageError for settings that are not valid; returns the limits with their defaults. */
export function checkedSettings(settings: LinkSettings): Limits {
  const { self, incarnation, peers } = settings;
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(
      `expected \`peers\` to be the other members, got ${JSON.stringify(self)} among them`,
    );
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
