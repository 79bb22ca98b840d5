/**
 * Requests whose time is over, in batches. Under overload thousands time out at once, and the caller of each asks anew.
 * Between two batches the process reads what has arrived: otherwise the member would answer no other member
 * meanwhile, and the others would take it for congested.
 */
// Imported: the global is a getter that is asked anew each time, which counts here.
import { performance } from 'node:perf_hooks';

/** How long a turn of the event loop refuses requests: a fraction of the delay that makes a peer congested. */
const BATCH_MS = 10;

export interface Expiring {
  /** Refuses the request, unless it has been granted since. */
  expire(): void;
}

export class Expiry {
  /** When the batch of this turn ends; 0 if there is none yet. */
  #until = 0;
  readonly #late: Expiring[] = [];

  /** Refuses now or, if this turn has refused for long enough, in one of the next turns. The order stays. */
  run(request: Expiring): void {
    if (this.#late.length > 0 || this.#isOver()) this.#late.push(request);
    else this.#expire(request);
  }

  #isOver(): boolean {
    return this.#until > 0 && performance.now() >= this.#until;
  }

  #expire(request: Expiring): void {
    if (this.#until === 0) {
      this.#until = performance.now() + BATCH_MS;
      setImmediate(this.#nextTurn);
    }
    request.expire();
  }

  readonly #nextTurn = (): void => {
    this.#until = 0;
    this.#goOn();
  };

  /** Callers that were refused run in between: their work is part of the batch. */
  readonly #goOn = (): void => {
    if (this.#isOver()) return;
    const request = this.#late.shift();
    if (request === undefined) return;
    this.#expire(request);
    queueMicrotask(this.#goOn);
  };
}
