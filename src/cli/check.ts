import { freemem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { Command } from 'commander';
import { find, findPrinted } from '../algorithms/catalogue.ts';
import { type CheckReport, check as explore } from '../check/check.ts';
import type { AnyAlgorithm, AnyWorld, Links, Mode, Printed } from '../core/algorithm.ts';
import { Machine } from '../core/machine.ts';
import { diagram } from './diagram.ts';
import type { ExitCode } from './main.ts';
import { number, ProgressLine, styler, table } from './terminal.ts';
import { TraceFile } from './trace-file.ts';
import { collect, oneOf, whole } from './values.ts';
import { worldFrom } from './world.ts';

interface Flags {
  readonly nodes?: number;
  readonly entries?: readonly number[];
  readonly links?: Links;
  readonly topology?: string;
  readonly quorums?: string;
  readonly option?: readonly string[];
  readonly k?: number;
  readonly modes?: readonly Mode[];
  readonly crashes?: number;
  readonly losses: number;
  readonly duplications: number;
  readonly maxStates: number;
  readonly random?: number;
  readonly seed: number;
  readonly pct?: number;
  readonly trace?: string;
  readonly symmetry?: true;
  readonly partialOrder?: true;
  readonly report?: 'messages' | 'bypass';
  readonly asPrinted?: string | true;
  readonly json?: true;
}

export function check(answer: (code: ExitCode) => void): Command {
  return new Command('check')
    .description('explore every schedule of a small group, and prove or refute what is claimed')
    .argument('<id>', 'an algorithm of the catalogue')
    .option('--nodes <n>', 'how many sites (default 3)', whole('--nodes', 1))
    .option(
      '--entries <e>',
      'how often each site asks: a number, or one per site as 2,2,1; "unbounded" for ever (default 2)',
      entriesOf,
    )
    .option(
      '--links <l>',
      '"any" may reorder, "fifo" may not (default: the weakest the algorithm claims)',
      oneOf('--links', ['any', 'fifo']),
    )
    .option('--topology <t>', 'line, star, binary, radiating:K, random, ring, complete, file:F')
    .option('--quorums <q>', 'grid, fpp, tree, majority, triangle, all, file:F')
    .option('--option <name[=value]>', 'a variant of the algorithm; repeatable', collect)
    .option(
      '--modes <m>',
      'exclusive (default), shared, or exclusive,shared: each request of either kind',
      modesOf,
    )
    .option('--k <k>', 'how many may be inside at once', whole('--k', 1))
    .option('--crashes <c>', 'how many sites may crash', whole('--crashes', 0, 255))
    .option('--losses <l>', 'how many messages may be lost', whole('--losses', 0, 255), 0)
    .option(
      '--duplications <d>',
      'how many messages may arrive twice',
      whole('--duplications', 0, 255),
      0,
    )
    .option(
      '--max-states <m>',
      'give up beyond so many states',
      whole('--max-states', 1),
      10_000_000,
    )
    .option('--random <schedules>', 'so many random schedules instead of all', whole('--random', 1))
    .option('--seed <s>', 'for --random', whole('--seed', 0), 1)
    .option(
      '--pct <d>',
      'for --random: by priorities that change d − 1 times',
      whole('--pct', 1, 100),
    )
    .option('--trace <file>', 'write the counterexample there, as JSON Lines')
    .option('--partial-order', 'take one of two orders of steps that do not concern each other')
    .option(
      '--symmetry',
      'take states for one that differ only in the names of sites that are alike',
    )
    .option(
      '--report <what>',
      '"messages": totals over all complete schedules; "bypass": how many can overtake',
      oneOf('--report', ['messages', 'bypass']),
    )
    .option('--as-printed [name]', 'the algorithm as its paper prints it, where ours departs')
    .option('--json', 'print one JSON value')
    .action((id: string, flags: Flags) => {
      answer(run(id, flags));
    });
}

function run(id: string, given: Flags): ExitCode {
  const ours = find(id);
  const printed =
    given.asPrinted === undefined
      ? undefined
      : findPrinted(id, given.asPrinted === true ? undefined : given.asPrinted);
  const algorithm = printed?.algorithm ?? ours;
  const flags = printed === undefined ? given : { ...shownBy(printed, given), ...given };
  const chosen = { ...flags, nodes: flags.nodes ?? 3 };
  const world = worldFrom(algorithm, chosen);
  const line = new ProgressLine();
  const report = explore(algorithm, world, {
    entries: flags.entries?.length === 1 ? flags.entries[0]! : (flags.entries ?? 2),
    ...(flags.links && { links: flags.links }),
    ...(flags.modes && { modes: flags.modes }),
    crashes: flags.crashes ?? 0,
    losses: flags.losses,
    duplications: flags.duplications,
    maxStates: flags.maxStates,
    symmetry: flags.symmetry ?? false,
    partialOrder: flags.partialOrder ?? false,
    reportMessages: flags.report === 'messages',
    reportBypass: flags.report === 'bypass',
    ...(flags.random && {
      random: { schedules: flags.random, seed: flags.seed, ...(flags.pct && { pct: flags.pct }) },
    }),
    clock: () => performance.now() / 1000,
    onProgress: ({ states, transitions, depth, frontier, bytes, seconds }) => {
      line.update(
        () =>
          `${number(states)} states  ${number(states / seconds, 0)}/s  ${number(transitions)} transitions` +
          `  depth ${depth}  frontier ${number(frontier)}  ${number(bytes / 2 ** 20, 0)} MiB`,
      );
      return memoryIsShort();
    },
  });
  line.done();
  if (flags.trace !== undefined) writeTrace(flags.trace, report, world, flags, printed);
  if (given.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else process.stdout.write(asText(algorithm, world, report, printed));
  return report.verdict === 'violated' ? 1 : 0;
}

/** Better a bounded verdict than a process that dies: what is interned is on the heap. */
function memoryIsShort(): string | undefined {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  if (used < 0.85 * limit && freemem() > 2 ** 28) return undefined;
  return `memory is short (${number(used / 2 ** 20, 0)} MiB of heap used, ${number(freemem() / 2 ** 20, 0)} MiB of RAM free)`;
}

function modesOf(text: string): Mode[] {
  return text.split(',').map(oneOf('--modes', ['exclusive', 'shared']));
}

function entriesOf(text: string): number[] {
  if (text === 'unbounded') return [Number.POSITIVE_INFINITY];
  return text.split(',').map(whole('--entries', 0, 1000));
}

/** The world that shows what is wrong with a printed form, where the call does not say otherwise. */
function shownBy({ shows, algorithm }: Printed, given: Flags): Partial<Flags> {
  const { nodes, entries, links, topology, options, crashes } = shows;
  if (given.nodes !== undefined && given.nodes !== nodes) return options ? { option: options } : {};
  const named = algorithm.topology === 'tree' || algorithm.topology === 'graph';
  const structure = topology === undefined ? {} : named ? { topology } : { quorums: topology };
  const elsewhere = given.topology !== undefined || given.quorums !== undefined;
  return {
    nodes,
    ...(!elsewhere && { entries }),
    ...(links && { links }),
    ...(crashes && { crashes }),
    ...(!elsewhere && structure),
    ...(options && { option: options }),
  };
}

function writeTrace(
  path: string,
  { algorithm, links, violation, trace, loop }: CheckReport,
  world: AnyWorld,
  flags: Flags,
  printed: Printed | undefined,
): void {
  if (violation === null || trace === null) {
    process.stderr.write('latchkey: no violation was found, so no trace is written\n');
    return;
  }
  const file = new TraceFile(path, {
    latchkey: 'trace',
    version: 1,
    source: 'check',
    algorithm,
    ...(printed && { asPrinted: printed.name }),
    nodes: world.n,
    k: world.k,
    links,
    topology: flags.topology ?? flags.quorums ?? find(algorithm).defaultTopology,
    options: flags.option ?? [],
    seed: flags.seed,
    ...(loop !== undefined && { loop }),
    violation,
  });
  for (const step of trace) file.write(step);
  file.finish();
}

function asText(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  report: CheckReport,
  printed: Printed | undefined,
): string {
  const style = styler(process.stdout);
  const { verdict, states, transitions, depth, seconds, statesPerSecond, violation, trace } =
    report;
  const colour = { proved: 'green', violated: 'red', bounded: 'yellow' } as const;
  const times = report.entries.map((e) => (Number.isFinite(e) ? e : 'unbounded'));
  const entries = new Set(times).size === 1 ? `${times[0]} each` : times.join(',');
  const lines = [
    `${style('bold', algorithm.title)}${printed ? ` as printed (${printed.name}): ${printed.about}` : ''}`,
    `${world.n} sites, entries ${entries}${report.modes.includes('shared') ? ` (${report.modes.join(' or ')})` : ''}, ${report.links === 'any' ? 'links that may reorder' : 'ordered links'}`,
    '',
    `${style(['bold', colour[verdict]], verdict)}: ${meaning(report)}`,
    `${number(states)} states, ${number(transitions)} transitions, depth ${depth}, ` +
      `${number(seconds)} s, ${number(statesPerSecond)} states/s, ${report.bytesPerState} bytes a state`,
    '',
    table(
      ['property', 'verdict'],
      report.properties.map((p) => [p.name, style(colour[p.verdict], p.verdict)]),
    ),
  ];
  if (report.totalMessages) {
    lines.push(
      '',
      `messages in all, over all complete schedules: ${report.totalMessages.join(', ')}`,
    );
  }
  if (report.bypass) {
    const { max, bySite } = report.bypass;
    const header = ['site', ...Array.from({ length: max + 1 }, (_, i) => `after ${i}`)];
    const rows = bySite.map((counts, site) => [
      `${site}`,
      ...header.slice(1).map((_, i) => number(counts[i] ?? 0)),
    ]);
    lines.push(
      '',
      `at most ${max} others go in between a request and its entry; steps in:`,
      table(header, rows),
    );
  }
  if (violation !== null && trace !== null && trace.length > 0) {
    const machine = new Machine(algorithm, world, () => 0);
    const initial = Array.from({ length: world.n }, (_, site) => machine.init(site));
    lines.push(
      '',
      diagram(trace, initial),
      '',
      style('red', `${violation.property}: ${violation.why}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

function meaning({ verdict, violation, schedules, limit }: CheckReport): string {
  if (verdict === 'proved') return 'every reachable state was seen, and all is as claimed';
  if (verdict === 'violated') return `${violation!.property}: ${violation!.why}`;
  if (schedules !== undefined) return `${number(schedules)} random schedules found nothing wrong`;
  return `${limit}; nothing wrong was found till then. Raise --max-states, lower --entries, or try --random`;
}
