/** The way of successors into the store: in batches, each in the order in which they were found. */
import { Keeper } from './keeper.ts';
import type { StateStore } from './tables.ts';

/** Successors in a row: for each its parent, and itself. */
export interface Batch {
  readonly records: Int32Array;
  /** Where they begin in `records`. */
  readonly begin: number;
  count: number;
  /** How many transitions had been taken before the first. */
  before: number;
  /** How many of them could be taken in: all, unless a limit was reached. */
  taken: number;
}

/** What a search does with successors; `taken` is told of each batch when its states are in the store. */
export interface Intake {
  /** Room for records: who has filled it hands it in. */
  readonly batch: Batch;
  /** Where the level ends that is being expanded, and how many states are enough. */
  bound(levelEnd: number, limit: number): void;
  handIn(): void;
  /** Hands in what there is, and comes back when all is in the store. */
  settle(): void;
  readonly mayCycle: boolean;
  end(): void;
}

/** How many records make a batch: their places in the store are looked up together. */
export const BATCH = 1024;

/** An intake that does the work itself, at once. */
export class OwnIntake implements Intake {
  readonly batch: Batch;
  readonly #keeper: Keeper;
  readonly #taken: (batch: Batch) => void;

  constructor(store: StateStore, taken: (batch: Batch) => void) {
    const records = new Int32Array(BATCH * (store.width + 1));
    this.batch = { records, begin: 0, count: 0, before: 0, taken: 0 };
    this.#keeper = new Keeper(store);
    this.#taken = taken;
  }

  get mayCycle(): boolean {
    return this.#keeper.mayCycle;
  }

  bound(levelEnd: number, limit: number): void {
    this.#keeper.levelEnd = levelEnd;
    this.#keeper.limit = limit;
  }

  handIn(): void {
    const { batch } = this;
    batch.taken = this.#keeper.take(batch.records, batch.begin, batch.count);
    this.#taken(batch);
    batch.count = 0;
  }

  settle(): void {
    if (this.batch.count > 0) this.handIn();
  }

  end(): void {}
}
