/** How a measure develops while time passes: a curve for each algorithm, up to where the page stands. */
import { useSignal } from '@preact/signals';
import { DARK, LIGHT } from '../diagram/theme.ts';
import type { Compared } from '../engine/protocol.ts';
import { MEASURES } from '../model/measures.ts';
import { isDark } from './dark.ts';
import { isNarrow } from './sheet.tsx';

const HEIGHT = 190;
const TOP = 12;
const BOTTOM = 168;
const LEFT = 44;
/** Space for the names, at the right. */
const NAMES = 170;

interface Props {
  readonly columns: readonly Compared[];
  /** The end of the longest run, and where the page stands. */
  readonly end: number;
  readonly time: number;
}

export function Course({ columns, end, time }: Props) {
  const chosen = useSignal(MEASURES[0]!.name);
  const { of, digits } = MEASURES.find(({ name }) => name === chosen.value)!;
  const theme = isDark.value ? DARK : LIGHT;
  const curves = columns.map(({ title, course }, i) => ({
    ...{ title, colour: theme.types[i % theme.types.length]! },
    points: course.flatMap(({ time: at, figures }) => {
      const value = of(figures);
      return value === null ? [] : [{ at, value }];
    }),
  }));
  // As wide as it is on the screen: letters keep their size.
  const width = isNarrow.value ? 370 : 900;
  const right = width - NAMES;
  // What the first few entries cost says little, and may be much: there the curves leave the picture.
  const most = Math.max(
    1e-9,
    ...curves.flatMap(({ points }) => points.filter((p) => p.at > end / 6).map((p) => p.value)),
  );
  const x = (at: number) => LEFT + (at / end) * (right - LEFT);
  const y = (value: number) => BOTTOM - (value / most) * (BOTTOM - TOP);
  const names = spread(
    curves.map(({ points }) => Math.max(TOP, y(points.findLast((p) => p.at <= time)?.value ?? 0))),
  );
  return (
    <figure class="course">
      <figcaption>
        <label>
          up to each moment:{' '}
          <select
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {MEASURES.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img">
        <title>{chosen.value} while time passes</title>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line
              x1={LEFT}
              x2={right}
              y1={y(part * most)}
              y2={y(part * most)}
              stroke={theme.grid}
            />
            <text x={LEFT - 6} y={y(part * most) + 4} text-anchor="end" fill={theme.soft}>
              {(part * most).toFixed(digits === 0 ? 0 : most < 2 ? 2 : 1)}
            </text>
          </g>
        ))}
        <clipPath id="course">
          <rect x={LEFT} y={TOP - 2} width={right - LEFT + 2} height={BOTTOM - TOP + 4} />
        </clipPath>
        {curves.map(({ title, colour, points }, i) => (
          <g key={title}>
            <polyline
              clip-path="url(#course)"
              points={points
                .filter(({ at }) => at <= time)
                .map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`)
                .join(' ')}
              fill="none"
              stroke={colour}
              stroke-width="2"
            />
            <text x={right + 12} y={names[i]! + 4} fill={colour}>
              {title}
            </text>
          </g>
        ))}
        <line x1={x(time)} x2={x(time)} y1={TOP} y2={BOTTOM} stroke={theme.cursor} />
        <text x={x(time)} y={BOTTOM + 15} text-anchor="middle" fill={theme.soft}>
          time {Math.round(time).toLocaleString('en')}
        </text>
      </svg>
    </figure>
  );
}

/** Names at these heights, moved down where two would overlap, and up where they would leave the picture. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!);
  const placed = [...heights];
  let free = TOP;
  for (const i of order) {
    placed[i] = Math.max(free, placed[i]!);
    free = placed[i]! + 15;
  }
  const over = Math.max(0, free - 15 - BOTTOM);
  return placed.map((height) => height - over);
}
