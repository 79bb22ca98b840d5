/** Writes successors to the state store, in batches and in the order in which they were found. */
import { BatchInserter } from './batch-inserter.ts';
import type { StateStore } from './tables.ts';

/** Consecutive successors, each as a record of its parent and its state. */
export interface Batch {
  readonly records: Int32Array;
  /** The index in `records` at which the batch begins. */
  readonly begin: number;
  count: number;
  /** How many transitions the search had taken before the first record. */
  before: number;
  /** How many records were inserted: all, unless a limit was reached. */
  inserted: number;
}

/**
 * Where a search puts successors. The search is told of each batch once its states are in the
 * store.
 */
export interface StoreWriter {
  /** The batch that the search fills next. It calls `submit` when the batch is full. */
  readonly batch: Batch;
  /** Sets where the level being expanded ends, and the limit on states. */
  setBounds(levelEnd: number, limit: number): void;
  submit(): void;
  /** Submits the current batch, and returns when every batch is in the store. */
  flush(): void;
  readonly mayCycle: boolean;
  end(): void;
}

/** Records per batch. Their slots in the hash table are fetched together. */
export const BATCH = 1024;

/** A writer that inserts each batch at once, on this thread. */
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
