import type { Timer } from './effects.ts';
import type { LockRecord } from './lock-record.ts';
import type { Membership } from './membership.ts';
import { RecordQueue } from './record-queue.ts';

/** About how long an idle site keeps what other members, or its own callers, may want soon. */
const DUE_MS = 100;
/** If so many are due for one member, the older half leaves earlier. */
const FULL = 32;
const HALF = FULL / 2;
/** After so many the member pauses; but all that is due for one member leaves together. */
const AT_ONCE = 16;
const LEAST_CAPACITY = 64;

/**
 * Idle locks whose sites have a timer that is due: nearly always a token that returns to the directory
 * of its lock.
 *
 * All that leaves for one member leaves at once, in one write. The members take turns: many messages at once would delay
 * requests. A process that has run for half a millisecond waits several milliseconds for a core, if other processes want
 * one as well.
 */
export class DueLocks {
  timer: Timer | null = null;
  readonly #membership: Membership;
  readonly #expire: (record: LockRecord) => void;
  /** By the member at which the sites of a lock begin. */
  readonly #queues: RecordQueue[] = [];
  /** The member whose turn is next. */
  #next = 0;

  constructor(membership: Membership, expire: (record: LockRecord) => void) {
    this.#membership = membership;
    this.#expire = expire;
  }

  add(record: LockRecord): void {
    if (record.isDue) return;
    record.isDue = true;
    const queue = this.#queues[record.rotation] ?? new RecordQueue(LEAST_CAPACITY);
    this.#queues[record.rotation] = queue;
    queue.push(record, this.#membership.now);
    if (this.timer === null) this.#setTimer(DUE_MS);
    else if (queue.length >= FULL && this.timer.after !== 'soon') {
      this.#membership.effects.timersCancelled.push(this.timer);
      this.#setTimer('soon');
    }
  }

  /** Lets timers fire that have been due for a while. Their messages can wait until all members keep up again. */
  timerFired(): void {
    this.timer = null;
    const { admission, now, size } = this.#membership;
    if (!admission.isOpen) {
      this.#setTimer(DUE_MS);
      return;
    }
    for (const queue of this.#full()) {
      for (let i = 0; i < FULL && queue.length > HALF; i++) this.#expireFirst(queue, Infinity);
    }
    let turns = 0;
    for (let expired = 0; turns < size && expired < AT_ONCE; turns++) {
      const queue = this.#queues[this.#next];
      this.#next = (this.#next + 1) % size;
      if (queue === undefined) continue;
      for (let i = queue.length; i > 0 && this.#expireFirst(queue, now - DUE_MS / 2); i--)
        expired++;
    }
    if (this.#full().length > 0) this.#setTimer('soon');
    else if (this.#queues.some(({ isEmpty }) => !isEmpty)) this.#setTimer((DUE_MS * turns) / size);
  }

  /** The first record of the queue, if it has been there since that time. Returns whether it has. */
  #expireFirst(queue: RecordQueue, since: number): boolean {
    const record = queue.take(since);
    if (record === undefined) return false;
    record.isDue = false;
    if (!record.isForgotten) this.#expire(record);
    return true;
  }

  #full(): RecordQueue[] {
    return this.#queues.filter(({ length }) => length >= FULL);
  }

  #setTimer(after: Timer['after']): void {
    this.timer = { lock: null, name: 'due', after, handle: undefined };
    this.#membership.effects.timersSet.push(this.timer);
  }

  /** The view is over. */
  clear(): void {
    this.#queues.length = 0;
    this.#next = 0;
  }
}
