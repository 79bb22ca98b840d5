import type { Clock } from './clock.ts';

/** Beats all links. Returns for how many milliseconds none of them has anything to do, if no message comes. */
type BeatAll = (now: number, hasPaused: boolean) => number;

/**
 * One timer for the heartbeats of all links. While all links are idle it comes when the first of them is due: to wake an
 * idle process takes longer than a heartbeat. The next message makes it come as often as before.
 */
export class Beats {
  readonly #clock: Clock;
  readonly #heartbeatMs: number;
  readonly #beatAll: BeatAll;
  /** Whether all links were idle at the last beat. */
  #isSlow = false;
  #isStopped = false;
  #lastBeat = 0;
  #cancel = () => {};

  constructor(clock: Clock, heartbeatMs: number, beatAll: BeatAll) {
    this.#clock = clock;
    this.#heartbeatMs = heartbeatMs;
    this.#beatAll = beatAll;
  }

  start(): void {
    this.#lastBeat = this.#clock.now();
    this.#schedule(this.#heartbeatMs);
  }

  /** A link is not idle any more. */
  wake(): void {
    if (!this.#isSlow) return;
    this.#isSlow = false;
    this.#cancel();
    this.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#isSlow = false;
    this.#cancel();
  }

  #schedule(ms: number): void {
    this.#cancel = this.#clock.later(ms, () => this.#beat(ms));
  }

  #beat(interval: number): void {
    const now = this.#clock.now();
    // After a pause of this process, bytes of the peers are still unread.
    const hasPaused = now - this.#lastBeat > interval + this.#heartbeatMs;
    this.#lastBeat = now;
    this.#isSlow = false;
    const untilDueMs = this.#beatAll(now, hasPaused);
    // A link that was cut may have led to the end of all.
    if (this.#isStopped) return;
    this.#isSlow = untilDueMs > this.#heartbeatMs;
    this.#schedule(Math.max(untilDueMs, this.#heartbeatMs));
  }
}
