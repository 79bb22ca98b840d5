import { frame, kinds, LENGTH_BYTES } from './frames.ts';

/** Whether the other end is alive: when we heard of it, and how long a question and its answer take. */
export class Pulse {
  heardAt: number | undefined;
  roundTripMs: number | undefined;
  #pingedAt: number | undefined;

  /** How long it has been silent. */
  silentMs(now: number): number | undefined {
    return this.heardAt === undefined ? undefined : now - this.heardAt;
  }

  /** Carries our time, which comes back in the answer. */
  ping(now: number): Uint8Array {
    this.#pingedAt = now;
    const bytes = frame(kinds.PING, new Uint8Array(8));
    new DataView(bytes.buffer).setFloat64(LENGTH_BYTES + 1, now);
    return bytes;
  }

  /** A PONG has come, from its kind on. Only the answer to our last PING says how long it took. */
  ponged(bytes: Uint8Array, start: number, now: number): void {
    const sentAt = new DataView(bytes.buffer, bytes.byteOffset + start + 1, 8).getFloat64(0);
    if (sentAt === this.#pingedAt) this.roundTripMs = now - sentAt;
  }
}
