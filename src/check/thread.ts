/**
 * A search on two threads. The first expands states: it alone knows what the integers mean. The second looks
 * up successors among the states that are known, which is mostly waiting for memory. They share integers:
 * a ring of batches, the segments of the store, and the few words of `Control`.
 */

import { BatchInserter } from './batch-inserter.ts';
import { BATCH } from './store-writer.ts';
import { type Segment, StateStore } from './tables.ts';

/**
 * A thread that a search may have, when it is large.
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
  start(work: KeeperWork): RunningThread;
  /** How many states a search has when it takes the thread. @default 1,000,000 */
  readonly from?: number;
  /** How long it may be silent before it is given up. @default 30,000, and 1 more per 1000 states */
  readonly timeoutMs?: number;
}

export interface RunningThread {
  /** Lets the thread receive something: in order, and before anything that is done later is seen there. */
  post(segment: Segment): void;
  end(): void;
}

/** All in memory that both threads see. */
export interface KeeperWork {
  readonly control: Int32Array;
  /** The batches, one after the other. */
  readonly records: Int32Array;
  /** How many integers make a state. */
  readonly width: number;
  /** How many states are known already. */
  readonly size: number;
}

/** How many batches may be under way: the first thread is ahead by no more, some milliseconds' work. */
export const SLOTS = 64;

/** The words of `control`. */
export const Control = {
  /** How many batches were handed in, by the first thread … */
  SUBMITTED: 0,
  /** … and how many are taken, by the second. */
  INSERTED: 1,
  LEVEL_END: 2,
  LIMIT: 3,
  MAY_CYCLE: 4,
  STATUS: 5,
  /** By slot: how many records are in the batch, how many were taken, how many states are known then. */
  BATCHES: 8,
  /** What went wrong, letter by letter. */
  WHY: 8 + 3 * SLOTS,
  LENGTH: 8 + 3 * SLOTS + 256,
} as const;

export const Status = { RUNS: 0, ENDS: 1, FAILED: 2 } as const;

// A look at a word takes a nanosecond or two; to fall asleep and be woken, many microseconds.
const SPINS = 20_000;

/** Waits for a word to have another value than this one, but not longer than so: whether it has. */
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
 * What the second thread does: takes batches in, one after the other, until the search ends. `receive` is
 * how it gets what was posted to it: at once, undefined if there is nothing.
 */
export function keepStates(work: KeeperWork, receive: () => Segment | undefined): void {
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

function insertBatches(work: KeeperWork, receive: () => Segment | undefined): void {
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
