/**
 * The model checker: explores every schedule of an algorithm among a few sites. It proves the
 * algorithm's claims, or shows the shortest schedule that violates one.
 *
 * @example
 * ```ts
 * import { find } from 'latchkey/algorithms';
 * import { check, makeWorld } from 'latchkey/check';
 *
 * const lamport = find('lamport');
 * const report = check(lamport, makeWorld(lamport, { nodes: 2 }), { links: 'any' });
 * report.verdict; // 'violated'
 * report.trace?.length; // 4 steps, and no schedule fails sooner
 * ```
 */
export { parseTrace, type Trace } from '../core/formats/native.ts';
export { makeWorld } from '../topologies/world.ts';
export { type CheckReport, type CheckSettings, check, type Verdict } from './check.ts';
export { type Replayed, replay } from './replay.ts';
export type { Progress } from './search.ts';
export {
  checkService,
  type LeasedFaults,
  type ServiceCheckSettings,
  type ServiceProgress,
  type ServiceReport,
} from './service/check-service.ts';
export { type Enabled, Stepper, type StepperSettings } from './stepper.ts';
export type { Segment } from './tables.ts';
export {
  keepStates,
  type RunningThread,
  type SecondThread,
  type ThreadWork,
} from './thread.ts';
