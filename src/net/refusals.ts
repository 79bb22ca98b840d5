import { LogLimiter, withheldNote } from './log-limiter.ts';

/** Why a connection was refused or cut. The names are part of the protocol and of the metrics. */
export const reasons = [
  // During the handshake: the other end is no member of this group, or cannot prove that it is.
  'wrong-magic',
  'wrong-version',
  'wrong-group',
  'wrong-digest',
  'wrong-declarations',
  'unknown-member',
  'not-addressed',
  'wrong-direction',
  'wrong-certificate',
  'not-authenticated',
  'wrong-secret',
  'superseded',
  'evicted',
  'implausible-incarnation',
  'timeout',
  'too-many-connections',
  // From a connected peer.
  'too-large',
  'malformed',
  'gap',
  'impossible-ack',
  'silent',
  'overflow',
  // A reason that only a later version knows.
  'other',
] as const;

export type Reason = (typeof reasons)[number];

/** What is wrong with the bytes of a peer. A value and no exception, because peers cause it at will. */
export interface Fault {
  readonly reason: Reason;
  /** One line for people. */
  readonly detail: string;
}

export interface LogEntry {
  readonly level: 'info' | 'warn';
  readonly message: string;
  /** The member that the entry is about, if it is known. */
  readonly peer?: string;
  /** The other end of the connection. */
  readonly remote?: string;
  readonly reason?: Reason;
}

export type Log = (entry: LogEntry) => void;

/** Counts every refused or cut connection, and logs them at a limited rate for each reason and peer. */
export class Refusals {
  /** By this process. */
  readonly counts = none();
  /** Of this process, by its peers. */
  readonly received = none();
  readonly #log: Log;
  readonly #limiter: LogLimiter;
  readonly #isPassing: (reason: Reason) => boolean;

  /** `isPassing` tells for which reasons the cause goes away by itself: they are no warnings. */
  constructor(now: () => number, log: Log, isPassing: (reason: Reason) => boolean = () => false) {
    this.#log = log;
    this.#isPassing = isPassing;
    this.#limiter = new LogLimiter(now);
  }

  note(
    { reason, detail }: Fault,
    about: { readonly peer?: string; readonly remote?: string },
  ): void {
    this.counts[reason]++;
    // Connections that have not proved their name share one key: the network chooses their addresses.
    const withheld = this.#limiter.admit(`${reason} ${about.peer ?? ''}`);
    if (withheld === undefined) return;
    const level = this.#isPassing(reason) ? 'info' : 'warn';
    this.#log({ level, reason, message: detail + withheldNote(withheld), ...about });
  }
}

const none = (): Record<Reason, number> =>
  Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Reason, number>;
