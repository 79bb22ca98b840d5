import type { Result } from '../sim/simulate.ts';
import type { Point } from './figure.ts';
import type { Runs } from './instruments.ts';

/** A curve: for each x the mean of its runs, with its interval. */
export const pointsOf = (
  xs: readonly number[],
  trials: readonly Runs[],
  value: (result: Result) => number,
): Point[] =>
  trials.map((runs, i) => {
    const { mean, ci95 } = runs.of(value);
    return { x: xs[i]!, y: mean, ci95 };
  });
