/** What was measured against what the claim allows, on one line. */
import type { Interval } from '../../src/papers/judge.ts';

const WIDTH = 360;
const EDGE = 30;

export function IntervalPicture({ interval }: { interval: Interval }) {
  const { measured, allowed } = interval;
  const ends = [...measured, ...allowed].filter((value) => value !== null);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = (high - low || Math.abs(high) || 1) * 0.15;
  const at = (value: number) =>
    EDGE + ((value - low + room) / (high - low + 2 * room)) * (WIDTH - 2 * EDGE);
  // A side that is open goes on to the edge.
  const [from, to] = [
    allowed[0] === null ? 0 : at(allowed[0]),
    allowed[1] === null ? WIDTH : at(allowed[1]),
  ];
  const [left, right] = [at(measured[0]), at(measured[1])];
  return (
    <svg class="interval" viewBox={`0 0 ${WIDTH} 46`} role="img">
      <title>
        Measured {shown(measured[0])} to {shown(measured[1])}, allowed{' '}
        {allowed[0] === null ? 'from anything' : shown(allowed[0])} to{' '}
        {allowed[1] === null ? 'anything' : shown(allowed[1])}
      </title>
      <rect x={from} y="8" width={Math.max(2, to - from)} height="14" class="allowed" />
      <rect x={left - 2} y="11" width={Math.max(4, right - left + 4)} height="8" rx="4" />
      {allowed.map((value, i) =>
        value === null ? null : (
          <text key={i} x={at(value)} y="38" text-anchor={i === 0 ? 'start' : 'end'}>
            {i === 0 && allowed[0] === allowed[1] ? '' : shown(value)}
          </text>
        ),
      )}
    </svg>
  );
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));
