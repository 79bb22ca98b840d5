import type { LockRecord } from './lock-record.ts';

/** The array is shortened when so many have been taken. */
const CHUNK = 1024;

/** Records that a sweep will look at, in the order of time. */
export class RecordQueue {
  /** A record that was taken leaves `undefined` behind: the queue must not keep forgotten locks in memory. */
  #records: (LockRecord | undefined)[] = [];
  #times: number[] = [];
  #first = 0;

  push(record: LockRecord, time: number): void {
    this.#records.push(record);
    this.#times.push(time);
  }

  /** The first, if it has been here since that time. */
  take(since: number): LockRecord | undefined {
    if (this.isEmpty || this.#times[this.#first]! > since) return undefined;
    const record = this.#records[this.#first];
    this.#records[this.#first++] = undefined;
    if (this.#first > CHUNK && 2 * this.#first > this.#records.length) {
      this.#records = this.#records.slice(this.#first);
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
    return record;
  }

  get length(): number {
    return this.#records.length - this.#first;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  clear(): void {
    this.#records = [];
    this.#times = [];
    this.#first = 0;
  }
}
