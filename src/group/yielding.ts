import type { Timer } from './effects.ts';
import type { Lock } from './lock.ts';

/** How long a member waits to hear from others that have asked recently, before it serves itself again. */
const LISTEN_MS = 1;
/** A message of another member that is older than this says nothing about what others want now. */
const RECENT_MS = 10;

/**
 * A member that re-acquires a lock without messages, in a tight loop, periodically yields to read messages
 * from its peers: it waits until the process has read what has arrived. It does so after `turns` requests if these took a
 * millisecond, and otherwise after `yieldAfter` requests: to look for messages takes as long as several requests. If others
 * have asked recently it yields after every request, for a millisecond or until it hears from one of them:
 * their requests may come by way of a third process, which needs the processor too.
 */
export class Yielding {
  /** How many requests were served since a message arrived or the member yielded, and when the first of them was. */
  servedInARow: number;
  #servedSince = Number.NEGATIVE_INFINITY;
  /** When a message of another member last arrived, since the member last yielded. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** Set while the member yields. */
  timer: Timer | null = null;
  readonly #lock: Lock;

  constructor(lock: Lock, servedInARow: number) {
    this.#lock = lock;
    this.servedInARow = servedInARow;
  }

  served(): void {
    if (this.servedInARow++ === 0) this.#servedSince = this.#lock.membership.now;
  }

  heard(): void {
    this.servedInARow = 0;
    this.heardAt = this.#lock.membership.now;
    if (this.timer !== null && this.timer.after === LISTEN_MS) this.cancel();
  }

  /** Others have asked for the lock recently. */
  get isContended(): boolean {
    return this.#lock.membership.now - this.heardAt < RECENT_MS;
  }

  get isDue(): boolean {
    const { turns, yieldAfter, now } = this.#lock.membership;
    if (this.timer !== null) return true;
    if (this.isContended) return this.servedInARow > 0;
    const isLong = this.servedInARow >= turns && now > this.#servedSince;
    return isLong || this.servedInARow >= yieldAfter;
  }

  begin(): void {
    if (this.timer !== null) return;
    const after = this.isContended ? LISTEN_MS : 'soon';
    this.timer = { lock: this.#lock, name: 'yield', after, handle: undefined };
    this.#lock.effects.timersSet.push(this.timer);
  }

  timerFired(): void {
    this.timer = null;
    this.heardAt = Number.NEGATIVE_INFINITY;
    this.servedInARow = 0;
  }

  cancel(): void {
    if (this.timer !== null) this.#lock.effects.timersCancelled.push(this.timer);
    this.timer = null;
  }
}
