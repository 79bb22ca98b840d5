/**
 * Frames: a length (4 bytes, big endian, of what follows), a kind (1 byte), and the fields of that kind.
 *
 * | kind | fields |
 * |---|---|
 * | HELLO, REFUSED | JSON: see hello.ts |
 * | MESSAGE | number (6 bytes), acknowledged (6 bytes), payload |
 * | ACK | acknowledged (6 bytes) |
 * | PING, PONG | the sender's time, given back as it is (8 bytes). An ACK goes before a PONG, if one is owed |
 * | GOODBYE | |
 * | PROOF | an HMAC (32 bytes): see group-secret.ts |
 */
import type { Fault } from './refusals.ts';

export const kinds = {
  HELLO: 1,
  REFUSED: 2,
  MESSAGE: 3,
  ACK: 4,
  PING: 5,
  PONG: 6,
  GOODBYE: 7,
  PROOF: 8,
} as const;

export const LENGTH_BYTES = 4;
/** From the beginning of a frame to the payload of a MESSAGE. */
export const HEADER_BYTES = LENGTH_BYTES + 1 + 6 + 6;
/** The largest number that fits six bytes: at a million messages a second, after nine years. */
const LARGEST_NUMBER = 2 ** 48 - 1;

export function uint32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function uint48At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! * 256 + bytes[at + 1]!) * 0x1_0000_0000 + uint32At(bytes, at + 2);
}

export function putUint48(bytes: Uint8Array, at: number, value: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  putUint32(bytes, at + 2, value >>> 0);
}

/** A frame with these fields. */
export function frame(kind: number, fields: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES + 1 + fields.length);
  putUint32(bytes, 0, 1 + fields.length);
  bytes[LENGTH_BYTES] = kind;
  bytes.set(fields, LENGTH_BYTES + 1);
  return bytes;
}

export function ackFrame(number: number): Uint8Array {
  const bytes = frame(kinds.ACK, new Uint8Array(6));
  putUint48(bytes, LENGTH_BYTES + 1, number);
  return bytes;
}

export const isNumber = (value: unknown): value is number =>
  Number.isSafeInteger(value) && 0 <= (value as number) && (value as number) <= LARGEST_NUMBER;

/** Takes a frame from its kind on, `bytes[start]` to `bytes[end - 1]`; false stops the splitter. */
export type Take = (bytes: Uint8Array, start: number, end: number) => boolean;

// The buffer for incomplete frames is reused, unless one large frame has made it larger than this.
const REUSED_BYTES = 65_536;

/**
 * Cuts a stream of chunks into frames. A frame that lies within one chunk is not copied. A frame that ends in a later
 * chunk is copied into a buffer, each byte once. The buffer grows with the bytes received, never with the length
 * announced: to announce a large frame costs us nothing.
 */
export class Splitter {
  /** The largest length that is accepted. */
  limit: number;
  #held = new Uint8Array(0);
  #filled = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes `chunk[start]` to `chunk[until - 1]`. */
  push(chunk: Uint8Array, take: Take, start = 0, until = chunk.length): Fault | undefined {
    let at = start;
    while (this.#filled > 0 && at < until) {
      const knowsLength = this.#filled >= LENGTH_BYTES;
      const whole = LENGTH_BYTES + (knowsLength ? uint32At(this.#held, 0) : 0);
      const from = at;
      at = Math.min(until, at + whole - this.#filled);
      this.#hold(chunk, from, at, whole);
      if (this.#filled < whole) return undefined;
      if (knowsLength) {
        const frame = this.#held;
        this.#filled = 0;
        if (frame.length > REUSED_BYTES) this.#held = new Uint8Array(0);
        if (!take(frame, LENGTH_BYTES, whole)) return undefined;
      } else {
        const fault = this.#judge(uint32At(this.#held, 0));
        if (fault !== undefined) return fault;
      }
    }
    while (until - at >= LENGTH_BYTES) {
      const length = uint32At(chunk, at);
      const fault = this.#judge(length);
      if (fault !== undefined) return fault;
      const end = at + LENGTH_BYTES + length;
      if (end > until) break;
      if (!take(chunk, at + LENGTH_BYTES, end)) return undefined;
      at = end;
    }
    if (at < until) this.#hold(chunk, at, until, until - at);
    return undefined;
  }

  #judge(length: number): Fault | undefined {
    if (length === 0) return { reason: 'malformed', detail: 'an empty frame' };
    if (length <= this.limit) return undefined;
    const detail = `a frame of ${length} bytes, and at most ${this.limit} are allowed`;
    return { reason: 'too-large', detail };
  }

  #hold(chunk: Uint8Array, from: number, until: number, expected: number): void {
    const needed = this.#filled + until - from;
    if (needed > this.#held.length) {
      const roomier = new Uint8Array(Math.max(needed, Math.min(expected, 2 * needed), 64));
      roomier.set(this.#held.subarray(0, this.#filled));
      this.#held = roomier;
    }
    this.#held.set(chunk.subarray(from, until), this.#filled);
    this.#filled = needed;
  }
}
