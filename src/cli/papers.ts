import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { didYouMean, UsageError } from '../core/errors.ts';
import { draw } from '../papers/chart/draw.ts';
import { asCsv } from '../papers/csv.ts';
import { experiments } from '../papers/experiments.ts';
import type { Figure } from '../papers/figure.ts';
import { experimentOf } from '../papers/ledger.ts';
import { asPage, summary } from '../papers/page.ts';
import { contradictions, regressions } from '../papers/regressions.ts';
import { paperIds, type Row, papers as titles } from '../papers/row.ts';
import type { ExitCode } from './main.ts';
import { performAll } from './papers-pool.ts';
import { ProgressLine, styler } from './terminal.ts';

interface Flags {
  readonly quick?: true;
  readonly out?: string;
  readonly json?: true;
}

export function papers(answer: (code: ExitCode) => void): Command {
  return new Command('papers')
    .description('every claim of the papers that can be run, beside its measurement')
    .argument(
      '[paper]',
      `one of ${paperIds.join(', ')}, or one row, as rcv/fig-6-falls (default: all)`,
    )
    .option('--quick', 'fewer and shorter runs: the same rows in less than a minute')
    .option(
      '--out <dir>',
      'write the figures (SVG), their data (CSV, JSON), the rows and a page there',
    )
    .option('--json', 'print one JSON value: all rows')
    .action(async (paper: string | undefined, flags: Flags) => {
      answer(await runAll(paper, flags));
    });
}

async function runAll(asked: string | undefined, flags: Flags): Promise<ExitCode> {
  const isAsked = choose(asked);
  if (flags.out !== undefined) makeFolder(flags.out);
  const chosen = new Set(
    Object.keys(experimentOf)
      .filter(isAsked)
      .map((id) => experimentOf[id]),
  );
  const indices = [...experiments.keys()].filter((i) => chosen.has(experiments[i]!.id));
  const outcomes = await withProgress(indices.length, (onDone) =>
    performAll(indices, flags.quick ? 'quick' : 'full', onDone),
  );
  const rows = outcomes.flatMap((outcome) => outcome.rows).filter(({ id }) => isAsked(id));
  const figures = outcomes.flatMap((outcome) => outcome.figures);
  if (flags.out !== undefined) {
    const call = ['latchkey papers', asked ?? '', flags.quick ? '--quick' : ''];
    write(flags.out, rows, figures, call.filter(Boolean).join(' '));
  }
  process.stdout.write(flags.json ? `${JSON.stringify(rows, null, 2)}\n` : asText(rows));
  const failed = outcomes.flatMap((outcome, i) =>
    outcome.failed === undefined ? [] : [`${experiments[indices[i]!]!.id}: ${outcome.failed}`],
  );
  const lost = [...failed, ...regressions(rows, isAsked), ...contradictions(rows)];
  for (const complaint of lost) process.stderr.write(`latchkey: ${complaint}\n`);
  return lost.length === 0 ? 0 : 1;
}

/** Which rows, by their ids, are asked for: all, those of a paper, or one. */
function choose(asked: string | undefined): (id: string) => boolean {
  if (asked === undefined) return () => true;
  if (paperIds.some((paper) => paper === asked)) return (id) => id.startsWith(`${asked}/`);
  if (asked in experimentOf) return (id) => id === asked;
  if (!asked.includes('/')) {
    throw new UsageError(
      `there is no paper "${asked}": take one of ${paperIds.join(', ')}${didYouMean(asked, paperIds)}`,
    );
  }
  const paper = paperIds.find((id) => asked.startsWith(`${id}/`));
  const known = Object.keys(experimentOf).filter((id) => !paper || id.startsWith(`${paper}/`));
  throw new UsageError(
    `there is no row "${asked}": take a row of \`latchkey papers${paper ? ` ${paper}` : ''}\`${didYouMean(asked, known)}`,
  );
}

/** Shows how far it is, also while one experiment takes its time. */
async function withProgress<T>(
  total: number,
  work: (onDone: (id: string, done: number) => void) => Promise<T>,
): Promise<T> {
  const line = new ProgressLine();
  let last = '';
  let done = 0;
  const show = () =>
    line.update(() => `${bar(done / total)} ${done} of ${total} experiments${last}`);
  const ticker = setInterval(show, 100);
  try {
    return await work((id, count) => {
      done = count;
      last = `, last ${id}`;
      show();
    });
  } finally {
    clearInterval(ticker);
    line.done();
  }
}

const BAR = 24;
const bar = (fraction: number): string => '█'.repeat(Math.round(BAR * fraction)).padEnd(BAR, '░');

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--out cannot make the folder "${folder}": ${String(error)}`);
  }
}

function write(folder: string, rows: readonly Row[], figures: readonly Figure[], command: string) {
  const files: { readonly [name: string]: string } = {
    'index.html': asPage(rows, figures, command),
    'rows.json': asJson(rows),
    'figures.json': asJson(figures),
    'provenance.json': asJson(provenance(command)),
    ...Object.fromEntries(figures.map((figure) => [`${figure.id}.svg`, draw(figure)])),
    ...Object.fromEntries(figures.map((figure) => [`${figure.id}.csv`, asCsv(figure)])),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What made these files. The commit is known only where this program runs from its repository. */
function provenance(command: string) {
  const root = new URL('../../', import.meta.url);
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    version: string;
  };
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : null;
  };
  const isOurs = git('rev-parse', '--show-prefix') === '';
  return {
    ...{ command, version, node: process.version },
    commit: isOurs ? git('rev-parse', 'HEAD') : null,
    changedSince: isOurs ? git('status', '--porcelain', '--', 'src') !== '' : null,
  };
}

const COLOURS = { confirmed: 'green', qualified: 'yellow', refuted: 'red' } as const;

function asText(rows: readonly Row[]): string {
  const style = styler(process.stdout);
  const lines = paperIds.flatMap((paper) => {
    const own = rows.filter((row) => row.paper === paper);
    if (own.length === 0) return [];
    return [
      style('bold', titles[paper]),
      ...own.flatMap(({ id, where, claim, expected, measured, tolerance, verdict, note }) => [
        `${style(COLOURS[verdict], verdict.padEnd(9))}  ${claim}`,
        `           ${expected}  →  ${measured}  (${tolerance})`,
        ...(verdict === 'confirmed' || note === '' ? [] : [`           ${note}`]),
        style('dim', `           ${id}, ${where}`),
      ]),
      '',
    ];
  });
  return `${[...lines, summary(rows)].join('\n')}\n`;
}
