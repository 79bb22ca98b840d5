/** From values to places, and where the ticks are. */
import { ln } from '../../core/arithmetic.ts';
import { least, most } from '../extremes.ts';
import type { Axis } from '../figure.ts';

export interface Scale {
  readonly place: (value: number) => number;
  readonly ticks: readonly number[];
}

/** A scale that holds all the values, between two places. */
export function scaleOf(axis: Axis, values: readonly number[], from: number, to: number): Scale {
  const [low, high] = [least(values), most(values)];
  return axis.scale === 'log'
    ? logarithmic(low, high, from, to)
    : linear(Math.min(axis.from ?? 0, low), high, from, to);
}

function linear(low: number, high: number, from: number, to: number): Scale {
  const step = niceStep((high - low) / 6 || 1);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const [start, end] = [first * step, Math.max(last, first + 1) * step];
  const ticks = Array.from({ length: Math.round((end - start) / step) + 1 }, (_, i) => {
    // Tenths and hundredths, without what binary fractions add to them.
    return Number(((first + i) * step).toPrecision(12));
  });
  return { ticks, place: (value) => from + ((value - start) / (end - start)) * (to - from) };
}

/** The next of 1, 2, 5, 10, 20, 50 … */
function niceStep(least: number): number {
  const power = powerOfTen(Math.floor(ln(least) / Math.LN10 + 1e-9));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= least * (1 - 1e-9))!;
}

function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const lowest = Math.floor(ln(low) / Math.LN10 + 1e-9);
  const highest = Math.ceil(ln(high) / Math.LN10 - 1e-9);
  const all = Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i).flatMap((e) =>
    [1, 2, 5].map((m) => m * powerOfTen(e)),
  );
  // The axis ends at the ticks next to what is on it.
  const start = all.filter((tick) => tick <= low * (1 + 1e-9)).at(-1)!;
  const end = all.find((tick) => tick >= high * (1 - 1e-9) && tick > start)!;
  const within = all.filter((tick) => start <= tick && tick <= end);
  const ticks = within.length <= 9 ? within : within.filter(isPowerOfTen);
  const span = ln(end / start);
  return { ticks, place: (value) => from + (ln(value / start) / span) * (to - from) };
}

function isPowerOfTen(tick: number): boolean {
  const exponent = ln(tick) / Math.LN10;
  return Math.abs(exponent - Math.round(exponent)) < 1e-9;
}

/** Exact for the powers that floating point can hold. */
function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`);
}
