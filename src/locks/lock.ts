import type { Mode } from '../core/algorithm.ts';
import type { Acquisition } from './acquisition.ts';

/** What a callback gets: the lock it runs under. `name` and `mode` are those of Web Locks. */
export interface Lock {
  readonly name: string;
  readonly mode: Mode;
  /**
   * A number that grows with every grant of this lock, anywhere in the group. Hand it to whatever you
   * protect, and let that refuse smaller ones than it has seen: a process that was paused for long may
   * believe that it holds a lock which others have got since.
   */
  readonly fence: bigint;
  /**
   * Aborts when the lock is lost while it is held, with a `LostError` or a `StolenError` as its reason.
   * Hand it to `fetch` and the like, or look at it before each step that cannot be undone.
   */
  readonly lost: AbortSignal;
}

export class GrantedLock implements Lock {
  readonly #acquisition: Acquisition;

  constructor(acquisition: Acquisition) {
    this.#acquisition = acquisition;
  }
  get name(): string {
    return this.#acquisition.name;
  }
  get mode(): Mode {
    return this.#acquisition.mode;
  }
  get fence(): bigint {
    return this.#acquisition.fence;
  }
  get lost(): AbortSignal {
    return this.#acquisition.lostSignal;
  }
}
