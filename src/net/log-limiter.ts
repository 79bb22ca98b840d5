/** Log lines for one key within the current period. */
interface Recent {
  since: number;
  lines: number;
  withheld: number;
}

const LINES = 10;
const PERIOD_MS = 60_000;
const MAX_KEYS = 1000;

/**
 * Limits the log lines of each key to ten a minute, so that a flood of faults does not become a flood of lines.
 * The first line of a later minute comes with the number of lines that were withheld.
 */
export class LogLimiter {
  readonly #now: () => number;
  readonly #recent = new Map<string, Recent>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Whether to write a line for this key now. The result is the number of lines withheld since the last period,
   * or undefined if this line is withheld, too.
   */
  admit(key: string): number | undefined {
    const now = this.#now();
    let recent = this.#recent.get(key);
    let withheld = 0;
    if (recent === undefined || now - recent.since >= PERIOD_MS) {
      withheld = recent?.withheld ?? 0;
      recent = { since: now, lines: 0, withheld: 0 };
      // The oldest key makes place: keys may come from the network.
      if (this.#recent.size >= MAX_KEYS && !this.#recent.has(key)) {
        this.#recent.delete(this.#recent.keys().next().value as string);
      }
      this.#recent.set(key, recent);
    }
    if (recent.lines === LINES) {
      recent.withheld++;
      return undefined;
    }
    recent.lines++;
    return withheld;
  }
}

export const withheldNote = (count: number): string =>
  count === 0 ? '' : ` (${count} more like this were not logged in the minutes before)`;
