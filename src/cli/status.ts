import { Command } from 'commander';
import type { DaemonStatus } from '../daemon/status.ts';
import type { SurveyEntry } from '../group/backend.ts';
import type { Cycle } from '../group/cycles.ts';
import { awaitedText, engineText, firstViewText } from '../member/status.ts';
import { type ConnectionFlags, NO_DAEMON, open, withConnection } from './connection.ts';
import type { ExitCode } from './main.ts';
import { printable, quoted } from './printable.ts';
import { duration, number, styler, table } from './terminal.ts';

interface Flags extends ConnectionFlags {
  readonly json?: true;
}

export function status(answer: (code: ExitCode) => void): Command {
  const command = new Command('status')
    .description('members, view, holders and waiting requests')
    .option('--json', 'print one JSON value');
  return withConnection(command)
    .addHelpText(
      'after',
      '\nExit code: 0 if all members of the view answer, 1 if not or if there is a deadlock, 69 if no daemon answers.',
    )
    .action(async (flags: Flags) => {
      const opened = await open(flags, `pid ${process.pid}: status`);
      if (opened === undefined) {
        answer(NO_DAEMON);
        return;
      }
      const status = (await opened.session.status()) as DaemonStatus;
      await opened.session.close(new Error('the status is read'));
      process.stdout.write(flags.json ? `${JSON.stringify(status)}\n` : text(status));
      answer(isWell(status) ? 0 : 1);
    });
}

const isWell = ({ view, waitsFor, deadlocks }: DaemonStatus): boolean =>
  view !== null && waitsFor.length === 0 && deadlocks.length === 0;

function text(status: DaemonStatus): string {
  const { group, self, entries, messages, counts } = status;
  const perEntry = entries === 0 ? '' : `, ${counted(messages / entries, 'message')} each`;
  const clients = `${counted(counts.sessions, 'client')} here`;
  return `group ${printable(group)}, as member ${printable(self)} sees it: ${health(status)}
${printable(engineText(status))}
${number(entries)} granted here${perEntry}; ${clients}

${members(status)}

${locks(status)}
`;
}

function counted(count: number, what: string): string {
  const text = number(count);
  return `${text} ${what}${text === '1' ? '' : 's'}`;
}

function health(status: DaemonStatus): string {
  const { view, waitsFor, deadlocks } = status;
  const style = styler(process.stdout);
  const without = waitsFor.length === 0 ? '' : `, without ${printable(waitsFor.join(', '))}`;
  const first = firstViewText(status);
  const soon = first === undefined ? '' : `; ${first}`;
  if (view === null) return style('red', `no view yet${without}${soon}`);
  if (without !== '') return style('red', `a view of ${view.members.length}${without}`);
  if (deadlocks.length > 0)
    return style('red', `${number(deadlocks.length)} deadlocked, see below`);
  return style('green', `${view.members.length} in one view (epoch ${view.epoch})`);
}

function members({ self, view, peers, upMs }: DaemonStatus): string {
  const inView = new Set(view?.members.map(({ id }) => id));
  const rows = [
    [self, 'this one', '', `up ${duration(upMs)}`],
    ...peers.map(({ id, connected, roundTripMs, silentMs }) => [
      id,
      connected ? 'connected' : 'away',
      roundTripMs === null ? '' : `${number(roundTripMs)} ms`,
      silentMs === null ? 'never' : `${duration(silentMs)} ago`,
    ]),
  ].sort(([a], [b]) => (a! < b! ? -1 : 1));
  const all = rows.map(([id, ...rest]) => [
    printable(id!),
    inView.has(id!) ? 'yes' : 'no',
    ...rest,
  ]);
  return table(['member', 'in view', 'state', 'round trip', 'last heard'], all);
}

function locks(status: DaemonStatus): string {
  const { held, pending, unreachable, omitted, deadlocks } = status;
  const nameOf = ({ name, permits }: SurveyEntry) =>
    `${quoted(name)}${permits > 0 ? ` (${permits} permits)` : ''}`;
  const about = (e: SurveyEntry) => [e.mode, printable(e.clientId), duration(e.forMs)];
  const rows = [
    ...held.map((e) => [nameOf(e), 'held', ...about(e), printable(e.fence ?? '')]),
    ...pending.map((e) => [nameOf(e), 'waiting', ...about(e), waitsFor(status, e)]),
  ];
  // By lock; within a lock the holders first, and then in order of waiting.
  rows.sort(([a], [b]) => (a! < b! ? -1 : a! > b! ? 1 : 0));
  const left = omitted.held + omitted.pending;
  const notes = [
    ...deadlocks.map(deadlock),
    ...(unreachable.length === 0
      ? []
      : [`what ${printable(unreachable.join(', '))} holds is not known: no answer`]),
    ...(left === 0 ? [] : [`${number(left)} more are not shown: use query() of the library`]),
  ];
  const none =
    unreachable.length === 0
      ? 'no process holds or waits for a lock'
      : 'no lock is known to be held';
  const header = ['lock', '', 'mode', 'client', 'for', 'fence, or members it waits for'];
  return [rows.length === 0 ? none : table(header, rows), ...notes].join('\n');
}

const waitsFor = (status: DaemonStatus, { waitsFor = [] }: SurveyEntry): string =>
  waitsFor.length === 0 ? '' : `waits for ${printable(awaitedText(status, waitsFor))}`;

const deadlock = (cycle: Cycle): string =>
  `deadlock: ${cycle
    .map(
      ({ clientId, holds, waitsFor }) =>
        `${printable(clientId)} holds ${quoted(holds)} and waits for ${quoted(waitsFor)}`,
    )
    .join('; ')}`;
