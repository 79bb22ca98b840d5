/** The last minutes of a group: how many requests waited, how long the longest of them, and who was away. */
import type { Sample } from '../model/stalls.ts';

const WIDTH = 460;
const HEIGHT = 54;

export function History({ samples }: { samples: readonly Sample[] }) {
  const last = samples.at(-1);
  if (last === undefined) return null;
  const minutes = Math.ceil((last.at - samples[0]!.at) / 60_000);
  return (
    <section aria-label="History">
      <h2>
        The last {minutes <= 1 ? 'minute' : `${minutes} minutes`}{' '}
        <small>since this page was opened</small>
      </h2>
      <Curve name="waiting requests" samples={samples} of={({ waiting }) => waiting} unit="" />
      <Curve
        name="longest wait"
        samples={samples}
        of={({ longestMs }) => longestMs / 1000}
        unit=" s"
      />
      <Curve
        name="granted here, a second"
        samples={samples}
        of={({ granted }) => granted}
        unit=""
      />
    </section>
  );
}

interface CurveProps {
  readonly name: string;
  readonly samples: readonly Sample[];
  readonly of: (sample: Sample) => number;
  readonly unit: string;
}

function Curve({ name, samples, of, unit }: CurveProps) {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const span = Math.max(30_000, last.at - first.at);
  const most = Math.max(1, ...samples.map(of));
  const x = (at: number) => WIDTH - ((last.at - at) / span) * WIDTH;
  const y = (value: number) => HEIGHT - 3 - (value / most) * (HEIGHT - 10);
  const line = samples.map(
    (s, i) => `${i === 0 ? 'M' : 'L'}${x(s.at).toFixed(1)} ${y(of(s)).toFixed(1)}`,
  );
  const away = samples.filter((s) => s.away > 0);
  const shown = (value: number) => `${Number(value.toPrecision(3)).toLocaleString('en')}${unit}`;
  return (
    <figure class="curve">
      <figcaption>
        {name}: {shown(of(last))} <small>at most {shown(Math.max(...samples.map(of)))}</small>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
        <title>{name}, over time; marked where a member was away</title>
        {away.map((s) => (
          <rect key={s.at} x={x(s.at) - 2} y="0" width="4" height={HEIGHT} class="away" />
        ))}
        <path d={line.join('')} />
      </svg>
    </figure>
  );
}
