/** How each measure develops while time passes: a chart for each, a curve for each algorithm, up to where the page stands. */
import { DARK, LIGHT } from '../diagram/theme.ts';
import type { Compared } from '../engine/protocol.ts';
import { MEASURES, type Measure } from '../model/measures.ts';
import { isDark } from './dark.ts';

const WIDTH = 300;
const HEIGHT = 126;
const TOP = 10;
const BOTTOM = 116;
const LEFT = 38;
/** The curves end here; to the right is the number of each. */
const RIGHT = 276;

interface Props {
  readonly columns: readonly Compared[];
  /** The end of the longest run, and where the page stands. */
  readonly end: number;
  readonly time: number;
}

/** A curve is known by its number, and not by its colour alone. */
export function Courses({ columns, end, time }: Props) {
  const theme = isDark.value ? DARK : LIGHT;
  return (
    <section class="courses" aria-label="While time passes">
      <p>
        What was measured up to each moment, at time {Math.round(time).toLocaleString('en')}:{' '}
        {columns.map(({ algorithm, title }, i) => (
          <strong key={algorithm} style={{ color: theme.types[i % theme.types.length] }}>
            {i + 1} {title}
          </strong>
        ))}
      </p>
      <div class="charts">
        {MEASURES.map((measure) => (
          <Chart key={measure.name} {...{ measure, columns, end, time }} />
        ))}
      </div>
    </section>
  );
}

function Chart({ measure, columns, end, time }: Props & { readonly measure: Measure }) {
  const { name, says, of, digits } = measure;
  const theme = isDark.value ? DARK : LIGHT;
  const curves = columns.map(({ course }, i) => ({
    colour: theme.types[i % theme.types.length]!,
    points: course.flatMap(({ time: at, figures }) => {
      const value = of(figures);
      return value === null ? [] : [{ at, value }];
    }),
  }));
  // What the first few entries cost says little, and may be much: there the curves leave the picture.
  const most = Math.max(
    1e-9,
    ...curves.flatMap(({ points }) => points.filter((p) => p.at > end / 6).map((p) => p.value)),
  );
  const x = (at: number) => LEFT + (at / end) * (RIGHT - LEFT);
  const y = (value: number) => BOTTOM - (value / most) * (BOTTOM - TOP);
  const seen = curves.map(({ points }) => points.filter(({ at }) => at <= time));
  const numbers = spread(seen.map((points) => Math.max(TOP, y(points.at(-1)?.value ?? 0))));
  return (
    <figure class="course">
      <figcaption title={says}>{name}</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img">
        <title>{`${name} while time passes`}</title>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line
              {...{ x1: LEFT, x2: RIGHT, y1: y(part * most), y2: y(part * most) }}
              stroke={theme.grid}
            />
            <text x={LEFT - 5} y={y(part * most) + 4} text-anchor="end" fill={theme.soft}>
              {scaled(part * most, digits, most)}
            </text>
          </g>
        ))}
        <clipPath id="course">
          <rect x={LEFT} y={TOP - 2} width={RIGHT - LEFT + 2} height={BOTTOM - TOP + 4} />
        </clipPath>
        {curves.map(({ colour }, i) => (
          <g key={columns[i]!.algorithm}>
            <polyline
              clip-path="url(#course)"
              points={seen[i]!.map((p) => `${x(p.at).toFixed(1)},${y(p.value).toFixed(1)}`).join(
                ' ',
              )}
              fill="none"
              stroke={colour}
              stroke-width="1.7"
            />
            <text x={RIGHT + 8} y={numbers[i]! + 4} fill={colour} font-weight="600">
              {i + 1}
            </text>
          </g>
        ))}
        <line x1={x(time)} x2={x(time)} y1={TOP} y2={BOTTOM} stroke={theme.cursor} />
      </svg>
    </figure>
  );
}

const scaled = (value: number, digits: number, most: number): string =>
  value.toFixed(most >= 100 || digits === 0 ? 0 : most < 2 ? 2 : 1);

/** Numbers at these heights, moved down where two would overlap, and up where they would leave the picture. */
function spread(heights: readonly number[]): number[] {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a]! - heights[b]!);
  const placed = [...heights];
  let free = TOP;
  for (const i of order) {
    placed[i] = Math.max(free, placed[i]!);
    free = placed[i]! + 13;
  }
  const over = Math.max(0, free - 13 - BOTTOM);
  return placed.map((height) => height - over);
}
