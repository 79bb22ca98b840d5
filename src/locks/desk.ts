/**
 * What the lock manager and the semaphores on one locksmith share: the requests of this process that are
 * under way, in the order in which they were made, and what is counted of them.
 */
import type { Locksmith } from '../group/locksmith.ts';
import type { Claim } from './claim.ts';
import { ClosedError } from './errors.ts';
import { Stats } from './stats.ts';
import { Telemetry } from './telemetry.ts';

const desks = new WeakMap<Locksmith, Desk>();

export function deskOf(locksmith: Locksmith): Desk {
  let desk = desks.get(locksmith);
  if (desk === undefined) {
    desk = new Desk(locksmith);
    desks.set(locksmith, desk);
  }
  return desk;
}

export class Desk {
  readonly locksmith: Locksmith;
  readonly stats = new Stats();
  readonly telemetry: Telemetry;
  isClosed = false;
  // A list through the claims themselves: each comes and goes, hundreds of thousands a second.
  #first: Claim | undefined;
  #last: Claim | undefined;

  constructor(locksmith: Locksmith) {
    this.locksmith = locksmith;
    this.telemetry = new Telemetry(this.stats, locksmith.clientId);
  }

  add(claim: Claim): void {
    claim.before = this.#last;
    if (this.#last === undefined) this.#first = claim;
    else this.#last.behind = claim;
    this.#last = claim;
  }

  remove(claim: Claim): void {
    const { before, behind } = claim;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    claim.before = undefined;
    claim.behind = undefined;
  }

  *claims(): Generator<Claim> {
    for (let claim = this.#first; claim !== undefined; claim = claim.behind) yield claim;
  }

  /** Nothing is asked any more: what waits is refused, what is held is given back, and lost. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const claim of [...this.claims()]) claim.close(new ClosedError());
    this.telemetry.stop();
  }
}
