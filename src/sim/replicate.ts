import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import type { Violation } from './judge.ts';
import { type Estimate, estimate } from './samples.ts';
import type { Settings } from './settings.ts';
import { type Result, simulate } from './simulate.ts';

/** The same as in `Result`, over several runs. */
export interface ReplicatedResult {
  readonly algorithm: string;
  readonly nodes: number;
  /** The seed of the first run; the other runs have the seeds after it. */
  readonly seed: number;
  readonly replications: number;
  /** In all runs together; so are messages, byType, entriesByNode, events and wallSeconds. */
  readonly entries: number;
  readonly messages: number;
  readonly messagesPerEntry: Estimate;
  readonly bytesPerEntry: Estimate;
  readonly byType: { readonly [type: string]: number };
  readonly responseTime: SpreadEstimate;
  readonly waitingTime: SpreadEstimate;
  readonly synchronizationDelay: {
    readonly mean: Estimate;
    readonly max: number;
    readonly count: number;
  };
  readonly throughput: Estimate;
  readonly fairness: {
    readonly jain: Estimate;
    readonly maxBypass: number;
    readonly entriesByNode: readonly number[];
  };
  readonly events: number;
  readonly wallSeconds: number;
  /** The violations of all runs, each with the seed that shows it. */
  readonly violations: readonly (Violation & { readonly seed: number })[];
}

/** Percentiles are estimated like means; the maximum is that of all runs. */
export interface SpreadEstimate {
  readonly mean: Estimate;
  readonly p50: Estimate;
  readonly p99: Estimate;
  readonly max: number;
}

/**
 * Runs the same simulation with `replications` seeds, from `settings.seed` on, and says of each mean how
 * far the truth may be from it: `ci95` is half the width of Student's 95 % interval. `onResult` is given
 * each run when it is done.
 */
export function replicate(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: Settings,
  replications: number,
  onResult: (result: Result) => void = () => {},
): ReplicatedResult {
  if (!Number.isSafeInteger(replications) || replications < 2) {
    throw new UsageError(
      `replications takes a whole number of 2 or more, got ${replications}: one run has no spread`,
    );
  }
  const { seed = 1 } = settings;
  const results: Result[] = [];
  for (let i = 0; i < replications; i++) {
    const result = simulate(algorithm, world, { ...settings, seed: seed + i });
    results.push(result);
    onResult(result);
  }
  const of = (value: (r: Result) => number) => estimate(results.map(value));
  const sum = (value: (r: Result) => number) => results.reduce((all, r) => all + value(r), 0);
  const most = (value: (r: Result) => number) => Math.max(...results.map(value));
  const spread = (name: 'responseTime' | 'waitingTime'): SpreadEstimate => ({
    mean: of((r) => r[name].mean),
    p50: of((r) => r[name].p50),
    p99: of((r) => r[name].p99),
    max: most((r) => r[name].max),
  });
  const types = Object.keys(algorithm.messages).filter((t) => sum((r) => r.byType[t] ?? 0) > 0);
  return {
    algorithm: algorithm.id,
    nodes: world.n,
    seed,
    replications,
    entries: sum((r) => r.entries),
    messages: sum((r) => r.messages),
    messagesPerEntry: of((r) => r.messagesPerEntry),
    bytesPerEntry: of((r) => r.bytesPerEntry),
    byType: Object.fromEntries(types.map((t) => [t, sum((r) => r.byType[t] ?? 0)])),
    responseTime: spread('responseTime'),
    waitingTime: spread('waitingTime'),
    synchronizationDelay: {
      mean: of((r) => r.synchronizationDelay.mean),
      max: most((r) => r.synchronizationDelay.max),
      count: sum((r) => r.synchronizationDelay.count),
    },
    throughput: of((r) => r.throughput),
    fairness: {
      jain: of((r) => r.fairness.jain),
      maxBypass: most((r) => r.fairness.maxBypass),
      entriesByNode: Array.from({ length: world.n }, (_, i) =>
        sum((r) => r.fairness.entriesByNode[i]!),
      ),
    },
    events: sum((r) => r.events),
    wallSeconds: sum((r) => r.wallSeconds),
    violations: results.flatMap((r) => r.violations.map((v) => ({ ...v, seed: r.seed }))),
  };
}
