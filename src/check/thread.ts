/**
 * A search on two threads. The first thread expands states, because only it knows what the integers
 * mean. The second looks up successors among the known states, which is mostly waiting for memory.
 * They share only integers: a ring of batches, the segments of the store, and the words of
 * `Control`.
 */

import { BatchInserter } from './batch-inserter.ts';
import { BATCH } from './store-writer.ts';
import { type Segment, StateStore } from './tables.ts';

/**
 * A second thread for large searches.
 *
 * @example
 * ```ts
 * import { Worker } from 'node:worker_threads';
 * import { find } from 'latchkey/algorithms';
 * import { check, makeWorld, type SecondThread } from 'latchkey/check';
 *
 * // worker.js: keepStates(workerData, () => receiveMessageOnPort(parentPort)?.message);
 * const thread: SecondThread = {
 *   start: (work) => {
 *     const worker = new Worker('./worker.js', { workerData: work });
 *     return { post: (segment) => worker.postMessage(segment), end: () => worker.terminate() };
 *   },
 * };
 * const central = find('central');
 * check(central, makeWorld(central, { nodes: 6 }), { thread });
 * ```
 */
export interface SecondThread {
  /** Starts a thread that calls `keepStates` with this work. */
  start(work: ThreadWork): RunningThread;
  /** How many states a search has when it starts the thread. @default 1,000,000 */
  readonly from?: number;
  /**
   * How long the thread may be silent before the search fails. @default 30,000, and 1 more per 1000
   * states
   */
  readonly timeoutMs?: number;
}

export interface RunningThread {
  /**
   * Sends a segment to the thread. Segments arrive in order, and before anything that is written
   * later is seen there.
   */
  post(segment: Segment): void;
  end(): void;
}

/** What the second thread starts with. The arrays are in memory that both threads share. */
export interface ThreadWork {
  readonly control: Int32Array;
  /** The batches, one after another. */
  readonly records: Int32Array;
  /** The number of integers in a state. */
  readonly width: number;
  /** How many states are already known. */
  readonly size: number;
}

/**
 * How many batches may be in flight. The first thread runs ahead by at most this, some milliseconds
 * of work.
 */
export const SLOTS = 64;

/** The words of `control`. */
export const Control = {
  /** How many batches the first thread has submitted … */
  SUBMITTED: 0,
  /** … and how many the second thread has inserted. */
  INSERTED: 1,
  LEVEL_END: 2,
  LIMIT: 3,
  MAY_CYCLE: 4,
  STATUS: 5,
  /**
   * By slot: the records in the batch, the records inserted, the number of known states after it.
   */
  BATCHES: 8,
  /** The error of the second thread, one code point per word. */
  WHY: 8 + 3 * SLOTS,
  LENGTH: 8 + 3 * SLOTS + 256,
} as const;

export const Status = { RUNS: 0, ENDS: 1, FAILED: 2 } as const;

// Reading a word takes a nanosecond or two. Blocking and being woken takes many microseconds.
const SPINS = 20_000;

/** Waits until a word differs from `from`, for at most `ms`. Returns whether it does. */
export function waitForChange(
  control: Int32Array,
  word: number,
  from: number,
  ms: number,
): boolean {
  for (let i = 0; i < SPINS; i++) if (Atomics.load(control, word) !== from) return true;
  Atomics.wait(control, word, from, ms);
  return Atomics.load(control, word) !== from;
}

/**
 * The work of the second thread: inserts batches, one after another, until the search ends.
 * `receive` returns the next segment that was posted to the thread, or undefined if there is none.
 */
export function keepStates(work: ThreadWork, receive: () => Segment | undefined): void {
  const { control } = work;
  try {
    insertBatches(work, receive);
  } catch (error) {
    const why = [...String(error)].slice(0, Control.LENGTH - Control.WHY);
    why.forEach((character, i) => {
      control[Control.WHY + i] = character.codePointAt(0)!;
    });
    Atomics.store(control, Control.STATUS, Status.FAILED);
    Atomics.notify(control, Control.INSERTED);
  }
}

function insertBatches(work: ThreadWork, receive: () => Segment | undefined): void {
  const { control, records, width } = work;
  const store = new StateStore(width);
  const room = (size: number): void => {
    while (store.room < size) {
      const segment = receive();
      if (segment === undefined) throw new Error('there is no room for another state');
      store.addSegment(segment);
    }
  };
  room(work.size);
  store.size = work.size;
  store.dropTable();
  const inserter = new BatchInserter(store);
  for (let batch = 0; ; batch++) {
    const slot = batch % SLOTS;
    while (!waitForChange(control, Control.SUBMITTED, batch, Number.POSITIVE_INFINITY));
    if (Atomics.load(control, Control.STATUS) !== Status.RUNS) return;
    const words = Control.BATCHES + 3 * slot;
    const count = control[words]!;
    room(store.size + count);
    inserter.levelEnd = control[Control.LEVEL_END]!;
    inserter.limit = control[Control.LIMIT]!;
    control[words + 1] = inserter.insert(records, slot * BATCH * (width + 1), count);
    control[words + 2] = store.size;
    if (inserter.mayCycle) control[Control.MAY_CYCLE] = 1;
    Atomics.store(control, Control.INSERTED, batch + 1);
    Atomics.notify(control, Control.INSERTED);
  }
}
