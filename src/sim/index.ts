/**
 * `latchkey/sim`: runs any algorithm of the catalogue in simulated time, under any load, on any links,
 * with or without faults, and measures what its paper claims. The same seed gives the same run, to the
 * byte, on every machine.
 *
 * @example
 * ```ts
 * import { find } from 'latchkey/algorithms';
 * import { claimsMissed, makeWorld, type Settings, simulate } from 'latchkey/sim';
 *
 * const algorithm = find('ricart-agrawala');
 * const world = makeWorld(algorithm, { nodes: 5 });
 * const settings: Settings = { workload: 'poisson', rate: 0.002, delay: 'uniform:1,9', seed: 7 };
 * const result = simulate(algorithm, world, settings);
 * result.messagesPerEntry; // 8, which is 2(N−1)
 * result.violations; // []
 * claimsMissed(algorithm, world, settings, result); // []
 * ```
 */

export type { Reason } from '../core/blame.ts';
export { makeWorld } from '../topologies/world.ts';
export { claimsMissed } from './claims.ts';
export { Columns, DELIVERED, EVENTS, LOST, UNDER_WAY } from './columns.ts';
export type { Violation } from './judge.ts';
export type { Steady } from './measures.ts';
export type { UnderWay } from './network.ts';
export { type OpenRun, openRun, type Phase } from './open-run.ts';
export { type ReplicatedResult, replicate, type SpreadEstimate } from './replicate.ts';
export type { Estimate, Spread } from './samples.ts';
export { requestScript } from './script.ts';
export type { Settings } from './settings.ts';
export { type Result, simulate } from './simulate.ts';
export { WORKLOADS, type WorkloadKind } from './workload.ts';
