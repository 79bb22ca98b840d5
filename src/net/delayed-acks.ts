import type { Clock } from './clock.ts';
import type { Limits } from './settings.ts';

/** A link that owes its peer an acknowledgement. */
export interface Acknowledger {
  /** When it first owed one, by the clock; undefined while it is not scheduled. */
  owesSince: number | undefined;
  /** Sends an ACK if it is still owed. */
  acknowledge(): void;
}

/**
 * Sends acknowledgements that no message has carried within `ackAfterMs`. One timer serves all links, and fires at
 * most four times in that time, however many links there are.
 */
export class DelayedAcks {
  readonly #clock: Clock;
  readonly #afterMs: number;
  /** In order of `owesSince`. */
  #scheduled: Acknowledger[] = [];
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, { ackAfterMs }: Limits) {
    this.#clock = clock;
    this.#afterMs = ackAfterMs;
  }

  schedule(link: Acknowledger, now: number): void {
    if (link.owesSince !== undefined) return;
    link.owesSince = now;
    this.#scheduled.push(link);
    this.#cancel ??= this.#clock.later(this.#afterMs, this.#fire);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#scheduled = [];
  }

  readonly #fire = (): void => {
    this.#cancel = undefined;
    const due = this.#clock.now() - this.#afterMs;
    let count = 0;
    while (count < this.#scheduled.length && this.#scheduled[count]!.owesSince! <= due) count++;
    const links = this.#scheduled.splice(0, count);
    const first = this.#scheduled[0]?.owesSince;
    if (first !== undefined) {
      this.#cancel = this.#clock.later(Math.max(first - due, this.#afterMs / 4), this.#fire);
    }
    for (const link of links) {
      link.owesSince = undefined;
      link.acknowledge();
    }
  };
}
