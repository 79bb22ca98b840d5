import { frame, kinds, LENGTH_BYTES } from './frames.ts';

/** On a busy connection the round trip is measured once in so many heartbeats. */
const MEASURED = 10;

/** Liveness of the other end: when it was last heard, and the round-trip time of a heartbeat. */
export class Heartbeat {
  heardAt: number | undefined;
  roundTripMs: number | undefined;
  #pingedAt: number | undefined;
  #lastBeatAt = 0;
  #beats = 0;

  /** Time since the last byte of the peer. */
  silentMs(now: number): number | undefined {
    return this.heardAt === undefined ? undefined : now - this.heardAt;
  }

  /** Whether a PING is due at this heartbeat: the peer was not heard since the last one. */
  isDue(now: number): boolean {
    const wasHeard = this.heardAt !== undefined && this.heardAt > this.#lastBeatAt;
    this.#lastBeatAt = now;
    return this.#beats++ % MEASURED === 0 || !wasHeard;
  }

  /** A PING with our time, which the peer's PONG gives back. */
  ping(now: number): Uint8Array {
    this.#pingedAt = now;
    const bytes = frame(kinds.PING, new Uint8Array(8));
    new DataView(bytes.buffer).setFloat64(LENGTH_BYTES + 1, now);
    return bytes;
  }

  /** A PONG, from its kind on. Only the answer to our last PING measures the round trip. */
  pong(bytes: Uint8Array, start: number, now: number): void {
    const sentAt = new DataView(bytes.buffer, bytes.byteOffset + start + 1, 8).getFloat64(0);
    if (sentAt === this.#pingedAt) this.roundTripMs = now - sentAt;
  }
}
