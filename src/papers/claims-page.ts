/** docs/claims.md: every claim of the papers by section, with its rows or the reason why it has none. */
import { ledger } from './ledger.ts';
import { anchorOf, cell, MARKS } from './markdown.ts';
import { readingsOf, sectionsOf } from './quotations.ts';
import { papers } from './row.ts';
import type { Section, Sentence } from './sentences.ts';
import { shown } from './text.ts';

type Cited = keyof typeof sectionsOf;

export function asClaimsPage(): string {
  const cited = Object.keys(sectionsOf) as Cited[];
  return `${[
    '# Every claim, by section',
    '',
    'What the five papers say, sentence by sentence, in their own words. Each sentence leads to its rows in',
    '[papers.md](papers.md), which give the measurement and the command that repeats it; or it has the reason why',
    'it cannot be run. *Printed* means that a row runs what the paper prints, *corrected* that it runs the algorithm',
    'with a correction ([errata.md](errata.md)), *ours* that the text leaves something open and a row runs one',
    'reading of it.',
    '',
    '| paper | sentences | with rows | cannot be run |',
    '|---|--:|--:|--:|',
    ...cited.map(countsOf),
    ...cited.flatMap((paper) => [
      ...['', `## ${paper}`, '', papers[paper]],
      ...sectionsOf[paper].flatMap((section) => sectionLines(paper, section)),
    ]),
  ].join('\n')}\n`;
}

function countsOf(paper: Cited): string {
  const sentences = sectionsOf[paper].flatMap((section) => section.sentences);
  const notRun = sentences.filter((sentence) => 'notRun' in sentence).length;
  const counts = [sentences.length, sentences.length - notRun, notRun].map(shown);
  return `| [${paper}](#${paper}) | ${counts.join(' | ')} |`;
}

const sectionLines = (paper: Cited, { title, sentences }: Section): string[] => [
  ...['', `### ${title}`, ''],
  ...sentences.map((sentence) => `- “${cell(sentence.quote)}”  \n  ${outcomeOf(paper, sentence)}`),
];

function outcomeOf(paper: Cited, sentence: Sentence): string {
  if ('notRun' in sentence) return `Not run: ${cell(sentence.notRun)}`;
  if ('see' in sentence) return `See ${sentence.see.map(link).join(', ')}`;
  return readingsOf(sentence)
    .map(({ id, reading }) => `${link(`${paper}/${id}`)} (${reading})`)
    .join(', ');
}

const link = (id: string): string => `${MARKS[ledger[id]!]} [${id}](papers.md#${anchorOf(id)})`;
