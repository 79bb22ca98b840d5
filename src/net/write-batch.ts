import { ReusedList } from '../core/reused-list.ts';
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
 * They are written when the process has read what has arrived. Under load, one turn of the event loop reads from
 * several peers, and all that it answers one of them is one write. `urgently` writes a message earlier.
 * docs/decisions/0010-sessions.md compares these moments.
 */
export class WriteBatch {
  readonly #clock: Clock;
  #links = new ReusedList<Batched>();
  /** An empty list for the next batch: a flush comes with nearly every message. */
  #spare: ReusedList<Batched> | undefined;
  readonly #atEndOfTurn: (() => void)[] = [];
  #isEndScheduled = false;
  #isFlushScheduled = false;
  #isReading = false;
  /** What was sent urgently while a chunk is read leaves at its end. */
  #isUrgent = false;
  #hasFlushed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(link: Batched): void {
    if (link.isInBatch) return;
    link.isInBatch = true;
    this.#links.push(link);
    if (this.#isUrgent || this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    this.#clock.afterReading(this.#scheduledFlush);
  }

  /** Runs the callback at the end of this turn. */
  atEndOfTurn(callback: () => void): void {
    this.#atEndOfTurn.push(callback);
    if (this.#isEndScheduled) return;
    this.#isEndScheduled = true;
    this.#clock.soon(this.#endTurn);
  }

  /**
   * Writes what `send` sends, and all that waits, at once: or, while a received chunk is handled, at its end. That
   * happens at most once after each chunk. A second urgent message leaves with all others.
   */
  urgently(send: () => void): void {
    if (this.#hasFlushed) {
      send();
      return;
    }
    this.#hasFlushed = true;
    this.#isUrgent = true;
    try {
      send();
    } finally {
      if (!this.#isReading) this.#flush();
    }
  }

  /** A frame of a received chunk is about to be handled. */
  beginRead(): void {
    this.#isReading = true;
  }

  /** All frames of a received chunk were handled. */
  endRead(): void {
    this.#isReading = false;
    if (this.#isUrgent) this.#flush();
    this.#hasFlushed = false;
  }

  readonly #endTurn = (): void => {
    this.#isEndScheduled = false;
    // A callback may add further callbacks to this turn.
    for (let call = this.#atEndOfTurn.shift(); call; call = this.#atEndOfTurn.shift()) call();
  };

  readonly #scheduledFlush = (): void => {
    this.#isFlushScheduled = false;
    this.#flush();
  };

  #flush(): void {
    this.#isUrgent = false;
    const links = this.#links;
    if (links.length === 0) return;
    this.#links = this.#spare ?? new ReusedList();
    this.#spare = undefined;
    for (let i = 0; i < links.length; i++) {
      const link = links.at(i);
      link.isInBatch = false;
      link.flush();
    }
    links.clear();
    this.#spare = links;
  }
}
