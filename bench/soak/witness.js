/**
 * A file that all processes write while they are inside: it would show two of them there at once, and an
 * entry whose fence is not above the last one's. No process knows more than what is in the file.
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 7 | who is inside, from 1; 0 for nobody |
 * | 8 to 15 | the fence of the last entry |
 * | 16 to 23 | how many entries there were |
 */
import { openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const BYTES = 64;

export class Witness {
  /** How often someone else was inside, and how often a fence did not grow. */
  overlaps = 0;
  disorders = 0;
  #fd;
  #who;
  #fence = 0n;
  #bytes = Buffer.alloc(BYTES);

  constructor(path, who) {
    this.#fd = openSync(path, 'r+');
    this.#who = BigInt(who + 1);
  }

  static prepare(path) {
    writeFileSync(path, Buffer.alloc(BYTES));
  }

  enter(fence) {
    const { who, last, count } = this.#read();
    if (who !== 0n) this.overlaps++;
    if (fence <= last) this.disorders++;
    this.#fence = fence;
    this.#write(this.#who, fence, count + 1n);
  }

  leave() {
    const { who, last, count } = this.#read();
    if (who !== this.#who || last !== this.#fence) this.overlaps++;
    this.#write(0n, last, count);
  }

  /** Comes back when someone else has been here since we came, or after ten seconds. */
  async company() {
    for (let i = 0; i < 10_000 && this.#read().who === this.#who; i++) await setTimeout(1);
  }

  get count() {
    return Number(this.#read().count);
  }

  #read() {
    const bytes = this.#bytes;
    readSync(this.#fd, bytes, 0, BYTES, 0);
    const at = (offset) => bytes.readBigUInt64LE(offset);
    return { who: at(0), last: at(8), count: at(16) };
  }

  #write(who, fence, count) {
    const bytes = this.#bytes;
    bytes.writeBigUInt64LE(who, 0);
    bytes.writeBigUInt64LE(fence, 8);
    bytes.writeBigUInt64LE(count, 16);
    writeSync(this.#fd, bytes, 0, BYTES, 0);
  }
}
