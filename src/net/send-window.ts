import type { Limits } from './settings.ts';

/** How long a peer may take to acknowledge a message, besides two round trips, while the window is full. */
const DELAY_MS = 60;
const GROWTH = 1.25;
const SHRINKAGE = 0.8;

/**
 * How many bytes may be unacknowledged until a peer counts as congested.
 *
 * A peer acknowledges what it has handled, so the time until that is the delay that messages have. The window measures this
 * time for one message after another. A full window grows while the peer is fast enough, and shrinks while it is not: so
 * the limit is a delay, on a fast machine as on a slow one, and a peer far away can be kept busy.
 */
export class SendWindow {
  bytes: number;
  /** More was sent than the window allows, since the measured message was sent. */
  wasFull = false;
  readonly #least: number;
  readonly #most: number;
  /** The message that is measured; 0 for none. */
  #number = 0;
  #sentAt = 0;

  constructor({
    congestedBytes,
    maxUnackedBytes,
  }: Pick<Limits, 'congestedBytes' | 'maxUnackedBytes'>) {
    this.#least = congestedBytes;
    this.#most = Math.max(congestedBytes, maxUnackedBytes / 4);
    this.bytes = congestedBytes;
  }

  get isMeasuring(): boolean {
    return this.#number > 0;
  }

  measure(number: number, now: number): void {
    this.#number = number;
    this.#sentAt = now;
  }

  /** The peer has acknowledged all messages up to this number. */
  acknowledged(number: number, now: number, roundTripMs: number): void {
    if (this.#number === 0 || number < this.#number) return;
    this.#number = 0;
    // While the window is not full, the peer may wait with its acknowledgement for a message that carries it.
    if (!this.wasFull) return;
    this.wasFull = false;
    const isFast = now - this.#sentAt <= DELAY_MS + 2 * roundTripMs;
    const bytes = this.bytes * (isFast ? GROWTH : SHRINKAGE);
    this.bytes = Math.min(this.#most, Math.max(this.#least, bytes));
  }
}
