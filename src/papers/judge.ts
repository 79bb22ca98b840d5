/** Verdicts are earned: each compares what a paper expects with what was measured, and may go either way. */
import type { Estimate } from '../sim/samples.ts';
import { most as highest, least as lowest } from './extremes.ts';
import { shown, shownAll } from './text.ts';

export interface Judgement {
  readonly expected: string;
  readonly measured: string;
  readonly tolerance: string;
  readonly holds: boolean;
}

/** Sums of whole numbers, divided once: only the last bit can be off. */
const SLACK = 1e-9;
const isNear = (a: number, b: number, tolerance = 0): boolean =>
  Math.abs(a - b) <= tolerance * Math.abs(b) + SLACK * Math.max(1, Math.abs(b));

/** The very number, or each of several. */
export function exactly(
  formula: string,
  expected: number | readonly number[],
  measured: number | readonly number[],
): Judgement {
  const [wanted, got] = [[expected].flat(), [measured].flat()] as [number[], number[]];
  return {
    expected: asFormula(formula, shownAll(wanted)),
    measured: shownAll(got),
    tolerance: 'exact',
    holds: wanted.length === got.length && wanted.every((value, i) => isNear(got[i]!, value)),
  };
}

/** The same number but for a fraction of it. */
export function about(
  formula: string,
  expected: number,
  measured: number | Estimate,
  tolerance: number,
): Judgement {
  const { mean, ci95 } = typeof measured === 'number' ? { mean: measured, ci95: 0 } : measured;
  return {
    expected: asFormula(formula, shown(expected)),
    measured: ci95 === 0 ? shown(mean) : `${shown(mean)} ±${shown(ci95)}`,
    tolerance: `±${shown(100 * tolerance)} %`,
    holds: isNear(mean, expected, tolerance),
  };
}

/** Each measured number within bounds; with `reached`, both bounds are met. */
export function between(
  formula: string,
  [least, most]: readonly [number, number],
  measured: readonly number[],
  reached = false,
): Judgement {
  const [low, high] = [lowest(measured), highest(measured)];
  const inside = least - SLACK <= low && high <= most + SLACK;
  const bounds =
    least === Number.NEGATIVE_INFINITY
      ? `at most ${shown(most)}`
      : most === Number.POSITIVE_INFINITY
        ? `at least ${shown(least)}`
        : `${shown(least)} to ${shown(most)}`;
  return {
    expected: formula === '' ? bounds : `${formula}: ${bounds}`,
    measured: isNear(low, high) ? shown(low) : `${shown(low)} to ${shown(high)}`,
    tolerance: reached ? 'within, and both bounds met' : 'within',
    holds: inside && (!reached || (isNear(low, least) && isNear(high, most))),
  };
}

export const atMost = (formula: string, most: number, measured: readonly number[]): Judgement =>
  between(formula, [Number.NEGATIVE_INFINITY, most], measured);

export const atLeast = (formula: string, least: number, measured: readonly number[]): Judgement =>
  between(formula, [least, Number.POSITIVE_INFINITY], measured);

/** The same words: an order of service, a verdict, an order of curves. */
export const same = (expected: string, measured: string): Judgement => ({
  expected,
  measured,
  tolerance: 'the same',
  holds: expected === measured,
});

const asFormula = (formula: string, value: string): string =>
  formula === '' || formula === value
    ? value
    : `${formula}${formula.includes('=') ? ':' : ' ='} ${value}`;
