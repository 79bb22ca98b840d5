/** `latchkey check service`: the lock service itself, explored like an algorithm. */
import { find } from '../algorithms/catalogue.ts';
import {
  checkService,
  type ServiceCheckSettings,
  type ServiceProgress,
  type ServiceReport,
} from '../check/service/check-service.ts';
import { LEASE as CHECKED_LEASE, type Tick } from '../check/service/leasing.ts';
import type { ServiceTraceStep } from '../check/service/trace.ts';
import { UsageError } from '../core/errors.ts';
import { fixed } from '../engines/fixed.ts';
import { leased } from '../engines/leased.ts';
import { LeasedSnapshot } from '../engines/leased-snapshot.ts';
import { DEFAULT_RULES } from '../group/lock-algorithm.ts';
import { diagram } from './diagram.ts';
import type { ExitCode } from './main.ts';
import { number, ProgressLine, styler, table } from './terminal.ts';
import { WholeFile } from './trace-file.ts';

export interface ServiceFlags {
  readonly members?: number;
  readonly callers?: number;
  readonly algorithm?: string;
  readonly engine?: string;
  readonly entries?: readonly number[];
  readonly k?: number;
  readonly option?: readonly string[];
  readonly only?: readonly string[];
  readonly crashes?: number;
  readonly congestions?: number;
  readonly forget?: true;
  readonly pauses?: number;
  readonly stops?: number;
  readonly expiries?: number;
  readonly cuts?: number;
  readonly tick?: Tick;
  readonly maxStates?: number;
  readonly random?: number;
  readonly seed: number;
  readonly trace?: string;
  readonly json?: true;
}

const GROUP = 'checked';
const HOWS = ['exclusive', 'shared', 'try', 'steal'] as const;

export function runService(
  flags: ServiceFlags,
  memoryIsShort: (bytes: number) => string | undefined,
): ExitCode {
  const engine = engineOf(flags);
  const { entries = [1] } = flags;
  if (entries.length > 1 || !Number.isFinite(entries[0])) {
    throw new UsageError(
      `--entries: each caller of the service makes one number of requests, got "${entries.join()}": give that number`,
    );
  }
  const permits = flags.k ?? 0;
  const rules = permits > 0 ? DEFAULT_RULES.semaphores : DEFAULT_RULES.locks;
  const algorithm = find(flags.algorithm ?? rules[0]!.algorithm);
  const line = new ProgressLine();
  const report = checkService({
    members: flags.members ?? 2,
    callers: flags.callers ?? 1,
    requests: entries[0]!,
    crashes: flags.crashes ?? 0,
    congestions: flags.congestions ?? 0,
    forgets: flags.forget ?? false,
    algorithm: algorithm.id,
    options: flags.option ?? [],
    permits,
    ...howsOf(flags),
    ...engine,
    ...(flags.maxStates && { maxStates: flags.maxStates }),
    ...(flags.random && { random: { schedules: flags.random, seed: flags.seed } }),
    clock: () => performance.now() / 1000,
    onProgress: (progress) => {
      line.update(() => asLine(progress));
      return memoryIsShort(progress.bytes);
    },
  });
  line.done();
  if (flags.trace !== undefined) writeTrace(flags.trace, report);
  const text = flags.json ? JSON.stringify(report) : asText(algorithm.title, report).join('\n');
  process.stdout.write(`${text}\n`);
  return report.verdict === 'violated' ? 1 : 0;
}

type EngineSettings = Pick<ServiceCheckSettings, 'makeEngine' | 'leased'>;

function engineOf(flags: ServiceFlags): EngineSettings {
  const { engine = 'fixed', pauses, stops, expiries, cuts, tick } = flags;
  const faults = { pauses, stops, expiries, cuts, tick };
  if (engine === 'fixed') {
    const stray = Object.entries(faults).find(([, given]) => given !== undefined);
    if (stray === undefined) return { makeEngine: fixed };
    throw new UsageError(`--${stray[0]}: "fixed" has no lease: add --engine leased`);
  }
  if (engine !== 'leased') {
    throw new UsageError(`--engine: expected "fixed" or "leased", got "${engine}"`);
  }
  const stray = (['k', 'congestions', 'forget'] as const).find((flag) => flags[flag] !== undefined);
  if (stray !== undefined) {
    throw new UsageError(`--${stray}: not with --engine leased: check it with --engine fixed`);
  }
  if (flags.only?.includes('try')) {
    throw new UsageError('--only try: not with --engine leased: check it with --engine fixed');
  }
  const snapshot = new LeasedSnapshot(GROUP);
  return {
    makeEngine: (id) => leased({ group: GROUP, leaseMs: CHECKED_LEASE, address: id }),
    leased: { snapshot, ...faults } as NonNullable<ServiceCheckSettings['leased']>,
  };
}

/** With `leased` the space is large: only exclusive requests, unless more are asked for. */
function howsOf({ engine, only }: ServiceFlags): Pick<ServiceCheckSettings, 'hows'> {
  if (only !== undefined) return { hows: HOWS.filter((how) => only.includes(how)) };
  return engine === 'leased' ? { hows: ['exclusive'] } : {};
}

function asLine(progress: ServiceProgress): string {
  const { states, transitions, depth, frontier, seconds, revisited } = progress;
  if (revisited !== undefined) {
    return `${number(states)} states are known; looking for a caller that waits for ever: ${number(revisited)}`;
  }
  return (
    `${number(states)} states  ${number(states / seconds, 0)}/s  ${number(transitions)} transitions` +
    `  depth ${depth}  frontier ${number(frontier)}`
  );
}

/** The only choices of `--only`. */
export function onlyOf(text: string): string[] {
  const chosen = text.split(',');
  const wrong = chosen.find((how) => !HOWS.includes(how as never));
  if (wrong === undefined) return chosen;
  throw new UsageError(`--only: expected some of ${HOWS.join(', ')}, got "${wrong}"`);
}

function asText(title: string, report: ServiceReport): string[] {
  const style = styler(process.stdout);
  const colour = { proved: 'green', violated: 'red', bounded: 'yellow' } as const;
  const { verdict, nodes, callers, crashes, entries, violation, trace, seconds } = report;
  const { congestions, forgets } = report;
  const leases = report.leased === undefined ? '' : `, ${faultsOf(report.leased)}`;
  const meaning = {
    proved: 'every reachable state was seen, and all is as claimed',
    violated: `${violation?.property}: ${violation?.why}`,
    bounded: `${report.limit}; nothing wrong was found till then`,
  }[verdict];
  const lines = [
    style('bold', `the lock service, serving with ${title}${leases && ', engine leased'}`),
    `${nodes} members, ${callers} ${callers === 1 ? 'caller' : 'callers'} each, ${entries[0]} ` +
      `${entries[0] === 1 ? 'request' : 'requests'} a caller, ` +
      `${crashes} ${crashes === 1 ? 'crash or departure' : 'crashes or departures'}` +
      (congestions > 0
        ? `, ${congestions} congested ${congestions === 1 ? 'peer' : 'peers'} each`
        : '') +
      (forgets ? ', idle locks are forgotten at any moment' : '') +
      leases,
    '',
    `${style(['bold', colour[verdict]], verdict)}: ${meaning}`,
    `${number(report.states)} states, ${number(report.transitions)} transitions, depth ${report.depth}, ` +
      `${number(seconds)} s, ${number(report.statesPerSecond)} states/s`,
    '',
    table(
      ['property', 'verdict'],
      report.properties.map((p) => [p.name, style(colour[p.verdict], p.verdict)]),
    ),
  ];
  if (trace === null || trace.length === 0) return lines;
  const initial = Array.from({ length: nodes }, () => ({}));
  const word = (step: object) => (step as ServiceTraceStep).word;
  const names = Array.from({ length: nodes }, (_, i) => 'abcdefgh'[i]!);
  return [...lines, '', diagram(trace, initial, { word, names }), '', style('red', meaning)];
}

const faultsOf = ({
  pauses,
  stops,
  expiries,
  cuts,
}: NonNullable<ServiceReport['leased']>): string =>
  [
    `${pauses} ${pauses === 1 ? 'pause' : 'pauses'}`,
    ...(stops === 0
      ? []
      : [`${stops} ${stops === 1 ? 'process' : 'processes'} that stop for good`]),
    `${expiries} ${expiries === 1 ? 'step' : 'steps'} whose calls go wrong`,
    `${cuts} cut ${cuts === 1 ? 'link' : 'links'}`,
  ].join(', ');

/** The counterexample as JSON Lines. `latchkey replay` cannot run it: the same call of `check` finds it again. */
function writeTrace(path: string, { trace, violation, nodes, serving }: ServiceReport): void {
  if (trace === null) {
    process.stderr.write('latchkey: no violation was found, so no trace is written\n');
    return;
  }
  const file = new WholeFile(path, '--trace');
  const header = { latchkey: 'service-trace', version: 1, serving, members: nodes, violation };
  for (const value of [header, ...trace]) file.write(`${JSON.stringify(value)}\n`);
  file.finish();
}
