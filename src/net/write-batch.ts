import type { Clock } from './clock.ts';

/** A link with messages to write. */
export interface Batched {
  /** True from `WriteBatch.add` until the batch is flushed. */
  isInBatch: boolean;
  flush(): void;
}

/**
 * Collects the links that have messages to write, so that all messages to one peer leave in one write.
 *
 * Messages sent while a received chunk is handled are written when the whole chunk was handled. Other messages
 * are written at the end of the turn, which is the next tick. `urgently` writes a message earlier.
 * docs/decisions/0010-sessions.md compares these moments.
 */
export class WriteBatch {
  readonly #clock: Clock;
  readonly #links: Batched[] = [];
  readonly #atEndOfTurn: (() => void)[] = [];
  #isEndScheduled = false;
  #isReading = false;
  #hasFlushed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(link: Batched): void {
    if (link.isInBatch) return;
    link.isInBatch = true;
    this.#links.push(link);
    if (!this.#isReading) this.#scheduleEnd();
  }

  /** Runs the callback at the end of this turn, before the messages of the turn are written. */
  atEndOfTurn(callback: () => void): void {
    this.#atEndOfTurn.push(callback);
    this.#scheduleEnd();
  }

  /**
   * Writes what `send` sends at once, and no end of the turn need be scheduled for it. That happens at most
   * once after each received chunk: a second urgent message leaves at the end of the turn, in one write with
   * all others. While a chunk is handled, its end writes everything anyway.
   */
  urgently(send: () => void): void {
    if (this.#isReading || this.#hasFlushed) {
      send();
      return;
    }
    this.#isReading = true;
    this.#hasFlushed = true;
    try {
      send();
    } finally {
      this.#isReading = false;
      this.#flush();
    }
  }

  /** A frame of a received chunk is about to be handled. */
  beginRead(): void {
    this.#isReading = true;
  }

  /** All frames of a received chunk were handled. */
  endRead(): void {
    this.#isReading = false;
    this.#hasFlushed = false;
    this.#flush();
  }

  #scheduleEnd(): void {
    if (this.#isEndScheduled) return;
    this.#isEndScheduled = true;
    this.#clock.soon(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    try {
      // A callback may add further callbacks to this turn.
      for (let call = this.#atEndOfTurn.shift(); call; call = this.#atEndOfTurn.shift()) call();
    } finally {
      this.#isEndScheduled = false;
      this.#flush();
    }
  };

  #flush(): void {
    const links = this.#links;
    for (let link = links.shift(); link !== undefined; link = links.shift()) {
      link.isInBatch = false;
      link.flush();
    }
  }
}
