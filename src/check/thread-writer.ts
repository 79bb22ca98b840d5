/** A writer that leaves the insertion to a second thread. */
import { BATCH, type Batch, type StoreWriter } from './store-writer.ts';
import { SEGMENT, type Segment, type StateStore } from './tables.ts';
import {
  Control,
  type RunningThread,
  type SecondThread,
  SLOTS,
  Status,
  type ThreadWork,
  waitForChange,
} from './thread.ts';

// The time of one wait. The timeout counts waits: if this process itself is stopped, that counts as
// one.
const WAIT_MS = 100;

export class ThreadWriter implements StoreWriter {
  batch: Batch;
  readonly #store: StateStore;
  readonly #control: Int32Array;
  readonly #batches: Batch[];
  readonly #thread: RunningThread;
  readonly #timeoutMs: number | undefined;
  readonly #onInserted: (batch: Batch) => void;
  #submitted = 0;
  #collected = 0;

  /** From now on, and until `end`, only the second thread adds states to the store. */
  constructor(store: StateStore, thread: SecondThread, onInserted: (batch: Batch) => void) {
    const { width, size } = store;
    const stride = width + 1;
    const records = shared(SLOTS * BATCH * stride);
    const control = shared(Control.LENGTH);
    const work: ThreadWork = { control, records, width, size };
    this.#store = store;
    this.#onInserted = onInserted;
    this.#control = control;
    this.#timeoutMs = thread.timeoutMs;
    this.#batches = Array.from({ length: SLOTS }, (_, slot) => ({
      ...{ records, begin: slot * BATCH * stride },
      ...{ count: 0, before: 0, inserted: 0 },
    }));
    this.batch = this.#batches[0]!;
    store.moveTo((segment) => sharedSegment(width, segment));
    store.dropTable();
    this.#thread = thread.start(work);
    for (const segment of store.segments()) this.#thread.post(segment);
  }

  get mayCycle(): boolean {
    return this.#control[Control.MAY_CYCLE] === 1;
  }

  setBounds(levelEnd: number, limit: number): void {
    this.#control[Control.LEVEL_END] = levelEnd;
    this.#control[Control.LIMIT] = Math.min(limit, 2 ** 31 - 1);
  }

  submit(): void {
    this.#makeRoom();
    const control = this.#control;
    control[Control.BATCHES + 3 * (this.#submitted % SLOTS)] = this.batch.count;
    Atomics.store(control, Control.SUBMITTED, ++this.#submitted);
    Atomics.notify(control, Control.SUBMITTED);
    // If every slot is in use, wait until half are free. Blocking once per batch would take longer
    // than the insertion itself.
    const isFull = this.#submitted - this.#collected === SLOTS;
    this.#collect(isFull ? this.#submitted - SLOTS / 2 : 0);
    this.batch = this.#batches[this.#submitted % SLOTS]!;
    this.batch.count = 0;
  }

  flush(): void {
    if (this.batch.count > 0) this.submit();
    this.#collect(this.#submitted);
  }

  end(): void {
    Atomics.store(this.#control, Control.STATUS, Status.ENDS);
    Atomics.add(this.#control, Control.SUBMITTED, 1);
    Atomics.notify(this.#control, Control.SUBMITTED);
    this.#thread.end();
  }

  /** Every successor in flight may be a new state. */
  #makeRoom(): void {
    const store = this.#store;
    while (store.room < store.size + SLOTS * BATCH) {
      const segment = sharedSegment(store.width);
      store.addSegment(segment);
      this.#thread.post(segment);
    }
  }

  /** Reports the batches that are in the store, and waits until there are at least this many. */
  #collect(atLeast: number): void {
    const control = this.#control;
    for (;;) {
      const done = Atomics.load(control, Control.INSERTED);
      while (this.#collected < done) {
        const slot = this.#collected++ % SLOTS;
        const batch = this.#batches[slot]!;
        batch.inserted = control[Control.BATCHES + 3 * slot + 1]!;
        this.#store.size = control[Control.BATCHES + 3 * slot + 2]!;
        this.#onInserted(batch);
      }
      if (done >= atLeast) return;
      this.#wait(done);
    }
  }

  #wait(done: number): void {
    // Rebuilding the hash table of all states may take this long.
    const timeoutMs = this.#timeoutMs ?? 30_000 + this.#store.size / 1000;
    for (let waits = 0; waits * WAIT_MS <= timeoutMs; waits++) {
      if (waitForChange(this.#control, Control.INSERTED, done, WAIT_MS)) return;
      if (Atomics.load(this.#control, Control.STATUS) === Status.FAILED) {
        const why = this.#control.subarray(Control.WHY);
        const text = String.fromCodePoint(...why.subarray(0, why.indexOf(0)));
        throw new Error(`the second thread of the search failed: ${text}`);
      }
    }
    throw new Error(`the second thread of the search has said nothing for ${timeoutMs / 1000} s`);
  }
}

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/** A segment in shared memory, with the content of `from`. */
function sharedSegment(width: number, from?: Segment): Segment {
  const segment = { states: shared(width * SEGMENT), parents: shared(SEGMENT) };
  if (from !== undefined) {
    segment.states.set(from.states);
    segment.parents.set(from.parents);
  }
  return segment;
}
