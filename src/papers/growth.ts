/** How a curve grows: which simple law it follows best. */
import { ln } from '../core/arithmetic.ts';
import { type Judgement, same } from './judge.ts';
import { shown } from './text.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const LAWS = {
  'log N': ln,
  '√N': Math.sqrt,
  N: (x: number) => x,
} as const;
export type Law = keyof typeof LAWS;

/** The law y = a + b·f(N) with the least squares, each law with its own best a and b. */
function bestLaw(points: readonly Point[]): { law: Law; a: number; b: number } {
  const fits = (Object.keys(LAWS) as Law[]).map((law) => ({
    law,
    ...leastSquares(points, LAWS[law]),
  }));
  return fits.reduce((best, one) => (one.error < best.error ? one : best));
}

function leastSquares(points: readonly Point[], f: (x: number) => number) {
  const mean = (value: (p: Point) => number) =>
    points.reduce((sum, p) => sum + value(p), 0) / points.length;
  const [meanF, meanY] = [mean(({ x }) => f(x)), mean(({ y }) => y)];
  const b =
    mean(({ x, y }) => (f(x) - meanF) * (y - meanY)) /
    mean(({ x }) => (f(x) - meanF) * (f(x) - meanF));
  const a = meanY - b * meanF;
  const error = mean(({ x, y }) => (y - a - b * f(x)) * (y - a - b * f(x)));
  return { a, b, error };
}

/** Whether of the three laws this one fits best. */
export function growsLike(law: Law, points: readonly Point[]): Judgement {
  const { law: found, a, b } = bestLaw(points);
  const { expected, holds } = same(law, found);
  const ends = [points[0]!, points.at(-1)!].map(({ x, y }) => `${shown(y)} for N = ${shown(x)}`);
  return {
    expected: `a + b·${expected}`,
    measured: `${shown(a)} + ${shown(b)}·${found}; ${ends.join(', ')}`,
    tolerance: 'the best fit of log N, √N and N',
    holds,
  };
}
