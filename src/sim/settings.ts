import type { AnyAlgorithm, AnyWorld, Links } from '../core/algorithm.ts';
import { didYouMean, UsageError } from '../core/errors.ts';
import type { TraceStep } from '../core/trace.ts';
import type { Columns } from './columns.ts';
import { Delay } from './delay.ts';
import { type Faults, parseFaults } from './faults.ts';
import { parseScript, type ScriptedRequest } from './script.ts';
import { WORKLOADS, type WorkloadKind } from './workload.ts';

/** How to run a simulation. All have the defaults of `latchkey simulate`. */
export interface Settings {
  /** A whole number from 0. The same seed gives the same run, to the byte, on every machine. Default 1. */
  readonly seed?: number | undefined;
  /**
   * Which sites ask, and when. Default `poisson`.
   * - `once`: all sites ask at time 0, once. With fewer `entries` than sites, only the first so many.
   * - `saturated`: every site asks at time 0, and again at once whenever it has left.
   * - `poisson`: each site thinks for an exponential time of mean 1/`rate`, asks, leaves, thinks again.
   * - `solo`: one site at a time, drawn at random, asks when all is quiet: no site waits or is inside,
   *   nothing is under way, no timer is set. Where an algorithm never rests (a token that circulates for
   *   ever), the site asks after a while all the same. Messages sent while no site wanted in do not count.
   * - `script`: as `script` says.
   */
  readonly workload?: WorkloadKind | undefined;
  /** Requests per time unit and site while thinking, for `poisson`. Default 0.01. */
  readonly rate?: number | undefined;
  /**
   * Exactly so many requests are made in all; then the run drains. Default 1000, except that `once` makes
   * one for each site and `script` all of its own, and more than that they never make.
   */
  readonly entries?: number | undefined;
  /**
   * Ends the run at this time, whatever is under way: nothing drains. Without `entries` sites ask until then.
   * What was sent for requests that are cut off counts as sent; their times count only if they have left.
   */
  readonly until?: number | undefined;
  /** How long messages take: `constant:5` (default), `uniform:1,9`, `exponential:5`, `lognormal:MEAN,DEVIATION`. */
  readonly delay?: string | undefined;
  /** How long a site stays inside. Default 10. */
  readonly cs?: number | undefined;
  /** `fifo` keeps the order on each channel, `any` does not. Default: what the algorithm asks for. */
  readonly links?: Links | undefined;
  /** The fraction of requests that are for sharing, from 0 to 1. Default 0. */
  readonly readers?: number | undefined;
  /**
   * For the workload of that name, its text: on each line `TIME request SITE [shared] [stay TIME]`, or the
   * same as JSON, `{"at": 12.5, "request": 0, "mode": "shared", "stay": 4}`. `#` begins a comment. A site
   * that is still busy asks when it has left.
   */
  readonly script?: string | undefined;
  /**
   * What goes wrong, as JSON: a list of `{ "at": 100, "crash": 2 }`, `{ "at": 200, "restart": 2 }`,
   * `{ "at": 50, "partition": [[0, 1], [2, 3, 4]] }`, `{ "at": 90, "heal": true }`,
   * `{ "from": 10, "until": 60, "lose": 0.1 }`, `{ "from": 10, "until": 60, "duplicate": 0.05 }`; the last
   * two also with `"between": [0, 3]` and `"types": ["REPLY"]`; and interventions, which name a step:
   * `{ "after": 12, "lose": 7 }` (see `faults.ts`). Partitions hold messages back until they
   * heal. An algorithm that listens to a failure detector has a perfect one.
   */
  readonly faults?: string | undefined;
  /**
   * Interventions after some steps of the run, as entries of `faults` with `after` instead of `at`:
   * `{ after: 12, lose: 7 }`. The interventions in `faults` are performed as well.
   */
  readonly interventions?: readonly { readonly [field: string]: unknown }[] | undefined;
  /** Receives every step as it happens: the run as numbers, for views of a million steps. */
  readonly columns?: Columns | undefined;
  /** Called with every step as it happens. Its states and messages are copies, which may be kept. */
  readonly trace?: ((step: TraceStep) => void) | undefined;
  /** Called about every quarter of a million events. */
  readonly onProgress?: ((entries: number, time: number) => void) | undefined;
  /** Seconds, from anywhere: measures `wallSeconds`, which is 0 without. */
  readonly clock?: (() => number) | undefined;
  /**
   * After so many events in which a site waits and none goes in, the run is called a livelock. Default
   * 1,000,000 + 10 n².
   */
  readonly maxEvents?: number | undefined;
  /** Makes every message read-only when it is sent, so that an algorithm that writes to one throws. */
  readonly freezeMessages?: boolean | undefined;
}

/** Settings that were checked, with nothing left out. */
export interface CheckedSettings {
  readonly seed: number;
  readonly workload: WorkloadKind;
  readonly rate: number;
  readonly limit: number;
  readonly until: number;
  readonly delay: Delay;
  readonly cs: number;
  readonly links: Links;
  readonly readers: number;
  readonly script: readonly ScriptedRequest[];
  readonly faults: Faults;
  readonly maxEvents: number;
}

/** Throws a UsageError that names the value, the rule and the way out. */
export function checkSettings(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: Settings,
): CheckedSettings {
  const { n } = world;
  const { workload = 'poisson', links = algorithm.links, readers = 0 } = settings;
  if (!WORKLOADS.includes(workload)) {
    throw new UsageError(
      `there is no workload "${workload}": take one of ${WORKLOADS.join(', ')}${didYouMean(workload, WORKLOADS)}`,
    );
  }
  if (links !== 'any' && links !== 'fifo') {
    throw new UsageError(`links are "any" or "fifo", got "${links}"`);
  }
  if (!(0 <= readers && readers <= 1)) {
    throw new UsageError(`readers takes a fraction from 0 to 1, as in 0.8; got ${readers}`);
  }
  if (readers > 0 && !algorithm.modes.includes('shared')) {
    throw new UsageError(
      `${algorithm.id} has no shared mode: leave readers at 0, or take an algorithm with modes exclusive and shared`,
    );
  }
  if ((workload === 'script') !== (settings.script !== undefined)) {
    throw new UsageError(
      workload === 'script'
        ? 'the workload "script" needs a script, as in script: "0 request 2"'
        : `a script goes with the workload "script", got "${workload}"`,
    );
  }
  const script = settings.script === undefined ? [] : parseScript(settings.script, algorithm, n);
  const most = { once: n, script: script.length }[workload as string] ?? Number.POSITIVE_INFINITY;
  const isEndless = !Number.isFinite(most) && settings.until !== undefined;
  const usual = isEndless ? Number.MAX_SAFE_INTEGER : 1000;
  const entries = settings.entries ?? (Number.isFinite(most) ? most : usual);
  return {
    seed: wholeNumber('seed', settings.seed ?? 1, 0),
    workload,
    rate: positive('rate', settings.rate ?? 0.01),
    limit: Math.min(most, wholeNumber('entries', entries, 1)),
    until:
      settings.until === undefined ? Number.POSITIVE_INFINITY : positive('until', settings.until),
    delay: new Delay(settings.delay ?? 'constant:5'),
    cs: notNegative('cs', settings.cs ?? 10),
    links,
    readers,
    script,
    faults: parseFaults(settings.faults ?? '[]', algorithm, world, settings.interventions),
    maxEvents: wholeNumber('maxEvents', settings.maxEvents ?? 1_000_000 + 10 * n * n, 1),
  };
}

function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${name} takes a whole number of ${least} or more, got ${value}`);
}

function positive(name: string, value: number): number {
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`${name} takes a number above 0, got ${value}`);
}

function notNegative(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`${name} takes a number of 0 or more, got ${value}`);
}
