import { existsSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Command } from 'commander';
import { catalogue, find, findPrinted } from '../algorithms/catalogue.ts';
import { type CheckReport, check as explore } from '../check/check.ts';
import type { AnyWorld, Links, Mode } from '../core/algorithm.ts';
import { didYouMean, UsageError } from '../core/errors.ts';
import type { Printed } from '../core/printed.ts';
import type { TraceHeader } from '../core/trace.ts';
import { asText, drawing } from './check-report.ts';
import { onlyOf, runService, type ServiceFlags } from './check-service.ts';
import { secondThread } from './check-thread.ts';
import type { ExitCode } from './main.ts';
import { number, ProgressLine } from './terminal.ts';
import { TraceFile } from './trace-file.ts';
import { collect, oneOf, whole } from './values.ts';
import { worldFrom } from './world.ts';

interface Flags extends ServiceFlags {
  readonly nodes?: number;
  readonly links?: Links;
  readonly topology?: string;
  readonly quorums?: string;
  readonly modes?: readonly Mode[];
  readonly downgrade?: true;
  readonly losses: number;
  readonly duplications: number;
  readonly pct?: number;
  readonly symmetry?: true;
  readonly partialOrder?: true;
  readonly rest?: boolean;
  readonly threads?: '1' | '2';
  readonly whole?: true;
  readonly report?: 'messages' | 'bypass';
  readonly asPrinted?: string | true;
}

export function check(answer: (code: ExitCode) => void): Command {
  const command = new Command('check')
    .description('explore every schedule of a small group, and prove or refute what is claimed')
    .argument('<id>', 'an algorithm of the catalogue; or "service", the lock service itself');
  return [worldFlags, searchFlags, serviceFlags, leaseFlags]
    .reduce((all, add) => add(all), command)
    .option('--only <hows>', 'service: some of exclusive,shared,try,steal (default: all)', onlyOf)
    .option('--json', 'print one JSON value')
    .action((id: string, flags: Flags) => {
      if (id === 'service') refuseOfSites(flags);
      answer(id === 'service' ? runService(flags, memoryIsShort) : run(id, flags));
    });
}

/** What is explored: the sites, their requests and what may go wrong. */
const worldFlags = (command: Command): Command =>
  command
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
    .option(
      '--downgrade',
      'a waiting exclusive request may, at any moment, become a shared one (over ordered links)',
    )
    .option('--k <k>', 'how many may be inside at once', whole('--k', 1))
    .option('--crashes <c>', 'how many sites may crash', whole('--crashes', 0, 255))
    .option('--losses <l>', 'how many messages may be lost', whole('--losses', 0, 255), 0)
    .option(
      '--duplications <d>',
      'how many messages may arrive twice',
      whole('--duplications', 0, 255),
      0,
    );

/** How it is explored, and what is reported. */
const searchFlags = (command: Command): Command =>
  command
    .option(
      '--max-states <m>',
      'give up beyond so many states (default 10 million, or 50 where sites at rest save most)',
      whole('--max-states', 1),
    )
    .option(
      '--threads <t>',
      '1, or 2 in a search of more than a million states (default: 2 where there are two cores)',
      oneOf('--threads', ['1', '2']),
    )
    .option('--random <schedules>', 'so many random schedules instead of all', whole('--random', 1))
    .option('--seed <s>', 'for --random', whole('--seed', 0), 1)
    .option(
      '--pct <d>',
      'for --random: by priorities that change d − 1 times',
      whole('--pct', 1, 100),
    )
    .option('--trace <file>', 'write the counterexample there, as JSON Lines')
    .option('--whole', 'draw all steps of the counterexample, and not only what led to it')
    .option('--partial-order', 'take one of two orders of steps that do not concern each other')
    .option(
      '--symmetry',
      'take states for one that differ only in the names of sites that are alike',
    )
    .option('--rest', 'let sites that have finished receive at once (default: in a large space)')
    .option('--no-rest', 'do not, however large the space is')
    .option(
      '--report <what>',
      '"messages": totals over all complete schedules; "bypass": how many can overtake',
      oneOf('--report', ['messages', 'bypass']),
    )
    .option('--as-printed [name]', 'the algorithm as its paper prints it, where ours departs');

/** Only of `latchkey check service`. */
const serviceFlags = (command: Command): Command =>
  command
    .option('--members <n>', 'service: how many members (default 2)', whole('--members', 1, 4))
    .option('--callers <c>', 'service: how many callers each (default 1)', whole('--callers', 1, 4))
    .option(
      '--congestions <c>',
      'service: how often each member may find another one congested (default 0)',
      whole('--congestions', 0, 9),
    )
    .option('--forget', 'service: members forget idle locks, and time passes, at any moment')
    .option('--algorithm <id>', 'service: what serves the lock (default: as deployed)')
    .option('--engine <e>', 'service: fixed (default) or leased, which engine decides the views');

/** Of these, the ones for the engine `leased`. */
const leaseFlags = (command: Command): Command =>
  command
    .option(
      '--pauses <p>',
      'leased: how often a member pauses, for any time (default 0)',
      whole('--pauses', 0, 99),
    )
    .option(
      '--stops <s>',
      'leased: how many members stop for good, and may act until their deadline (default 0)',
      whole('--stops', 0, 8),
    )
    .option(
      '--expiries <x>',
      'leased: how many steps call the register without an answer in time (default 0)',
      whole('--expiries', 0, 99),
    )
    .option(
      '--cuts <c>',
      'leased: how often a link is cut, in one direction (default 0)',
      whole('--cuts', 0, 99),
    )
    .option(
      '--tick <t>',
      'leased: by how much clocks advance at a time, where a lease is 10: 4 (default) or 3',
      whole('--tick', 3, 4),
    );

/** The service has members and callers: a flag that it does not know must not seem to be proved. */
function refuseOfSites(flags: Flags): void {
  const { nodes, links, topology, quorums, modes, downgrade, losses, duplications, pct } = flags;
  const { symmetry, partialOrder, rest, threads, whole: isWhole, report, asPrinted } = flags;
  const given = {
    ...{ nodes, links, topology, quorums, modes, downgrade, pct, symmetry, threads, report },
    ...(rest !== undefined && { [rest ? 'rest' : 'no-rest']: rest }),
    ...{ losses: losses || undefined, duplications: duplications || undefined, whole: isWhole },
    ...{ 'partial-order': partialOrder, 'as-printed': asPrinted },
  };
  const stray = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (stray === undefined) return;
  const instead = stray === 'nodes' ? 'take --members' : stray === 'modes' ? 'take --only' : '';
  throw new UsageError(
    `--${stray} is for an algorithm, not for "service": ${instead === '' ? 'leave it out' : instead}`,
  );
}

function run(id: string, given: Flags): ExitCode {
  const stray = (
    [
      ...(['members', 'callers', 'congestions', 'forget', 'algorithm', 'engine', 'only'] as const),
      ...(['pauses', 'stops', 'expiries', 'cuts', 'tick'] as const),
    ] as const
  ).find((flag) => given[flag] !== undefined);
  if (stray !== undefined) {
    throw new UsageError(`--${stray} is for "latchkey check service", not for "${id}"`);
  }
  const suggestion = catalogue.some((algorithm) => algorithm.id === id)
    ? ''
    : didYouMean(id, ['service']);
  if (suggestion !== '') throw new UsageError(`there is no algorithm "${id}"${suggestion}`);
  const ours = find(id);
  const printed =
    given.asPrinted === undefined
      ? undefined
      : findPrinted(id, given.asPrinted === true ? undefined : given.asPrinted);
  const algorithm = printed?.algorithm ?? ours;
  const flags = printed === undefined ? given : { ...shownBy(printed, given), ...given };
  const chosen = { ...flags, nodes: flags.nodes ?? 3 };
  const world = worldFrom(algorithm, chosen);
  const threads = flags.threads ?? (availableParallelism() > 1 ? '2' : '1');
  const line = new ProgressLine();
  const report = explore(algorithm, world, {
    entries: flags.entries?.length === 1 ? flags.entries[0]! : (flags.entries ?? 2),
    ...(flags.links && { links: flags.links }),
    ...(flags.modes && { modes: flags.modes }),
    downgrade: flags.downgrade ?? false,
    crashes: flags.crashes ?? 0,
    losses: flags.losses,
    duplications: flags.duplications,
    ...(flags.maxStates && { maxStates: flags.maxStates }),
    symmetry: flags.symmetry ?? false,
    partialOrder: flags.partialOrder ?? false,
    ...(flags.rest !== undefined && { rest: flags.rest }),
    reportMessages: flags.report === 'messages',
    reportBypass: flags.report === 'bypass',
    ...(flags.random && {
      random: { schedules: flags.random, seed: flags.seed, ...(flags.pct && { pct: flags.pct }) },
    }),
    ...(threads === '2' && { thread: secondThread() }),
    clock: () => performance.now() / 1000,
    onProgress: ({ states, transitions, depth, frontier, bytes, seconds }) => {
      line.update(
        () =>
          `${number(states)} states  ${number(states / seconds, 0)}/s  ${number(transitions)} transitions` +
          `  depth ${depth}  frontier ${number(frontier)}  ${number(bytes / 2 ** 20, 0)} MiB`,
      );
      return memoryIsShort(bytes);
    },
  });
  line.done();
  const header = headerOf(report, world, flags, printed);
  if (flags.trace !== undefined) writeTrace(flags.trace, report.trace, header);
  if (given.json) {
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } else {
    const isDrawn = report.trace !== null && report.trace.length > 0;
    const drawn = isDrawn ? drawing(algorithm, world, report, header, flags.whole) : [];
    process.stdout.write(
      `${[...asText(algorithm, world, report, printed), ...drawn].join('\n')}\n`,
    );
  }
  return report.verdict === 'violated' ? 1 : 0;
}

/**
 * Better a bounded verdict than a process that dies. What is interned is on the heap; the states, `bytes`
 * of them, are not, and when their table grows there are two of it for a while.
 */
function memoryIsShort(bytes: number): string | undefined {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  const free = process.availableMemory();
  if (used < 0.85 * limit && free > Math.max(2 ** 28, bytes)) return undefined;
  const mebibytes = (count: number) => number(count / 2 ** 20, 0);
  return `memory is short (${mebibytes(used)} MiB of heap used, ${mebibytes(free)} MiB of RAM free)`;
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

function headerOf(
  { algorithm, links, violation, loop }: CheckReport,
  world: AnyWorld,
  flags: Flags,
  printed: Printed | undefined,
): TraceHeader {
  return {
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
    ...(violation && { violation }),
  };
}

function writeTrace(path: string, trace: CheckReport['trace'], header: TraceHeader): void {
  if (trace === null) {
    process.stderr.write('latchkey: no violation was found, so no trace is written\n');
    return;
  }
  makeFolder(dirname(path));
  const file = new TraceFile(path, header);
  for (const step of trace) file.write(step);
  file.finish();
}

/**
 * So that a counterexample becomes a test by one command: test/traces/ALGORITHM/NAME.jsonl. Folder by
 * folder: asked for all of them at once below /proc, Node never comes back.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch {
    // The writer of the file reports what is wrong.
  }
}
