import { Command } from 'commander';
import { find } from '../algorithms/catalogue.ts';
import type { AnyAlgorithm, AnyWorld, Links } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { type Format, findFormat, formats } from '../core/formats/formats.ts';
import type { TraceSettings } from '../core/trace.ts';
import {
  claimsMissed,
  type Estimate,
  type ReplicatedResult,
  type Result,
  replicate,
  requestScript,
  simulate as run,
  type Settings,
  type WorkloadKind,
} from '../sim/index.ts';
import type { ExitCode } from './main.ts';
import { number, ProgressLine, styler, table } from './terminal.ts';
import { initialStates, TraceFile } from './trace-file.ts';
import { collect, oneOf, real, textOf, whole } from './values.ts';
import { worldFrom } from './world.ts';

interface Flags {
  readonly nodes: number;
  readonly workload: string;
  readonly rate: number;
  readonly sameRequests?: true;
  readonly entries?: number;
  readonly until?: number;
  readonly delay: string;
  readonly cs: number;
  readonly links?: Links;
  readonly topology?: string;
  readonly quorums?: string;
  readonly option?: readonly string[];
  readonly k: number;
  readonly readers: number;
  readonly faults?: string;
  readonly seed: number;
  readonly replications: number;
  readonly trace?: string;
  readonly format?: Format;
  readonly wallClock?: true;
  readonly json?: true;
}

export function simulate(answer: (code: ExitCode) => void): Command {
  return new Command('simulate')
    .description('run algorithms in simulated time, and measure what their papers claim')
    .argument('<id...>', 'one or more algorithms of the catalogue')
    .option('--nodes <n>', 'how many sites', whole('--nodes', 1), 5)
    .option('--workload <w>', 'once, saturated, poisson, solo, or script:FILE', 'poisson')
    .option(
      '--rate <r>',
      'requests per time unit and site, for poisson',
      real('--rate', 0, undefined, true),
      0.01,
    )
    .option(
      '--same-requests',
      'for poisson: all algorithms get one script of requests, whatever becomes of them',
    )
    .option(
      '--entries <e>',
      'stop after so many entries in all (default 1000; once: one per site)',
      whole('--entries', 1),
    )
    .option(
      '--until <t>',
      'end at this time, with nothing drained (without --entries: ask until then)',
      real('--until', 0, undefined, true),
    )
    .option(
      '--delay <d>',
      'constant:5, uniform:1,9, exponential:5 or lognormal:MEAN,DEVIATION',
      'constant:5',
    )
    .option('--cs <t>', 'time inside', real('--cs', 0), 10)
    .option(
      '--links <l>',
      '"any" may reorder, "fifo" may not (default: what the algorithm needs)',
      oneOf('--links', ['any', 'fifo']),
    )
    .option('--topology <t>', 'line, star, binary, radiating:K, random, ring, complete, file:F')
    .option('--quorums <q>', 'grid, fpp, tree, majority, triangle, all, file:F')
    .option('--option <name[=value]>', 'a variant of the algorithm; repeatable', collect)
    .option('--k <k>', 'how many may be inside at once', whole('--k', 1), 1)
    .option('--readers <f>', 'fraction of shared requests', real('--readers', 0, 1), 0)
    .option('--faults <file>', 'crashes, partitions, losses by time, and interventions by step')
    .option('--seed <s>', 'the same seed gives the same run, to the byte', whole('--seed', 0), 1)
    .option(
      '--replications <r>',
      'so many runs, each with the next seed',
      whole('--replications', 1),
      1,
    )
    .option('--trace <file>', 'write what happened there')
    .option(
      '--format <f>',
      `of the trace: ${formats.map(({ name }) => name).join(', ')} (default native, JSON Lines)`,
      findFormat,
    )
    .option('--wall-clock', 'measure wallSeconds too, the one figure that differs from run to run')
    .option('--json', 'print one JSON value')
    .action((ids: string[], flags: Flags) => {
      answer(runAll(ids, flags));
    });
}

function runAll(ids: readonly string[], flags: Flags): ExitCode {
  const algorithms = ids.map(find);
  if (flags.trace !== undefined && (ids.length > 1 || flags.replications > 1)) {
    throw new UsageError('--trace is of one run: name one algorithm, and leave --replications out');
  }
  if (flags.format !== undefined && flags.trace === undefined) {
    throw new UsageError('--format is of a trace: say where it goes with --trace FILE');
  }
  const settings = settingsFrom(flags);
  // Every world is made before the first run, so that a wrong flag is refused at once.
  const worlds = algorithms.map((algorithm) => worldFrom(algorithm, flags));
  const line = new ProgressLine();
  const results: (Result | ReplicatedResult)[] = [];
  const complaints: string[] = [];
  for (const [i, algorithm] of algorithms.entries()) {
    const world = worlds[i]!;
    warnOfLinks(algorithm, flags.links);
    const trace =
      flags.trace === undefined
        ? undefined
        : openTrace(flags.trace, algorithm, world, flags, settings);
    let replication = 0;
    const full: Settings = {
      ...settings,
      ...(trace && { trace: (step) => trace.write(step) }),
      ...(flags.wallClock && { clock: () => performance.now() / 1000 }),
      onProgress: (entries) =>
        line.update(() => {
          const of =
            flags.replications > 1 ? `, run ${replication + 1} of ${flags.replications}` : '';
          return `${algorithm.id} (${i + 1} of ${ids.length})${of}: ${number(entries)} entries`;
        }),
    };
    const judge = (result: Result) => {
      replication++;
      complaints.push(...claimsMissed(algorithm, world, full, result));
    };
    if (flags.replications === 1) {
      const result = recorded(trace, () => run(algorithm, world, full));
      judge(result);
      results.push(result);
    } else {
      results.push(replicate(algorithm, world, full, flags.replications, judge));
    }
  }
  line.done();
  for (const complaint of complaints) process.stderr.write(`latchkey: ${complaint}\n`);
  process.stdout.write(
    flags.json ? `${JSON.stringify(results, null, 2)}\n` : asText(results, flags),
  );
  const isWell = complaints.length === 0 && results.every((r) => r.violations.length === 0);
  return isWell ? 0 : 1;
}

function settingsFrom(flags: Flags): Settings {
  const script = /^script:(.+)$/s.exec(flags.workload)?.[1];
  const workload = script === undefined ? (flags.workload as WorkloadKind) : 'script';
  if (flags.workload === 'script' || flags.workload === 'script:') {
    throw new UsageError('--workload script takes a file, as in script:requests.txt');
  }
  if (flags.sameRequests) return { ...settingsOfAll(flags), ...sharedScript(flags) };
  return {
    ...settingsOfAll(flags),
    workload,
    entries: flags.entries,
    until: flags.until,
    ...(script !== undefined && { script: textOf('--workload', script) }),
  };
}

/** The requests of the workload poisson as a script: when a site asks depends on the seed and the site alone. */
function sharedScript(flags: Flags): Partial<Settings> {
  const { nodes, seed, rate, entries = 1000, until, workload, replications } = flags;
  if (workload !== 'poisson' || until !== undefined || replications > 1) {
    throw new UsageError(
      '--same-requests makes one script of so many entries: it needs the workload poisson, without --until and --replications',
    );
  }
  return { workload: 'script', script: requestScript(nodes, { seed, rate, entries }) };
}

function settingsOfAll(flags: Flags): Settings {
  const { seed, rate, delay, cs, links, readers } = flags;
  return {
    ...{ seed, rate, delay, cs, links, readers },
    ...(flags.faults !== undefined && { faults: textOf('--faults', flags.faults) }),
  };
}

function warnOfLinks({ id, links: needs }: AnyAlgorithm, given: Links | undefined): void {
  if (needs === 'fifo' && given === 'any') {
    process.stderr.write(`latchkey: ${id} needs ordered links; --links any may break it\n`);
  }
}

function openTrace(
  path: string,
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  flags: Flags,
  settings: Settings,
): TraceFile {
  const header = {
    latchkey: 'trace',
    version: 1,
    source: 'simulate',
    algorithm: algorithm.id,
    nodes: world.n,
    k: world.k,
    links: flags.links ?? algorithm.links,
    topology: flags.topology ?? flags.quorums ?? algorithm.defaultTopology,
    options: flags.option ?? [],
    seed: flags.seed,
    settings: settingsInHeader(settings),
  } as const;
  const initial = flags.format?.name === 'itf' ? initialStates(algorithm, world) : undefined;
  return new TraceFile(path, header, flags.format, initial);
}

/** With these, the algorithm, the seed and the links, the run can be made again. */
function settingsInHeader(settings: Settings): TraceSettings {
  const { workload = 'poisson', rate = 0.01, delay = 'constant:5', cs = 10 } = settings;
  const { entries, readers = 0, script, faults } = settings;
  return {
    ...{ workload, rate, delay, cs, readers },
    ...(entries !== undefined && { entries }),
    ...(script !== undefined && { script }),
    ...(faults !== undefined && { faults }),
  };
}

/** A run that is written down to its end, or leaves nothing behind. */
function recorded(trace: TraceFile | undefined, simulation: () => Result): Result {
  try {
    const result = simulation();
    trace?.finish();
    return result;
  } catch (error) {
    trace?.abandon();
    throw error;
  }
}

const HEADER = [
  'algorithm',
  'entries',
  'messages',
  'per entry',
  'bytes per entry',
  'waiting',
  'hand-over',
  'throughput',
  'Jain',
  'bypass',
];

function asText(results: readonly (Result | ReplicatedResult)[], flags: Flags): string {
  const style = styler(process.stdout);
  const rows = results.map((r) => [
    r.algorithm,
    number(r.entries),
    number(r.messages),
    estimated(r.messagesPerEntry),
    estimated(r.bytesPerEntry, 1),
    estimated(r.waitingTime.mean, 1),
    r.synchronizationDelay.count === 0 ? '–' : estimated(r.synchronizationDelay.mean, 1),
    estimated(r.throughput, 4),
    estimated(r.fairness.jain, 3),
    number(r.fairness.maxBypass),
  ]);
  const [head, ...body] = table(HEADER, rows).split('\n');
  const times = flags.replications > 1 ? `, ${flags.replications} runs, ± is 95 %` : '';
  const title = `${number(flags.nodes)} sites, ${flags.workload}, delay ${flags.delay}, ${flags.cs} inside, seed ${flags.seed}${times}`;
  const wrong = results.flatMap(({ algorithm, violations }) =>
    violations.map((v) =>
      style('red', `${algorithm} violates ${v.property} at ${v.time}: ${v.why}`),
    ),
  );
  return `${[title, '', style('bold', head!), ...body, ...(wrong.length > 0 ? ['', ...wrong] : [])].join('\n')}\n`;
}

/** A figure as people read it, with how far off it may be where that is known. */
function estimated(value: number | Estimate, digits = 2): string {
  if (typeof value === 'number') return number(value, digits);
  return `${number(value.mean, digits)} ±${number(value.ci95, digits)}`;
}
