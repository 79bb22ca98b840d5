/**
 * Verdicts are earned: each compares what a paper expects with what was measured, and may go either way.
 *
 * The rule is one for all rows, and fixed before anything is measured:
 *
 * - A number that no chance enters must be the expected one (`exactly`), or lie within the bounds that the
 *   paper gives (`between`).
 * - A mean over random runs is taken with its 95 % confidence interval. It is as expected if the whole
 *   interval lies within 5 % of the expected value (`about`), or within the bounds (`between`).
 * - A claim in words is as expected if the words are the same (`same`).
 */
import type { Estimate } from '../sim/samples.ts';
import { most as highest, least as lowest } from './extremes.ts';
import { shown, shownAll } from './text.ts';

/** The tolerance of every comparison of a mean with a number. */
export const TOLERANCE = 0.05;

/** From the lower end to the upper. */
export type Range = readonly [number, number];

/** The numbers behind a verdict. */
export interface Interval {
  /** All that was measured, each mean with its 95 % confidence interval. */
  readonly measured: Range;
  /** What the claim allows; null where a side is open. */
  readonly allowed: readonly [number | null, number | null];
}

export interface Judgement {
  readonly expected: string;
  readonly measured: string;
  readonly tolerance: string;
  readonly holds: boolean;
  /** Where numbers were compared with bounds. */
  readonly interval?: Interval;
}

/** Sums of whole numbers, divided once: only the last bit can be off. */
const SLACK = 1e-9;
const slackOf = (value: number): number => SLACK * Math.max(1, Math.abs(value));
const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= slackOf(b);

/** Whether all that was measured is allowed. */
export const isWithin = ({ measured: [low, high], allowed: [least, most] }: Interval): boolean =>
  (least === null || least - slackOf(least) <= low) &&
  (most === null || high <= most + slackOf(most));

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

/** The same number but for the tolerance, with the whole interval. */
export function about(formula: string, expected: number, measured: number | Estimate): Judgement {
  const range = rangeOf(measured);
  const off = TOLERANCE * Math.abs(expected);
  const interval: Interval = { measured: range, allowed: [expected - off, expected + off] };
  return {
    expected: asFormula(formula, shown(expected)),
    measured: typeof measured === 'number' ? shown(measured) : estimated(measured),
    tolerance: `±${shown(100 * TOLERANCE)} %`,
    holds: isWithin(interval),
    interval,
  };
}

/** Each measured number within bounds, a mean with its interval; with `reached`, both bounds are met. */
export function between(
  formula: string,
  [least, most]: Range,
  measured: readonly (number | Estimate)[],
  reached = false,
): Judgement {
  const ranges = measured.map(rangeOf);
  const low = lowest(ranges.map(([from]) => from));
  const high = highest(ranges.map(([, to]) => to));
  const interval: Interval = {
    measured: [low, high],
    allowed: [finite(least), finite(most)],
  };
  const bounds =
    least === Number.NEGATIVE_INFINITY
      ? `at most ${shown(most)}`
      : most === Number.POSITIVE_INFINITY
        ? `at least ${shown(least)}`
        : `${shown(least)} to ${shown(most)}`;
  return {
    expected: formula === '' ? bounds : `${formula}: ${bounds}`,
    measured: inWords(measured, low, high),
    tolerance: reached ? 'within, and both bounds met' : 'within',
    holds: isWithin(interval) && (!reached || (isNear(low, least) && isNear(high, most))),
    interval,
  };
}

export const atMost = (
  formula: string,
  most: number,
  measured: readonly (number | Estimate)[],
): Judgement => between(formula, [Number.NEGATIVE_INFINITY, most], measured);

export const atLeast = (
  formula: string,
  least: number,
  measured: readonly (number | Estimate)[],
): Judgement => between(formula, [least, Number.POSITIVE_INFINITY], measured);

/** The same words: an order of service, a verdict, an order of curves. */
export const same = (expected: string, measured: string): Judgement => ({
  expected,
  measured,
  tolerance: 'the same',
  holds: expected === measured,
});

const rangeOf = (value: number | Estimate): Range =>
  typeof value === 'number' ? [value, value] : [value.mean - value.ci95, value.mean + value.ci95];

/** A mean with its interval, unless all runs agree but for the last bit. */
export const estimated = ({ mean, ci95 }: Estimate): string =>
  ci95 <= slackOf(mean) ? shown(mean) : `${shown(mean)} ±${shown(ci95)}`;

function inWords(measured: readonly (number | Estimate)[], low: number, high: number): string {
  const [only] = measured;
  if (measured.length === 1 && typeof only === 'object') return estimated(only);
  return isNear(low, high) ? shown(low) : `${shown(low)} to ${shown(high)}`;
}

const finite = (bound: number): number | null => (Number.isFinite(bound) ? bound : null);

const asFormula = (formula: string, value: string): string =>
  formula === '' || formula === value
    ? value
    : `${formula}${formula.includes('=') ? ':' : ' ='} ${value}`;
