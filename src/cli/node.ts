import { Command } from 'commander';
import { destination, pino } from 'pino';
import { UsageError } from '../core/errors.ts';
import { readSecretFile, readTlsFiles } from '../daemon/certificates.ts';
import { type Config, complete, parseSettings, relativeTo } from '../daemon/config.ts';
import { Daemon } from '../daemon/daemon.ts';
import { EventLog, type LoggedEvent } from '../daemon/event-log.ts';
import { checkFlags, LEVELS, type Settings } from '../daemon/settings.ts';
import { join } from '../member/join.ts';
import { parseAddress } from '../net/address.ts';
import { isLoopback, pageExposure } from '../net/exposure.ts';
import { ListenError } from '../net/transport.ts';
import type { ExitCode } from './main.ts';
import { collect, leaseMs, oneOf, textOf, whole } from './values.ts';

interface Flags {
  readonly config?: string;
  readonly self?: string;
  readonly listen?: string;
  readonly peer?: readonly string[];
  readonly engine?: string;
  readonly advertise?: string;
  readonly leaseMs?: number;
  readonly group?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly insecure?: true;
  readonly socket?: string;
  readonly clients?: string;
  readonly dashboard?: string;
  readonly lock?: readonly string[];
  readonly semaphore?: readonly string[];
  readonly turns?: number;
  readonly logLevel?: (typeof LEVELS)[number];
}

/** What a member reports to the process that started it. */
export type Report =
  | { readonly type: 'ready'; readonly page: string | undefined }
  | { readonly type: 'event'; readonly event: LoggedEvent };

/** Leaving the group is cut short after this. */
const LEAVE_MS = 4_000;

export function node(answer: (code: ExitCode) => void): Command {
  return new Command('node')
    .description('be a member of a group, and serve the processes of this machine')
    .option('--config <file>', 'settings, as YAML or JSON; flags override them')
    .option('--self <name>', 'the name of this member')
    .option('--listen <address>', 'where the others reach it: HOST:PORT or unix:PATH')
    .option('--peer <name=address>', 'another member, and where it listens; repeat', collect)
    .option('--engine <url>', 'the store that lists the members: postgres://, etcd:// or nats://')
    .option('--advertise <address>', 'with --engine: where the others reach it, if not at --listen')
    .option(
      '--lease-ms <ms>',
      'with --engine: a dead member is left out after so long (default: 10000)',
      leaseMs,
    )
    .option('--group <name>', 'the group (default: latchkey)')
    .option('--ca <file>', 'for TLS: the certificate authority, in PEM')
    .option('--cert <file>', 'for TLS: the certificate of this member')
    .option('--key <file>', 'for TLS: its key')
    .option('--secret <file>', 'a secret that all members share')
    .option('--insecure', 'listen without TLS where other machines can reach it')
    .option('--socket <path>', 'for clients of this machine, or off')
    .option('--clients <address>', 'for clients of other machines, with TLS: HOST:PORT')
    .option('--dashboard <address>', 'the page, /metrics and the like: HOST:PORT, or off')
    .option('--lock <pattern=algorithm>', 'which algorithm serves which locks; repeat', collect)
    .option('--semaphore <pattern=algorithm>', 'the same for semaphores; repeat', collect)
    .option('--turns <n>', 'local callers in a row', whole('--turns', 1, 1_000_000))
    .option('--log-level <level>', LEVELS.join(', '), oneOf('--log-level', LEVELS))
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      try {
        answer(await serve(configOf(flags), () => configOf(flags)));
      } finally {
        // An open channel to the parent would keep this process alive.
        if (process.connected) process.disconnect();
      }
    });
}

function configOf(flags: Flags): Config {
  const { config: path } = flags;
  const file =
    path === undefined ? {} : relativeTo(path, parseSettings(textOf('--config', path), path));
  const overrides = given(fromFlags(flags));
  checkFlags(overrides);
  return complete({ ...file, ...overrides });
}

function fromFlags(flags: Flags): Settings {
  const { self, listen, peer, group, ca, cert, key, socket, clients, dashboard, turns } = flags;
  const { secret, insecure, engine, advertise, leaseMs } = flags;
  if ((ca === undefined) !== (cert === undefined) || (ca === undefined) !== (key === undefined)) {
    throw new UsageError('TLS takes all of --ca, --cert and --key');
  }
  const tls = ca === undefined ? undefined : { ca, cert, key };
  const peers =
    peer && Object.fromEntries(peer.map((text) => pair('--peer', 'NAME=ADDRESS', text)));
  const rules = (flag: string, texts: readonly string[] | undefined) =>
    texts?.map((text) => {
      const [match, algorithm] = pair(flag, 'PATTERN=ALGORITHM', text);
      return { match, algorithm };
    });
  const locks = rules('--lock', flags.lock);
  const semaphores = rules('--semaphore', flags.semaphore);
  const where = { self, listen, peers, group, tls, secret, insecure, socket, clients, dashboard };
  const store = { engine, advertise, leaseMs };
  return { ...where, ...store, locks, semaphores, turns, log: flags.logLevel };
}

/** Without the flags that were not given: they must not hide the settings of the file. */
const given = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

function pair(flag: string, form: string, text: string): [string, string] {
  const at = text.lastIndexOf('=');
  if (at <= 0 || at === text.length - 1) {
    throw new UsageError(`${flag} takes ${form}, got "${text}"`);
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

/** `readSettings` reads them once more, for a reload. */
async function serve(config: Config, readSettings: () => Config): Promise<number> {
  const { self, group: name, socket, clients, dashboard, hosts, pages, limits, access } = config;
  const log = pino(
    { level: config.log, base: { member: self, group: name } },
    destination({ fd: 2, sync: true }),
  );
  const eventLog = new EventLog(log);
  eventLog.subscribe((event) => report({ type: 'event', event }));
  const tls = config.tls && readTlsFiles(config.tls);
  const secret = config.secret && readSecretFile('secret', config.secret).trim();
  const ending = whenToEnd(tls !== undefined);
  const { engine } = config;
  let isJoining = true;
  // A store that does not answer is waited for, and nothing depends on this process yet.
  void ending.then((code) => isJoining && process.exit(code));
  const group = await unlessTaken(
    join({ ...config, tls, secret, log: (entry) => eventLog.addGroupEvent(entry) }),
    engine?.name,
  ).finally(() => {
    isJoining = false;
  });
  const remote =
    clients === undefined || tls === undefined ? undefined : { listen: clients, tls, access };
  const daemon = await unlessTaken(
    Daemon.start({ group, eventLog, socket, remote, dashboard, hosts, pages, limits }),
  );
  const { page } = daemon;
  const reach = engine !== undefined && isHere(config) ? ', for members on this machine only' : '';
  eventLog.add('info', 'ready', `member ${self} is up${reach}`, {
    ...{ listen: group.address, socket, page },
  });
  const warning = dashboard === undefined ? undefined : pageExposure(dashboard);
  if (warning !== undefined) eventLog.add('warn', 'page-exposed', warning);
  report({ type: 'ready', page });
  if (tls !== undefined) process.on('SIGHUP', () => void reload(daemon, eventLog, readSettings));
  const expelled = new Promise<number>((resolve) => {
    group.stopped.addEventListener('abort', () => {
      const why = (group.stopped.reason as Error).message;
      eventLog.add('error', 'stopped', `member ${self} is no member any more: ${why}`);
      resolve(1);
    });
  });
  const code = await Promise.race([ending, expelled]);
  setTimeout(() => process.exit(code), LEAVE_MS).unref();
  await daemon.close();
  return code;
}

/** Whether other machines cannot reach it. */
function isHere({ listen, advertise = listen }: Config): boolean {
  const at = parseAddress(advertise);
  return at.kind === 'unix' || isLoopback(at.host);
}

/** Reads certificates and access rules again. Files that are wrong leave everything as it is. */
async function reload(
  daemon: Daemon,
  eventLog: EventLog,
  readSettings: () => Config,
): Promise<void> {
  try {
    const { tls, access } = readSettings();
    if (tls === undefined) throw new UsageError('the settings have no tls any more');
    await daemon.reload(readTlsFiles(tls), access);
    eventLog.add('info', 'reloaded', 'certificates and access rules were read again');
  } catch (error) {
    const { message } = error as Error;
    eventLog.add(
      'error',
      'not-reloaded',
      `certificates and access rules stay as they are: ${message}`,
    );
  }
}

/** Resolves when this process is to leave. The process that started it may have died, and it must not outlive it. */
function whenToEnd(reloads: boolean): Promise<number> {
  return new Promise((resolve) => {
    const end = () => resolve(0);
    process.on('SIGTERM', end);
    if (process.connected) {
      process.on('disconnect', end);
      // A terminal sends Ctrl-C to this process as well; `latchkey up` ends its members itself.
      process.on('SIGINT', () => {});
      process.on('SIGHUP', () => {});
    } else {
      process.on('SIGINT', end);
      // With TLS a SIGHUP reloads certificates, and must not end a process that is still starting.
      process.on('SIGHUP', reloads ? () => {} : end);
    }
  });
}

/** The user can change an address that is taken, or the URL of the store: the call was wrong, exit 2. */
async function unlessTaken<T>(starting: Promise<T>, store?: string): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof ListenError) throw new UsageError(error.message, { cause: error });
    if (store === undefined || error instanceof UsageError) throw error;
    const { message } = error as Error;
    throw new UsageError(`${store} cannot be used: ${message}: check --engine, and the store`);
  }
}

function report(what: Report): void {
  // The parent may have died meanwhile.
  if (process.connected) process.send?.(what, undefined, undefined, () => {});
}

const HELP = `
A group of three on this machine: this is one of them, and each has the names and addresses of the others:
  latchkey node --self a --listen localhost:7101 --peer b=localhost:7102 --peer c=localhost:7103
The same on three machines, where each member proves its name by a certificate:
  latchkey node --self a --listen 10.0.0.1:7101 --peer b=10.0.0.2:7101 --peer c=10.0.0.3:7101 \\
    --ca ca.pem --cert a.pem --key a.key
The same from a file, with the live page and /metrics:
  latchkey node --config latchkey.yaml --dashboard 127.0.0.1:7180
Any number of members, on any machines, that find each other in a database and go on when one dies:
  latchkey node --engine postgres://app@db.internal/app --ca ca.pem --cert a.pem --key a.key
The same for members on this machine alone:
  latchkey node --engine postgres://app@db.internal/app

Members may start in any order. docs/configuration.md has all settings. The log is JSON lines on stderr.
SIGTERM and Ctrl-C leave the group: clients of this member then lose the locks that they hold. With TLS, SIGHUP
reads certificates and access rules again.
`;
