/** Papers: every claim beside its measurement, every figure, and the run behind each. */
import { batch, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { draw } from '../../src/papers/chart/draw.ts';
import type { Figure } from '../../src/papers/figure.ts';
import { type PaperId, paperIds, papers, type Verdict } from '../../src/papers/row.ts';
import type { Run } from '../../src/papers/runs.ts';
import { runInWords, subjectInWords } from '../../src/papers/subject.ts';
import {
  comparable,
  openingOf,
  type PaperRow,
  type PapersData,
  papersOf,
} from '../model/papers.ts';
import { compareWith, row as openRow, searchFor, setSpec, view } from '../model/state.ts';
import { FIRST_PAPER } from '../stories/first-choices.ts';
import { IntervalPicture } from '../ui/interval.tsx';
import { save } from '../ui/save.ts';
import { isNarrow } from '../ui/sheet.tsx';

const VERDICTS: readonly Verdict[] = ['confirmed', 'qualified', 'refuted'];
const READINGS: { readonly [reading: string]: string } = {
  printed: 'run as the paper prints it',
  corrected: 'run with a correction',
  ours: 'run in a setting of our own',
};

/** The data are loaded once, when the view is first opened. */
let loaded: PapersData | null = null;

const paperOf = ({ id }: PaperRow): string => id.slice(0, id.indexOf('/'));

export function PapersView() {
  const data = useSignal(loaded);
  const verdict = useSignal('');
  const text = useSignal('');
  useEffect(() => {
    if (loaded !== null) return;
    void import('virtual:papers').then((module) => {
      loaded = papersOf(module.default);
      data.value = loaded;
    });
  }, []);
  if (data.value === null) return <p class="hint">Loading the papers …</p>;
  const { rows, figures, node } = data.value;
  const wanted = openRow.value.split('/')[0] as PaperId;
  const paper: PaperId = paperIds.includes(wanted) ? wanted : FIRST_PAPER;
  const all = rows.filter((row) => paperOf(row) === paper);
  const shown = all.filter(
    (row) =>
      (verdict.value === '' || row.verdict === verdict.value) &&
      `${row.id} ${row.where} ${row.quote} ${row.claim}`
        .toLowerCase()
        .includes(text.value.toLowerCase()),
  );
  return (
    <div class="papers">
      <Choice chosen={paper} rows={rows} />
      <article>
        <h2>{papers[paper]}</h2>
        <p class="hint">
          {all.length} claims, measured in full with Node {node}; the buttons run them in this page.
        </p>
        <Figures
          key={paper}
          figures={figures.filter((figure) => figure.paper === paper)}
          rows={rows}
          onRow={(id) => {
            // A filter may leave it out.
            batch(() => {
              verdict.value = '';
              text.value = '';
              openRow.value = id;
            });
            requestAnimationFrame(() =>
              document.querySelector('.row-body')?.scrollIntoView({ block: 'center' }),
            );
          }}
        />
        <form class="filter" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
          <label>
            verdict{' '}
            <select
              value={verdict.value}
              onChange={(event) => {
                verdict.value = event.currentTarget.value;
              }}
            >
              <option value="">all</option>
              {VERDICTS.map((name) => (
                <option key={name} value={name}>
                  {name} ({all.filter((row) => row.verdict === name).length})
                </option>
              ))}
            </select>
          </label>
          <label>
            words{' '}
            <input
              type="search"
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
            />
          </label>
          <output>{shown.length} shown</output>
        </form>
        <ul class="rows">
          {shown.map((row) => (
            <PaperLine key={row.id} row={row} />
          ))}
        </ul>
      </article>
    </div>
  );
}

function Choice({ chosen, rows }: { chosen: PaperId; rows: readonly PaperRow[] }) {
  return (
    <nav class="stories" aria-label="Papers">
      <details open={!isNarrow.value}>
        <summary>All {paperIds.length} papers</summary>
        <ol>
          {paperIds.map((id) => (
            <li key={id}>
              <button
                type="button"
                aria-current={id === chosen ? 'true' : undefined}
                onClick={() => {
                  openRow.value = id;
                }}
              >
                {papers[id].split(':')[0]}{' '}
                <small>{rows.filter((row) => paperOf(row) === id).length} claims</small>
              </button>
            </li>
          ))}
        </ol>
      </details>
    </nav>
  );
}

interface FiguresProps {
  readonly figures: readonly Figure[];
  readonly rows: readonly PaperRow[];
  readonly onRow: (id: string) => void;
}

function Figures({ figures, rows, onRow }: FiguresProps) {
  if (figures.length === 0) return null;
  return (
    <details class="paper-figures">
      <summary>
        {figures.length} {figures.length === 1 ? 'figure' : 'figures'}
      </summary>
      {figures.map((figure) => {
        const svg = draw(figure);
        return (
          <figure key={figure.id}>
            <img alt={figure.title} src={`data:image/svg+xml,${encodeURIComponent(svg)}`} />
            <figcaption>
              {figure.caption}{' '}
              <button
                type="button"
                class="small-button"
                onClick={() => save(`${figure.id}.svg`, 'image/svg+xml', svg)}
              >
                SVG
              </button>
              <Behind figure={figure} rows={rows} onRow={onRow} />
            </figcaption>
          </figure>
        );
      })}
    </details>
  );
}

/** The runs behind a figure are those of the claims that were measured with it. */
function Behind({ figure, rows, onRow }: Omit<FiguresProps, 'figures'> & { figure: Figure }) {
  const measured = rows.filter(({ id }) => figure.rows?.includes(id));
  return (
    <details class="behind">
      <summary>
        The runs behind it: {measured.length} {measured.length === 1 ? 'claim' : 'claims'}
      </summary>
      <ul>
        {measured.map(({ id, claim }) => (
          <li key={id}>
            <button type="button" class="link" onClick={() => onRow(id)}>
              {claim}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function PaperLine({ row }: { row: PaperRow }) {
  const isOpen = openRow.value === row.id;
  const line = useRef<HTMLLIElement>(null);
  // A link to a row shows it, wherever it is in the list.
  useEffect(() => {
    if (isOpen) line.current!.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <li ref={line} class="row">
      <button
        type="button"
        class="row-head"
        aria-expanded={isOpen}
        onClick={() => {
          openRow.value = isOpen ? paperOf(row) : row.id;
        }}
      >
        <span class={`badge ${row.verdict}`}>{row.verdict}</span>
        <span class="where">{row.where}</span>
        <span>{row.claim}</span>
      </button>
      {isOpen && <Opened row={row} />}
    </li>
  );
}

function Opened({ row }: { row: PaperRow }) {
  const { quote, reading, expected, measured, tolerance, interval, note, runs, more, how } = row;
  return (
    <div class="row-body">
      {quote !== '' && (
        <blockquote>
          “{quote}” <small>{READINGS[reading]}</small>
        </blockquote>
      )}
      <dl class="beside">
        <div>
          <dt>the paper says</dt>
          <dd>{expected}</dd>
        </div>
        <div>
          <dt>we measured</dt>
          <dd>{measured}</dd>
        </div>
        <div>
          <dt>tolerance</dt>
          <dd>{tolerance}</dd>
        </div>
      </dl>
      {interval !== null && <IntervalPicture interval={interval} />}
      {note !== '' && <p>{note}</p>}
      <Runs row={row} runs={runs} more={more} how={how} />
      <p class="measure-command">
        Measure it again: <code>latchkey papers {row.id}</code>
      </p>
    </div>
  );
}

interface RunsProps {
  readonly row: PaperRow;
  readonly runs: readonly Run[];
  readonly more: number;
  readonly how: string;
}

/** The runs behind a row, each with a button that makes it in the page. */
function Runs({ row, runs, more, how }: RunsProps) {
  if (runs.length === 0) return <p class="hint">What was done: {how}.</p>;
  const together = comparable(runs, row.seed);
  return (
    <>
      <ul class="runs">
        {runs.map((run) => (
          <RunLine key={JSON.stringify(run)} run={run} seed={row.seed} />
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
      {together.length > 1 && (
        <button
          type="button"
          onClick={async () => {
            const opening = openingOf(runs[0]!, row.seed);
            if (opening?.view !== 'watch') return;
            await setSpec(opening.spec);
            batch(() => {
              compareWith.value = together;
              view.value = 'compare';
            });
          }}
        >
          Compare the {together.length} algorithms
        </button>
      )}
    </>
  );
}

function RunLine({ run, seed }: { run: Run; seed: number }) {
  const opening = openingOf(run, seed);
  const isPrinted = run.kind === 'check' && run.printed !== undefined;
  const words =
    run.kind === 'simulate'
      ? runInWords(run, run.settings)
      : `every schedule of ${subjectInWords(run)}${isPrinted ? ', as printed' : ''}`;
  return (
    <li>
      {words}{' '}
      {opening === null ? (
        <small>(only on the command line)</small>
      ) : (
        <button
          type="button"
          class="small-button"
          onClick={async () => {
            if (opening.view === 'check') return searchFor(opening.search);
            await setSpec(opening.spec);
            view.value = 'watch';
          }}
        >
          {opening.view === 'watch' ? 'Open in Watch' : 'Search here'}
        </button>
      )}
    </li>
  );
}
