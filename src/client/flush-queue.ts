import { nextTick } from 'node:process';
import { ReusedList } from '../core/reused-list.ts';

interface Flushed {
  flush(): void;
}

/** Collects the channels that have something to write, so that the messages of one turn leave in one write. */
export class FlushQueue {
  readonly #atEndOfTurn: (flush: () => void) => void;
  #channels = new ReusedList<Flushed>();
  /** The list of the next turn, empty. The two take turns, because a turn comes thousands of times a second. */
  #spare = new ReusedList<Flushed>();

  constructor(atEndOfTurn: (flush: () => void) => void) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  add(channel: Flushed): void {
    if (this.#channels.length === 0) this.#atEndOfTurn(this.#flush);
    this.#channels.push(channel);
  }

  readonly #flush = (): void => {
    const channels = this.#channels;
    this.#channels = this.#spare;
    this.#spare = channels;
    for (let i = 0; i < channels.length; i++) channels.at(i).flush();
    channels.clear();
  };
}

/** A client has one connection: after its callbacks have run, nothing more is to come in this turn. */
export const afterCallbacks = new FlushQueue(nextTick);

/** A daemon first reads what has arrived on all its connections, and then writes to each of them once. */
export const afterReads = new FlushQueue(setImmediate);
