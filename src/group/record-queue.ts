import type { LockRecord } from './lock-record.ts';

const LEAST_CAPACITY = 1024;

/**
 * Records that will be looked at later, in the order of time. They stand in a ring: a queue that many records pass through, and
 * that is about equally long all the time, allocates nothing. A record that was taken leaves `undefined` behind: the queue
 * must not keep forgotten locks in memory.
 */
export class RecordQueue {
  readonly #leastCapacity: number;
  #records!: (LockRecord | undefined)[];
  #times!: Float64Array;
  #first = 0;
  #length = 0;

  /** A power of two, as every capacity: positions wrap around by a mask. */
  constructor(leastCapacity = LEAST_CAPACITY) {
    this.#leastCapacity = leastCapacity;
    this.clear();
  }

  push(record: LockRecord, time: number): void {
    if (this.#length === this.#times.length) this.#resize(2 * this.#length);
    const last = (this.#first + this.#length++) & (this.#times.length - 1);
    this.#records[last] = record;
    this.#times[last] = time;
  }

  /** The first, if it has been here since that time. */
  take(since: number): LockRecord | undefined {
    const first = this.#first;
    if (this.isEmpty || this.#times[first]! > since) return undefined;
    const record = this.#records[first];
    const capacity = this.#times.length;
    this.#records[first] = undefined;
    this.#first = (first + 1) & (capacity - 1);
    this.#length--;
    if (capacity > this.#leastCapacity && this.#length < capacity / 8) this.#resize(capacity / 2);
    return record;
  }

  get length(): number {
    return this.#length;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  clear(): void {
    this.#records = emptyRing(this.#leastCapacity);
    this.#times = new Float64Array(this.#leastCapacity);
    this.#first = 0;
    this.#length = 0;
  }

  #resize(capacity: number): void {
    const records = emptyRing(capacity);
    const times = new Float64Array(capacity);
    const mask = this.#times.length - 1;
    for (let i = 0; i < this.#length; i++) {
      const from = (this.#first + i) & mask;
      records[i] = this.#records[from];
      times[i] = this.#times[from]!;
    }
    this.#records = records;
    this.#times = times;
    this.#first = 0;
  }
}

const emptyRing = (capacity: number): (LockRecord | undefined)[] =>
  new Array<LockRecord | undefined>(capacity).fill(undefined);
