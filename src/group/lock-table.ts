/**
 * All the locks that this member knows of. A lock in use is a `Lock`. One that has been idle for a while is
 * compressed: only the states of its sites are kept, and locks in equal states share one copy. A lock that
 * is in its initial state is forgotten, and so is one of which no other member has heard. If there are very
 * many, idle locks return to their initial state.
 */
import { equal, key, type Plain } from '../core/plain.ts';
import type { Timer } from './effects.ts';
import { Lock } from './lock.ts';
import type { LockAlgorithms } from './lock-algorithm.ts';
import type { LockName, Membership } from './membership.ts';
import { keyOf } from './view-start.ts';

const SWEEP_MS = 5000;
/** Locks in use take much more memory than compressed ones: if there are many, they are swept more often. */
const MANY = 10_000;
/** Longer than a try lasts: a member that asked here for one need not be told of callers after that. */
const SWEEP_MANY_MS = 2500;
const SWEPT_AT_ONCE = 1000;
const TURNS_OF_SWEEP = 8;

/** The states that some compressed locks are in, and how many are. */
interface SharedStates {
  readonly key: string;
  readonly states: Plain[];
  count: number;
}

export class LockTable {
  sweepTimer: Timer | null = null;
  readonly #membership: Membership;
  readonly #algorithms: LockAlgorithms;
  readonly #locks = new Map<string, Lock>();
  readonly #semaphores = new Map<string, Lock>();
  #recent: Lock | undefined;
  /** The locks that the present sweep has not looked at yet. */
  #sweeping: Iterator<Lock> | undefined;
  readonly #compressed = new Map<string, SharedStates>();
  readonly #shared = new Map<string, SharedStates>();

  readonly #namesKept: number;

  constructor(membership: Membership, algorithms: LockAlgorithms, namesKept: number) {
    this.#membership = membership;
    this.#algorithms = algorithms;
    this.#namesKept = namesKept;
  }

  /** The lock, if it is in use. */
  inUse(name: string, permits: number): Lock | undefined {
    // A message is read, and then handled, for the same lock.
    const recent = this.#recent;
    if (recent !== undefined && recent.name === name && recent.permits === permits) return recent;
    // Locks are by far the most: their names are the keys, as they are.
    if (permits === 0) {
      this.#recent = this.#locks.get(name);
      return this.#recent;
    }
    return this.#semaphores.get(keyOf(name, permits));
  }

  /** Whether the lock is in use, or compressed. */
  knows(name: string, permits: number): boolean {
    return this.inUse(name, permits) !== undefined || (permits === 0 && this.#compressed.has(name));
  }

  /** A lock that is not in use: restored or, if it is not known, made. */
  open(name: string, permits: number): { readonly lock: Lock; readonly isNew: boolean } {
    const states = permits === 0 ? this.#restore(name) : null;
    const algorithm = this.#algorithms.of(name, permits);
    const lock = new Lock(this.#membership, algorithm, { name, permits }, states);
    this.add(lock);
    return { lock, isNew: states === null };
  }

  add(lock: Lock): void {
    if (lock.permits === 0) this.#locks.set(lock.name, lock);
    else this.#semaphores.set(keyOf(lock.name, lock.permits), lock);
    if (this.sweepTimer === null) this.#sweepLater();
  }

  forget(lock: Lock): void {
    this.#recent = undefined;
    if (lock.permits === 0) this.#locks.delete(lock.name);
    else this.#semaphores.delete(keyOf(lock.name, lock.permits));
  }

  #restore(name: string): Plain[] | null {
    const shared = this.#compressed.get(name);
    if (shared === undefined) return null;
    this.#compressed.delete(name);
    if (--shared.count === 0) this.#shared.delete(shared.key);
    return shared.states;
  }

  #compress(lock: Lock): void {
    this.keepStates(
      lock.name,
      lock.sites.all.map(({ my }) => my as Plain),
    );
  }

  keepStates(name: string, states: Plain[]): void {
    const id = key(states);
    let shared = this.#shared.get(id);
    if (shared === undefined) {
      shared = { key: id, states, count: 0 };
      this.#shared.set(id, shared);
    }
    shared.count++;
    this.#compressed.set(name, shared);
  }

  /** The states of the compressed locks, by name. */
  *compressed(): Generator<readonly [string, Plain[]]> {
    for (const [name, { states }] of this.#compressed) yield [name, states];
  }

  /** What callers here hold since an earlier view, and how many they are. */
  leftovers(): (LockName & { readonly count: number })[] {
    return [...this]
      .filter(({ leftover }) => leftover.length > 0)
      .map(({ name, permits, leftover }) => ({ name, permits, count: leftover.length }));
  }

  *[Symbol.iterator](): Generator<Lock> {
    yield* this.#locks.values();
    yield* this.#semaphores.values();
  }

  *semaphoresOf(name: string): Generator<Lock> {
    for (const lock of this.#semaphores.values()) if (lock.name === name) yield lock;
  }

  get size(): number {
    return this.#locks.size + this.#semaphores.size;
  }

  #sweepLater(after: Timer['after'] = this.size > MANY ? SWEEP_MANY_MS : SWEEP_MS): void {
    this.sweepTimer = { lock: null, name: 'sweep', after, handle: undefined };
    this.#membership.effects.timersSet.push(this.sweepTimer);
  }

  /**
   * Compresses or forgets the locks that were idle all the time since the last sweep. It looks at some of them, and lets
   * the process read what has arrived before it looks at more.
   */
  sweep(): void {
    this.#recent = undefined;
    this.#sweeping ??= this.#locks.values();
    // Turns of a busy process are long: a sweep takes a few of them, however many locks there are.
    const most = Math.max(SWEPT_AT_ONCE, this.#locks.size / TURNS_OF_SWEEP);
    for (let i = 0; i < most; i++) {
      const { value: lock, done } = this.#sweeping.next();
      if (done) {
        this.#endSweep();
        return;
      }
      const wasFresh = lock.isFresh;
      lock.isFresh = false;
      if (wasFresh || !lock.isIdle || (this.#hasTooMany && lock.returnHome())) continue;
      this.#locks.delete(lock.name);
      if (mustBeKept(lock)) this.#compress(lock);
    }
    this.#sweepLater('soon');
  }

  /**
   * Locks that go home cost messages, and again when they are next wanted: so they go only where there are
   * very many, and where the other members keep up. But an overload that lasts must not fill the memory.
   */
  get #hasTooMany(): boolean {
    const { admission, hasBegun } = this.#membership;
    const names = this.#locks.size + this.#compressed.size;
    const most = admission.isOpen ? this.#namesKept : 2 * this.#namesKept;
    return hasBegun && names > most;
  }

  #endSweep(): void {
    this.#sweeping = undefined;
    for (const [id, lock] of this.#semaphores) {
      // A semaphore that is not in its initial state stays: there are few.
      if (!lock.isFresh && lock.isIdle && isInitial(lock)) this.#semaphores.delete(id);
      lock.isFresh = false;
    }
    this.sweepTimer = null;
    if (this.size > 0) this.#sweepLater();
  }

  /** The view is over: all locks were its. */
  clear(): void {
    this.#recent = undefined;
    this.#sweeping = undefined;
    this.#locks.clear();
    this.#semaphores.clear();
    this.#compressed.clear();
    this.#shared.clear();
  }
}

/**
 * A lock for which no message was sent or received may start anew here: no other member can tell. An algorithm that
 * starts everywhere has told the others.
 */
const mustBeKept = (lock: Lock): boolean =>
  (lock.sites.haveCommunicated || lock.algorithm.machine.hasStart) && !isInitial(lock);

const isInitial = ({ sites }: Lock): boolean =>
  sites.all.every(({ my, slot }) => equal(my, sites.initialState(slot)));
