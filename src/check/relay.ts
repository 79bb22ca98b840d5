/** An intake that leaves the work to a second thread. */
import { BATCH, type Batch, type Intake } from './intake.ts';
import { SEGMENT, type Segment, type StateStore } from './tables.ts';
import {
  Control,
  changes,
  type KeeperWork,
  type RunningThread,
  type SecondThread,
  SLOTS,
  Status,
} from './thread.ts';

// How long to sleep at a time. What counts is how often: a process that was stopped itself sleeps once.
const NAP_MS = 100;

export class Relay implements Intake {
  batch: Batch;
  readonly #store: StateStore;
  readonly #control: Int32Array;
  readonly #batches: Batch[];
  readonly #thread: RunningThread;
  readonly #patienceMs: number | undefined;
  readonly #taken: (batch: Batch) => void;
  #handedIn = 0;
  #collected = 0;

  /** From now on, and until this ends, the store is another thread's to add to. */
  constructor(store: StateStore, thread: SecondThread, taken: (batch: Batch) => void) {
    const { width, size } = store;
    const stride = width + 1;
    const records = shared(SLOTS * BATCH * stride);
    const control = shared(Control.LENGTH);
    const work: KeeperWork = { control, records, width, size };
    this.#store = store;
    this.#taken = taken;
    this.#control = control;
    this.#patienceMs = thread.patienceMs;
    this.#batches = Array.from({ length: SLOTS }, (_, slot) => ({
      ...{ records, begin: slot * BATCH * stride },
      ...{ count: 0, before: 0, taken: 0 },
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

  bound(levelEnd: number, limit: number): void {
    this.#control[Control.LEVEL_END] = levelEnd;
    this.#control[Control.LIMIT] = Math.min(limit, 2 ** 31 - 1);
  }

  handIn(): void {
    this.#makeRoom();
    const control = this.#control;
    control[Control.BATCHES + 3 * (this.#handedIn % SLOTS)] = this.batch.count;
    Atomics.store(control, Control.HANDED_IN, ++this.#handedIn);
    Atomics.notify(control, Control.HANDED_IN);
    // Where there is no more room, half of it: to fall asleep for each batch would take longer than it takes.
    const isFull = this.#handedIn - this.#collected === SLOTS;
    this.#collect(isFull ? this.#handedIn - SLOTS / 2 : 0);
    this.batch = this.#batches[this.#handedIn % SLOTS]!;
    this.batch.count = 0;
  }

  settle(): void {
    if (this.batch.count > 0) this.handIn();
    this.#collect(this.#handedIn);
  }

  end(): void {
    Atomics.store(this.#control, Control.STATUS, Status.ENDS);
    Atomics.add(this.#control, Control.HANDED_IN, 1);
    Atomics.notify(this.#control, Control.HANDED_IN);
    this.#thread.end();
  }

  /** All that is under way might be new. */
  #makeRoom(): void {
    const store = this.#store;
    while (store.room < store.size + SLOTS * BATCH) {
      const segment = sharedSegment(store.width);
      store.add(segment);
      this.#thread.post(segment);
    }
  }

  /** Tells of batches that are in the store; waits for them until there were so many. */
  #collect(atLeast: number): void {
    const control = this.#control;
    for (;;) {
      const done = Atomics.load(control, Control.TAKEN);
      while (this.#collected < done) {
        const slot = this.#collected++ % SLOTS;
        const batch = this.#batches[slot]!;
        batch.taken = control[Control.BATCHES + 3 * slot + 1]!;
        this.#store.size = control[Control.BATCHES + 3 * slot + 2]!;
        this.#taken(batch);
      }
      if (done >= atLeast) return;
      this.#wait(done);
    }
  }

  #wait(done: number): void {
    // As long as it may take to look up all states anew, when the table grows.
    const patienceMs = this.#patienceMs ?? 30_000 + this.#store.size / 1000;
    for (let naps = 0; naps * NAP_MS <= patienceMs; naps++) {
      if (changes(this.#control, Control.TAKEN, done, NAP_MS)) return;
      if (Atomics.load(this.#control, Control.STATUS) === Status.FAILED) {
        const why = this.#control.subarray(Control.WHY);
        const text = String.fromCodePoint(...why.subarray(0, why.indexOf(0)));
        throw new Error(`the second thread of the search failed: ${text}`);
      }
    }
    throw new Error(`the second thread of the search has said nothing for ${patienceMs / 1000} s`);
  }
}

const shared = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/** A segment that another thread can see, with what was in this one. */
function sharedSegment(width: number, from?: Segment): Segment {
  const segment = { states: shared(width * SEGMENT), parents: shared(SEGMENT) };
  if (from !== undefined) {
    segment.states.set(from.states);
    segment.parents.set(from.parents);
  }
  return segment;
}
