/** docs/papers.md: the table and the figures, for people who read the repository. */
import type { Figure } from './figure.ts';
import { TOLERANCE } from './judge.ts';
import { type PaperId, paperIds, papers, type Row, type Verdict } from './row.ts';
import { shown } from './text.ts';

const MARKS: { readonly [V in Verdict]: string } = {
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
    'This page is the quick run, `latchkey papers --quick`; a test holds it to what the code measures now',
    '(`npm run docs` writes it). `latchkey papers` runs longer, has the same rows with narrower intervals,',
    'and `--out DIR` writes its figures and a page. The same seeds give the same rows, to the byte.',
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
  const table = rows
    .filter((row) => row.paper === paper)
    .map(({ id, where, quote, claim, note, expected, measured, tolerance, verdict }) => {
      const said = [
        ...(paper === 'beyond' ? [] : [`“${cell(quote)}”`]),
        cell(claim),
        ...(note === '' ? [] : [`*${cell(note)}*`]),
      ].join('<br>');
      const short = id.slice(paper.length + 1);
      const wanted = `${cell(expected)} (${tolerance})`;
      return `| \`${short}\`<br>${cell(where)} | ${said} | ${wanted} | ${cell(measured)} | ${MARKS[verdict]} |`;
    });
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

/** A pipe would end the cell, an asterisk begin emphasis. */
const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('*', '\\*').replaceAll('<', '&lt;');
