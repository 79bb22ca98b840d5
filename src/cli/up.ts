import { closeSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { stringify } from 'yaml';
import { openSession } from '../client/open-session.ts';
import { prepareFolder, socketFolder, socketOf } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import { engineOf } from '../daemon/engine-url.ts';
import { LEVELS, type Settings } from '../daemon/settings.ts';
import { listen } from '../net/sockets.ts';
import type { ExitCode } from './main.ts';
import { myself } from './myself.ts';
import { printable } from './printable.ts';
import { openNew } from './private-file.ts';
import { styler } from './terminal.ts';
import { UpMembers } from './up-members.ts';
import { leaseMs, oneOf, whole } from './values.ts';

interface Flags {
  readonly nodes: number;
  readonly group?: string;
  readonly port?: number;
  readonly engine?: string;
  readonly leaseMs?: number;
  readonly logLevel: (typeof LEVELS)[number];
}

/** Members are named a, b, c and so on. */
const MAX_NODES = 26;
/** The port of the page, unless another program has it. */
const PORT = 7180;

export function up(answer: (code: ExitCode) => void): Command {
  return new Command('up')
    .description('start a group on this machine, with the lab and a live page')
    .option('--nodes <n>', 'members, each a process of its own', whole('--nodes', 1, MAX_NODES), 3)
    .option('--group <name>', 'the name of the group (default: $LATCHKEY_GROUP, or latchkey)')
    .option(
      '--port <p>',
      `of the page (default: ${PORT}, or a free one)`,
      whole('--port', 0, 65_535),
    )
    .option('--engine <url>', 'the store that lists the members: postgres://, etcd:// or nats://')
    .option(
      '--lease-ms <ms>',
      'with --engine: a dead member is left out after so long (default: 10000)',
      leaseMs,
    )
    .option('--log-level <level>', LEVELS.join(', '), oneOf('--log-level', LEVELS), 'silent')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => answer(await run(flags)));
}

async function run(flags: Flags): Promise<number> {
  const { engine, leaseMs } = flags;
  if (engine !== undefined) engineOf(engine, leaseMs);
  else if (leaseMs !== undefined) {
    throw new UsageError(`--lease-ms is for --engine, got ${leaseMs}: leave it out`);
  }
  const folder = socketFolder(flags.group);
  await refuseSecond(folder);
  prepareFolder(folder);
  const names = Array.from({ length: flags.nodes }, (_, i) => String.fromCharCode(97 + i));
  const ports = await portsFor(names, flags.port);
  const files = names.map((self) => {
    const path = join(folder, `${self}.yaml`);
    const descriptor = openNew(path, 0o600);
    writeFileSync(descriptor, stringify(settingsOf(folder, ports, self, flags)));
    closeSync(descriptor);
    return { self, path };
  });
  const members = new UpMembers(files, print, engine !== undefined);
  process.on('SIGINT', () => members.stop());
  process.on('SIGTERM', () => members.stop());
  process.on('SIGHUP', () => members.stop());
  const pages = await members.start();
  if (pages !== undefined) process.stdout.write(welcome(flags, folder, names, pages[0]!));
  return members.ended;
}

/** Two groups of one name would use the same sockets. */
async function refuseSecond(folder: string): Promise<void> {
  const opened = await openSession({ socket: folder }).catch(() => undefined);
  if (opened === undefined) return;
  await opened.session.close(new Error('the question is answered'));
  const group = basename(folder);
  throw new UsageError(`the group "${group}" is up already: stop it, or take another --group`);
}

/** Each member has the whole group in its file, so that it can be started again by hand. */
function settingsOf(
  folder: string,
  ports: ReadonlyMap<string, number>,
  self: string,
  { logLevel, engine, leaseMs }: Flags,
): Settings {
  const group = basename(folder);
  const at = (name: string): string => `unix:${join(folder, `${name}.peer`)}`;
  const others = [...ports.keys()].filter((name) => name !== self);
  const pageOf = (name: string): string => `http://127.0.0.1:${ports.get(name)}/`;
  return {
    self,
    group,
    listen: at(self),
    ...(engine === undefined
      ? { peers: Object.fromEntries(others.map((name) => [name, at(name)])) }
      : { engine, ...(leaseMs !== undefined && { leaseMs }) }),
    socket: socketOf(group, self),
    dashboard: `127.0.0.1:${ports.get(self)}`,
    pages: Object.fromEntries(others.map((name) => [name, pageOf(name)])),
    log: logLevel,
  };
}

/** A port for the page of each member: members know each other's pages, also when one is started again by hand. */
async function portsFor(
  names: readonly string[],
  first: number | undefined,
): Promise<ReadonlyMap<string, number>> {
  // All at once, so that no two are the same.
  const servers = await Promise.all([listening(first ?? PORT), ...names.map(() => listening(0))]);
  const [usual, ...free] = servers.map((server) => (server?.address() as AddressInfo | null)?.port);
  await Promise.all(servers.map((server) => new Promise((done) => server?.close(done) ?? done(0))));
  // A port that was asked for is that port or none: the member says so if another program has it.
  const own = usual ?? first ?? free[0];
  return new Map(names.map((name, i) => [name, (i === 0 ? own : free[i])!]));
}

/** At that port, or with 0 at any one that is free; undefined if another program has it. */
function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  const host = '127.0.0.1';
  return listen(server, `${host}:${port}`, { host, port }).then(
    () => server,
    () => undefined,
  );
}

/** One line about a member. */
function print(member: string, text: string, isBad: boolean): void {
  const style = styler(process.stderr);
  process.stderr.write(`${style(isBad ? 'red' : 'dim', printable(`${member}: ${text}`))}\n`);
}

function welcome(
  { group }: Flags,
  folder: string,
  names: readonly string[],
  page: string | undefined,
): string {
  const style = styler(process.stdout);
  const call = `${myself()} `;
  const option = group === undefined ? '' : `--group ${group} `;
  const sockets = names.length === 1 ? names[0] : `{${names.join(',')}}`;
  return `
${style('bold', `${names.length} members of the group "${basename(folder)}" are up`)}

  lab      ${style('cyan', page === undefined ? 'none' : `${page}lab/`)}
  page     ${style('cyan', page ?? 'none')}
  sockets  ${folder}/${sockets}.sock

Now type, in another terminal:

  ${style('cyan', `${call}lock ${option}build -- sh -c 'echo "fence $LATCHKEY_FENCE"; sleep 10'`)}
  ${style('cyan', `${call}status ${option}`.trimEnd())}

Ctrl-C stops all of it.

`;
}

const HELP = `
Each member is a process, and serves the processes of this user on a socket of its own; commands use the
first that answers. If a member dies, a line names it and the command that starts it again: members are not
restarted by themselves. With --engine the other members go on without it. When this process ends, by Ctrl-C or by force, its members end too.
`;
