import { Command } from 'commander';
import { catalogue, printed } from '../algorithms/catalogue.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { OptionDeclaration, OptionDeclarations } from '../core/option.ts';
import { styler, table } from './terminal.ts';

export function algorithms(): Command {
  return new Command('algorithms')
    .description('the catalogue: every algorithm, what it needs and what it claims')
    .option('--json', 'print one JSON value')
    .action(({ json }: { json?: true }) => {
      if (json) process.stdout.write(`${JSON.stringify(catalogue.map(asData), null, 2)}\n`);
      else process.stdout.write(asText());
    });
}

function asData(algorithm: AnyAlgorithm) {
  const { id, title, year, paper, family, modes, k, links, topology, claims, recovers } = algorithm;
  const options = algorithm.options as OptionDeclarations;
  return {
    id,
    title,
    year,
    paper,
    family,
    modes,
    k,
    links,
    topology,
    options: Object.entries(options).map(([name, option]) => ({ name, ...option })),
    claims: {
      messages: claims.messages.formula,
      ...(claims.light && { light: claims.light.formula }),
      ...(claims.heavy && { heavy: claims.heavy.formula }),
      ...(claims.synchronizationDelay && { synchronizationDelay: claims.synchronizationDelay }),
      fcfs: claims.ticket !== undefined,
    },
    recovers,
    asPrinted: (printed[id] ?? []).map(({ name }) => name),
  };
}

function asText(): string {
  const style = styler(process.stdout);
  const rows = catalogue.map((a) => [
    a.id,
    a.title,
    a.family,
    a.links,
    a.topology,
    a.claims.messages.formula,
    Object.entries(a.options as OptionDeclarations)
      .map(spelled)
      .join(', '),
  ]);
  const header = [
    'id',
    'published',
    'family',
    'links',
    'topology',
    'messages per entry',
    'options',
  ];
  const [head, ...body] = table(header, rows).split('\n');
  const next = 'latchkey simulate ID… measures them, latchkey check ID explores every schedule.';
  return `${[style('bold', head!), ...body].join('\n')}\n\n${next}\n`;
}

const spelled = ([name, option]: [string, OptionDeclaration]): string => {
  if (option.kind === 'flag') return name;
  return `${name}=${option.kind === 'whole' ? option.min : option.values.join('|')}`;
};
