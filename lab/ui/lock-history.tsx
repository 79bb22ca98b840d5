/** The last minutes of one lock, second by second: a row of bars for each member, and above them the longest wait. */
import { useSignal } from '@preact/signals';
import { entriesOf, MOST_SECONDS, type Second } from '../live/lock-history.ts';

const WIDTH = 600;
const WAIT_HEIGHT = 26;
const ROW = 16;

interface Props {
  readonly seconds: readonly Second[];
  readonly members: readonly string[];
  /** From when to when steps are kept, in milliseconds since 1970. */
  readonly kept: readonly [number, number];
  /** Shows the steps of that time. */
  readonly onTime: (at: number) => void;
}

export function LockHistory({ seconds, members, kept, onTime }: Props) {
  const chosen = useSignal(-1);
  const last = seconds.at(-1);
  if (last === undefined) return null;
  const first = seconds[0]!.number;
  // A minute at least: a chart that begins with one wide bar shows nothing.
  const span = Math.max(60, seconds.length);
  const start = last.number + 1 - span;
  const x = (second: number) => ((second - start) / span) * WIDTH;
  const rows = [...new Set(members)].sort();
  const height = WAIT_HEIGHT + ROW * rows.length;
  const most = Math.max(1, ...seconds.flatMap(({ entries }) => [...entries.values()]));
  const longest = Math.max(1, ...seconds.map(({ longestMs }) => longestMs));
  const unheard = seconds.filter(({ isSurveyed }) => !isSurveyed);
  const shown = seconds[chosen.value - first];
  const [from, to] = kept.map((at) => Math.max(0, x(at / 1000))) as [number, number];
  return (
    <section class="lock-history" aria-label="History of the lock, by second">
      <p class="hint">
        {lengthOf(seconds.length)} of this lock, since this page watches it: entries by member, at
        most {most.toLocaleString('en')} in a second; above them the longest wait, at most{' '}
        {durationOf(longest)}. The frame marks where each step is kept.
      </p>
      <div class="plot">
        <ul class="rows" aria-hidden="true" style={{ paddingTop: `${WAIT_HEIGHT}px` }}>
          {rows.map((member) => (
            <li key={member} style={{ height: `${ROW}px` }}>
              {member}
            </li>
          ))}
        </ul>
        <div class="bars">
          <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" style={{ height }}>
            <title>Entries of each member and the longest wait, for each second</title>
            {unheard.map(({ number }) => (
              <path
                key={number}
                class="unheard"
                d={`M${x(number)} 0h${WIDTH / span}v${height}h${-WIDTH / span}`}
              />
            ))}
            <path
              class="wait"
              d={barsOf(
                seconds,
                x,
                WAIT_HEIGHT,
                (s) => (s.longestMs / longest) * (WAIT_HEIGHT - 4),
              )}
            />
            {rows.map((member, row) => (
              <path
                key={member}
                class="entries"
                d={barsOf(seconds, x, WAIT_HEIGHT + ROW * (row + 1), ({ entries }) =>
                  barOf(entries.get(member) ?? 0, most),
                )}
              />
            ))}
            <rect class="kept" x={from} y="1" width={Math.max(3, to - from)} height={height - 2} />
            {shown !== undefined && (
              <rect class="chosen" x={x(shown.number)} y="0" width="2" height={height} />
            )}
          </svg>
          <input
            type="range"
            min={start}
            max={last.number}
            value={shown?.number ?? last.number}
            aria-label="Second of the history"
            aria-valuetext={wordsOf(shown ?? last, rows)}
            onInput={(event) => {
              chosen.value = Math.max(first, Number(event.currentTarget.value));
              // The middle: in the first second that is kept, the beginning may be missing.
              const at = 1000 * chosen.value + 500;
              if (at >= kept[0] && at <= kept[1]) onTime(at);
            }}
          />
        </div>
      </div>
      <p class="figures">{wordsOf(shown ?? last, rows)}</p>
    </section>
  );
}

const lengthOf = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60);
  return seconds >= MOST_SECONDS || minutes > 1 ? `The last ${minutes} minutes` : 'The last minute';
};

const durationOf = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

/** At least a pixel where anything happened. */
const barOf = (entries: number, most: number): number =>
  entries === 0 ? 0 : Math.max(1.5, (entries / most) * (ROW - 3));

/** One outline for all bars: ten minutes of forty members are forty paths, not 24,000. */
function barsOf(
  seconds: readonly Second[],
  x: (second: number) => number,
  bottom: number,
  heightOf: (second: Second) => number,
): string {
  return seconds
    .flatMap((second) => {
      const height = heightOf(second);
      if (height === 0) return [];
      const [from, to] = [x(second.number), x(second.number + 1)];
      return `M${from.toFixed(2)} ${bottom}v${(-height).toFixed(2)}H${to.toFixed(2)}V${bottom}`;
    })
    .join('');
}

function wordsOf(second: Second, members: readonly string[]): string {
  const { number, entries, counted, waiting, longestMs, isSurveyed } = second;
  const time = new Date(1000 * number).toLocaleTimeString('en-GB');
  if (!isSurveyed && entries.size === 0) return `${time}: nothing was heard of the lock`;
  const each = members.map(
    (member) => `${member} ${(entries.get(member) ?? 0).toLocaleString('en')}`,
  );
  const all = `${entriesOf(second).toLocaleString('en')} entries (${each.join(', ')})`;
  const waits =
    waiting === 0
      ? 'no request waited'
      : `${waiting} waited, the longest for ${durationOf(longestMs)}`;
  const limit =
    counted.size === 0 ? '' : '; steps are told up to the limit, and requests counted beyond it';
  return `${time}: ${all}; ${isSurveyed ? waits : 'waits are not known'}${limit}`;
}
