/**
 * docs/algorithms.md, from the catalogue and the files themselves: what an algorithm is about is told
 * once, at the head of its file.
 */
import { readFileSync } from 'node:fs';
import { catalogue, printed } from '../../src/algorithms/catalogue.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { Shape } from '../../src/core/message.ts';
import type { OptionDeclarations } from '../../src/core/option.ts';

export function algorithmsDoc(): string {
  const contents = catalogue.map(
    ({ id, title, claims }) =>
      // A bar would end the cell.
      `| [\`${id}\`](#${id}) | ${title} | ${claims.messages.formula.replaceAll('|', '\\|')} |`,
  );
  return `${[
    '# The algorithms',
    '',
    `All ${catalogue.length}, as their files tell it. Generated from the catalogue: \`npm run docs\`.`,
    '`latchkey simulate ID` measures one, `latchkey check ID` explores every schedule of it.',
    '',
    '| id | published | messages per entry |',
    '|---|---|---|',
    ...contents,
    ...catalogue.flatMap(section),
  ].join('\n')}\n`;
}

function section(algorithm: AnyAlgorithm): string[] {
  const { id, family, modes, k, links, topology, claims, recovers } = algorithm;
  const [idea, citation, ...rest] = paragraphs(id);
  const cost = [
    `${claims.messages.formula} messages per entry`,
    claims.light && `${claims.light.formula} when one site asks at a time`,
    claims.heavy && `${claims.heavy.formula} when all ask all the time`,
    claims.synchronizationDelay && `hand-over in ${claims.synchronizationDelay}`,
  ].filter(Boolean);
  const serves = [
    modes.includes('shared') ? 'readers and writers' : 'one at a time',
    k && 'or up to k',
    claims.ticket && 'first come, first served by timestamp',
  ].filter(Boolean);
  const forms = printed[id] ?? [];
  return [
    '',
    `## ${id}`,
    '',
    `**${idea}**`,
    '',
    citation!,
    '',
    ...rest.flatMap((paragraph) => [paragraph, '']),
    `- **Kind**: ${family}, on ${article(topology)}; ${serves.join(', ')}.`,
    `- **Links**: ${links === 'any' ? 'may reorder messages' : 'must keep the order of messages'}.`,
    `- **Cost**: ${cost.join('; ')}.`,
    `- **Messages**: ${messages(algorithm)}.`,
    ...options(algorithm.options),
    `- **Survives**: ${recovers.length === 0 ? 'no failure; it waits for ever, safely.' : recovers.join(' ')}`,
    ...forms.map(
      ({ name, quote, about, shows }) =>
        `- **As printed** (\`--as-printed ${name}\`, ${quote.where}): ${about} The checker shows it with ${shows.nodes} sites.`,
    ),
  ];
}

/** The comment that opens the file of an algorithm, without its stars. */
function paragraphs(id: string): string[] {
  const source = readFileSync(`src/algorithms/${id}.ts`, 'utf8');
  const [, comment] = /^\/\*\*\n([\s\S]*?)\*\//.exec(source)!;
  return comment!
    .replace(/^ \* ?/gm, '')
    .trim()
    .split(/\n\s*\n/)
    .map((text) => text.replace(/\s+/g, ' '));
}

const article = (topology: string): string =>
  topology === 'complete'
    ? 'the complete graph'
    : `${/^[aeiou]/.test(topology) ? 'an' : 'a'} ${topology}`;

function messages(algorithm: AnyAlgorithm): string {
  const declared = algorithm.messages as { [type: string]: { [field: string]: Shape } };
  return Object.entries(declared)
    .map(([type, fields]) => {
      const names = Object.entries(fields).map(([name, shape]) => `${name}: ${shapeName(shape)}`);
      return names.length === 0 ? `\`${type}\`` : `\`${type} { ${names.join(', ')} }\``;
    })
    .join(', ');
}

function shapeName(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if ('list' in shape) return `list of ${shapeName(shape.list)}`;
  if ('perSite' in shape) return `${shapeName(shape.perSite)} per site`;
  if ('optional' in shape) return `${shapeName(shape.optional)} or null`;
  const fields = Object.entries(shape.fields).map(([name, s]) => `${name}: ${shapeName(s)}`);
  return `(${fields.join(', ')})`;
}

function options(declared: OptionDeclarations): string[] {
  return Object.entries(declared).map(([name, option]) => {
    const values = option.kind === 'choice' ? `=${option.values.join('|')}` : '';
    const value = option.kind === 'whole' ? '=NUMBER' : values;
    return `- **\`--option ${name}${value}\`**: ${option.about}.`;
  });
}
