/** Breadth-first search: every reachable state, or the shortest way to a bad one. */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { Properties } from './properties.ts';
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

// Often enough for a progress line, seldom enough to cost nothing.
const REPORT_EVERY = 1 << 14;

/** `onProgress` is called now and then; the search gives up when it answers false. */
export function search(
  space: Space,
  maxStates: number,
  onProgress?: (progress: Progress) => boolean,
  reduction: { readonly symmetry?: Symmetry; readonly partialOrder?: boolean } = {},
): SearchResult {
  const { symmetry } = reduction;
  const properties = new Properties(space);
  const store = new StateStore(space.width);
  const sleep = reduction.partialOrder ? new Sleep(space, store) : undefined;
  const initial = space.initial();
  store.insert(initial, -1);
  let transitions = 0;
  let depth = 0;
  let mayCycle = false;
  let violation: SearchResult['violation'];
  const wrongAtStart = properties.judge(initial);
  if (wrongAtStart !== undefined) violation = { ...wrongAtStart, path: [] };

  const state = new Int32Array(space.width);
  const next = new Int32Array(space.width);
  let index = 0;
  let levelEnd = 1; // states before it are at most `depth` steps from the start
  const found = (_: NodeId, __: number, error: number): boolean => {
    transitions++;
    if (error !== -1) {
      const path = pathTo(space, store, index, symmetry);
      const { property } = space.errors[error]!;
      const before = path.at(-1)?.after ?? initial;
      const last = stepFrom(space, before, (_, wrong) => wrong?.property === property);
      violation = { ...last.error!, path: [...path, last] };
      return false;
    }
    symmetry?.canonise(next);
    const at = store.insert(next, index);
    if (at < 0) {
      if (~at < levelEnd) mayCycle = true;
      return true;
    }
    const wrong = properties.judge(next);
    if (wrong === undefined) return true;
    const path = pathTo(space, store, at, symmetry);
    violation = { ...(properties.judge(path.at(-1)!.after) ?? wrong), path };
    return false;
  };
  for (; index < store.size && violation === undefined && store.size < maxStates; index++) {
    if (index === levelEnd) {
      depth++;
      levelEnd = store.size;
    }
    if (onProgress !== undefined && index % REPORT_EVERY === 0) {
      const frontier = store.size - index;
      const progress = { states: store.size, transitions, depth, frontier, bytes: store.bytes };
      if (!onProgress(progress)) break;
    }
    store.load(index, state);
    sleep?.begin(index, state);
    space.successors(state, next, found, sleep?.isAsleep);
  }
  return {
    violation,
    complete: violation === undefined && index === store.size,
    mayCycle,
    states: store.size,
    transitions,
    depth: violation === undefined ? depth : violation.path.length,
    properties,
    store,
  };
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
