/**
 * What the lock manager and the semaphores on one backend share: the requests of this process that are
 * under way, in the order in which they were made, and what is counted of them.
 */
import type { LockBackend } from '../group/backend.ts';
import type { Claim } from './claim.ts';
import { ClosedError } from './errors.ts';
import { Stats } from './stats.ts';
import { Telemetry } from './telemetry.ts';

const desks = new WeakMap<LockBackend, Desk>();

export function deskOf(backend: LockBackend): Desk {
  let desk = desks.get(backend);
  if (desk === undefined) {
    desk = new Desk(backend);
    desks.set(backend, desk);
  }
  return desk;
}

export class Desk {
  readonly backend: LockBackend;
  readonly stats = new Stats();
  readonly telemetry: Telemetry;
  isClosed = false;
  // A list through the claims themselves: each comes and goes, hundreds of thousands a second.
  #first: Claim | undefined;
  #last: Claim | undefined;

  constructor(backend: LockBackend) {
    this.backend = backend;
    this.telemetry = new Telemetry(this.stats, backend.clientId);
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
