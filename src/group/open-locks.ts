import type { Lock } from './lock.ts';

/** Memory is given back when so many have been looked at. */
const CHUNK = 256;
/** For each lock that is opened, so many others are looked at: idle ones are found sooner than new ones come. */
const LOOKS = 2;

/** The locks that are open, from the one that was opened, or looked at, first. */
export class OpenLocks implements Iterable<Lock> {
  readonly #kept: number;
  #locks: Lock[] = [];
  /** The locks before this position have been looked at. */
  #first = 0;
  /** How many were opened since locks were last closed. */
  #added = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  get length(): number {
    return this.#locks.length - this.#first;
  }

  add(lock: Lock): void {
    this.#locks.push(lock);
    this.#added++;
  }

  get hasNew(): boolean {
    return this.#added > 0;
  }

  /** Closes locks that are idle, and were not asked for again since they were last looked at, while very many are open. */
  closeSome(close: (lock: Lock) => void): void {
    const closeIfUnused = (lock: Lock) => {
      if (lock.asks <= lock.asksSeen && lock.canBePutAway) close(lock);
      lock.asksSeen = lock.asks;
    };
    let looks = LOOKS * this.#added;
    this.#added = 0;
    for (; looks > 0 && this.length > this.#kept; looks--) this.look(closeIfUnused);
  }

  /** Looks at the first lock, and closes it or moves it to the end. */
  look(visit: (lock: Lock) => void): void {
    const lock = this.#locks[this.#first++]!;
    if (!lock.isClosed) visit(lock);
    if (!lock.isClosed) this.#locks.push(lock);
    if (2 * this.#first < this.#locks.length || this.#first < CHUNK) return;
    this.#locks = this.#locks.slice(this.#first);
    this.#first = 0;
  }

  clear(): void {
    this.#locks = [];
    this.#first = 0;
    this.#added = 0;
  }

  *[Symbol.iterator](): Generator<Lock> {
    for (const lock of this.#locks.slice(this.#first)) if (!lock.isClosed) yield lock;
  }
}
