import type { AnyAlgorithm, AnyWorld, Links, Mode } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { canDowngrade } from '../core/machine.ts';
import type { TraceStep } from '../core/trace.ts';
import { asTrace } from './counterexample.ts';
import { DEFAULT_MAX_STATES, type Exhausted, exhaust, type ReductionName } from './exhaust.ts';
import { findStarvation } from './liveness.ts';
import { type PathStep, pathTo } from './path.ts';
import { type RandomSettings, randomSearch } from './random.ts';
import type { Progress } from './search.ts';
import { Space } from './space.ts';
import type { SecondThread } from './thread.ts';

export type Verdict = 'proved' | 'violated' | 'bounded';

export interface CheckSettings {
  /** How many requests each site makes: one number for all sites, or one per site. @default 2 */
  readonly entries?: number | readonly number[];
  /**
   * @default the weakest links that the algorithm claims to work with; with `downgrade`, ordered links
   */
  readonly links?: Links;
  /**
   * The modes that a request may have; with both, every request is tried in either. @default
   * exclusive
   */
  readonly modes?: readonly Mode[];
  /**
   * Whether a waiting exclusive request may, at any moment, be downgraded to a shared one. @default
   * false
   */
  readonly downgrade?: boolean;
  /** How many crashes, losses and duplications may happen, at any moment. @default 0 */
  readonly crashes?: number;
  readonly losses?: number;
  readonly duplications?: number;
  /**
   * The search gives up, with the verdict `bounded`, when it knows this many states.
   * @default 10,000,000, or 50,000,000 where the reduction `rest` makes one state stand for many
   */
  readonly maxStates?: number;
  /**
   * Treats states that differ only in the names of interchangeable sites as one. Starvation is then
   * decided only where the graph has no cycles. @default false
   */
  readonly symmetry?: boolean;
  /**
   * Takes only one order of two steps of different sites that do not affect each other: the same
   * states by fewer transitions. Starvation is then decided only where the graph has no cycles.
   * @default false
   */
  readonly partialOrder?: boolean;
  /**
   * Delivers messages at once to sites that have finished and only record what they receive: fewer
   * states. Starvation is then decided only where the graph has no cycles. @default when a space is
   * large
   */
  readonly rest?: boolean;
  /**
   * Runs this many random schedules instead of all schedules. The verdict is then never `proved`.
   */
  readonly random?: RandomSettings;
  /** Also reports the total number of messages of every complete schedule. */
  readonly reportMessages?: boolean;
  /** Also reports how many other sites can enter between a site's request and its entry. */
  readonly reportBypass?: boolean;
  /**
   * A second thread, for searches of more than a million states. The report does not depend on it.
   */
  readonly thread?: SecondThread;
  /** Seconds on some clock, from which the report computes the speed. */
  readonly clock?: () => number;
  /**
   * Called many times a second with the progress of the search. If it returns a sentence, the
   * search ends with the verdict `bounded` and that sentence as its `limit`, for example because
   * memory is short.
   */
  readonly onProgress?: (progress: Progress & { readonly seconds: number }) => string | undefined;
}

export interface CheckReport {
  readonly algorithm: string;
  readonly nodes: number;
  readonly entries: readonly number[];
  readonly links: Links;
  readonly modes: readonly Mode[];
  /** Present where a waiting exclusive request could be downgraded to a shared one. */
  readonly downgrade?: true;
  readonly verdict: Verdict;
  readonly states: number;
  readonly transitions: number;
  /** Steps of the shortest counterexample, or the greatest distance searched. */
  readonly depth: number;
  readonly seconds: number;
  readonly statesPerSecond: number;
  readonly bytesPerState: number;
  /**
   * How many threads the search used: a second one only where the caller gave one and the space is
   * large.
   */
  readonly threads: number;
  readonly properties: readonly { readonly name: string; readonly verdict: Verdict }[];
  readonly violation: { readonly property: string; readonly why: string } | null;
  readonly trace: readonly TraceStep[] | null;
  /** Why the search ended, where it was neither complete nor found a violation. */
  readonly limit?: string;
  /** The reduction that left states out. `rest` is chosen automatically where a space is large. */
  readonly reduction?: ReductionName;
  /** In a trace of starvation: the step that begins the cycle, which ends with the last step. */
  readonly loop?: number;
  /** In a random search: how many schedules were run. */
  readonly schedules?: number;
  /** In a random search: the length of the counterexample before it was shrunk … */
  readonly found?: number;
  /** … and the seed with which a single schedule finds it again. */
  readonly seed?: number;
  /**
   * With `reportMessages`: every total number of messages that a complete schedule can have,
   * ascending.
   */
  readonly totalMessages?: readonly number[];
  /**
   * With `reportBypass`: the largest bypass, and for each site how many steps let it in after 0, 1,
   * … other sites.
   */
  readonly bypass?: { readonly max: number; readonly bySite: readonly (readonly number[])[] };
}

/**
 * Explores every schedule of a small world, breadth first, and reports whether the algorithm keeps
 * its promises in all of them. `proved` means that the search saw every reachable state, or a state
 * that stands for it. The first violation ends the search, and its trace is one of the shortest. In
 * a space of more than a million states, random schedules are tried as well. A violation that they
 * find is shrunk, and need not be shortest.
 *
 * @example
 * ```ts
 * import { find } from 'latchkey/algorithms';
 * import { check, makeWorld } from 'latchkey/check';
 *
 * const raymond = find('raymond');
 * const report = check(raymond, makeWorld(raymond, { nodes: 3 }), { entries: 2 });
 * console.log(report.verdict, report.states);
 * ```
 */
export function check(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: CheckSettings = {},
): CheckReport {
  const space = makeSpace(algorithm, world, settings);
  const clock = settings.clock ?? (() => 0);
  const started = clock();
  let limit: string | undefined;
  const onProgress = (progress: Progress): boolean => {
    limit = settings.onProgress?.({ ...progress, seconds: clock() - started });
    return limit === undefined;
  };
  const { random, maxStates, thread } = settings;
  let threads = 1;
  const start: SecondThread['start'] = (work) => {
    threads = 2;
    return thread!.start(work);
  };
  const result = random
    ? {
        ...randomSearch(space, random, maxStates ?? DEFAULT_MAX_STATES, onProgress),
        complete: false as const,
      }
    : exhaust(space, { ...settings, ...(thread && { thread: { ...thread, start } }) }, onProgress);
  // Read now, because the search for cycles takes the same steps once more.
  const bypass = settings.reportBypass === true && bypassesOf(space);
  const violation: Violation | undefined = result.complete
    ? violationOfSchedules(space, result)
    : result.violation;
  const { complete, properties, states } = result;
  const spaceOfPath = ('space' in result && result.space) || space;
  const reduction = 'reduction' in result ? result.reduction : undefined;
  // A cycle of states that stand for others does not show which site waits on it, and the search
  // may miss a cycle.
  const undecided = reduction !== undefined && 'mayCycle' in result && result.mayCycle;
  if ('most' in result) limit ??= `more than ${result.most} states`;
  const seconds = clock() - started;
  return {
    algorithm: algorithm.id,
    nodes: world.n,
    entries: space.settings.entries,
    links: space.settings.links,
    modes: space.settings.modes,
    ...(space.settings.downgrade && { downgrade: true }),
    verdict: violation !== undefined ? 'violated' : complete && !undecided ? 'proved' : 'bounded',
    states,
    transitions: result.transitions,
    depth: violation?.path.length ?? result.depth,
    seconds,
    statesPerSecond: seconds > 0 ? Math.round(states / seconds) : 0,
    bytesPerState: Math.round(result.store.bytes / states),
    threads,
    properties: properties.verdicts(complete, violation?.property, undecided),
    violation:
      violation === undefined ? null : { property: violation.property, why: violation.why },
    trace: violation === undefined ? null : asTrace(spaceOfPath, violation.path),
    ...(violation?.loop !== undefined && { loop: violation.loop }),
    ...(reduction && { reduction }),
    ...(!complete && violation === undefined && limit !== undefined && { limit }),
    ...('schedules' in result && {
      schedules: result.schedules,
      ...(violation && { found: result.found, seed: result.seed! }),
    }),
    ...(bypass && { bypass }),
    ...(settings.reportMessages === true && {
      totalMessages: [...properties.totals].sort((a, b) => a - b),
    }),
  };
}

function bypassesOf({ bypasses }: Space): NonNullable<CheckReport['bypass']> {
  return {
    max: Math.max(...bypasses.map((counts) => counts.length - 1)),
    // By number of bypasses: how many steps, 0 where there are none.
    bySite: bypasses.map((counts) => Array.from(counts, (count = 0) => count)),
  };
}

interface Violation {
  readonly property: string;
  readonly why: string;
  readonly path: readonly PathStep[];
  readonly loop?: number;
}

/**
 * Violations that no single state shows: a request that starves, or a check in which nothing
 * happens.
 */
function violationOfSchedules(
  space: Space,
  { mayCycle, properties, store, reduction }: Exhausted,
): Violation | undefined {
  const lasso = mayCycle && !reduction ? findStarvation(space, store) : undefined;
  if (lasso !== undefined) {
    const stem = pathTo(space, store, lasso.stem);
    const loop = stem.length + 1;
    const why = `${lasso.site} waits for ever while steps ${loop} to ${stem.length + lasso.cycle.length} repeat`;
    return { property: 'starvation-freedom', why, path: [...stem, ...lasso.cycle], loop };
  }
  const { neverSeen } = properties;
  if (neverSeen === undefined) return undefined;
  return { property: neverSeen, why: 'no schedule shows it, so the check says little', path: [] };
}

function modesOf({ id, modes }: AnyAlgorithm, settings: CheckSettings): readonly Mode[] {
  const asked = settings.modes ?? ['exclusive'];
  const missing = asked.find((mode) => !modes.includes(mode));
  if (missing === undefined) return asked;
  throw new UsageError(`${id} has no ${missing} requests: it has ${modes.join(' and ')} ones`);
}

function downgradesOf(algorithm: AnyAlgorithm, world: AnyWorld, settings: CheckSettings): boolean {
  if (settings.downgrade && !canDowngrade(algorithm, world)) {
    const { id, downgrade } = algorithm;
    const form = downgrade === undefined ? id : `${id} in this form`;
    throw new UsageError(`${form} cannot downgrade to reading: leave that out`);
  }
  return settings.downgrade ?? false;
}

/** The weakest links over which the algorithm claims to work. */
const linksOf = ({ links }: AnyAlgorithm, { downgrade }: CheckSettings): Links =>
  downgrade ? 'fifo' : links;

/** A cell has one bit per sender. A check of 31 sites would not end in any case. */
const MAX_SITES = 30;

function makeSpace(algorithm: AnyAlgorithm, world: AnyWorld, settings: CheckSettings): Space {
  const { n } = world;
  if (n > MAX_SITES) {
    throw new UsageError(
      `${n} nodes are too many to check: the most is ${MAX_SITES}; latchkey simulate takes any number`,
    );
  }
  const given = settings.entries ?? 2;
  const entries = typeof given === 'number' ? Array<number>(n).fill(given) : given;
  if (entries.length !== n) {
    throw new UsageError(
      `entries ${entries.join()} is for ${entries.length} sites, and there are ${n}: give one number, or ${n}`,
    );
  }
  return new Space(algorithm, world, {
    links: settings.links ?? linksOf(algorithm, settings),
    entries,
    modes: modesOf(algorithm, settings),
    downgrade: downgradesOf(algorithm, world, settings),
    crashes: settings.crashes ?? 0,
    losses: settings.losses ?? 0,
    duplications: settings.duplications ?? 0,
    countMessages: settings.reportMessages ?? false,
    countBypass: settings.reportBypass ?? false,
  });
}
