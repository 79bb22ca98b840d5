/** Breadth-first search: every reachable state, or the shortest path to a violation. */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { FinishedSites } from './finished-sites.ts';
import { PartialOrder } from './partial-order.ts';
import { type PathStep, pathTo, stepFrom } from './path.ts';
import { Properties } from './properties.ts';
import type { Space } from './space.ts';
import type { StepError } from './steps.ts';
import { BATCH, type Batch, DirectWriter, type StoreWriter } from './store-writer.ts';
import type { Symmetry } from './symmetry.ts';
import { StateStore } from './tables.ts';
import type { SecondThread } from './thread.ts';
import { ThreadWriter } from './thread-writer.ts';

export interface Progress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  readonly bytes: number;
}

export interface SearchResult {
  readonly violation: (StepError & { readonly path: readonly PathStep[] }) | undefined;
  /** True when there was nothing left to expand. */
  readonly complete: boolean;
  /** True when some step led to a state no farther from the start: the graph may have cycles. */
  readonly mayCycle: boolean;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly properties: Properties;
  readonly store: StateStore;
}

/** The reductions of a search. */
export interface Reduction {
  readonly symmetry?: Symmetry;
  readonly partialOrder?: boolean;
  readonly rest?: boolean;
}

// An entry out of turn (fcfs) may lead to a violation of exclusion a few steps later, which is the
// better report. The search goes on for this many states, about a second, to find it.
const STATES_AFTER_FCFS = 200_000;
// Often enough for a progress line, rarely enough to cost nothing.
const REPORT_EVERY = 1 << 14;
// From this many states on, some seconds of work, starting a second thread pays off.
const THREAD_FROM = 1_000_000;

/** A search that can be continued from where it stopped. */
export class Search {
  readonly #space: Space;
  readonly #symmetry: Symmetry | undefined;
  readonly #rest: FinishedSites | undefined;
  readonly #filter: FinishedSites | PartialOrder | undefined;
  readonly #properties: Properties;
  readonly #store: StateStore;
  readonly #next: Int32Array;
  readonly #judged: Int32Array;
  readonly #batchSize: number;
  readonly #thread: SecondThread | undefined;
  #writer: StoreWriter;
  #violation: SearchResult['violation'];
  #transitions = 0;
  #depth = 0;
  #mayCycle = false;
  #index = 0;
  #judgedTo = 1;
  #limit = 0;
  #levelEnd = 1; // states with a lower index are at most `depth` steps from the start
  /** Where the search ended. This is known only after it has run ahead for a while. */
  #end: { index: number; transitions: number; size: number } | undefined;

  constructor(
    space: Space,
    { symmetry, partialOrder, rest }: Reduction = {},
    thread?: SecondThread,
  ) {
    this.#space = space;
    this.#symmetry = symmetry;
    this.#properties = new Properties(space);
    this.#store = new StateStore(space.width);
    this.#rest = rest ? new FinishedSites(space) : undefined;
    this.#filter = partialOrder ? new PartialOrder(space, this.#store) : this.#rest;
    this.#next = new Int32Array(space.width);
    this.#judged = new Int32Array(space.width);
    this.#thread = space.settings.countBypass ? undefined : thread;
    this.#writer = new DirectWriter(this.#store, this.#inserted);
    // A space that counts bypasses must not compute more successors than the search needs.
    this.#batchSize = space.settings.countBypass ? 1 : BATCH;
    const initial = space.initial();
    this.#store.insert(initial, -1);
    const wrong = this.#properties.judge(initial);
    if (wrong !== undefined) this.#violation = { ...wrong, path: [] };
  }

  /** True when the assumption of a reduction proved wrong: the results so far mean nothing. */
  get refuted(): boolean {
    return this.#rest?.refuted === true;
  }

  /**
   * Searches until the store has `maxStates` states, or until `onProgress`, called from time to
   * time, returns false.
   */
  run(maxStates: number, onProgress?: (progress: Progress) => boolean): SearchResult {
    this.#limit = maxStates;
    this.#writer.setBounds(this.#levelEnd, this.#limit);
    try {
      this.#explore(onProgress);
    } finally {
      this.#stopThread();
    }
    const store = this.#store;
    const violation = this.#violation;
    return {
      violation,
      complete: violation === undefined && !this.refuted && this.#index === store.size,
      mayCycle: this.#mayCycle || this.#writer.mayCycle,
      states: store.size,
      transitions: this.#transitions,
      depth: violation === undefined ? this.#depth : violation.path.length,
      properties: this.#properties,
      store,
    };
  }

  #explore(onProgress?: (progress: Progress) => boolean): void {
    const space = this.#space;
    const store = this.#store;
    const state = new Int32Array(space.width);
    for (; this.#continues; this.#index++) {
      if (this.#index === this.#levelEnd && !this.#nextLevel()) break;
      if (this.#index % REPORT_EVERY === 0) {
        if (onProgress?.(this.#progress()) === false) break;
        this.#startThread();
      }
      store.load(this.#index, state);
      this.#filter?.begin(this.#index, state);
      space.successors(state, this.#next, this.#found, this.#filter?.isSkipped);
    }
    if (!this.#isDone) this.#writer.flush();
    if (this.#end === undefined) return;
    this.#index = this.#end.index;
    this.#transitions = this.#end.transitions;
    store.size = this.#end.size;
    this.#end = undefined;
  }

  /**
   * Starts the second thread in a large search, if the caller gave one. From then on that thread
   * owns the store.
   */
  #startThread(): void {
    const store = this.#store;
    const thread = this.#thread;
    if (thread === undefined || this.#writer instanceof ThreadWriter) return;
    this.#writer.flush();
    if (store.size < (thread.from ?? THREAD_FROM) || !this.#continues) return;
    this.#mayCycle ||= this.#writer.mayCycle;
    this.#writer = new ThreadWriter(store, thread, this.#inserted);
    this.#writer.setBounds(this.#levelEnd, this.#limit);
  }

  #stopThread(): void {
    if (!(this.#writer instanceof ThreadWriter)) return;
    this.#mayCycle ||= this.#writer.mayCycle;
    this.#writer.end();
    this.#writer = new DirectWriter(this.#store, this.#inserted);
  }

  get #continues(): boolean {
    return !this.#isDone && !this.refuted && this.#store.size < this.#limit;
  }

  /** Whether to report the violation now: one of fcfs may soon lead to one of exclusion. */
  get #isDone(): boolean {
    return this.#violation !== undefined && this.#violation.property !== 'fcfs';
  }

  /** Every state of a level is known once every state of the level before is expanded. */
  #nextLevel(): boolean {
    this.#writer.flush();
    if (!this.#continues || this.#index === this.#store.size) return false;
    this.#depth++;
    this.#levelEnd = this.#store.size;
    this.#writer.setBounds(this.#levelEnd, this.#limit);
    return true;
  }

  readonly #found = (_: NodeId, __: number, error: number): boolean => {
    if (error !== -1) return this.#failed(error);
    this.#symmetry?.canonise(this.#next);
    const { batch } = this.#writer;
    const { records } = batch;
    const { width } = this.#space;
    if (batch.count === 0) batch.before = this.#transitions;
    this.#transitions++;
    const base = batch.begin + batch.count * (width + 1);
    records[base] = this.#index;
    for (let i = 0; i < width; i++) records[base + 1 + i] = this.#next[i]!;
    if (++batch.count < this.#batchSize) return true;
    this.#writer.submit();
    return !this.#isDone;
  };

  /** The state being expanded has a step that fails. */
  #failed(error: number): boolean {
    // Successors found earlier come first: one of them may be a violation, or reach the limit.
    this.#writer.flush();
    const limit = this.#limit;
    const isOver = this.#store.size >= limit && this.#store.parent(limit - 1) < this.#index;
    if (this.#isDone || isOver) return false;
    this.#transitions++;
    if (this.#violation !== undefined) return true;
    this.#violation = this.#failedStep(this.#space.errors[error]!.property);
    return false;
  }

  /** Judges the states that a batch has added. */
  readonly #inserted = (batch: Batch): void => {
    const store = this.#store;
    for (; this.#judgedTo < store.size && !this.#isDone; this.#judgedTo++) {
      store.load(this.#judgedTo, this.#judged);
      const wrong = this.#properties.judge(this.#judged);
      if (wrong !== undefined) this.#judge(wrong, batch);
    }
    if (batch.inserted === batch.count || this.#isDone) return;
    const index = batch.records[batch.begin + batch.inserted * (store.width + 1)]!;
    this.#end ??= { index, transitions: batch.before + batch.inserted, size: store.size };
  };

  #judge(wrong: StepError, batch: Batch): void {
    const store = this.#store;
    const at = this.#judgedTo;
    if (this.#violation !== undefined && wrong.property !== 'mutual-exclusion') return;
    const path = pathTo(this.#space, store, at, this.#symmetry);
    this.#violation = { ...(this.#properties.judge(path.at(-1)!.after) ?? wrong), path };
    if (this.#isDone) {
      // The report does not count successors that came after the violation.
      const transitions = batch.before + positionOf(this.#judged, batch);
      this.#end = { index: this.#index, transitions, size: at + 1 };
    } else {
      // Beyond every batch that is in flight, so that no thread has reached it yet.
      this.#limit = Math.min(this.#limit, Math.max(STATES_AFTER_FCFS, 2 * (at + 1)) + 1);
      this.#writer.setBounds(this.#levelEnd, this.#limit);
    }
  }

  /** The violation of the first step from the expanded state that fails with this property. */
  #failedStep(property: string): SearchResult['violation'] {
    const path = pathTo(this.#space, this.#store, this.#index, this.#symmetry);
    const before = path.at(-1)?.after ?? this.#space.initial();
    const last = stepFrom(this.#space, before, (_, wrong) => wrong?.property === property);
    return { ...last.error!, path: [...path, last] };
  }

  #progress(): Progress {
    return {
      states: this.#store.size,
      transitions: this.#transitions,
      depth: this.#depth,
      frontier: this.#store.size - this.#index,
      bytes: this.#store.bytes,
    };
  }
}

/** Position of a state among the successors of a batch, from 1. */
function positionOf(state: Int32Array, { records, begin, count }: Batch): number {
  const stride = state.length + 1;
  for (let i = 0; i < count; i++) {
    const base = begin + i * stride + 1;
    if (state.every((part, j) => part === records[base + j])) return i + 1;
  }
  assert(false, 'a state that is new came with its batch');
}
