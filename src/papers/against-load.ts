/** Variants of an algorithm over the same loads, from one request now and then to all sites all the time. */
import type { Settings } from '../sim/settings.ts';
import type { Result } from '../sim/simulate.ts';
import type { Series } from './figure.ts';
import type { Instruments, Runs, Subject } from './instruments.ts';
import { pointsOf } from './points.ts';

/** Requests per node and time unit, from a tenth of the capacity of one node to more than all can have. */
export const RATES = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];

export interface Variant {
  readonly name: string;
  readonly subject: Subject;
}

export interface Loaded extends Variant {
  /** One trial for each rate. */
  readonly trials: readonly Runs[];
}

export const againstLoad = (
  using: Instruments,
  variants: readonly Variant[],
  settings: Settings,
): Loaded[] =>
  variants.map(({ name, subject }) => ({
    ...{ name, subject },
    trials: RATES.map((rate) =>
      using.runs(
        subject,
        { ...settings, workload: 'poisson', rate, entries: using.pick(400, 4000) },
        using.pick(3, 10),
      ),
    ),
  }));

export const seriesOf = (loaded: readonly Loaded[], value: (result: Result) => number): Series[] =>
  loaded.map(({ name, trials }) => ({ name, points: pointsOf(RATES, trials, value) }));

export const xOfLoad = { label: 'requests per node and time unit', scale: 'log' } as const;
