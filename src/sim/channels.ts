/** Up to so many sites a table of all pairs is small; beyond, only channels in use are remembered. */
const DENSE = 1024;
const TWO_32 = 0x1_0000_0000;

/**
 * When the last message on each channel arrives, so that the next does not overtake it; and how many
 * messages each channel has carried.
 *
 * A million sites have 10¹² channels, of which a tree uses two million: those are kept in a hash table
 * with open addressing, in typed arrays.
 */
export class Channels {
  readonly #n: number;
  #keys = new Float64Array(0);
  #times: Float64Array;
  #counts: Int32Array;
  #used = 0;

  constructor(n: number) {
    this.#n = n;
    this.#times = new Float64Array(n <= DENSE ? n * n : 1024);
    this.#counts = new Int32Array(this.#times.length);
    if (n > DENSE) this.#keys = new Float64Array(1024).fill(-1);
  }

  /** The earliest time, from `time` on, at which a message may arrive; records that it arrives then. */
  arrive(from: number, to: number, time: number): number {
    const at = this.#at(from, to);
    const arrival = Math.max(time, this.#times[at]!);
    this.#times[at] = arrival;
    return arrival;
  }

  /** How many messages the channel has carried before this one. */
  count(from: number, to: number): number {
    const at = this.#at(from, to);
    const count = this.#counts[at]!;
    this.#counts[at] = count + 1;
    return count;
  }

  #at(from: number, to: number): number {
    const key = from * this.#n + to;
    return this.#n <= DENSE ? key : this.#place(key);
  }

  #place(key: number): number {
    let at = this.#find(key);
    if (this.#keys[at] === key) return at;
    if (2 * ++this.#used > this.#keys.length) {
      this.#grow();
      at = this.#find(key);
    }
    this.#keys[at] = key;
    this.#times[at] = 0;
    this.#counts[at] = 0;
    return at;
  }

  /** The place of the key in the table, or the empty place where it belongs. */
  #find(key: number): number {
    const mask = this.#keys.length - 1;
    // Both halves of the key, mixed as in Murmur: neighbours in a tree have similar numbers.
    let h = Math.imul(key % TWO_32, 0x9e3779b1) ^ Math.imul(key / TWO_32, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
    let at = (h ^ (h >>> 13)) & mask;
    while (this.#keys[at] !== -1 && this.#keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const keys = this.#keys;
    const times = this.#times;
    const counts = this.#counts;
    this.#keys = new Float64Array(2 * keys.length).fill(-1);
    this.#times = new Float64Array(2 * keys.length);
    this.#counts = new Int32Array(2 * keys.length);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === -1) continue;
      const at = this.#find(keys[i]!);
      this.#keys[at] = keys[i]!;
      this.#times[at] = times[i]!;
      this.#counts[at] = counts[i]!;
    }
  }
}
