import type { Timer } from './effects.ts';
import type { Lock } from './lock.ts';

/** How long a member waits to hear from others that have asked recently, before it serves itself again. */
const LISTEN_MS = 1;
/** A message of another member that is older than this says nothing about what others want now. */
const RECENT_MS = 10;

/**
 * A member that re-acquires a lock without messages, in a tight loop, periodically yields to read messages
 * from its peers: after `turns` requests it waits until the process has read what has arrived. If others
 * have asked recently it yields after every request, for a millisecond or until it hears from one of them:
 * their requests may come by way of a third process, which needs the processor too.
 */
export class Yielding {
  /** How many requests were served since a message arrived or the member yielded. */
  servedInARow: number;
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
    this.servedInARow++;
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
    const limit = this.isContended ? 1 : this.#lock.membership.turns;
    return this.timer !== null || this.servedInARow >= limit;
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
