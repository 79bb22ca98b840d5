/** Two to six algorithms on the very same requests, aligned in time. */
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { commonAxis } from '../diagram/axis.ts';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import type { Compared } from '../engine/protocol.ts';
import { MEASURES } from '../model/measures.ts';
import { LOADS, type RunSpec } from '../model/spec.ts';
import {
  catalogue,
  compared,
  compareTime,
  compareWith,
  engine,
  problem,
  spec,
  view,
} from '../model/state.ts';
import { Courses } from '../ui/courses.tsx';
import { Faults } from '../ui/faults.tsx';
import { Keys } from '../ui/legend.tsx';
import { save } from '../ui/save.ts';
import { SaveDiagram } from '../ui/save-diagram.tsx';
import { Sweep } from '../ui/sweep.tsx';

const MOST = 6;
/** How long a comparison plays, from its beginning to its end. */
const PLAY_MS = 20_000;

interface Column extends Compared {
  readonly picture: Picture | null;
}

/** The runs of these algorithms under that load; none until they are there, so that no number of another load is seen. */
function useComparison(chosen: readonly string[], load: RunSpec) {
  const found = useSignal<{ key: string; columns: readonly Column[]; error: string } | null>(null);
  const key = JSON.stringify([chosen, { ...load, algorithm: '', interventions: [] }]);
  useEffect(() => {
    let isLatest = true;
    const show = (columns: readonly Column[], error = '') => {
      if (isLatest) found.value = { key, columns, error };
    };
    engine.ask('compare', { spec: load, algorithms: chosen }).then(
      (all) => {
        const axis = commonAxis(all.flatMap(({ run }) => (run === null ? [] : [run.rows.time])));
        show(all.map((one) => ({ ...one, picture: one.run && new Picture(one.run, axis) })));
      },
      (wrong: Error) => show([], wrong.message),
    );
    return () => {
      isLatest = false;
    };
  }, [key]);
  return found.value?.key === key ? found.value : { columns: [], error: '' };
}

export function CompareView() {
  const chosen = compared.value;
  const load: RunSpec = spec.value;
  const { columns, error } = useComparison(chosen, load);
  const end = Math.max(1, ...columns.map(({ course }) => course.at(-1)?.time ?? 0));
  const time = compareTime.value;
  const stands = time === null || time >= end ? null : time;
  return (
    <div class="compare">
      <Chooser chosen={chosen} />
      <p class="sentence">
        {load.nodes} sites,{' '}
        {load.workload === 'poisson'
          ? `one script of ${load.entries} requests`
          : `load: ${LOADS[load.workload]}`}
        , delay {load.delay}: every algorithm gets the same requests and the same faults. Change the
        load under{' '}
        <button
          type="button"
          class="link"
          onClick={() => {
            view.value = 'watch';
          }}
        >
          Watch
        </button>
        .
        {load.interventions.length > 0 &&
          ' An intervention names a step of one run, so it is not made here.'}
      </p>
      <Faults />
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {error !== '' && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <Player stands={stands} end={end} />
      <FiguresTable columns={columns} time={stands ?? end} />
      {columns.length > 0 && <Courses columns={columns} end={end} time={stands ?? end} />}
      <Aligned columns={columns} stands={stands} />
      <Sweep chosen={chosen} load={load} />
    </div>
  );
}

/** Plays all runs at once, or goes to a moment of them. */
function Player({ stands, end }: { stands: number | null; end: number }) {
  const isPlaying = useSignal(false);
  useSignalEffect(() => {
    if (!isPlaying.value) return;
    let last = performance.now();
    let frame = 0;
    const tick = (now: number) => {
      const next = (compareTime.peek() ?? 0) + ((now - last) / PLAY_MS) * end;
      last = now;
      if (next >= end) {
        compareTime.value = null;
        isPlaying.value = false;
        return;
      }
      compareTime.value = next;
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  });
  return (
    <div class="controls player" role="toolbar" aria-label="Time of the comparison">
      <button
        type="button"
        class="primary"
        aria-label={isPlaying.value ? 'Pause' : 'Play'}
        onClick={() => {
          isPlaying.value = !isPlaying.value;
        }}
      >
        {isPlaying.value ? '❚❚' : '▶'}
      </button>
      <label class="scrub">
        <span class="hidden">Time</span>
        <input
          type="range"
          min="0"
          max={end}
          step="any"
          value={stands ?? end}
          aria-label="Time"
          onInput={(event) => {
            const time = Number(event.currentTarget.value);
            compareTime.value = time >= end ? null : time;
          }}
        />
      </label>
      <output>
        time {Math.round(stands ?? end).toLocaleString('en')} of{' '}
        {Math.round(end).toLocaleString('en')}
      </output>
    </div>
  );
}

function Chooser({ chosen }: { chosen: readonly string[] }) {
  return (
    <details class="choice">
      <summary>
        {chosen.map((own) => catalogue.value.find(({ id }) => id === own)?.title ?? own).join(', ')}{' '}
        <u>change</u>
      </summary>
      <fieldset class="chooser">
        <legend>Algorithms, two to six</legend>
        {catalogue.value.map(({ id, title }) => {
          const isIn = chosen.includes(id);
          return (
            <label key={id}>
              <input
                type="checkbox"
                checked={isIn}
                disabled={isIn ? chosen.length <= 2 : chosen.length >= MOST}
                onChange={() => {
                  compareWith.value = isIn
                    ? chosen.filter((other) => other !== id)
                    : [...chosen, id];
                }}
              />{' '}
              {title}
            </label>
          );
        })}
      </fieldset>
    </details>
  );
}

/** What had been measured when that time had come. */
const figuresAt = ({ course }: Compared, time: number) =>
  (course.findLast((moment) => moment.time <= time) ?? course[0])?.figures ?? null;

function FiguresTable({ columns, time }: { columns: readonly Column[]; time: number }) {
  if (columns.length === 0) return <p class="hint">Running …</p>;
  const figures = columns.map((column) => figuresAt(column, time));
  const most = MEASURES.map(({ of }) =>
    Math.max(1e-9, ...figures.map((own) => (own === null ? 0 : (of(own) ?? 0)))),
  );
  const asCsv = () => {
    const head = ['algorithm', 'claim', ...MEASURES.map(({ name }) => `"${name}"`)];
    const rows = columns.map(({ algorithm, claim }, row) => [
      algorithm,
      `"${claim}"`,
      ...MEASURES.map(({ of }) => (figures[row] ? (of(figures[row]) ?? '') : '')),
    ]);
    return [head, ...rows].map((row) => row.join(',')).join('\r\n');
  };
  return (
    <div class="table-box">
      <table class="figures-table">
        <caption>
          What the same requests cost{' '}
          <button type="button" onClick={() => save('latchkey-compare.csv', 'text/csv', asCsv())}>
            CSV
          </button>
        </caption>
        <thead>
          <tr>
            <th>algorithm</th>
            <th class="claim">the paper says</th>
            {MEASURES.map(({ name, says }) => (
              <th key={name} title={says}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map(({ algorithm, title, claim, error }, row) => (
            <tr key={algorithm}>
              <th scope="row">
                {title} <small>{claim}</small>
              </th>
              <td class="claim">{claim}</td>
              {!figures[row] ? (
                <td colSpan={MEASURES.length} class="problem">
                  {error}
                </td>
              ) : (
                MEASURES.map(({ name, of, digits }, i) => {
                  const value = of(figures[row]!);
                  return (
                    <td key={name} class="measure">
                      <span class="value">{value === null ? '–' : value.toFixed(digits)}</span>
                      <span class="bar" style={{ width: `${(100 * (value ?? 0)) / most[i]!}%` }} />
                    </td>
                  );
                })
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One diagram for each, at the same times. */
function Aligned({ columns, stands }: { columns: readonly Column[]; stands: number | null }) {
  const window = useSignal<readonly [number, number] | null>(null);
  const pictures = columns.flatMap(({ picture }) => (picture === null ? [] : [picture]));
  if (pictures.length === 0) return null;
  const end = Math.max(...pictures.map(({ loaded }) => loaded.figures.time));
  const [first, last] = window.value ?? [0, end / 6];
  // While it plays, the window follows.
  const shift = stands === null || stands < last ? 0 : stands - last + 0.1 * (last - first);
  const [from, to] = [first + shift, last + shift];
  return (
    <div class="aligned">
      {columns.map(({ algorithm, title, picture }) => {
        if (picture === null) return null;
        const drawn: readonly [number, number] = [picture.axis.drawn(from), picture.axis.drawn(to)];
        return (
          <div key={algorithm} class="lane">
            <p class="lane-name">
              {title} <Keys picture={picture} /> <SaveDiagram name={algorithm} />
            </p>
            <Diagram
              picture={picture}
              name={title}
              from={drawn[0]}
              to={Math.max(drawn[1], drawn[0] + 1e-6)}
              at={-1}
              {...(stands !== null && { cursor: picture.axis.drawn(stands) })}
              site={-1}
              copy={-1}
              onLook={(start, span) => {
                const begin = Math.max(0, picture.axis.time(start));
                window.value = [
                  begin,
                  Math.min(end * 1.02, Math.max(begin + 5, picture.axis.time(start + span))),
                ];
              }}
              isSmall
              isPassed
            />
          </div>
        );
      })}
    </div>
  );
}
