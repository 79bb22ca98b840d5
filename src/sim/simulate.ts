import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import type { Violation } from './judge.ts';
import type { Steady } from './measures.ts';
import { Run } from './run.ts';
import type { Spread } from './samples.ts';
import { checkSettings, type Settings } from './settings.ts';

/** What a run measured. The fields come in this order, so that equal runs print equal bytes. */
export interface Result {
  readonly algorithm: string;
  readonly nodes: number;
  readonly seed: number;
  readonly entries: number;
  /** A broadcast counts as one message; a message to the site itself does not count. */
  readonly messages: number;
  readonly messagesPerEntry: number;
  readonly bytesPerEntry: number;
  /** The types that were sent, in the order in which the algorithm declares them. */
  readonly byType: { readonly [type: string]: number };
  /** From request to exit. */
  readonly responseTime: Spread;
  /** From request to entry. */
  readonly waitingTime: Spread;
  /** From an exit to the next entry while a site waited; `count` says how often that was. */
  readonly synchronizationDelay: {
    readonly mean: number;
    readonly max: number;
    readonly count: number;
  };
  /** Entries per time unit. */
  readonly throughput: number;
  readonly fairness: {
    readonly jain: number;
    readonly maxBypass: number;
    readonly entriesByNode: readonly number[];
  };
  /** How many deliveries, requests, exits, timers and faults of sites there were. */
  readonly events: number;
  readonly wallSeconds: number;
  readonly violations: readonly Violation[];
  /** The simulated time at the end. */
  readonly time: number;
  /** A saturated run without its beginning and its end, if it had three rounds or more. */
  readonly steady: Steady | null;
}

/**
 * Runs an algorithm in simulated time until so many entries are made, and then until it rests. A run
 * depends on nothing but its arguments: the same seed gives the same run, to the byte.
 *
 * Every step goes through the same machine as in the checker and the lock service. Exclusion, the
 * number of tokens, deadlock and the growth of fences are watched as the run goes; the first violation
 * ends it and is in `violations`.
 *
 * Throws a UsageError for settings that are not valid.
 *
 * @example
 * ```ts
 * import { find } from 'latchkey/algorithms';
 * import { makeWorld, simulate } from 'latchkey/sim';
 *
 * const raymond = find('raymond');
 * const world = makeWorld(raymond, { nodes: 7, topology: 'line' });
 * const result = simulate(raymond, world, { workload: 'saturated', entries: 700, seed: 7 });
 * result.steady?.messagesPerEntry; // 4(N−1)/N
 * result.fairness.jain; // 1: all had the same number of entries
 * ```
 */
export function simulate(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: Settings = {},
): Result {
  const checked = checkSettings(algorithm, world, settings);
  const began = settings.clock?.() ?? 0;
  const run = new Run(algorithm, world, checked, settings);
  run.advance(Number.POSITIVE_INFINITY);
  return resultOf(run, checked.seed, (settings.clock?.() ?? 0) - began);
}

/** What a run has measured so far. */
export function resultOf(run: Run, seed: number, wallSeconds: number): Result {
  const { measures, traffic, algorithm, sites } = run;
  const { violation } = run.judge;
  const { entries } = measures;
  const perEntry = (sum: number) => (entries === 0 ? 0 : sum / entries);
  return {
    algorithm: algorithm.id,
    nodes: sites.n,
    seed,
    entries,
    messages: traffic.messages,
    messagesPerEntry: perEntry(traffic.messages),
    bytesPerEntry: perEntry(traffic.bytes),
    byType: traffic.byType(),
    responseTime: measures.responseTime,
    waitingTime: measures.waitingTime,
    synchronizationDelay: measures.synchronizationDelay,
    throughput: measures.throughput,
    fairness: measures.fairness,
    events: run.events,
    wallSeconds,
    violations: violation === undefined ? [] : [violation],
    time: run.now,
    steady: measures.steady,
  };
}
