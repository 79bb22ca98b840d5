/**
 * All the locks that this member knows of. A lock in use is a `Lock`. An idle one is soon put away: a record keeps the
 * state of its site, and a `Lock` is made of it when a caller next asks for it. So a member that locks one of very many
 * names pays for the names that it uses at the moment.
 *
 * Sweeps look at locks that were idle for a while. Locks in their initial state are forgotten, and so are locks of which no
 * other member has heard. If there are very many names, idle locks return to their initial state. Otherwise the
 * records of locks that are in equal states share one copy of that state, after a minute.
 */
import { clone, equal, key } from '../core/plain.ts';
import { DueLocks } from './due-locks.ts';
import type { Timer } from './effects.ts';
import { Lock } from './lock.ts';
import type { LockAlgorithms } from './lock-algorithm.ts';
import type { LockRecord, SharedState } from './lock-record.ts';
import type { LockName, Membership } from './membership.ts';
import { OpenLocks } from './open-locks.ts';
import { RecordQueue } from './record-queue.ts';
import { siteOf } from './sites.ts';
import { keyOf } from './view-start.ts';

const SWEEP_MS = 5000;
/** With many names the sweeps come sooner. */
const MANY = 10_000;
/** Longer than a try lasts: after that, a member that asked here for a try need not hear of callers. */
const IDLE_MS = 2500;
/** With a tenth more names than are kept, records are forgotten sooner, and the sweeps follow one another. */
const EXCESS = 1.1;
const HURRIED_MS = 250;
const HURRIED_SWEEP_MS = 50;
/** To share a state takes longer than to keep it for a while. */
const SHARED_AFTER_MS = 60_000;
/** How many locks a sweep looks at before it pauses, and for how long; longer while a member does not keep up. */
const SWEPT_AT_ONCE = 100;
const MOST_AT_ONCE = 5000;
/** How many locks are looked at for each lock that is opened: a lock must be looked at twice before it is forgotten. */
const LOOKS = 4;
const PAUSE_MS = 5;
const CONGESTED_MS = 50;

export interface TableLimits {
  /** How many names are kept before names of idle locks are forgotten. */
  readonly names: number;
  /** How many idle locks stay open. */
  readonly open: number;
}

export class LockTable {
  sweepTimer: Timer | null = null;
  readonly #membership: Membership;
  readonly #algorithms: LockAlgorithms;
  readonly #limits: TableLimits;
  readonly #records = new Map<string, LockRecord>();
  /** The records of locks that are in use, which are few: among very many names, a look-up waits for the memory. */
  readonly #inUse = new Map<string, LockRecord>();
  readonly #semaphores = new Map<string, Lock>();
  readonly #open: OpenLocks;
  /** The record that was looked up last: a message is read, and then handled, for the same lock. */
  #lastName: string | undefined;
  #lastRecord: LockRecord | undefined;
  /** Records of idle locks, from when they were put away; and from when a sweep has looked at them. */
  readonly #idle = new RecordQueue();
  readonly #swept = new RecordQueue();
  /** Idle locks whose sites have timers that are due. */
  readonly due: DueLocks;
  #isSweeping = false;
  /** How many open locks the present sweep has not looked at yet. */
  #leftToSweep = 0;
  /** How many locks were opened since the sweep last paused. */
  #opened = 0;
  readonly #shared = new Map<string, SharedState>();

  constructor(membership: Membership, algorithms: LockAlgorithms, limits: TableLimits) {
    this.#membership = membership;
    this.#algorithms = algorithms;
    this.#limits = limits;
    this.#open = new OpenLocks(limits.open);
    this.due = new DueLocks(membership, this.#expireOne);
  }

  /** The lock, if it is in use. */
  inUse(name: string, permits: number): Lock | undefined {
    if (permits > 0) return this.#semaphores.get(keyOf(name, permits));
    return this.record(name)?.lock ?? undefined;
  }

  /** Whether the lock is in use, or was put away. */
  knows(name: string, permits: number): boolean {
    return permits > 0 ? this.inUse(name, permits) !== undefined : this.record(name) !== undefined;
  }

  record(name: string): LockRecord | undefined {
    if (name === this.#lastName) return this.#lastRecord;
    this.#lastName = name;
    this.#lastRecord = this.#inUse.get(name) ?? this.#records.get(name);
    return this.#lastRecord;
  }

  /** The record of a lock that is put away. Its state may be changed. */
  idleRecord(name: string): LockRecord | undefined {
    const record = this.record(name);
    if (record === undefined || record.lock !== null) return undefined;
    this.#unshare(record);
    return record;
  }

  /** Opens a lock that is not in use: from its record or, if its name is not known, in its initial state. */
  open(name: string, permits: number): { readonly lock: Lock; readonly isNew: boolean } {
    if (this.sweepTimer === null) this.#sweepLater();
    else if (this.#isInHurry()) this.#sweepSooner(this.sweepTimer);
    const record = permits === 0 ? this.idleRecord(name) : undefined;
    const algorithm = this.#algorithms.of(name, permits);
    const lock = new Lock(this.#membership, algorithm, { name, permits }, record ?? null);
    if (permits > 0) this.#semaphores.set(keyOf(name, permits), lock);
    else {
      if (record === undefined) this.#records.set(name, lock.record!);
      this.#lastName = name;
      this.#lastRecord = lock.record!;
      this.#inUse.set(name, lock.record!);
      this.#open.add(lock);
      this.#opened++;
    }
    return { lock, isNew: record === undefined };
  }

  forget(lock: Lock): void {
    lock.isClosed = true;
    if (lock.record === null) this.#semaphores.delete(keyOf(lock.name, lock.permits));
    else this.#forget(lock.record);
  }

  #forget(record: LockRecord): void {
    record.isForgotten = true;
    this.#lastName = undefined;
    this.#inUse.delete(record.name);
    this.#records.delete(record.name);
  }

  /** A step has ended: nothing refers to the locks that are idle. */
  putSomeAway(): void {
    if (this.#open.hasNew) this.#open.closeSome(this.#putAway);
  }

  readonly #putAway = (lock: Lock): void => {
    const record = lock.record!;
    if (!isKnownElsewhere(lock)) this.forget(lock);
    else {
      lock.putAway();
      this.#inUse.delete(record.name);
      if (!record.isQueued) this.#idle.push(record, record.usedAt);
      record.isQueued = true;
    }
  };

  /** The state of the record may be changed then. */
  #unshare(record: LockRecord): void {
    const { shared } = record;
    if (shared === null) return;
    if (--shared.count === 0) this.#shared.delete(shared.key);
    record.state = clone(shared.state);
    record.shared = null;
  }

  #share(record: LockRecord): void {
    const id = key(record.state);
    let shared = this.#shared.get(id);
    if (shared === undefined) {
      shared = { key: id, state: record.state, count: 0 };
      this.#shared.set(id, shared);
    }
    shared.count++;
    record.shared = shared;
    record.state = shared.state;
  }

  /** The records of the locks that are put away. */
  *idle(): Generator<LockRecord> {
    for (const record of this.#records.values()) if (record.lock === null) yield record;
  }

  /** A lock that was put away long ago when the state of the member was saved. */
  restore(record: LockRecord): void {
    this.#records.set(record.name, record);
    record.isQueued = true;
    this.#idle.push(record, record.usedAt);
    if (this.sweepTimer === null) this.#sweepLater();
  }

  /** What callers here hold since an earlier view, and how many they are. */
  leftovers(): (LockName & { readonly count: number })[] {
    return [...this]
      .filter(({ leftover }) => leftover.length > 0)
      .map(({ name, permits, leftover }) => ({ name, permits, count: leftover.length }));
  }

  /** The locks in use. */
  *[Symbol.iterator](): Generator<Lock> {
    yield* this.#open;
    yield* this.#semaphores.values();
  }

  *semaphoresOf(name: string): Generator<Lock> {
    for (const lock of this.#semaphores.values()) if (lock.name === name) yield lock;
  }

  /** How many names the member knows. */
  get size(): number {
    return this.#records.size + this.#semaphores.size;
  }

  readonly #expireOne = (record: LockRecord): void => {
    const { lock, name } = record;
    const { machine } = this.#algorithms.of(name, 0);
    const state = lock === null ? record.state : lock.sites.all[0]!.my;
    if (!machine.isTimerDue(state)) return;
    if (lock === null) this.#expireIdle(record, [machine.dueTimer!]);
    else if (lock.isIdle) lock.expireIdle([machine.dueTimer!]);
  };

  /** Lets timers of a lock fire that is put away. A page that watches sees only the steps of a `Lock`. */
  #expireIdle(record: LockRecord, timers: readonly string[]): void {
    const { name } = record;
    if (this.#membership.isObserved) {
      this.open(name, 0).lock.expireIdle(timers);
      return;
    }
    const algorithm = this.#algorithms.of(name, 0);
    this.#unshare(record);
    for (const timer of timers) record.expire(this.#membership, algorithm, timer);
  }

  cancelTimers(): void {
    const { timersCancelled } = this.#membership.effects;
    if (this.sweepTimer !== null) timersCancelled.push(this.sweepTimer);
    if (this.due.timer !== null) timersCancelled.push(this.due.timer);
  }

  #sweepLater(after: Timer['after'] = this.#sweepPauseMs()): void {
    this.sweepTimer = { lock: null, name: 'sweep', after, handle: undefined };
    this.#membership.effects.timersSet.push(this.sweepTimer);
  }

  /** Very many names have come since the last sweep. */
  #sweepSooner(timer: Timer): void {
    if (timer.after !== SWEEP_MS && timer.after !== IDLE_MS) return;
    this.#membership.effects.timersCancelled.push(timer);
    this.#sweepLater();
  }

  #sweepPauseMs(): number {
    if (this.#isInHurry()) return HURRIED_SWEEP_MS;
    return this.size > MANY ? IDLE_MS : SWEEP_MS;
  }

  /**
   * Looks at some of the locks that were idle for a while, and pauses: locks that return to their initial state must not flood the other members.
   * In the end it looks at more locks than have come meanwhile.
   */
  sweep(): void {
    if (!this.#isSweeping) {
      this.#isSweeping = true;
      this.#leftToSweep = this.#open.length;
      this.#opened = 0;
    }
    let left = SWEPT_AT_ONCE + Math.min(MOST_AT_ONCE, LOOKS * this.#opened);
    this.#opened = 0;
    for (; this.#leftToSweep > 0 && left > 0; left--, this.#leftToSweep--) {
      this.#open.look(this.#sweepOpen);
    }
    const { now } = this.#membership;
    for (; left > 0; left--) {
      // First the records that a sweep has looked at before: nearly all of them can be forgotten now.
      const record =
        this.#swept.take(now - this.#sweptAfterMs()) ?? this.#idle.take(now - this.#idleMs());
      if (record === undefined) {
        this.#endSweep();
        return;
      }
      if (!record.isForgotten) this.#sweepIdle(record);
    }
    this.#sweepLater(this.#membership.admission.isOpen ? PAUSE_MS : CONGESTED_MS);
  }

  readonly #sweepOpen = (lock: Lock): void => {
    if (!lock.isIdle || this.#membership.now - lock.usedAt < IDLE_MS) return;
    if (this.#hasTooMany() && lock.expireIdle(lock.algorithm.machine.idleTimers)) return;
    this.#putAway(lock);
    if (!lock.record!.isForgotten && this.#isInitial(lock.record!)) this.#forget(lock.record!);
  };

  #sweepIdle(record: LockRecord): void {
    const { now } = this.#membership;
    const idleMs = now - record.usedAt;
    record.isQueued = false;
    if (record.lock !== null) return;
    record.isQueued = true;
    if (idleMs < this.#idleMs()) this.#idle.push(record, record.usedAt);
    else if (this.#hasTooMany()) this.#returnToInitial(record);
    else {
      if (record.shared === null && idleMs >= SHARED_AFTER_MS) {
        if (this.#isInitial(record)) this.#forget(record);
        else this.#share(record);
      }
      this.#swept.push(record, now);
    }
  }

  /** There are too many names: the lock returns to its initial state, or is forgotten if it has. */
  #returnToInitial(record: LockRecord): void {
    if (this.#isInitial(record)) {
      this.#forget(record);
      return;
    }
    const { machine } = this.#algorithms.of(record.name, 0);
    this.#expireIdle(record, machine.idleTimers);
    record.isQueued = record.lock === null;
    if (record.isQueued) this.#swept.push(record, this.#membership.now);
  }

  /** How long a lock that was put away must have been idle before a sweep looks at it. */
  #idleMs(): number {
    return this.#isInHurry() ? HURRIED_MS : IDLE_MS;
  }

  /** How long after a look the next sweep looks at a record again. */
  #sweptAfterMs(): number {
    return this.#hasTooMany() ? this.#idleMs() : SHARED_AFTER_MS;
  }

  #isInitial({ name, rotation, state }: LockRecord): boolean {
    const { index, size } = this.#membership;
    const { machine } = this.#algorithms.of(name, 0);
    return equal(state, machine.init(siteOf(index, rotation, size)));
  }

  /**
   * A lock that returns to its initial state costs messages, then and when it is next wanted. So locks return only if
   * there are very many, and if the other members keep up. But an overload that lasts must not fill the memory.
   */
  #hasTooMany(): boolean {
    return this.#membership.hasBegun && this.#records.size > this.#mostNames();
  }

  #isInHurry(): boolean {
    return this.#membership.hasBegun && this.#records.size > EXCESS * this.#mostNames();
  }

  #mostNames(): number {
    const { names } = this.#limits;
    return this.#membership.admission.isOpen ? names : 2 * names;
  }

  #endSweep(): void {
    this.#isSweeping = false;
    const { now } = this.#membership;
    for (const lock of this.#semaphores.values()) {
      // A semaphore that is not in its initial state stays: there are few.
      if (now - lock.usedAt >= IDLE_MS && lock.isIdle && lock.sites.areInitial) this.forget(lock);
    }
    this.sweepTimer = null;
    if (this.size > 0) this.#sweepLater();
  }

  /** The view is over: all locks belonged to it. */
  clear(): void {
    this.#lastName = undefined;
    this.#isSweeping = false;
    this.#open.clear();
    this.#idle.clear();
    this.#swept.clear();
    this.due.clear();
    this.#records.clear();
    this.#inUse.clear();
    this.#semaphores.clear();
    this.#shared.clear();
  }
}

/**
 * A lock for which no message was sent or received may start anew here: no other member can tell. An algorithm that
 * starts everywhere has told the others.
 */
const isKnownElsewhere = ({ sites, algorithm }: Lock): boolean =>
  sites.haveCommunicated || algorithm.machine.hasStart;
