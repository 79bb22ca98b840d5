/** What the papers claim and what was measured, as the page has it; and the run behind a row as a run of the page. */
import type { Figure } from '../../src/papers/figure.ts';
import type { Row } from '../../src/papers/row.ts';
import type { CheckedRun, Run, SimulatedRun } from '../../src/papers/runs.ts';
import type { CheckSpec } from '../engine/protocol.ts';
import { MOST_STATES } from './link.ts';
import { FIRST, type RunSpec } from './spec.ts';

type Shown =
  | ('id' | 'where' | 'quote' | 'reading' | 'claim' | 'expected' | 'measured')
  | ('verdict' | 'tolerance' | 'interval' | 'note');

/** A row, with what the page shows of it. */
export interface PaperRow extends Pick<Row, Shown> {
  /** The first seed, for runs with chance in them. */
  readonly seed: number;
  readonly runs: readonly Run[];
  /** How many runs `runs` leaves out. */
  readonly more: number;
  /** What was done, where no run can be opened. */
  readonly how: string;
}

export interface PapersData {
  readonly rows: readonly PaperRow[];
  readonly figures: readonly Figure[];
  /** The version of Node that measured them. */
  readonly node: string;
}

/** The same as the build writes it: by field, the values of all rows. */
export interface PapersFile extends Omit<PapersData, 'rows'> {
  readonly columns: { readonly [F in keyof PaperRow]: readonly PaperRow[F][] };
}

export function papersOf({ columns, ...rest }: PapersFile): PapersData {
  const fields = Object.entries(columns) as [string, readonly unknown[]][];
  const rows = columns.id.map(
    (_, i) =>
      Object.fromEntries(fields.map(([field, all]) => [field, all[i]])) as unknown as PaperRow,
  );
  return { ...rest, rows };
}

/** Where a run opens: in Watch, or in Find a bug. */
export type Opening =
  | { readonly view: 'watch'; readonly spec: RunSpec }
  | { readonly view: 'check'; readonly search: CheckSpec };

/** Null for a run that the page has no words for; its row still has a command. */
export function openingOf(run: Run, seed: number): Opening | null {
  if (run.kind === 'simulate') return simulated(run, seed);
  return searched(run);
}

function simulated(run: SimulatedRun, seed: number): Opening | null {
  // The page draws a random structure and the run from one seed, as the command line does.
  if (run.topologySeed !== undefined && run.topologySeed !== seed) return null;
  const { workload = 'poisson', rate = 0.01, entries = 1000, delay = 'constant:5' } = run.settings;
  const { cs = 10, links = '', readers = 0, script = '', faults = '', until = 0 } = run.settings;
  return {
    view: 'watch',
    spec: {
      ...FIRST,
      ...{ algorithm: run.algorithm, nodes: run.nodes, topology: run.topology ?? '' },
      ...{ options: run.options ?? [], k: run.k ?? 1, seed },
      ...{ workload, rate, entries, delay, cs, links, readers, script, faults, until },
    },
  };
}

function searched({ settings, ...run }: CheckedRun): Opening | null {
  const { entries = 2, links = '', crashes = 0, losses = 0, duplications = 0 } = settings;
  const { modes = [], downgrade = false } = settings;
  const hasMore = modes.length > 1 || downgrade || duplications > 0 || (run.k ?? 1) > 1;
  if (hasMore || run.topologySeed !== undefined) return null;
  return {
    view: 'check',
    search: {
      ...{ algorithm: run.algorithm, printed: run.printed ?? '', nodes: run.nodes, links },
      ...{ topology: run.topology ?? '', options: run.options ?? [], crashes, losses },
      entries: typeof entries === 'number' ? [entries] : entries,
      maxStates: MOST_STATES,
    },
  };
}

/** Runs of several algorithms that differ in nothing else: they can be compared. */
export function comparable(runs: readonly Run[], seed: number): readonly string[] {
  const [first] = runs;
  if (first === undefined) return [];
  const load = (run: Run) => JSON.stringify([run.kind, run.nodes, run.settings]);
  const isLike = (run: Run) =>
    run.kind === 'simulate' && load(run) === load(first) && openingOf(run, seed) !== null;
  const ids = [...new Set(runs.map(({ algorithm }) => algorithm))];
  return runs.every(isLike) && ids.length > 1 ? ids.slice(0, 6) : [];
}
