/** Why a stranger was sent away, or a peer's connection cut: counted for good, logged within reason. */

export const reasons = [
  // At the door: what arrived is not a member of this group, or cannot prove that it is.
  'wrong-magic',
  'wrong-version',
  'wrong-group',
  'wrong-digest',
  'unknown-member',
  'not-addressed',
  'wrong-direction',
  'wrong-certificate',
  'not-authenticated',
  'superseded',
  'timeout',
  'too-many-connections',
  // From a peer that was let in.
  'too-large',
  'malformed',
  'gap',
  'impossible-ack',
  'silent',
  'overflow',
] as const;

export type Reason = (typeof reasons)[number];

/** What is wrong with what a peer sent. A value, not an exception: nonsense is nothing exceptional. */
export interface Fault {
  readonly reason: Reason;
  /** One line for people. */
  readonly detail: string;
}

export interface LogEntry {
  readonly level: 'info' | 'warn';
  readonly message: string;
  /** The member it is about, where that is known. */
  readonly peer?: string;
  /** Where the connection comes from or goes to. */
  readonly remote?: string;
  readonly reason?: Reason;
}

export type Log = (entry: LogEntry) => void;

// A flood of nonsense must not become a flood of lines: so many a minute for each reason.
const LINES = 10;
const MINUTE_MS = 60_000;

export class Refusals {
  readonly counts: Record<Reason, number>;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #recent = new Map<Reason, { since: number; lines: number; withheld: number }>();

  constructor(now: () => number, log: Log) {
    this.#now = now;
    this.#log = log;
    this.counts = Object.fromEntries(reasons.map((r) => [r, 0])) as Record<Reason, number>;
  }

  note(
    { reason, detail }: Fault,
    about: { readonly peer?: string; readonly remote?: string },
  ): void {
    this.counts[reason]++;
    const now = this.#now();
    let recent = this.#recent.get(reason);
    if (recent === undefined || now - recent.since >= MINUTE_MS) {
      const withheld = recent?.withheld ?? 0;
      if (withheld > 0) {
        const message = `${withheld} more like this in the last minute`;
        this.#log({ level: 'warn', reason, message });
      }
      recent = { since: now, lines: 0, withheld: 0 };
      this.#recent.set(reason, recent);
    }
    if (recent.lines === LINES) {
      recent.withheld++;
      return;
    }
    recent.lines++;
    this.#log({ level: 'warn', reason, message: detail, ...about });
  }
}
