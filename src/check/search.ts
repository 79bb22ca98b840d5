/** Breadth-first search: every reachable state, or the shortest way to a bad one. */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { Properties } from './properties.ts';
import { Rest } from './rest.ts';
import { Sleep } from './sleep.ts';
import type { Space } from './space.ts';
import type { StepError } from './steps.ts';
import type { Symmetry } from './symmetry.ts';
import { StateStore } from './tables.ts';

export interface Progress {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** States found and not yet expanded. */
  readonly frontier: number;
  readonly bytes: number;
}

/** A step on the way to a violation: who did what, and the state it led to. */
export interface PathStep {
  readonly site: NodeId;
  readonly event: number;
  readonly before: Int32Array;
  readonly after: Int32Array;
}

export interface SearchResult {
  readonly violation: (StepError & { readonly path: readonly PathStep[] }) | undefined;
  /** True when there was nothing left to expand. */
  readonly complete: boolean;
  /** True when some step led to a state that was no farther from the start: there may be cycles. */
  readonly mayCycle: boolean;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly properties: Properties;
  readonly store: StateStore;
}

/** What may be left out of a search. */
export interface Reduction {
  readonly symmetry?: Symmetry;
  readonly partialOrder?: boolean;
  readonly rest?: boolean;
}

// Who goes in out of turn may be in with another some steps later, and that is what to report: so many
// states, a second's worth, are searched for it.
const LOOK_ON = 200_000;
// Often enough for a progress line, seldom enough to cost nothing.
const REPORT_EVERY = 1 << 14;

/** Goes on, when asked, from where it stopped. */
export class Search {
  readonly #space: Space;
  readonly #symmetry: Symmetry | undefined;
  readonly #rest: Rest | undefined;
  readonly #filter: Rest | Sleep | undefined;
  readonly #properties: Properties;
  readonly #store: StateStore;
  readonly #next: Int32Array;
  #violation: SearchResult['violation'];
  #transitions = 0;
  #depth = 0;
  #mayCycle = false;
  #index = 0;
  #lookOnTo = 0;
  #levelEnd = 1; // states before it are at most `depth` steps from the start

  constructor(space: Space, { symmetry, partialOrder, rest }: Reduction = {}) {
    this.#space = space;
    this.#symmetry = symmetry;
    this.#properties = new Properties(space);
    this.#store = new StateStore(space.width);
    this.#rest = rest ? new Rest(space) : undefined;
    this.#filter = partialOrder ? new Sleep(space, this.#store) : this.#rest;
    this.#next = new Int32Array(space.width);
    const initial = space.initial();
    this.#store.insert(initial, -1);
    const wrong = this.#properties.judge(initial);
    if (wrong !== undefined) this.#violation = { ...wrong, path: [] };
  }

  /** A reduction assumed what is not so: what was found so far says nothing. */
  get refuted(): boolean {
    return this.#rest?.refuted === true;
  }

  /** Until so many states are known. It gives up when `onProgress`, called now and then, says false. */
  run(maxStates: number, onProgress?: (progress: Progress) => boolean): SearchResult {
    const space = this.#space;
    const store = this.#store;
    const state = new Int32Array(space.width);
    const goesOn = () => !this.#isDone && !this.refuted && store.size < maxStates;
    for (; this.#index < store.size && goesOn(); this.#index++) {
      const index = this.#index;
      if (index === this.#levelEnd) {
        this.#depth++;
        this.#levelEnd = store.size;
      }
      if (index % REPORT_EVERY === 0 && onProgress?.(this.#progress()) === false) break;
      store.load(index, state);
      this.#filter?.begin(index, state);
      space.successors(state, this.#next, this.#found, this.#filter?.isAsleep);
    }
    const violation = this.#violation;
    return {
      violation,
      complete: violation === undefined && !this.refuted && this.#index === store.size,
      mayCycle: this.#mayCycle,
      states: store.size,
      transitions: this.#transitions,
      depth: violation === undefined ? this.#depth : violation.path.length,
      properties: this.#properties,
      store,
    };
  }

  /** Whether the violation is what to report: a mild one for now may lead to a grave one soon. */
  get #isDone(): boolean {
    if (this.#violation?.property !== 'fcfs') return this.#violation !== undefined;
    return this.#store.size > this.#lookOnTo;
  }

  readonly #found = (_: NodeId, __: number, error: number): boolean => {
    this.#transitions++;
    if (error !== -1) {
      if (this.#violation !== undefined) return true;
      this.#violation = this.#failedStep(this.#space.errors[error]!.property);
      return false;
    }
    this.#symmetry?.canonise(this.#next);
    const at = this.#store.insert(this.#next, this.#index);
    if (at < 0) {
      if (~at < this.#levelEnd) this.#mayCycle = true;
      return true;
    }
    const wrong = this.#properties.judge(this.#next);
    if (wrong === undefined) return true;
    if (this.#violation !== undefined && wrong.property !== 'mutual-exclusion') return true;
    const path = pathTo(this.#space, this.#store, at, this.#symmetry);
    this.#violation = { ...(this.#properties.judge(path.at(-1)!.after) ?? wrong), path };
    this.#lookOnTo = Math.max(LOOK_ON, 2 * this.#store.size);
    return !this.#isDone;
  };

  /** The state that is being expanded has a step that fails in this way. */
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

/**
 * The steps that first led to a state: by parents back to the start, then forward again. Where states
 * stand for all those they are like, the way forward finds out which it was.
 */
export function pathTo(
  space: Space,
  store: StateStore,
  index: number,
  symmetry?: Symmetry,
): PathStep[] {
  const states: Int32Array[] = [];
  for (let at = index; store.parent(at) !== -1; at = store.parent(at)) {
    const state = new Int32Array(space.width);
    store.load(at, state);
    states.push(state);
  }
  const path: PathStep[] = [];
  const image = new Int32Array(space.width);
  for (const goal of states.reverse()) {
    const before = path.at(-1)?.after ?? space.initial();
    const leads = (into: Int32Array) => {
      image.set(into);
      symmetry?.canonise(image);
      return image.every((part, i) => part === goal[i]);
    };
    path.push(stepFrom(space, before, leads));
  }
  return path;
}

/** A step of a state that is as wanted: there must be one. */
function stepFrom(
  space: Space,
  before: Int32Array,
  isWanted: (into: Int32Array, error: StepError | undefined) => boolean,
): PathStep & { readonly error: StepError | undefined } {
  const into = new Int32Array(space.width);
  let step: (PathStep & { error: StepError | undefined }) | undefined;
  space.successors(before, into, (site, event, errorId) => {
    const error = errorId === -1 ? undefined : space.errors[errorId];
    if (!isWanted(into, error)) return true;
    step = { site, event, before, after: into.slice(), error };
    return false;
  });
  assert(step !== undefined, 'a state was reached by a step');
  return step;
}
