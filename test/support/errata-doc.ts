/** docs/errata.md: every error in a published text that the checker shows, with its shortest trace. */
import { catalogue, find, printed } from '../../src/algorithms/catalogue.ts';
import { type CheckReport, check } from '../../src/check/check.ts';
import type { AnyAlgorithm, Printed } from '../../src/core/algorithm.ts';
import { toMermaid } from '../../src/core/formats/mermaid.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { type WrongFormula, wrongFormulas } from './errata-formulas.ts';

export function errataDoc(): string {
  const entries = catalogue.flatMap(({ id }) => (printed[id] ?? []).map((form) => ({ id, form })));
  const contents = entries.map(({ id, form: { name, shows } }) => {
    const anchor = `${id}-${name}`.replaceAll(/[^a-z0-9-]/g, '');
    return `| [${id} ${name}](#${anchor}) | ${shows.violates} | ${shows.nodes} |`;
  });
  return `${[
    '# Errors in published texts',
    '',
    'Each is run as printed, and the model checker shows the shortest way in which it fails: in every',
    'other schedule of so few steps all is well. Generated (`npm run docs`), and every entry is a test.',
    'Whether a text is that of the original paper or of the survey that retells it, its section says.',
    'Errors in [formulas and definitions](#formulas-and-definitions) come last. With how many sites each text,',
    'and each algorithm of ours, was searched, and what came of it: [checked.md](checked.md).',
    '',
    '| text | fails in | sites |',
    '|---|---|---|',
    ...contents,
    ...entries.flatMap(({ id, form }) => section(id, form)),
    '',
    '## Formulas and definitions',
    '',
    'Each with one case in which it fails, worked out by the checker or on the structure itself.',
    ...wrongFormulas.flatMap(formulaSection),
  ].join('\n')}\n`;
}

function formulaSection({ title, claim, correction, evidence }: WrongFormula): string[] {
  const { of, printed: expected, is } = evidence();
  return [
    ...['', `### ${title}`, '', `**Printed.** ${claim}`, ''],
    ...[`**What is so.** ${correction}`, ''],
    `**The evidence.** ${sentence(of).slice(0, -1)}: printed, ${expected}; measured, ${is}.`,
  ];
}

/** Runs a form, or ours, in the world that shows the error. */
export function inItsWorld(algorithm: AnyAlgorithm, { shows }: Printed): CheckReport {
  const { nodes, entries, links, topology, options, crashes } = shows;
  const world = makeWorld(algorithm, { nodes, topology, options });
  return check(algorithm, world, {
    entries,
    maxStates: 1_500_000,
    ...(links && { links }),
    ...(crashes && { crashes }),
  });
}

function section(id: string, form: Printed): string[] {
  const { name, within, about, correction, algorithm, shows } = form;
  const alone =
    within === undefined ? '' : ` (Of \`${within}\` this error alone: another hides it.)`;
  const failed = inItsWorld(algorithm, form);
  const ours = inItsWorld(find(id), form);
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
  const evidence =
    ours.verdict === 'proved'
      ? `in the same world every one of its ${ours.states.toLocaleString('en-US')} states is as it should be`
      : `in the same world ${ours.states.toLocaleString('en-US')} states, and as many again by random schedules, show nothing wrong`;
  return [
    '',
    `## ${id} ${name}`,
    '',
    `**What it does.** ${sentence(about)}${alone}`,
    '',
    `**What happens.** ${sentence(failed.violation!.why)} ${failed.loop ? 'That is a schedule of' : 'After'} ${failed.depth} steps, with ${shows.nodes} sites` +
      ` that ask ${shows.entries.join(', ')} times, over ${links}${shows.crashes ? `, and ${shows.crashes} crash` : ''}.`,
    '',
    '```mermaid',
    toMermaid({ header, steps: failed.trace! }).trimEnd(),
    '```',
    '',
    `**Ours.** ${sentence(correction)} The evidence: ${evidence}.`,
    '',
    `\`latchkey check ${id} --as-printed ${name}\` shows it with the state of every site.`,
  ];
}

/** With a capital and a full stop. */
const sentence = (text: string): string =>
  `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
