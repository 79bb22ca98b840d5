/** At build time: the published rows and figures of the papers, as a module that only the view of the papers loads. */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import type { Figure } from '../src/papers/figure.ts';
import type { Row } from '../src/papers/row.ts';
import type { PaperRow, PapersFile } from './model/papers.ts';

const NAME = 'virtual:papers';
/** A row with more runs is a curve: its figure shows it better than a list of buttons. */
const MOST_RUNS = 8;

export const papersData = (): Plugin => ({
  name: 'papers-data',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  load(id) {
    if (id !== `\0${NAME}`) return undefined;
    const text = JSON.stringify(published(), (_, value) =>
      typeof value === 'number' ? Number(value.toPrecision(6)) : value,
    );
    return `export default JSON.parse(${JSON.stringify(text)});`;
  },
});

function published(): PapersFile {
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`../docs/figures/${name}.json`, import.meta.url), 'utf8'));
  const rows = (read('rows') as Row[]).map(shortened);
  const fields = Object.keys(rows[0]!) as (keyof PaperRow)[];
  return {
    // Field by field: what is alike stands together, and takes a tenth less when it is compressed.
    columns: Object.fromEntries(
      fields.map((field) => [field, rows.map((row) => row[field])]),
    ) as unknown as PapersFile['columns'],
    figures: read('figures') as Figure[],
    node: read('provenance').node,
  };
}

/** What the view shows. The identifier of a row begins with its paper, and names its command. */
const shortened = (row: Row): PaperRow => ({
  ...{ id: row.id, where: row.where, quote: row.quote, reading: row.reading, claim: row.claim },
  ...{ expected: row.expected, measured: row.measured, verdict: row.verdict },
  ...{ tolerance: row.tolerance, interval: row.interval, note: row.note },
  seed: row.seeds[0] ?? 1,
  runs: row.runs.slice(0, MOST_RUNS),
  more: Math.max(row.how.length, row.runs.length) - Math.min(MOST_RUNS, row.runs.length),
  how: row.runs.length > 0 ? '' : row.how.slice(0, 3).join('; '),
});
