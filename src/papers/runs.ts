/** The runs behind a row, as data: what the simulator or the checker was given, and nothing that is as by default. */
import type { CheckSettings } from '../check/check.ts';
import type { Settings } from '../sim/settings.ts';
import type { Subject } from './subject.ts';

/** An algorithm in its world. */
interface InWorld {
  readonly algorithm: string;
  readonly nodes: number;
  readonly topology?: string;
  readonly options?: readonly string[];
  readonly k?: number;
  /** The seed of a random topology, where it is not the seed of the run. */
  readonly topologySeed?: number;
}

/** The fields of `Settings` that say what is run. Runs that differ only in their seeds are one: `Row.seeds` has them. */
export interface SimulatedRun extends InWorld {
  readonly kind: 'simulate';
  readonly settings: Pick<Settings, (typeof SIMULATED)[number]>;
}

/** The fields of `CheckSettings` that say what is searched. */
export interface CheckedRun extends InWorld {
  readonly kind: 'check';
  /** The form that the paper prints; undefined for ours. */
  readonly printed?: string;
  readonly settings: Pick<CheckSettings, (typeof CHECKED)[number]>;
}

export type Run = SimulatedRun | CheckedRun;

const SIMULATED = [
  ...(['workload', 'rate', 'entries', 'until', 'delay', 'cs', 'links', 'readers'] as const),
  ...(['script', 'faults'] as const),
] as const;
const CHECKED = [
  ...(['entries', 'links', 'modes', 'downgrade', 'crashes', 'losses', 'duplications'] as const),
  ...(['maxStates', 'symmetry', 'partialOrder', 'reportMessages', 'reportBypass'] as const),
] as const;

/** Undefined for a run in a world that only the experiment can make. */
export function simulatedRun(subject: Subject, settings: Settings): SimulatedRun | undefined {
  const world = worldOf(subject);
  if (world === undefined) return undefined;
  return { kind: 'simulate', ...world, settings: only(settings, SIMULATED) };
}

/** Undefined also for random schedules, and for requests without end, which plain data cannot count. */
export function checkedRun(subject: Subject, settings: CheckSettings): CheckedRun | undefined {
  const world = worldOf(subject);
  const isEndless = [settings.entries ?? 2].flat().some((count) => !Number.isFinite(count));
  if (world === undefined || settings.random !== undefined || isEndless) return undefined;
  return { kind: 'check', ...world, settings: only(settings, CHECKED) };
}

/** Each once, in the order in which they came. */
export function distinctRuns(runs: readonly (Run | undefined)[]): readonly Run[] {
  const known = new Map<string, Run>();
  for (const run of runs) if (run !== undefined) known.set(JSON.stringify(run), run);
  return [...known.values()];
}

function worldOf(subject: Subject): InWorld | undefined {
  const { algorithm, nodes, topology, options = [], k = 1, seed, file } = subject;
  if (file !== undefined) return undefined;
  return {
    ...{ algorithm, nodes },
    ...(topology !== undefined && { topology }),
    ...(options.length > 0 && { options }),
    ...(k > 1 && { k }),
    ...(seed !== undefined && seed !== 1 && { topologySeed: seed }),
  };
}

function only<T extends object, K extends keyof T>(from: T, fields: readonly K[]): Pick<T, K> {
  const kept: Partial<Pick<T, K>> = {};
  for (const field of fields) if (from[field] !== undefined) kept[field] = from[field];
  return kept as Pick<T, K>;
}
