/**
 * Decides how a space is searched: plainly first, then with random schedules and reductions where
 * it is large.
 */
import { UsageError } from '../core/errors.ts';
import type { CheckSettings } from './check.ts';
import { type RandomSettings, randomSearch } from './random.ts';
import { type Progress, type Reduction, Search, type SearchResult } from './search.ts';
import { shrink } from './shrink.ts';
import { Space } from './space.ts';
import { Symmetry } from './symmetry.ts';

export type ReductionName = 'symmetry' | 'partial-order' | 'rest';

export interface Exhausted extends SearchResult {
  readonly reduction?: ReductionName;
  /** The limit on the number of states. */
  readonly most: number;
  /**
   * The space that the path to the violation belongs to, where it is not the space that was
   * searched.
   */
  readonly space?: Space;
}

/** The limit on states unless the caller gives one: half a minute, less than a gigabyte. */
export const DEFAULT_MAX_STATES = 10_000_000;
/** The same with `rest`, where each state stands for many and the search is more likely to end. */
const DEFAULT_MAX_STATES_AT_REST = 50_000_000;
/**
 * The size, reached after some seconds, at which the search tries random schedules and reductions.
 */
const LARGE_SPACE = 1_000_000;
/**
 * Random schedules: enough to find a common error, and quick compared with the search before them.
 */
const SHORT_RANDOM = { schedules: 2000, steps: 50_000, seed: 1 };
/** More random schedules, for a search that was not completed. */
const LONG_RANDOM = { ...SHORT_RANDOM, steps: 500_000 };

/**
 * Searches breadth first. If the space is large, random schedules then try to find a violation at
 * depths that the search reaches late. After that the search starts again with `rest`, where the
 * space allows it.
 */
export function exhaust(
  space: Space,
  settings: CheckSettings,
  onProgress: (progress: Progress) => boolean,
): Exhausted {
  const { maxStates: most = DEFAULT_MAX_STATES, rest, symmetry, partialOrder, thread } = settings;
  let interrupted = false;
  const report = (progress: Progress): boolean => {
    interrupted = !onProgress(progress);
    return !interrupted;
  };
  const isOver = ({ complete, violation }: Exhausted) => complete || violation || interrupted;
  const withRandom = (result: Exhausted, schedules: RandomSettings, space: Space): Exhausted => {
    const { states } = result;
    const { violation } = randomSearch(space, schedules, 0, (p) => report({ ...p, states }));
    return violation === undefined ? result : { ...result, violation, space };
  };
  const plain = new Search(space, {}, thread);
  const search = (states: number): Exhausted => ({ ...plain.run(states, report), most });

  let result: Exhausted | undefined;
  if (symmetry || partialOrder) {
    result = reduced(space, settings, report);
  } else if (rest !== true && most > LARGE_SPACE) {
    const start = search(LARGE_SPACE);
    const tried = isOver(start) ? start : withRandom(start, SHORT_RANDOM, space);
    if (isOver(tried)) return tried;
  }
  result ??= searchWithRest(space, settings, report);
  // Where the graph has cycles, only the full set of states decides starvation. If it is too large,
  // starvation stays open.
  const leavesOpen = result?.reduction === 'rest' && result.complete && result.mayCycle;
  if (result === undefined || (leavesOpen && rest !== true)) {
    const whole = search(most);
    if (result === undefined || whole.complete || whole.violation) result = whole;
  }
  if (isOver(result)) return result;
  // How far a search on two threads ran ahead depends on timing, and events are numbered in the
  // order in which they are met. A fresh space keeps the schedules of a seed independent of that.
  const fresh = new Space(space.algorithm, space.world, space.settings);
  return withRandom(result, LONG_RANDOM, fresh);
}

/**
 * The search with the reduction `rest`. Undefined if the reduction is not allowed, or if its
 * assumption proved wrong.
 */
function searchWithRest(
  space: Space,
  { rest, maxStates: most, thread }: CheckSettings,
  report: (progress: Progress) => boolean,
): Exhausted | undefined {
  const isSmall = most !== undefined && most <= LARGE_SPACE;
  if (rest === false || (rest === undefined && isSmall) || !allowsRest(space, rest))
    return undefined;
  const search = new Search(space, { rest: true }, thread);
  const result = search.run(most ?? DEFAULT_MAX_STATES_AT_REST, report);
  if (search.refuted) return undefined;
  const shortest = shortened(space, result);
  return { ...result, ...shortest, reduction: 'rest', most: most ?? DEFAULT_MAX_STATES_AT_REST };
}

/**
 * Whether a delivery to a finished site can be invisible: not where a property or report looks at
 * every state.
 */
function allowsRest({ algorithm, settings }: Space, isRequested = false): boolean {
  const { crashes, losses, duplications, countBypass } = settings;
  const observer =
    (countBypass && 'a report of bypasses') ||
    (crashes + losses + duplications > 0 && 'faults') ||
    (algorithm.invariants && 'invariants of all states');
  if (observer && isRequested) {
    throw new UsageError(`rest does not go with ${observer}: leave one of them out`);
  }
  return !observer;
}

/** The path to a violation, shortened where the search did not find the shortest. */
function shortened(space: Space, { violation }: SearchResult): Pick<SearchResult, 'violation'> {
  if (violation === undefined) return { violation };
  const { path } = shrink(space, violation.path, violation.property);
  return { violation: { ...violation, path } };
}

function reduced(
  space: Space,
  settings: CheckSettings,
  onProgress: (progress: Progress) => boolean,
): Exhausted {
  const { maxStates: most = DEFAULT_MAX_STATES } = settings;
  const run = (by: Reduction) => ({
    ...new Search(space, by, settings.thread).run(most, onProgress),
    most,
  });
  if (settings.symmetry) {
    return { ...run({ symmetry: symmetryOf(space, settings) }), reduction: 'symmetry' };
  }
  requireCommuting(space);
  const result = run({ partialOrder: true });
  // A totally ordered broadcast does not commute with others. Only a step that sends one shows that
  // the algorithm uses it.
  return space.steps.usesOrder ? run({}) : { ...result, reduction: 'partial-order' };
}

function symmetryOf(space: Space, settings: CheckSettings): Symmetry {
  const { algorithm, world } = space;
  if (settings.partialOrder) {
    throw new UsageError('partial order does not go with symmetry: leave one of them out');
  }
  const alike = algorithm.symmetry?.alike(world) ?? [];
  if (alike.length < 2) {
    throw new UsageError(
      `${algorithm.id} has no sites that are alike in this world: leave symmetry out`,
    );
  }
  if (settings.reportBypass === true || algorithm.peer !== undefined) {
    throw new UsageError(
      `symmetry does not go with ${settings.reportBypass ? 'a report of bypasses, which is by site' : 'a failure detector'}`,
    );
  }
  return new Symmetry(space, alike);
}

/**
 * Refuses spaces in which steps of different sites do not commute: they share a budget of faults,
 * or timers wait for the network.
 */
function requireCommuting({ algorithm, settings }: Space): void {
  const { crashes, losses, duplications, countBypass } = settings;
  const refuse = (why: string): never => {
    throw new UsageError(`partial order does not go with ${why}: leave one of them out`);
  };
  if (countBypass) refuse('a report of bypasses');
  if (crashes + losses + duplications > 0) refuse('faults');
  const timers = Object.values((algorithm.timers ?? {}) as Record<string, { fires: string }>);
  if (timers.some(({ fires }) => fires !== 'anytime')) refuse('timers that wait for the network');
}
