/** docs/errata.md: every error in a published text that the checker shows, with its shortest trace. */
import { keyOf, planOf } from '../../bench/sweep/plan.js';
import { readResults } from '../../bench/sweep/results.js';
import { failureOf } from '../../bench/sweep/verdicts.js';
import { catalogue, find, printed } from '../../src/algorithms/catalogue.ts';
import { type CheckReport, check } from '../../src/check/check.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { toMermaid } from '../../src/core/formats/mermaid.ts';
import type { Printed, Shows } from '../../src/core/printed.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { type WrongFormula, wrongFormulas } from './errata-formulas.ts';

export function errataDoc(): string {
  const entries = catalogue.flatMap(({ id }) => (printed[id] ?? []).map((form) => ({ id, form })));
  const contents = entries.map(({ id, form: { name, quote, shows } }) => {
    const anchor = `${id}-${name}`.replaceAll(/[^a-z0-9-]/g, '');
    return `| [${id} ${name}](#${anchor}) | ${quote.where} | ${shows.violates} | ${shows.nodes} |`;
  });
  return `${[
    '# Errors in published texts',
    '',
    'Each text is run as printed, and the model checker shows the shortest way in which it fails. In every',
    'other schedule of so few steps all is well, and with one site or one entry less it does not fail so.',
    '',
    'Each section has the words that are run, and how we read them. It has the reading that makes the best',
    'of the text, and what happens under that reading. It says what happens over ordered links, and whether',
    'the error is known to have been published. Words in square brackets are ours. “The survey” retells the',
    'algorithms of other papers; an error of its words need not be one of theirs.',
    '',
    'This page is generated (`npm run docs`), and every entry is a test. Errors in',
    '[formulas and definitions](#formulas-and-definitions) come last. With how many sites each text, and each',
    'algorithm of ours, was searched: [checked.md](checked.md).',
    '',
    '| text | where | what fails | sites |',
    '|---|---|---|---|',
    ...contents,
    ...entries.flatMap(({ id, form }) => section(id, form)),
    '',
    '## Formulas and definitions',
    '',
    'Each comes with one case in which it fails, worked out by the checker or on the structure itself.',
    ...wrongFormulas.flatMap(formulaSection),
  ].join('\n')}\n`;
}

function formulaSection({ title, claim, correction, evidence }: WrongFormula): string[] {
  const { of, printed: expected, is } = evidence();
  return [
    ...['', `### ${title}`, '', `**Printed.** ${claim}`, ''],
    ...[`**What is so.** ${correction}`, ''],
    `**The evidence.** ${capital(of)}: printed, ${expected}; measured, ${is}.`,
  ];
}

/** Runs an algorithm in a world that shows an error. */
export function inWorld(algorithm: AnyAlgorithm, shows: Omit<Shows, 'violates'>): CheckReport {
  const { nodes, entries, links, topology, options, crashes } = shows;
  const world = makeWorld(algorithm, { nodes, topology, options });
  return check(algorithm, world, {
    entries,
    maxStates: 1_500_000,
    ...(links && { links }),
    ...(crashes && { crashes }),
  });
}

/** Runs what the most charitable reading gives, where there is such a reading. */
export function charitably({ charitable, shows }: Printed): CheckReport | undefined {
  const { algorithm, links = shows.links } = charitable;
  return algorithm && inWorld(algorithm, { ...shows, ...(links && { links }) });
}

function section(id: string, form: Printed): string[] {
  const { name, within, quote, reading, about, charitable, published, correction, also } = form;
  const alone =
    within === undefined ? '' : ` (This is one error of \`${within}\` alone, which another hides.)`;
  const kindly = charitably(form);
  const [kind, outcome] = [charitable.reading, kindly ? ` ${verdictOf(kindly)}` : ''];
  return [
    ...['', `## ${id} ${name}`, ''],
    ...[`**The text** (${quote.where}).`, '', `> ${quote.text}`, ''],
    ...[`**Our reading.** ${reading}`, ''],
    ...[`**What goes wrong.** ${about}${alone}`, ''],
    ...shown(id, form, form.shows),
    ...(also === undefined
      ? []
      : [
          ...[
            `**The same error elsewhere** (${also.quote.where}).`,
            '',
            `> ${also.quote.text}`,
            '',
          ],
          ...[also.about, '', ...shown(id, form, also.shows)],
        ]),
    ...overOrderedLinks(id, form),
    ...[`**The most charitable reading.** ${kind}${outcome}`, ''],
    ...[`**Published.** ${published}`, ''],
    ...[`**Ours.** ${correction} ${verdictOf(inWorld(find(id), form.shows))}`, ''],
    `\`latchkey check ${id} --as-printed ${name}\` shows it with the state of every site.`,
  ];
}

/** The shortest failure in a world, told and drawn. */
function shown(id: string, { name, algorithm }: Printed, shows: Shows): string[] {
  const failed = inWorld(algorithm, shows);
  const links = failed.links === 'any' ? 'links that may reorder' : 'ordered links';
  const header = {
    latchkey: 'trace',
    version: 1,
    source: 'check',
    algorithm: id,
    asPrinted: name,
    nodes: shows.nodes,
    k: 1,
    links: failed.links,
    topology: shows.topology ?? algorithm.defaultTopology,
    options: shows.options ?? [],
    ...(failed.loop !== undefined && { loop: failed.loop }),
  } as const;
  const crash = shows.crashes ? `, and ${shows.crashes} crash` : '';
  return [
    `**The smallest world.** ${shows.nodes} sites that ask ${shows.entries.join(', ')} times, over ${links}${crash}. ` +
      `${failed.loop ? 'In a schedule of' : 'After'} ${failed.depth} steps: ${failed.violation!.why}.`,
    '',
    '```mermaid',
    toMermaid({ header, steps: failed.trace! }).trimEnd(),
    '```',
    '',
  ];
}

const results = readResults();
const plan = planOf(catalogue, printed);

/** Whether ordered links avoid it, from the sweep (docs/checked.md). */
function overOrderedLinks(id: string, { name, shows }: Printed): string[] {
  if (shows.links === 'fifo') return [];
  const rows = plan.filter((row) => row.id === id && row.printed === name && row.links === 'fifo');
  if (rows.length === 0) {
    return ['**Over ordered links.** The sentence is about links that may reorder only.', ''];
  }
  const found = rows.map((row) => ({ row, result: results.get(keyOf(row))! }));
  const failures = found.flatMap(({ row: { entries }, result }) => {
    const failure = failureOf(result);
    return failure?.depth === undefined ? [] : [{ entries, n: failure.n, depth: failure.depth }];
  });
  const [first] = failures.toSorted((a, b) => a.n - b.n || a.depth - b.depth);
  if (first !== undefined) {
    const each = first.entries === 1 ? 'once' : 'twice';
    return [
      `**Over ordered links.** It fails too: with ${first.n} sites that ask ${each} each, after ${first.depth} steps.`,
      '',
    ];
  }
  const proved = found.map(({ row: { entries }, result }) => {
    const largest = result.models.findLast(({ verdict }) => verdict === 'proved')!.n;
    return `${largest} sites that ask ${entries === 1 ? 'once' : 'twice'} each`;
  });
  return [
    `**Over ordered links.** They avoid it, as far as we have searched: up to ${proved.join(', and up to ')}.`,
    '',
  ];
}

/** What came of a search in which nothing should fail. */
function verdictOf({ verdict, states, links, violation, depth }: CheckReport): string {
  const where = `In the same world, over ${links === 'any' ? 'links that may reorder' : 'ordered links'},`;
  const count = states.toLocaleString('en-US');
  if (violation !== null) return `${where} it fails too, after ${depth} steps: ${violation.why}.`;
  return verdict === 'proved'
    ? `${where} every one of its ${count} states is as it should be.`
    : `${where} ${count} states, and as many again by random schedules, show nothing wrong.`;
}

const capital = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}`;
