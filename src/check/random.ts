/**
 * Random schedules, for worlds that are too large to exhaust. Each schedule is a walk from the
 * start that takes one possible step at a time, until no step is possible. Random search can find
 * violations, but never prove that there are none.
 */
import { Random } from '../core/random.ts';
import type { PathStep } from './path.ts';
import { Properties } from './properties.ts';
import { type Draw, priorities, type Scheduler, swarm, uniform } from './schedulers.ts';
import type { Progress } from './search.ts';
import { shrink } from './shrink.ts';
import type { Space } from './space.ts';
import type { StepError } from './steps.ts';
import { StateStore } from './tables.ts';

export interface RandomSettings {
  readonly schedules: number;
  readonly seed: number;
  /**
   * How steps are drawn. Without it, all possible steps are equally likely. With it, each source of
   * steps gets a random priority. At `pct` − 1 random steps the source with the highest priority
   * becomes the lowest. This finds any error that needs at most `pct` orderings with a probability
   * that has a lower bound (PCT).
   */
  readonly pct?: number;
  /** Ends the search after this many steps in total. */
  readonly steps?: number;
}

export interface RandomResult {
  readonly violation: (StepError & { readonly path: readonly PathStep[] }) | undefined;
  /** The seed of the schedule that failed. One schedule with that seed is that schedule. */
  readonly seed: number | undefined;
  /** The length of the counterexample before it was shrunk. */
  readonly found: number;
  readonly schedules: number;
  /** The number of distinct states seen; at most `maxStates` are distinguished. */
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly properties: Properties;
  readonly store: StateStore;
}

// A protocol that never stops sending has no end: the search goes on with another schedule.
const MAX_STEPS = 10_000;

/** The typical length of a schedule without faults: the length of one random schedule. */
function lengthOf(space: Space): number {
  const random = new Random(0, 'length');
  let state = space.initial();
  let length = 0;
  for (; length < MAX_STEPS; length++) {
    const possible = space.possible(state).filter(({ isFault }) => !isFault);
    if (possible.length === 0) break;
    const { site, event } = possible[random.below(possible.length)]!;
    const after = new Int32Array(space.width);
    const outcome = random.below(space.outcomes(state, site, event));
    if (space.take({ site, event, outcome }, state, after) !== -1) break;
    state = after;
  }
  return Math.max(1, length);
}

export function randomSearch(
  space: Space,
  { schedules, seed, pct, steps = Number.POSITIVE_INFINITY }: RandomSettings,
  maxStates: number,
  onProgress?: (progress: Progress) => boolean,
): RandomResult {
  const properties = new Properties(space);
  const store = new StateStore(space.width);
  let transitions = 0;
  let depth = 0;
  let done = 0;
  let found: { path: PathStep[]; wrong: StepError } | undefined;
  const { crashes, losses, duplications } = space.settings;
  const mayFail = crashes + losses + duplications > 0;
  const length = lengthOf(space);

  const walk = (next: Scheduler, draw: Draw): void => {
    const path: PathStep[] = [];
    let before = space.initial();
    while (path.length < MAX_STEPS) {
      const possible = space.possible(before);
      const choice = possible.length === 0 ? -1 : next(possible);
      if (choice === -1) return;
      const { site, event } = possible[choice]!;
      const outcome = draw(space.outcomes(before, site, event));
      const after = new Int32Array(space.width);
      const error = space.take({ site, event, outcome }, before, after)!;
      transitions++;
      path.push({ site, event, before, after });
      depth = Math.max(depth, path.length);
      const wrong = error === -1 ? properties.judge(after) : space.errors[error];
      if (wrong !== undefined) {
        found = { path, wrong };
        return;
      }
      if (store.size < maxStates) store.insert(after, -1);
      before = after;
    }
  };

  for (; done < schedules && transitions < steps && found === undefined; done++) {
    if (onProgress !== undefined && done % 64 === 0) {
      const frontier = schedules - done;
      const progress = { states: store.size, transitions, depth, frontier, bytes: store.bytes };
      if (!onProgress(progress)) break;
    }
    // Each schedule has its own seed, so that it can be run again without the earlier schedules.
    const random = new Random(seed + done, 'schedule');
    const draw = (below: number) => random.below(below);
    const steps = pct === undefined ? uniform(draw) : priorities(space, draw, pct, length);
    walk(mayFail ? swarm(space, draw, length, steps) : steps, draw);
  }
  const shortest = found && shrink(space, found.path, found.wrong.property);
  return {
    violation: shortest?.violation && { ...shortest.violation, path: shortest.path },
    seed: found && seed + done - 1,
    found: found?.path.length ?? 0,
    schedules: done,
    states: store.size,
    transitions,
    depth,
    properties,
    store,
  };
}
