/** The lock service itself, explored like an algorithm: every schedule of a few members and their callers. */
import { UsageError } from '../../core/errors.ts';
import { Random } from '../../core/random.ts';
import type { Engine } from '../../group/engine.ts';
import { MAX_PERMITS } from '../../group/limits.ts';
import type { Rules } from '../../group/lock-algorithm.ts';
import type { CheckReport, Verdict } from '../check.ts';
import { Components } from '../components.ts';
import type { Edge } from '../graph.ts';
import type { Progress } from '../search.ts';
import type { StepError } from '../steps.ts';
import { IndexSet, StateStore } from '../tables.ts';
import type { EngineSnapshot } from './leased-processes.ts';
import { LeasedSpace } from './leased-space.ts';
import { TICKS, type Tick } from './leasing.ts';
import type { SearchSpace, Step } from './search-space.ts';
import { ServiceSpace } from './space.ts';
import { asServiceTrace } from './trace.ts';

export interface ServiceCheckSettings {
  /** How many members the group has, and how many callers each member. @default 2 and 1 */
  readonly members?: number;
  readonly callers?: number;
  /** How many requests each caller makes. @default 1 */
  readonly requests?: number;
  /** How many processes may crash, or leave the group, at any moment. @default 0 */
  readonly crashes?: number;
  /** How often each member may find another one congested, at any moment; it may last for ever. @default 0 */
  readonly congestions?: number;
  /** Whether members forget idle locks, at any moment. @default false */
  readonly forgets?: boolean;
  /** The algorithm that serves the lock or, with `permits`, the semaphore. */
  readonly algorithm: string;
  readonly options?: readonly string[];
  /** 0 for a lock. @default 0 */
  readonly permits?: number;
  /** The kinds of requests that callers make. @default all that the lock allows */
  readonly hows?: readonly ('exclusive' | 'shared' | 'try' | 'steal')[];
  /** How many requests of one member may follow one another. @default 1 */
  readonly turns?: number;
  readonly makeEngine: (id: string) => Engine;
  /** The service runs with the engine `leased`, and these faults of its clocks, its register and its links may happen. */
  readonly leased?: LeasedFaults & { readonly snapshot: EngineSnapshot };
  /** The search gives up, with the verdict `bounded`, when it knows this many states. @default 80,000,000 */
  readonly maxStates?: number;
  /** Runs this many random schedules instead of all schedules. The verdict is then never `proved`. */
  readonly random?: { readonly schedules: number; readonly seed: number };
  readonly clock?: () => number;
  /**
   * Called with the progress of the search. If it returns a sentence, the search ends with the verdict `bounded`, for
   * example because memory is short.
   */
  readonly onProgress?: (progress: ServiceProgress) => string | undefined;
}

export interface LeasedFaults {
  /** How often a process pauses, for any time. @default 0 */
  readonly pauses?: number;
  /** How many processes stop for good, with a right to act that lasts until its deadline. @default 0 */
  readonly stops?: number;
  /** How many steps make calls that the register does not answer in time. @default 0 */
  readonly expiries?: number;
  /** How often a link is cut, in one direction. @default 0 */
  readonly cuts?: number;
  /** The length of a tick of each clock, where W is 10. @default 4 */
  readonly tick?: Tick;
}

export interface ServiceProgress extends Progress {
  readonly seconds: number;
  /** How many states the search for starvation has visited, once all states are known. */
  readonly revisited?: number;
}

/** The same as the report on an algorithm; `serving` is the algorithm inside. */
export interface ServiceReport extends CheckReport {
  readonly serving: string;
  readonly callers: number;
  readonly crashes: number;
  readonly congestions: number;
  readonly forgets: boolean;
  /** With the engine `leased`. */
  readonly leased?: Required<LeasedFaults>;
}

const MOST = 80_000_000;
const REPORT_EVERY = 1 << 12;

/** What a search knows when it ends. */
interface Found {
  readonly store: StateStore;
  /** Steps that led to a state that was already known at no greater depth: every cycle has such a step. */
  readonly repeated?: IndexSet;
  readonly transitions: number;
  readonly depth: number;
  readonly isComplete: boolean;
  readonly limit: string | undefined;
  readonly violation: Violation | undefined;
  readonly granted: boolean;
}

interface Violation extends StepError {
  readonly path: readonly Step[];
  readonly loop?: number;
}

/**
 * Explores the lock service with a few members, in every order of events: requests in both modes, tries, steals,
 * cancellations, releases, crashes, restarts, departures and congestions. Sessions keep the order of each pair's
 * messages. `proved` means that every reachable state was seen.
 *
 * @example
 * ```ts
 * import { checkService } from 'latchkey/check';
 * import { fixed } from 'latchkey';
 *
 * const report = checkService({ members: 2, algorithm: 'lending-token', makeEngine: fixed });
 * console.log(report.verdict, report.states);
 * ```
 */
export function checkService(settings: ServiceCheckSettings): ServiceReport {
  const { members = 2, callers = 1, requests = 1, crashes = 0, permits = 0 } = settings;
  const { congestions = 0, forgets = false } = settings;
  if (members * callers > 8) {
    const total = members * callers;
    throw new UsageError(`${total} callers are too many to check: take at most 8 in all`);
  }
  if (permits > MAX_PERMITS) {
    throw new UsageError(`${permits} permits are too many: a semaphore has at most ${MAX_PERMITS}`);
  }
  const faults = faultsOf(settings.leased);
  const common = {
    ...{ members, callers, requests, crashes, permits, turns: settings.turns ?? 1 },
    rules: rulesOf(settings),
    makeEngine: settings.makeEngine,
    hows: settings.hows ?? ['exclusive', 'shared', 'try', 'steal'],
  };
  const space = settings.leased
    ? new LeasedSpace({ ...common, ...faults }, settings.leased.snapshot)
    : new ServiceSpace({ ...common, congestions, forgets });
  refuseImpossible(settings, space.canShare);
  const clock = settings.clock ?? (() => 0);
  const started = clock();
  const search = settings.random ? randomSearch : exhaust;
  const report: OnProgress = (progress) =>
    settings.onProgress?.({ ...progress, seconds: clock() - started });
  const found = search(space, settings, report);
  const violation =
    found.violation ?? (found.isComplete ? starvationIn(space, found, report) : undefined);
  const isProved = found.isComplete && violation === undefined;
  const seconds = clock() - started;
  const { store, transitions } = found;
  return {
    algorithm: 'service',
    serving: settings.algorithm,
    nodes: members,
    callers,
    crashes,
    congestions,
    forgets,
    ...(settings.leased && { leased: faults }),
    entries: Array<number>(members).fill(requests),
    links: 'fifo',
    modes: space.canShare ? ['exclusive', 'shared'] : ['exclusive'],
    verdict: violation ? 'violated' : isProved ? 'proved' : 'bounded',
    states: store.size,
    transitions,
    depth: violation?.path.length ?? found.depth,
    seconds,
    statesPerSecond: seconds > 0 ? Math.round(store.size / seconds) : 0,
    bytesPerState: Math.round(store.bytes / Math.max(1, store.size)),
    threads: 1,
    properties: verdicts(space.properties, isProved, violation?.property, requests > 0 && found),
    violation: violation ? { property: violation.property, why: violation.why } : null,
    trace: violation ? asServiceTrace(space, violation.path) : null,
    ...(violation?.loop !== undefined && { loop: violation.loop }),
    ...(!isProved && !violation && { limit: found.limit ?? 'random schedules' }),
    ...(settings.random && { schedules: settings.random.schedules }),
  };
}

/** Refuses kinds of requests that this lock does not allow: a search without them would seem to prove them. */
function refuseImpossible(
  { hows, algorithm, permits = 0, leased }: ServiceCheckSettings,
  canShare: boolean,
): void {
  const refuse = (how: string, why: string): never => {
    throw new UsageError(`callers cannot do "${how}": ${why}: leave it out`);
  };
  if (hows?.includes('shared') && !canShare) {
    refuse('shared', permits > 0 ? 'a permit is not shared' : `${algorithm} has no readers`);
  }
  if (hows?.includes('steal') && permits > 0) refuse('steal', 'only locks can be stolen');
  if (hows?.includes('try') && leased) refuse('try', 'it is checked with the engine `fixed`');
}

const faultsOf = (given: LeasedFaults = {}): Required<LeasedFaults> => {
  const { pauses = 0, stops = 0, expiries = 0, cuts = 0, tick = TICKS[0] } = given;
  return { pauses, stops, expiries, cuts, tick };
};

function rulesOf({ algorithm, options = [], permits = 0 }: ServiceCheckSettings): Rules {
  const rule = { match: '*', algorithm, options };
  return permits > 0 ? { locks: [], semaphores: [rule] } : { locks: [rule], semaphores: [] };
}

function verdicts(
  properties: readonly string[],
  isProved: boolean,
  violated: string | undefined,
  /** False if no caller makes a request. */
  found: Pick<Found, 'granted'> | false,
) {
  const other: Verdict = isProved ? 'proved' : 'bounded';
  const granted = found && {
    name: 'sometimes granted',
    verdict: found.granted ? other : 'violated',
  };
  return [
    ...properties.map((name) => ({ name, verdict: name === violated ? 'violated' : other })),
    ...(granted ? [granted] : []),
  ] as CheckReport['properties'];
}

type OnProgress = (progress: Omit<ServiceProgress, 'seconds'>) => string | undefined;

/** Breadth first: the first violation has one of the shortest paths. */
function exhaust(
  space: SearchSpace,
  { maxStates = MOST }: ServiceCheckSettings,
  onProgress: OnProgress,
): Found {
  const store = new StateStore(space.width);
  const repeated = new IndexSet();
  const [state, into] = [new Int32Array(space.width), new Int32Array(space.width)];
  store.insert(space.initial(), -1);
  let transitions = 0;
  let depth = 0;
  let levelEnd = 1;
  let granted = false;
  let violation: Violation | undefined;
  let limit: string | undefined;
  let index = 0;
  for (; index < store.size && violation === undefined && limit === undefined; index++) {
    if (index === levelEnd) {
      depth++;
      levelEnd = store.size;
    }
    store.load(index, state);
    const wrong = space.judge(state);
    if (wrong !== undefined) violation = { ...wrong, path: pathTo(space, store, index) };
    if (index % REPORT_EVERY === 0) {
      const frontier = store.size - index;
      const { size: states, bytes } = store;
      limit = onProgress({ states, transitions, depth, frontier, bytes });
    }
    if (violation !== undefined) break;
    space.successors(state, into, (site, event, error) => {
      transitions++;
      granted ||= space.outcomeAt(state, site, event).grants.length > 0;
      if (error === undefined) {
        const known = ~store.insert(into, index);
        if (known >= 0 && known <= index && space.canRecur(event)) repeated.add(known);
        return true;
      }
      violation = { ...error, path: [...pathTo(space, store, index), { site, event }] };
      return false;
    });
    if (store.size > maxStates) limit = `more than ${maxStates} states`;
  }
  const isComplete = violation === undefined && limit === undefined && index === store.size;
  return { store, repeated, transitions, depth, isComplete, limit, violation, granted };
}

/** Random schedules, drawn from a seed: each runs from the start until no step is possible. */
function randomSearch(
  space: SearchSpace,
  { random }: ServiceCheckSettings,
  onProgress: OnProgress,
): Found {
  const store = new StateStore(space.width);
  const into = new Int32Array(space.width);
  let transitions = 0;
  let depth = 0;
  let granted = false;
  const { schedules, seed } = random!;
  const found = (limit: string | undefined, violation: Violation | undefined): Found => ({
    ...{ store, transitions, depth, isComplete: false, limit, violation, granted },
  });
  for (let schedule = 0; schedule < schedules; schedule++) {
    const draw = new Random(seed + schedule, 'service');
    const state = space.initial();
    const path: Step[] = [];
    for (;;) {
      store.insert(state, -1);
      const wrong = space.judge(state);
      if (wrong) {
        return found(undefined, { ...wrong, path });
      }
      const steps: Step[] = [];
      space.successors(state, into, (site, event) => steps.push({ site, event }) > 0);
      if (steps.length === 0 || path.length === space.longest) break;
      const chosen = steps[draw.below(steps.length)]!;
      let error: StepError | undefined;
      space.successors(state, into, (site, event, wrong) => {
        if (site !== chosen.site || event !== chosen.event) return true;
        error = wrong;
        return false;
      });
      path.push(chosen);
      transitions++;
      granted ||= space.outcomeAt(state, chosen.site, chosen.event).grants.length > 0;
      if (error !== undefined) {
        return found(undefined, { ...(error as StepError), path });
      }
      state.set(into);
      depth = Math.max(depth, path.length);
    }
    const { size: states, bytes } = store;
    const limit = onProgress({ states, transitions, depth, frontier: schedules - schedule, bytes });
    if (limit !== undefined) return found(limit, undefined);
  }
  return found(`${schedules} random schedules`, undefined);
}

/** The steps that first led to a state. */
function pathTo(space: SearchSpace, store: StateStore, index: number): Step[] {
  const states: Int32Array[] = [];
  for (let at = index; at !== -1; at = store.parent(at)) {
    const state = new Int32Array(space.width);
    store.load(at, state);
    states.unshift(state);
  }
  return states.slice(1).map((after, i) => stepBetween(space, states[i]!, after));
}

function stepBetween(space: SearchSpace, before: Int32Array, after: Int32Array): Step {
  const into = new Int32Array(space.width);
  let found: Step | undefined;
  space.successors(before, into, (site, event) => {
    if (into.every((part, i) => part === after[i])) found = { site, event };
    return found === undefined;
  });
  return found!;
}

/**
 * A cycle on which a caller waits for ever although the schedule is fair: each obligation that is possible all along
 * the cycle is met on it. A component in which some obligation is always possible and never met has no such cycle.
 */
function starvationIn(
  space: SearchSpace,
  { store, repeated, transitions, depth }: Found,
  onProgress: OnProgress,
): Violation | undefined {
  const [state, into] = [new Int32Array(space.width), new Int32Array(space.width)];
  const edgesBy = (from: number, counts: (event: number) => boolean): Edge[] => {
    const found: Edge[] = [];
    store.load(from, state);
    space.successors(state, into, (site, event) => {
      if (counts(event)) found.push({ from, to: store.indexOf(into), site, event });
      return true;
    });
    return found;
  };
  const edges = (from: number) => edgesBy(from, () => true);
  let revisited = 0;
  const recurring = (from: number) => {
    if (++revisited % REPORT_EVERY === 0) {
      const { size: states, bytes } = store;
      onProgress({ states, transitions, depth, frontier: 0, bytes, revisited });
    }
    return edgesBy(from, (event) => space.canRecur(event));
  };
  const components = new Components(store.size);
  for (const cyclic of components.withCycles(repeated ?? [0], recurring)) {
    const members = new Set(cyclic);
    const waits = cyclic.every((index) => {
      store.load(index, state);
      return Array.from({ length: space.members }, (_, i) => i).some(
        (i) => space.facts(state[i]!).waiting > 0,
      );
    });
    if (!waits) continue;
    const obligations = edges(cyclic[0]!).filter(({ event }) => space.isObligation(event));
    const isUnmet = obligations.some(
      (obligation) =>
        cyclic.every((i) =>
          edges(i).some((e) => e.site === obligation.site && e.event === obligation.event),
        ) &&
        !cyclic.some((i) =>
          edges(i).some(
            (e) => members.has(e.to) && e.site === obligation.site && e.event === obligation.event,
          ),
        ),
    );
    if (isUnmet) continue;
    const stem = cyclic.reduce((a, b) => Math.min(a, b));
    const path = pathTo(space, store, stem);
    const why = `a caller waits for ever while ${cyclic.length} states repeat`;
    return { property: 'starvation-freedom', why, path, loop: path.length + 1 };
  }
  return undefined;
}
