import { Command } from 'commander';
import type { DaemonStatus } from '../daemon/daemon.ts';
import type { SurveyEntry } from '../group/backend.ts';
import { missingOf } from '../member/status.ts';
import { type ConnectionFlags, NO_DAEMON, open, withConnection } from './connection.ts';
import type { ExitCode } from './main.ts';
import { duration, number, styler, table } from './terminal.ts';

interface Flags extends ConnectionFlags {
  readonly json?: true;
}

export function status(answer: (code: ExitCode) => void): Command {
  const command = new Command('status')
    .description('members, view, who holds and who waits')
    .option('--json', 'print one JSON value');
  return withConnection(command)
    .addHelpText(
      'after',
      '\nExit code: 0 if all members are there, 1 if not, 69 if no daemon answers.',
    )
    .action(async (flags: Flags) => {
      const opened = await open(flags, `pid ${process.pid}: status`);
      if (opened === undefined) {
        answer(NO_DAEMON);
        return;
      }
      const status = (await opened.session.status()) as DaemonStatus;
      await opened.session.close(new Error('it has been told'));
      process.stdout.write(flags.json ? `${JSON.stringify(status)}\n` : text(status));
      answer(isWhole(status) ? 0 : 1);
    });
}

const isWhole = (status: DaemonStatus): boolean =>
  status.view !== null && missingOf(status).length === 0;

function text(status: DaemonStatus): string {
  const { group, self, entries, messages, sessions } = status;
  const perEntry = entries === 0 ? '' : `, ${number(messages / entries)} messages each`;
  const counts = `${number(entries)} granted here${perEntry}; ${number(sessions.length)} ${sessions.length === 1 ? 'client' : 'clients'} here`;
  return `group ${group}, as member ${self} sees it: ${health(status)}
${counts}

${members(status)}

${locks(status)}
`;
}

function health(status: DaemonStatus): string {
  const style = styler(process.stdout);
  const { view } = status;
  const missing = missingOf(status);
  const without = missing.length === 0 ? '' : `, without ${missing.join(', ')}`;
  if (view === null) return style('red', `no view yet${without}`);
  if (missing.length > 0) return style('red', `a view of ${view.members.length}${without}`);
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
  const all = rows.map(([id, ...rest]) => [id!, inView.has(id!) ? 'yes' : 'no', ...rest]);
  return table(['member', 'in view', 'state', 'round trip', 'last heard'], all);
}

function locks({ held, pending, unreachable }: DaemonStatus): string {
  const nameOf = ({ name, permits }: { name: string; permits: number }) =>
    `${JSON.stringify(name)}${permits > 0 ? ` (${permits} permits)` : ''}`;
  const whom = ({ waitsFor = [] }: SurveyEntry) =>
    waitsFor.length === 0 ? '' : `waits for ${waitsFor.join(', ')}`;
  const rows = [
    ...held.map((e) => [nameOf(e), 'held', e.mode, e.clientId, duration(e.forMs), e.fence ?? '']),
    ...pending.map((e) => [nameOf(e), 'waiting', e.mode, e.clientId, duration(e.forMs), whom(e)]),
  ];
  // Together what belongs together; within a lock, holders first and then in order of waiting.
  rows.sort(([a], [b]) => (a! < b! ? -1 : a! > b! ? 1 : 0));
  const silent =
    unreachable.length === 0 ? '' : `\nwhat ${unreachable.join(', ')} holds is not known`;
  if (rows.length === 0) return `nobody holds or waits for a lock${silent}`;
  return table(['lock', '', 'mode', 'client', 'for', 'fence, or whom it waits for'], rows) + silent;
}
