/** Two to six algorithms on the very same requests, aligned in time. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { lineChart } from '../../src/papers/chart/lines.ts';
import { commonAxis } from '../diagram/axis.ts';
import { Diagram } from '../diagram/diagram.tsx';
import { Picture } from '../diagram/picture.ts';
import type { Compared, Figures, Swept } from '../engine/protocol.ts';
import type { RunSpec } from '../model/spec.ts';
import { catalogue, compareWith, engine, problem, spec } from '../model/state.ts';
import { Faults } from '../ui/faults.tsx';
import { save } from '../ui/save.ts';

const AT_FIRST = ['raymond', 'suzuki-kasami', 'ricart-agrawala', 'maekawa'];
const MOST = 6;

interface Column extends Compared {
  readonly picture: Picture | null;
}

export function CompareView() {
  const columns = useSignal<readonly Column[]>([]);
  const error = useSignal('');
  const chosen = compareWith.value.length > 0 ? compareWith.value : AT_FIRST;
  const load: RunSpec = spec.value;
  const key = JSON.stringify([chosen, { ...load, algorithm: '', interventions: [] }]);
  useEffect(() => {
    engine.ask('compare', { spec: load, algorithms: chosen }).then(
      (all) => {
        error.value = '';
        const axis = commonAxis(all.flatMap(({ run }) => (run === null ? [] : [run.rows.time])));
        columns.value = all.map((one) => ({
          ...one,
          picture: one.run && new Picture(one.run, axis),
        }));
      },
      (wrong: Error) => {
        error.value = wrong.message;
      },
    );
  }, [key]);
  return (
    <div class="compare">
      <Chooser chosen={chosen} />
      <p class="sentence">
        {load.nodes} sites,{' '}
        {load.workload === 'poisson' ? `one script of ${load.entries} requests` : load.workload},
        delay {load.delay}: every column has the same requests and the same faults. Change the load
        under <em>Watch</em>. An intervention names a step of one run, so it is not made here.
      </p>
      <Faults />
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {error.value !== '' && (
        <p class="problem" role="alert">
          {error.value}
        </p>
      )}
      <FiguresTable columns={columns.value} />
      <Aligned columns={columns.value} />
      <Sweep chosen={chosen} load={load} />
    </div>
  );
}

function Chooser({ chosen }: { chosen: readonly string[] }) {
  return (
    <details class="choice" open={innerWidth > 700}>
      <summary>{chosen.length} algorithms are compared</summary>
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

const MEASURES: readonly (readonly [string, (figures: Figures) => number | null, number])[] = [
  ['messages per entry', (f) => f.messagesPerEntry, 2],
  ['bytes per entry', (f) => f.bytesPerEntry, 1],
  ['waiting, mean', (f) => f.waiting, 1],
  ['waiting, longest', (f) => f.waitingMax, 1],
  ['response time', (f) => f.response, 1],
  ['hand-over', (f) => f.handOver, 1],
  ['fairness (Jain)', (f) => f.jain, 3],
  ['most passed over', (f) => f.maxBypass, 0],
];

function FiguresTable({ columns }: { columns: readonly Column[] }) {
  if (columns.length === 0) return <p class="hint">Running …</p>;
  const most = MEASURES.map(([, of]) =>
    Math.max(1e-9, ...columns.map(({ run }) => (run === null ? 0 : (of(run.figures) ?? 0)))),
  );
  const asCsv = () => {
    const head = ['algorithm', 'claim', ...MEASURES.map(([name]) => name)];
    const rows = columns.map(({ algorithm, claim, run }) => [
      algorithm,
      `"${claim}"`,
      ...MEASURES.map(([, of]) => (run === null ? '' : (of(run.figures) ?? ''))),
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
            <th>the paper says</th>
            {MEASURES.map(([name]) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map(({ algorithm, title, claim, run, error }) => (
            <tr key={algorithm}>
              <th scope="row">{title}</th>
              <td class="claim">{claim.replaceAll('`', '')}</td>
              {run === null ? (
                <td colSpan={MEASURES.length} class="problem">
                  {error}
                </td>
              ) : (
                MEASURES.map(([name, of, digits], i) => {
                  const value = of(run.figures);
                  return (
                    <td key={name} class="measure">
                      <span class="bar" style={{ width: `${(100 * (value ?? 0)) / most[i]!}%` }} />
                      <span class="value">{value === null ? '–' : value.toFixed(digits)}</span>
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
function Aligned({ columns }: { columns: readonly Column[] }) {
  const window = useSignal<readonly [number, number] | null>(null);
  const pictures = columns.flatMap(({ picture }) => (picture === null ? [] : [picture]));
  if (pictures.length === 0) return null;
  const end = Math.max(...pictures.map(({ loaded }) => loaded.figures.time));
  const [from, to] = window.value ?? [0, end / 6];
  return (
    <div class="aligned">
      {columns.map(({ algorithm, title, picture }) => {
        if (picture === null) return null;
        const drawn: readonly [number, number] = [picture.axis.drawn(from), picture.axis.drawn(to)];
        return (
          <div key={algorithm} class="lane">
            <p class="lane-name">{title}</p>
            <Diagram
              picture={picture}
              name={title}
              from={drawn[0]}
              to={Math.max(drawn[1], drawn[0] + 1e-6)}
              at={-1}
              site={-1}
              copy={-1}
              onLook={(start, span) => {
                const first = Math.max(0, picture.axis.time(start));
                window.value = [
                  first,
                  Math.min(end * 1.02, Math.max(first + 5, picture.axis.time(start + span))),
                ];
              }}
              isSmall
            />
          </div>
        );
      })}
    </div>
  );
}

const SITES = [3, 5, 7, 9, 13, 17, 21, 25];
const RATES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05];

/** A curve for each, drawn as the figures of the papers are. */
function Sweep({ chosen, load }: { chosen: readonly string[]; load: RunSpec }) {
  const over = useSignal<'nodes' | 'rate'>('nodes');
  const points = useSignal<readonly Swept[] | null>(null);
  const isBusy = useSignal(false);
  const run = async () => {
    isBusy.value = true;
    const values = over.value === 'nodes' ? SITES : RATES;
    const asked = { spec: { ...load, entries: 300 }, algorithms: chosen, over: over.value, values };
    points.value = await engine.ask('sweep', asked);
    isBusy.value = false;
  };
  const svg = points.value === null ? '' : chartOf(points.value, over.value);
  return (
    <section class="sweep" aria-label="Sweep">
      <h2>How it grows</h2>
      <label>
        messages per entry against{' '}
        <select
          value={over.value}
          onChange={(event) => {
            over.value = event.currentTarget.value as 'nodes' | 'rate';
            points.value = null;
          }}
        >
          <option value="nodes">the number of sites</option>
          <option value="rate">the load</option>
        </select>
      </label>{' '}
      <button type="button" class="primary" disabled={isBusy.value} onClick={run}>
        {isBusy.value ? 'Running …' : 'Run'}
      </button>
      {svg !== '' && (
        <figure>
          <img alt="Messages per entry" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} />
          <figcaption>
            300 entries at each point, seed {load.seed}.{' '}
            <button type="button" onClick={() => save('latchkey-sweep.svg', 'image/svg+xml', svg)}>
              SVG
            </button>{' '}
            <button
              type="button"
              onClick={() => save('latchkey-sweep.csv', 'text/csv', sweepCsv(points.value!))}
            >
              CSV
            </button>
          </figcaption>
        </figure>
      )}
    </section>
  );
}

function chartOf(points: readonly Swept[], over: 'nodes' | 'rate'): string {
  const names = [...new Set(points.map(({ algorithm }) => algorithm))];
  return lineChart({
    ...{ kind: 'lines', id: 'sweep', paper: 'beyond', caption: '' },
    title: `Messages per entry against ${over === 'nodes' ? 'the number of sites' : 'the load'}`,
    x:
      over === 'nodes'
        ? { label: 'sites' }
        : { label: 'requests per time unit and site', scale: 'log' },
    y: { label: 'messages per entry' },
    series: names.map((name) => ({
      name,
      points: points.flatMap(({ algorithm, value, figures }) =>
        algorithm === name && figures !== null ? [{ x: value, y: figures.messagesPerEntry }] : [],
      ),
    })),
  });
}

const sweepCsv = (points: readonly Swept[]): string =>
  [
    'algorithm,value,messagesPerEntry',
    ...points.map((p) => `${p.algorithm},${p.value},${p.figures?.messagesPerEntry ?? ''}`),
  ].join('\r\n');
