/** The path to a state, or to a step, that a search has found. It is computed when it is needed. */
import type { NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Space } from './space.ts';
import type { StepError } from './steps.ts';
import type { Symmetry } from './symmetry.ts';
import type { StateStore } from './tables.ts';

/** A step on the path to a violation: the site, its event, and the states before and after. */
export interface PathStep {
  readonly site: NodeId;
  readonly event: number;
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/**
 * The steps that first led to a state: back to the start by parents, then forward again. Where a
 * state stands for others that are alike, the way forward determines which one it was.
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

/** The first step from a state that satisfies `isWanted`. There must be one. */
export function stepFrom(
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
