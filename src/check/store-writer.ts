/** The way of successors into the store: in batches, each in the order in which they were found. */
import { BatchInserter } from './batch-inserter.ts';
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
  inserted: number;
}

/** What a search does with successors; `taken` is told of each batch when its states are in the store. */
export interface StoreWriter {
  /** Room for records: who has filled it hands it in. */
  readonly batch: Batch;
  /** Where the level ends that is being expanded, and how many states are enough. */
  setBounds(levelEnd: number, limit: number): void;
  submit(): void;
  /** Hands in what there is, and comes back when all is in the store. */
  flush(): void;
  readonly mayCycle: boolean;
  end(): void;
}

/** How many records make a batch: their places in the store are looked up together. */
export const BATCH = 1024;

/** An intake that does the work itself, at once. */
export class DirectWriter implements StoreWriter {
  readonly batch: Batch;
  readonly #inserter: BatchInserter;
  readonly #onInserted: (batch: Batch) => void;

  constructor(store: StateStore, onInserted: (batch: Batch) => void) {
    const records = new Int32Array(BATCH * (store.width + 1));
    this.batch = { records, begin: 0, count: 0, before: 0, inserted: 0 };
    this.#inserter = new BatchInserter(store);
    this.#onInserted = onInserted;
  }

  get mayCycle(): boolean {
    return this.#inserter.mayCycle;
  }

  setBounds(levelEnd: number, limit: number): void {
    this.#inserter.levelEnd = levelEnd;
    this.#inserter.limit = limit;
  }

  submit(): void {
    const { batch } = this;
    batch.inserted = this.#inserter.insert(batch.records, batch.begin, batch.count);
    this.#onInserted(batch);
    batch.count = 0;
  }

  flush(): void {
    if (this.batch.count > 0) this.submit();
  }

  end(): void {}
}
