import type { NodeId } from '../core/algorithm.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import type { SendingLock } from './effects.ts';
import type { Lock } from './lock.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { Membership } from './membership.ts';
import { type SiteSender, sendAll, siteOf } from './sites.ts';

/** A state that the sites of some idle locks are in, and how many are. */
export interface SharedState {
  readonly key: string;
  readonly state: Plain;
  count: number;
}

/** What the table knows of a name: a lock that is in use or, if it is idle, the state of this member's site. */
export class LockRecord {
  readonly name: string;
  /** At which member the sites of the lock begin: see sites.ts. */
  readonly rotation: number;
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
  /** A timer of the lock's site is due. */
  isDue = false;
  /** The table has forgotten the name. */
  isForgotten = false;

  constructor(name: string, rotation: number, state: Plain) {
    this.name = name;
    this.rotation = rotation;
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
    const { rotation } = this;
    this.usedAt = now;
    this.servedInARow = 0;
    const sender = siteOf(from, rotation, size);
    algorithm.machine.receive(siteOf(index, rotation, size), this.state, sender, message);
    this.#sendAll(membership, algorithm);
  }

  /** The lock has been idle for a while, and a timer of its site fires. */
  expire(membership: Membership, algorithm: LockAlgorithm, timer: string): void {
    const { index, size } = membership;
    algorithm.machine.expire(siteOf(index, this.rotation, size), this.state, timer);
    this.#sendAll(membership, algorithm);
  }

  #sendAll(membership: Membership, algorithm: LockAlgorithm): void {
    const { site } = algorithm.machine;
    if (site.sends > 0) sendAll(site, new IdleLock(this, membership, algorithm), 0);
  }
}

/** The fields by which messages of an idle lock name it. */
class IdleLock implements SendingLock, SiteSender {
  readonly name: string;
  readonly permits = 0;
  readonly epoch: number;
  readonly algorithm: LockAlgorithm;
  readonly #membership: Membership;
  readonly #rotation: number;

  constructor({ name, rotation }: LockRecord, membership: Membership, algorithm: LockAlgorithm) {
    this.name = name;
    this.epoch = membership.epoch;
    this.algorithm = algorithm;
    this.#membership = membership;
    this.#rotation = rotation;
  }

  sendTo(to: NodeId, message: AnyMessage): void {
    const member = (to + this.#rotation) % this.#membership.size;
    this.#membership.send(this, member, 0, 0, message);
  }
}
