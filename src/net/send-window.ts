import type { Limits } from './settings.ts';

/** How long a message may wait for those before it until its receiver counts as congested. */
const DELAY_MS = 50;
/** The rate is measured over periods of at least this. */
const PERIOD_MS = 25;
/** What is left of the last rate after a period with a lower one: the sender may have had little to send. */
const FADING = 0.9;

/**
 * How many bytes may be unacknowledged until a peer counts as congested: what the peer acknowledges within `DELAY_MS` and
 * two round trips. So the limit is a delay, on a fast machine as on a slow one, and on a long line the peer can be kept
 * busy.
 */
export class SendWindow {
  bytes: number;
  readonly #least: number;
  readonly #most: number;
  /** In bytes per millisecond. */
  #rate = 0;
  #since: number | undefined;
  #acknowledgedBefore = 0;

  constructor({
    congestedBytes,
    maxUnackedBytes,
  }: Pick<Limits, 'congestedBytes' | 'maxUnackedBytes'>) {
    this.#least = congestedBytes;
    this.#most = Math.max(congestedBytes, maxUnackedBytes / 4);
    this.bytes = congestedBytes;
  }

  /** The bytes that the peer has acknowledged in all, as of now. */
  sample(now: number, acknowledgedBytes: number, roundTripMs: number): void {
    this.#since ??= now;
    const elapsed = now - this.#since;
    if (elapsed < PERIOD_MS) return;
    const rate = (acknowledgedBytes - this.#acknowledgedBefore) / elapsed;
    this.#rate = Math.max(rate, FADING * this.#rate);
    this.#since = now;
    this.#acknowledgedBefore = acknowledgedBytes;
    const bytes = this.#rate * (DELAY_MS + 2 * roundTripMs);
    this.bytes = Math.min(this.#most, Math.max(this.#least, bytes));
  }
}
