import type { Limits } from './settings.ts';

/** How long a peer may take to answer, besides two round trips. */
const DELAY_MS = 60;
const GROWTH = 1.25;
const SHRINKAGE = 0.8;
/** A window that is never full grows up to here: the larger it is, the less often the peer is asked. */
const CALM_BYTES = 64 * 1024;

/**
 * How many bytes may be unacknowledged until a peer counts as congested.
 *
 * A peer acknowledges what it has handled. When half of the window is unacknowledged, the link asks the peer for an
 * acknowledgement. The time until it comes is the delay of the messages. A full window grows while the peer
 * is fast enough, and shrinks while it is not: so the limit is a delay, on a fast machine as on a slow one, and a peer far
 * away can be kept busy.
 */
export class SendWindow {
  bytes: number;
  /** More was sent than the window allows, since the peer was last asked. */
  wasFull = false;
  readonly #least: number;
  readonly #most: number;
  /** The last message that was sent when the peer was asked; 0 while it is not. */
  #asked = 0;
  #askedAt = 0;

  constructor({
    congestedBytes,
    maxUnackedBytes,
  }: Pick<Limits, 'congestedBytes' | 'maxUnackedBytes'>) {
    this.#least = congestedBytes;
    this.#most = Math.max(congestedBytes, maxUnackedBytes / 4);
    this.bytes = congestedBytes;
  }

  /** Whether it is time to ask the peer for an acknowledgement. */
  mustAsk(unackedBytes: number): boolean {
    return this.#asked === 0 && unackedBytes > this.bytes / 2;
  }

  /** The peer is asked for an acknowledgement of all messages up to this number. */
  asks(number: number, now: number): void {
    this.#asked = number;
    this.#askedAt = now;
  }

  /** The connection is new, and the question may be lost. */
  forgetQuestion(): void {
    this.#asked = 0;
  }

  /** The peer has acknowledged all messages up to this number. */
  acknowledged(number: number, now: number, roundTripMs: number): void {
    if (this.#asked === 0 || number < this.#asked) return;
    this.#asked = 0;
    const isFast = now - this.#askedAt <= DELAY_MS + 2 * roundTripMs;
    if (this.wasFull) this.#resize(isFast ? GROWTH : SHRINKAGE);
    else if (isFast && this.bytes < CALM_BYTES) this.#resize(GROWTH);
    this.wasFull = false;
  }

  #resize(factor: number): void {
    this.bytes = Math.min(this.#most, Math.max(this.#least, this.bytes * factor));
  }
}
