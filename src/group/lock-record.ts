import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import type { Lock } from './lock.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { Membership } from './membership.ts';
import { hash, sendAll, siteOf } from './sites.ts';

/** A state that the sites of some idle locks are in, and how many are. */
export interface SharedState {
  readonly key: string;
  readonly state: Plain;
  count: number;
}

/** What the table knows of a name: a lock that is in use or, if it is idle, the state of this member's site. */
export class LockRecord {
  readonly name: string;
  /** Null while the lock is idle, and nothing but this record is kept of it. */
  lock: Lock | null = null;
  state: Plain;
  /** Whether the state belongs to other locks too: then it must not be changed. */
  shared: SharedState | null = null;
  /** How many requests the member has served in a row: see yielding.ts. */
  servedInARow = 0;
  /** When the lock was last used. */
  usedAt = Number.NEGATIVE_INFINITY;
  /** A sweep will look at it. */
  isQueued = false;
  /** A timer of its site is due. */
  isDue = false;
  /** The table has forgotten the name. */
  isForgotten = false;

  constructor(name: string, state: Plain) {
    this.name = name;
    this.state = state;
  }

  /**
   * A message of another member for the site of an idle lock. The site stays idle, because only a site that asks can
   * enter. So most of what a directory does takes no `Lock`.
   */
  receive(
    membership: Membership,
    algorithm: LockAlgorithm,
    from: number,
    message: AnyMessage,
  ): void {
    const { index, size, now } = membership;
    const rotation = hash(this.name) % size;
    this.usedAt = now;
    this.servedInARow = 0;
    const sender = siteOf(from, rotation, size);
    algorithm.machine.receive(siteOf(index, rotation, size), this.state, sender, message);
    this.#sendAll(membership, algorithm, rotation);
  }

  /** The lock has been idle for a while, and a timer of its site fires. */
  expire(membership: Membership, algorithm: LockAlgorithm, timer: string): void {
    const { index, size } = membership;
    const rotation = hash(this.name) % size;
    algorithm.machine.expire(siteOf(index, rotation, size), this.state, timer);
    this.#sendAll(membership, algorithm, rotation);
  }

  #sendAll(membership: Membership, algorithm: LockAlgorithm, rotation: number): void {
    const { site } = algorithm.machine;
    if (site.sends === 0) return;
    const { size, epoch } = membership;
    const lock = { name: this.name, permits: 0, epoch, algorithm };
    sendAll(site, (to, message) => membership.send(lock, (to + rotation) % size, 0, 0, message));
  }
}
