/** A breadth-first search through all states of a small world, which are plain data. */
import { createHash } from 'node:crypto';

export interface Step<S> {
  readonly event: string;
  readonly state: S;
  /** A fair schedule takes it sooner or later. */
  readonly isDuty: boolean;
  readonly violation: { readonly property: string; readonly why: string } | undefined;
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The property that is violated first, why, and the shortest way there. */
  readonly violation:
    | { readonly property: string; readonly why: string; readonly trace: readonly string[] }
    | undefined;
}

export interface World<S, E extends Step<S>> {
  readonly initial: S;
  successors(state: S): readonly E[];
  /** Nobody waits in this state. */
  isQuiet(state: S): boolean;
  /** Sees every step. */
  seen?(step: E): void;
}

/** Throws if there are more states than `most`: a search that ends early proves nothing. */
export function explore<S, E extends Step<S>>(world: World<S, E>, most: number): Exploration {
  const known = new Map<string, number>();
  const parents: { readonly from: number; readonly event: string }[] = [];
  /** For each state, the states that a duty leads here from. */
  const sources: number[][] = [];
  const isQuiet: boolean[] = [];
  let steps = 0;
  const traceTo = (state: number): string[] => {
    const trace: string[] = [];
    for (let at = state; at > 0; at = parents[at]!.from) trace.unshift(parents[at]!.event);
    return trace;
  };
  const add = (state: S, from: number, event: string): { index: number; isNew: boolean } => {
    const key = createHash('md5').update(JSON.stringify(state)).digest('base64');
    const before = known.get(key);
    if (before !== undefined) return { index: before, isNew: false };
    const index = known.size;
    if (index >= most) throw new Error(`more than ${most} states`);
    known.set(key, index);
    parents.push({ from, event });
    sources.push([]);
    isQuiet.push(world.isQuiet(state));
    return { index, isNew: true };
  };
  add(world.initial, 0, '');
  let level = [{ index: 0, state: world.initial }];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { index: from, state } of level) {
      for (const step of world.successors(state)) {
        steps++;
        world.seen?.(step);
        if (step.violation !== undefined) {
          const trace = [...traceTo(from), step.event];
          return { states: known.size, steps, violation: { ...step.violation, trace } };
        }
        const { index, isNew } = add(step.state, from, step.event);
        if (step.isDuty) sources[index]!.push(from);
        if (isNew) next.push({ index, state: step.state });
      }
    }
    level = next;
  }
  const stuck = firstStuck(isQuiet, sources);
  if (stuck === undefined) return { states: known.size, steps, violation: undefined };
  const why = 'no duties lead from here to a state in which nobody waits';
  const violation = { property: 'nobody-waits-for-ever', why, trace: traceTo(stuck) };
  return { states: known.size, steps, violation };
}

/** The first state from which no duties lead to a quiet one. */
function firstStuck(
  isQuiet: readonly boolean[],
  sources: readonly (readonly number[])[],
): number | undefined {
  const leadsThere = [...isQuiet];
  const todo = [...isQuiet.keys()].filter((state) => isQuiet[state]);
  for (let state = todo.pop(); state !== undefined; state = todo.pop()) {
    for (const source of sources[state]!) {
      if (leadsThere[source]) continue;
      leadsThere[source] = true;
      todo.push(source);
    }
  }
  const stuck = leadsThere.indexOf(false);
  return stuck === -1 ? undefined : stuck;
}
