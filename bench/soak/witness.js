/**
 * A file that each process writes while it is inside. It shows two processes inside at once, and an entry
 * whose fence is not above the previous one. Processes share no other information.
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 7 | the process that is inside, from 1; 0 for none |
 * | 8 to 15 | the fence of the last entry |
 * | 16 to 23 | how many entries there were |
 */
import { openSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const BYTES = 64;

export class Witness {
  /** How often another process was inside, and how often a fence did not grow. */
  overlaps = 0;
  disorders = 0;
  #fd;
  #process;
  #fence = 0n;
  #bytes = Buffer.alloc(BYTES);

  constructor(path, index) {
    this.#fd = openSync(path, 'r+');
    this.#process = BigInt(index + 1);
  }

  static prepare(path) {
    writeFileSync(path, Buffer.alloc(BYTES));
  }

  enter(fence) {
    const { holder, last, count } = this.#read();
    if (holder !== 0n) this.overlaps++;
    if (fence <= last) this.disorders++;
    this.#fence = fence;
    this.#write(this.#process, fence, count + 1n);
  }

  leave() {
    const { holder, last, count } = this.#read();
    if (holder !== this.#process || last !== this.#fence) this.overlaps++;
    this.#write(0n, last, count);
  }

  /** Returns when another process has been inside since this one entered, or after ten seconds. */
  async company() {
    for (let i = 0; i < 10_000 && this.#read().holder === this.#process; i++) await setTimeout(1);
  }

  get count() {
    return Number(this.#read().count);
  }

  #read() {
    const bytes = this.#bytes;
    readSync(this.#fd, bytes, 0, BYTES, 0);
    const at = (offset) => bytes.readBigUInt64LE(offset);
    return { holder: at(0), last: at(8), count: at(16) };
  }

  #write(holder, fence, count) {
    const bytes = this.#bytes;
    bytes.writeBigUInt64LE(holder, 0);
    bytes.writeBigUInt64LE(fence, 8);
    bytes.writeBigUInt64LE(count, 16);
    writeSync(this.#fd, bytes, 0, BYTES, 0);
  }
}
