import { Command, Option } from 'commander';
import { UsageError } from '../core/errors.ts';
import { engineOf } from '../daemon/engine-url.ts';
import { FAULTS, type Fault, soak as runSoak, type SoakReport } from '../soak/soak.ts';
import type { ExitCode } from './main.ts';
import { printable } from './printable.ts';
import { duration, number, ProgressLine, styler, table } from './terminal.ts';
import { leaseMs, real, whole } from './values.ts';

interface Flags {
  readonly engine?: string;
  readonly minutes: number;
  readonly members: number;
  readonly locks: number;
  readonly callers: number;
  readonly leaseMs: number;
  readonly faults: readonly Fault[];
  readonly group: string;
  readonly seed: number;
  readonly json?: true;
}

/** A caller holds a lock for so long, and asks again after so long. */
const HOLD_MS = 1;
const THINK_MS = 2;

export function soak(answer: (code: ExitCode) => void): Command {
  return new Command('soak')
    .description('try a store: members under load, faults, and a judge')
    .option('--engine <url>', 'the store to try: postgres://, etcd:// or nats://')
    .option('--minutes <m>', 'how long', real('--minutes', 0, 10_080, true), 1)
    .option('--members <n>', 'processes in the group', whole('--members', 2, 20), 3)
    .option('--locks <n>', 'locks that all members want', whole('--locks', 1, 1000), 2)
    .option('--callers <n>', 'callers of each member for each lock', whole('--callers', 1, 100), 2)
    .option('--lease-ms <ms>', 'after so long a dead member is left out', leaseMs, 5000)
    .addOption(
      new Option('--faults <list>', `any of ${FAULTS.join(',')}, or none`)
        .argParser(faultsOf)
        .default(FAULTS, 'all'),
    )
    .option('--group <name>', 'the group in the store; runs at once need different ones', 'soak')
    .option('--seed <s>', 'of the choice of faults and members', whole('--seed', 0), 1)
    .option('--json', 'print one JSON value')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => answer(await run(flags)));
}

function faultsOf(text: string): readonly Fault[] {
  if (text === 'none') return [];
  return text.split(',').map((word) => {
    const fault = FAULTS.find((one) => one === word);
    if (fault !== undefined) return fault;
    throw new UsageError(
      `--faults takes ${FAULTS.join(',')}, some of them, or none, got "${word}"`,
    );
  });
}

async function run(flags: Flags): Promise<ExitCode> {
  const { engine, minutes, members, callers, faults, group, seed } = flags;
  if (engine === undefined) {
    throw new UsageError(
      'soak needs --engine, the store to try, as in: latchkey soak --engine postgres://app@localhost/app',
    );
  }
  const { name } = engineOf(engine, flags.leaseMs);
  const locks = Array.from({ length: flags.locks }, (_, i) => `soak/${i + 1}`);
  const load = { locks, callers, holdMs: HOLD_MS, thinkMs: THINK_MS };
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  process.once('SIGTERM', () => ending.abort());
  const began = performance.now();
  const line = new ProgressLine();
  const settings = { engine, leaseMs: flags.leaseMs, group, members, load, faults, seed };
  const running = runSoak(
    { ...settings, durationMs: minutes * 60_000, signal: ending.signal },
    ({ team, doing, violations }) =>
      line.update(
        () =>
          `${duration(performance.now() - began)}, ${number(team.entries)} entries, ${violations} violations: ${doing}`,
      ),
  );
  try {
    const report = await running;
    line.done();
    process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : page(name, flags, report));
    return report.violations.length === 0 ? 0 : 1;
  } catch (error) {
    line.done();
    // Members that cannot join say why: an address, a password or a version that the user can change.
    const [, type, message] = /^(?:(\w*Error): )?(.*)$/s.exec((error as Error).message)!;
    if (type === 'UsageError') throw new UsageError(message);
    throw new UsageError(`${name} cannot be used: ${message}: check --engine, and the store`);
  }
}

/** The most violations that the output shows. */
const MOST_SHOWN = 10;

function page(engine: string, flags: Flags, report: SoakReport): string {
  const { seconds, entries, losses, refusedWrites, violations } = report;
  const style = styler(process.stdout);
  const rows = report.faults.map(({ fault, recoveredMs: all }) => {
    const sorted = [...all].sort((a, b) => a - b);
    const at = (place: number) => (sorted.length === 0 ? '–' : duration(sorted[place]!));
    const median = at(Math.floor(sorted.length / 2));
    return [MEANINGS[fault], number(sorted.length), median, at(sorted.length - 1)];
  });
  const shown = violations.slice(0, MOST_SHOWN).map((one) => `  ${printable(one)}`);
  const more = violations.length > MOST_SHOWN ? `  and ${violations.length - MOST_SHOWN} more` : '';
  const verdict =
    violations.length === 0
      ? style('green', 'no violation: one holder at a time, fences that grow, and all recovered')
      : style('red', `${violations.length} violations`);
  return `${engine}: ${flags.members} members, W ${duration(flags.leaseMs)}, seed ${flags.seed}, ${duration(seconds * 1000)}

${table(['fault', 'times', 'recovered, median', 'longest'], rows)}

${number(entries)} entries, ${number(entries / seconds, 0)} a second
${number(losses)} holders were told that they lost their lock; ${number(refusedWrites)} late writes were refused by their fence

${[verdict, ...shown, more].filter((text) => text !== '').join('\n')}
`;
}

const MEANINGS: { readonly [fault in Fault]: string } = {
  kill: 'a process is killed, another joins',
  stop: 'a process is stopped for 1.5 W',
  pause: 'a process is stopped for 0.4 W',
  leave: 'a process leaves, another joins',
};

const HELP = `
Starts members as processes of this machine. They share locks, whose views the store decides, while processes are
killed, stopped and started. A judge hears of every entry: no two members may hold one lock at a time, fences must
grow, and after each fault all members must be granted locks again. It writes records of its own group to the
store, and nothing else: to try a store in use does no harm. "recovered" is the time until all members are in
one view and each of them was granted a lock; after a kill that takes about W.

Faults of networks and disks need root: docs/faults.md has what was seen with them.
Ctrl-C ends it early, with the report. Exit code: 0 if nothing was violated, 1 if something was, 2 for a wrong call.

Examples:
  latchkey soak --engine postgres://app@db.internal/app --minutes 10
  latchkey soak --engine etcd://10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379 --minutes 60 --members 5
`;
