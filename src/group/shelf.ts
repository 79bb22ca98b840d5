/**
 * All the locks that this member knows of. Those in use are instances; one that has been idle for a while
 * is put to sleep: what it keeps is the states of its sites, and most locks sleep in the same few
 * states, of which one copy is kept. One that is as it was at the beginning is forgotten.
 */
import { key, type Plain } from '../core/plain.ts';
import type { Home, LockName } from './home.ts';
import { Instance } from './instance.ts';
import type { Kinds } from './kind.ts';
import { keyOf } from './roll-call.ts';

const SWEEP_MS = 5000;

/** The states that some locks sleep in, and how many do. */
interface Sleepers {
  readonly id: string;
  readonly states: Plain[];
  count: number;
}

export class Shelf {
  readonly #home: Home;
  readonly #kinds: Kinds;
  readonly #locks = new Map<string, Instance>();
  readonly #semaphores = new Map<string, Instance>();
  readonly #asleep = new Map<string, Sleepers>();
  readonly #sleepers = new Map<string, Sleepers>();
  #isWatching = false;

  constructor(home: Home, kinds: Kinds) {
    this.#home = home;
    this.#kinds = kinds;
  }

  /** The lock, if it is in use. Permits: 0 for a lock. */
  awake(name: string, permits: number): Instance | undefined {
    // Locks are by far the most: their names are the keys, as they are.
    if (permits === 0) return this.#locks.get(name);
    return this.#semaphores.get(keyOf(name, permits));
  }

  /** A lock that is not in use, woken or, if it is not known, made. */
  fetch(name: string, permits: number): { readonly lock: Instance; readonly isNew: boolean } {
    const states = permits === 0 ? this.#wake(name) : null;
    const lock = new Instance(this.#home, this.#kinds.of(name, permits), name, permits, states);
    if (permits === 0) this.#locks.set(name, lock);
    else this.#semaphores.set(keyOf(name, permits), lock);
    if (!this.#isWatching) this.#sweepLater();
    return { lock, isNew: states === null };
  }

  #wake(name: string): Plain[] | null {
    const sleepers = this.#asleep.get(name);
    if (sleepers === undefined) return null;
    this.#asleep.delete(name);
    if (--sleepers.count === 0) this.#sleepers.delete(sleepers.id);
    return sleepers.states;
  }

  #putToSleep(lock: Instance): void {
    const states = lock.sites.entrances.map(({ my }) => my as Plain);
    const id = key(states);
    let sleepers = this.#sleepers.get(id);
    if (sleepers === undefined) {
      sleepers = { id, states, count: 0 };
      this.#sleepers.set(id, sleepers);
    }
    sleepers.count++;
    this.#asleep.set(lock.name, sleepers);
  }

  /** What callers here hold since an earlier view, and how many they are. */
  leftovers(): (LockName & { readonly count: number })[] {
    return [...this]
      .filter(({ leftover }) => leftover.length > 0)
      .map(({ name, permits, leftover }) => ({ name, permits, count: leftover.length }));
  }

  *[Symbol.iterator](): Generator<Instance> {
    yield* this.#locks.values();
    yield* this.#semaphores.values();
  }

  #sweepLater(): void {
    this.#isWatching = true;
    this.#home.later(SWEEP_MS, () => {
      this.#sweep();
      this.#isWatching = false;
      if (this.#locks.size + this.#semaphores.size > 0) this.#sweepLater();
    });
  }

  /** Puts to sleep what was idle all the time since the last sweep. */
  #sweep(): void {
    for (const lock of this.#locks.values()) {
      const wasFresh = lock.isFresh;
      lock.isFresh = false;
      if (wasFresh || !lock.isIdle) continue;
      this.#locks.delete(lock.name);
      if (!isAsAtFirst(lock)) this.#putToSleep(lock);
    }
    for (const [id, lock] of this.#semaphores) {
      // A semaphore that is not as at the beginning stays: there are few.
      if (!lock.isFresh && lock.isIdle && isAsAtFirst(lock)) this.#semaphores.delete(id);
      lock.isFresh = false;
    }
  }

  /** A view is over: all of this was its. */
  clear(): void {
    this.#locks.clear();
    this.#semaphores.clear();
    this.#asleep.clear();
    this.#sleepers.clear();
  }
}

const isAsAtFirst = ({ sites }: Instance): boolean =>
  sites.entrances.every(({ my, slot }) => key(my) === key(sites.initially(slot)));
