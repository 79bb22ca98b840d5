import { assert } from '../core/assert.ts';
import { copyBytes } from '../core/wire.ts';
import { HEADER_BYTES, kinds, LENGTH_BYTES, putUint32, putUint48, uint32At } from './frames.ts';

/** Encoded frames, one after the other: 0 ≤ acknowledged ≤ written or end ≤ bytes.length. */
interface Chunk {
  readonly bytes: Buffer;
  /** The peer has acknowledged the frames before this position. */
  acknowledged: number;
  /** The frames before this position were written to the present connection. */
  written: number;
  end: number;
  /** The number of its last frame. */
  last: number;
}

const CHUNK_BYTES = 65_536;

/**
 * The MESSAGE frames that the peer has not acknowledged. They are encoded once into chunks, written from there, and
 * written again after a reconnect.
 *
 * A chunk is reused when the peer has acknowledged all of it: no socket still writes bytes that have arrived. A peer
 * that acknowledges falsely damages only its own stream.
 */
export class Outbox {
  /** Oldest first; only the last has room. */
  readonly #chunks: Chunk[] = [];
  #spare: Chunk | undefined;
  /** The bytes that are not acknowledged. */
  bytes = 0;
  /** The last number that was acknowledged. */
  acknowledged = 0;
  /** The last number that was written to the present connection. */
  #written = 0;

  append(number: number, received: number, payload: Uint8Array, length = payload.length): void {
    const size = HEADER_BYTES + length;
    const chunk = this.#roomFor(size);
    const { bytes, end } = chunk;
    putUint32(bytes, end, size - LENGTH_BYTES);
    bytes[end + LENGTH_BYTES] = kinds.MESSAGE;
    putUint48(bytes, end + LENGTH_BYTES + 1, number);
    putUint48(bytes, end + LENGTH_BYTES + 7, received);
    copyBytes(payload, length, bytes, end + HEADER_BYTES);
    chunk.end += size;
    chunk.last = number;
    this.bytes += size;
  }

  /** The next bytes to write: whole frames, as many as lie together in one chunk. */
  next(): Uint8Array | undefined {
    // From the end, because of hundreds of chunks most were written long ago.
    let i = this.#chunks.length;
    while (i > 0 && this.#chunks[i - 1]!.written < this.#chunks[i - 1]!.end) i--;
    const chunk = this.#chunks[i];
    if (chunk === undefined) return undefined;
    const { bytes, written, end } = chunk;
    chunk.written = end;
    this.#written = chunk.last;
    return bytes.subarray(written, end);
  }

  /** The peer has received all frames up to this number. False if that frame was not written to this connection. */
  acknowledge(number: number): boolean {
    // Checked first, so that an impossible number changes nothing.
    if (number > this.#written) return false;
    this.#drop(number);
    return true;
  }

  /** On a new connection, whose other end has received all up to `number`, the rest is written again. */
  rewind(number: number): void {
    this.#drop(number);
    this.#written = this.acknowledged;
    for (const chunk of this.#chunks) chunk.written = chunk.acknowledged;
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#spare = undefined;
    this.bytes = 0;
  }

  #drop(upTo: number): void {
    while (this.acknowledged < upTo) {
      const chunk = this.#chunks[0];
      assert(chunk !== undefined, 'a frame that the peer has received was sent');
      const size = LENGTH_BYTES + uint32At(chunk.bytes, chunk.acknowledged);
      chunk.acknowledged += size;
      this.bytes -= size;
      this.acknowledged++;
      if (chunk.acknowledged === chunk.end) this.#recycle();
    }
  }

  #recycle(): void {
    const chunk = this.#chunks.shift()!;
    if (chunk.bytes.length === CHUNK_BYTES) this.#spare = chunk;
  }

  #roomFor(size: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.end + size <= last.bytes.length) return last;
    let chunk = this.#spare;
    if (chunk === undefined || size > CHUNK_BYTES) {
      const bytes = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, size));
      chunk = { bytes, acknowledged: 0, written: 0, end: 0, last: 0 };
    } else {
      this.#spare = undefined;
      chunk.acknowledged = chunk.written = chunk.end = 0;
    }
    this.#chunks.push(chunk);
    return chunk;
  }
}
