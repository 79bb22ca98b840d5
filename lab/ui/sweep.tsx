/** A measure against the number of sites, or against the load: a curve for each algorithm, and what its paper claims. */
import { useSignal } from '@preact/signals';
import { lineChart } from '../../src/papers/chart/lines.ts';
import type { Series } from '../../src/papers/figure.ts';
import type { Swept } from '../engine/protocol.ts';
import { MEASURES, type Measure } from '../model/measures.ts';
import type { RunSpec } from '../model/spec.ts';
import { catalogue, engine } from '../model/state.ts';
import { save, saveAsPng } from './save.ts';

const SITES = [3, 5, 7, 9, 13, 17, 21, 25];
const RATES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05];
const ENTRIES = 300;

type Over = 'nodes' | 'rate';

export function Sweep({ chosen, load }: { chosen: readonly string[]; load: RunSpec }) {
  const over = useSignal<Over>('nodes');
  const measure = useSignal(MEASURES[0]!);
  const points = useSignal<readonly Swept[] | null>(null);
  const isBusy = useSignal(false);
  const problem = useSignal('');
  const run = async () => {
    isBusy.value = true;
    problem.value = '';
    const values = over.value === 'nodes' ? SITES : RATES;
    // A rate is that of requests at random: no other load has one.
    const workload = over.value === 'rate' ? 'poisson' : load.workload;
    const spec = { ...load, workload, entries: ENTRIES };
    const asked = { spec, algorithms: chosen, over: over.value, values };
    try {
      points.value = await engine.ask('sweep', asked);
    } catch (error) {
      problem.value = (error as Error).message;
    }
    isBusy.value = false;
  };
  const svg = points.value === null ? '' : chartOf(points.value, over.value, measure.value);
  return (
    <section class="sweep" aria-label="Sweep">
      <h2>How it grows</h2>
      <label>
        <span class="hidden">Measure</span>
        <select
          aria-label="Measure"
          value={measure.value.name}
          onChange={({ currentTarget: { value } }) => {
            measure.value = MEASURES.find(({ name }) => name === value)!;
          }}
        >
          {MEASURES.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>{' '}
      <label>
        against{' '}
        <select
          value={over.value}
          onChange={(event) => {
            over.value = event.currentTarget.value as Over;
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
      {[...(problem.value === '' ? [] : [problem.value]), ...leftOut(points.value ?? [])].map(
        (text) => (
          <p key={text} class="problem" role="alert">
            {text}
          </p>
        ),
      )}
      {svg !== '' && (
        <figure>
          <img
            alt={`${titled(measure.value.name)}, a curve for each algorithm`}
            src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
          />
          <figcaption>
            {ENTRIES} entries at each point, seed {load.seed}.
            {hasClaims(over.value, measure.value) && ' Dashed: the most that the paper claims.'}{' '}
            <button type="button" onClick={() => save('latchkey-sweep.svg', 'image/svg+xml', svg)}>
              SVG
            </button>{' '}
            <button type="button" onClick={() => saveAsPng('latchkey-sweep.png', svg)}>
              PNG
            </button>{' '}
            <button
              type="button"
              onClick={() => save('latchkey-sweep.csv', 'text/csv', csvOf(points.value!))}
            >
              CSV
            </button>
          </figcaption>
        </figure>
      )}
    </section>
  );
}

const titled = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`;

/** Of each algorithm, the values at which it has no numbers, and why not at the first of them. */
function leftOut(points: readonly Swept[]): string[] {
  const without = points.filter(({ figures }) => figures === null);
  return [...new Set(without.map(({ algorithm }) => algorithm))].map((id) => {
    const own = without.filter(({ algorithm }) => algorithm === id);
    const values = own.map(({ value }) => value).join(', ');
    return `${titleOf(id)} has no numbers at ${values}: ${own[0]!.error}`;
  });
}

const titleOf = (id: string): string =>
  catalogue.value.find((entry) => entry.id === id)?.title ?? id;

/** Papers give formulas of messages, by the number of sites. */
const hasClaims = (over: Over, { name }: Measure): boolean =>
  over === 'nodes' && name === MEASURES[0]!.name;

function chartOf(points: readonly Swept[], over: Over, measure: Measure): string {
  const names = [...new Set(points.map(({ algorithm }) => algorithm))];
  const curve = (id: string, of: (point: Swept) => number | null) =>
    points.flatMap((point) => {
      const y = point.algorithm === id ? of(point) : null;
      return y === null ? [] : [{ x: point.value, y }];
    });
  const measured = names.map(
    (id): Series => ({
      name: titleOf(id),
      points: curve(id, ({ figures }) => figures && measure.of(figures)),
    }),
  );
  const claimed = names.map(
    (id): Series => ({
      name: points.find(({ algorithm }) => algorithm === id)!.claim,
      formulaOf: titleOf(id),
      points: curve(id, ({ most }) => most),
    }),
  );
  return lineChart({
    ...{ kind: 'lines', id: 'sweep', paper: 'beyond', caption: '' },
    title: `${titled(measure.name)} against ${over === 'nodes' ? 'the number of sites' : 'the load'}`,
    x:
      over === 'nodes'
        ? { label: 'sites' }
        : { label: 'requests per time unit and site', scale: 'log' },
    y: { label: measure.name },
    series: hasClaims(over, measure)
      ? [...measured, ...claimed.filter((series) => series.points.length > 1)]
      : measured,
  });
}

const csvOf = (points: readonly Swept[]): string =>
  [
    ['algorithm', 'value', 'claimed most', ...MEASURES.map(({ name }) => `"${name}"`)].join(','),
    ...points.map(({ algorithm, value, most, figures }) =>
      [
        ...[algorithm, value, most ?? ''],
        ...MEASURES.map(({ of }) => (figures === null ? '' : (of(figures) ?? ''))),
      ].join(','),
    ),
  ].join('\r\n');
