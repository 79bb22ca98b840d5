/** docs/papers.md: the table and the figures, for people who read the repository. */
import type { Figure } from './figure.ts';
import { TOLERANCE } from './judge.ts';
import { type PaperId, paperIds, papers, type Row, type Verdict } from './row.ts';
import { counted, shown } from './text.ts';

export const MARKS: { readonly [V in Verdict]: string } = {
  confirmed: '✓ confirmed',
  qualified: '◐ qualified',
  refuted: '✗ refuted',
};
export const verdicts = Object.keys(MARKS) as readonly Verdict[];

export function asMarkdown(rows: readonly Row[], figures: readonly Figure[]): string {
  const counts = paperIds.map((paper) => {
    const own = rows.filter((row) => row.paper === paper);
    const cells = verdicts.map((v) => shown(own.filter(({ verdict }) => verdict === v).length));
    return `| [${paper}](#${paper}) | ${shown(own.length)} | ${cells.join(' | ')} |`;
  });
  return `${[
    '# The papers, reproduced',
    '',
    'Every claim of five papers that can be run, beside its measurement. A verdict is earned: *confirmed*',
    'as claimed, *qualified* where it holds only under the condition that is named, *refuted* with the reason.',
    'The rule is one for all rows, and fixed before anything is measured (`src/papers/judge.ts`):',
    '',
    '- A number that no chance enters must be the expected one, or lie within the bounds that the paper gives.',
    `- A mean over random runs is taken with its 95 % confidence interval (±). The whole interval must lie`,
    `  within ${shown(100 * TOLERANCE)} % of the expected value, or within the bounds.`,
    '- A claim in words must come out in the same words: an order of service, `proved`, `violated`.',
    '',
    'This page is the full run, `latchkey papers`, which `npm run papers` writes, with its data in [figures](figures):',
    '`rows.json`, a CSV file for each figure, and `provenance.json` with the commit and the version of Node. A test',
    'holds it to the rows and verdicts of the quick run, `latchkey papers --quick`. The same seeds give the same rows,',
    'to the byte. Each row has the command that measures it again. Behind the command are its runs with their settings',
    'and seeds, and where a single run is behind the row, the command of that run. [claims.md](claims.md) lists every',
    'claim by section, also those that cannot be run.',
    '',
    '| paper | claims | confirmed | qualified | refuted |',
    '|---|--:|--:|--:|--:|',
    ...counts,
    ...paperIds.flatMap((paper) => section(paper, rows, figures)),
  ].join('\n')}\n`;
}

function section(paper: PaperId, rows: readonly Row[], figures: readonly Figure[]): string[] {
  const pictures = figures
    .filter((figure) => figure.paper === paper)
    .flatMap(({ id, title, caption }) => ['', `![${title}](figures/${id}.svg)`, '', caption]);
  const table = rows.filter((row) => row.paper === paper).map(tableRow);
  return [
    '',
    `## ${paper}`,
    '',
    papers[paper],
    ...pictures,
    '',
    '| row | claim | expected | measured | verdict |',
    '|---|---|---|---|---|',
    ...table,
  ];
}

function tableRow({ id, paper, where, quote, reading, claim, note, ...row }: Row): string {
  const said = [
    ...(paper === 'beyond' ? [] : [`“${cell(quote)}” (${reading})`]),
    cell(claim),
    ...(note === '' ? [] : [`*${cell(note)}*`]),
  ].join('<br>');
  const name = `<a id="${anchorOf(id)}"></a>\`${id.slice(paper.length + 1)}\``;
  const wanted = `${cell(row.expected)} (${row.tolerance})`;
  const verdict = MARKS[row.verdict];
  const cells = [
    `${name}<br>${cell(where)}`,
    `${said}${repeated(row)}`,
    wanted,
    cell(row.measured),
  ];
  return `| ${cells.join(' | ')} | ${verdict} |`;
}

/** More of them would hide the table: the others are in rows.json. */
const RUNS_SHOWN = 3;

/** The command of a row, and behind it what it runs. */
function repeated({
  command,
  how,
  seeds,
  run,
}: Pick<Row, 'command' | 'how' | 'seeds' | 'run'>): string {
  const more = how.length - RUNS_SHOWN;
  const settings = [
    ...how.slice(0, RUNS_SHOWN).map((one) => `${cell(one)}.`),
    ...(more > 0 ? [`And ${counted(more, 'run')} more, in figures/rows.json.`] : []),
    ...(seeds.length > 1 ? [`Seeds ${shown(seeds[0]!)} to ${shown(seeds.at(-1)!)}.`] : []),
    ...(seeds.length === 1 ? [`Seed ${shown(seeds[0]!)}.`] : []),
    ...(run === null ? [] : [`\`${run.replaceAll('|', '\\|')}\``]),
  ].join('<br>');
  return `<details><summary><code>${command}</code></summary>${settings}</details>`;
}

/** Where a row is on the page. */
export const anchorOf = (id: string): string => id.replace('/', '--');

/** A pipe would end the cell, an asterisk begin emphasis. */
export const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
