import { StolenError } from './errors.ts';
import type { Lock } from './lock.ts';
import type { Request } from './request.ts';

/**
 * A lock that is being stolen: every holder drops it, and a member whose site enters before the thief's steps aside.
 *
 * Requests of one process are decided in the order in which they were made: a steal that comes after them takes the lock
 * from the first of them, once that one has it. But if a caller of another member holds the lock, they are waiting for that
 * one, and the steal overtakes them.
 */
export class Stealing {
  /** The members that have announced that they steal the lock, and have not got it yet. */
  readonly thieves = new Set<string>();
  /** A steal of this member that is not decided yet. */
  heldBack: Request | null = null;
  readonly #lock: Lock;

  constructor(lock: Lock) {
    this.#lock = lock;
  }

  get isOver(): boolean {
    return this.thieves.size === 0 && this.heldBack === null;
  }

  /** Whether the request has to wait until another member has stolen the lock. */
  bars({ how }: Request): boolean {
    return this.thieves.size > 0 && how !== 'steal';
  }

  /** A request has been granted. A member that steals has waited until it had the lock: it has had it now. */
  granted(): void {
    const [thief] = this.thieves;
    if (thief !== undefined) robFor(this.#lock, thief);
    this.decide();
  }

  /** Decides the steal that is held back, if it is time. */
  decide(): void {
    const thief = this.heldBack;
    if (thief === null) return;
    const { sites, queue, probe } = this.#lock;
    const isHeldHere = sites.all.some(({ holders }) => holders.length > 0);
    if (!isHeldHere && queue.first !== thief && !probe.isHeldElsewhere) return;
    this.heldBack = null;
    thief.isHeldBack = false;
    queue.remove(thief);
    queue.unshift(thief);
    if (probe.tries === 0) probe.end();
    robFor(this.#lock, thief.clientId);
  }
}

/** The holders lose the lock to this thief. What is lent is asked back first: its holder may not be inside. */
export function robFor(lock: Lock, thief: string): void {
  if (lock.lent === null) lock.lose(new StolenError(lock.name, thief));
}
