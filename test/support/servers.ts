/**
 * Real servers for tests: on loopback, on free ports, in folders of their own, ended with the test process. What is not
 * installed is installed where root and apt-get are there; elsewhere `missing` says what to install.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { treeOf } from '../../bench/faults/process-tree.js';
import type { TlsSettings } from '../../src/net/tls.ts';
import { install, waitForInstalls } from './install.ts';

const PATIENCE_MS = 60_000;
const running = new Set<ChildProcess>();
const folders = new Set<string>();
process.on('exit', () => {
  for (const { pid } of running) for (const one of treeOf(pid!)) signal(one, 'SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export interface Server {
  readonly port: number;
  readonly url: string;
  /** Stops all its processes, as if the machine stood still. */
  freeze(): void;
  thaw(): void;
  /** Ends it by a signal, as a crash does, and keeps its data. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  restart(): Promise<void>;
  /** Ends it, and deletes its data. */
  stop(): Promise<void>;
}

interface Program {
  readonly name: string;
  readonly debian: string;
  readonly places: () => readonly string[];
}
const postgresProgram: Program = {
  name: 'initdb',
  debian: 'postgresql',
  places: () => {
    const all = '/usr/lib/postgresql';
    return existsSync(all) ? readdirSync(all).map((version) => join(all, version, 'bin')) : [];
  },
};
const etcdProgram: Program = { name: 'etcd', debian: 'etcd-server', places: () => [] };
const natsProgram: Program = {
  name: 'nats-server',
  debian: 'nats-server',
  places: () => ['/usr/sbin'],
};
/** For faults of links. */
const ipProgram: Program = { name: 'ip', debian: 'iproute2', places: () => ['/usr/sbin'] };
const nftProgram: Program = { name: 'nft', debian: 'nftables', places: () => ['/usr/sbin'] };
const programs = {
  ...{ postgres: postgresProgram, etcd: etcdProgram, nats: natsProgram },
  ...{ ip: ipProgram, nft: nftProgram },
};

/** Why a program cannot be started here, in one line; null if it can. */
export function missing(which: keyof typeof programs): string | null {
  const { name, debian } = programs[which];
  waitForInstalls();
  if (find(programs[which]) === undefined) install(debian);
  return find(programs[which]) === undefined ? `no ${name}: apt-get install ${debian}` : null;
}

export async function startPostgres(settings: readonly string[] = []): Promise<Server> {
  const initdb = find(postgresProgram)!;
  const owner = process.getuid?.() === 0 ? userId('postgres') : undefined;
  const folder = scratch(owner);
  const data = join(folder, 'data');
  const port = await freePort();
  const make = [initdb, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'];
  execFileSync(...commandOf(make, owner), { stdio: 'ignore' });
  const options = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const flags = [...options, ...settings].flatMap((setting) => ['-c', setting]);
  const command = [join(initdb, '..', 'postgres'), '-D', data, ...flags];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return serve(command, { port, url, folder, owner });
}

/** A standby that follows the primary, as it is now; and how to make it a primary. */
export async function startStandby(primary: Server): Promise<Server & { promote(): void }> {
  const initdb = find(postgresProgram)!;
  const owner = process.getuid?.() === 0 ? userId('postgres') : undefined;
  const folder = scratch(owner);
  const data = join(folder, 'data');
  const port = await freePort();
  const program = (name: string) => join(initdb, '..', name);
  const run = (...command: string[]) =>
    execFileSync(...commandOf(command, owner), { stdio: 'ignore' });
  run(program('pg_basebackup'), '-d', primary.url, '-D', data, '-R', '-c', 'fast');
  const options = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const flags = options.flatMap((setting) => ['-c', setting]);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const command = [program('postgres'), '-D', data, ...flags];
  const server = await serve(command, { port, url, folder, owner });
  return { ...server, promote: () => run(program('pg_ctl'), 'promote', '-w', '-D', data) };
}

/** With certificates, clients must use TLS and show one of the same authority. */
export async function startEtcd(flags: readonly string[] = [], tls?: TlsSettings): Promise<Server> {
  const folder = scratch();
  const [port, peer] = [await freePort(), await freePort()];
  const at = (of: number) => `http://127.0.0.1:${of}`;
  const clients = tls === undefined ? at(port) : `https://127.0.0.1:${port}`;
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tlsFlags = tls && [
    ...['--client-cert-auth', '--trusted-ca-file', file('ca.pem', tls.ca)],
    ...['--cert-file', file('cert.pem', tls.cert), '--key-file', file('key.pem', tls.key)],
  ];
  const command = [
    ...[find(etcdProgram)!, '--data-dir', join(folder, 'data'), '--name', 'one'],
    ...['--listen-client-urls', clients, '--advertise-client-urls', clients, ...(tlsFlags ?? [])],
    ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
    ...['--initial-cluster', `one=${at(peer)}`, '--auto-compaction-retention', '1', ...flags],
  ];
  return serve(command, { port, url: `etcd://127.0.0.1:${port}`, folder });
}

export async function startNats(flags: readonly string[] = []): Promise<Server> {
  const folder = scratch();
  const port = await freePort();
  const command = [
    ...[find(natsProgram)!, '-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', join(folder, 'data')],
    ...flags,
  ];
  return serve(command, { port, url: `nats://127.0.0.1:${port}`, folder });
}

interface Place {
  readonly port: number;
  readonly url: string;
  readonly folder: string;
  readonly owner?: number | undefined;
}

async function serve(command: string[], place: Place): Promise<Server> {
  const { port, url, folder, owner } = place;
  let child = await start(command, port, owner);
  const end = async () => {
    for (const pid of treeOf(child.pid!)) signal(pid, 'SIGKILL');
    while (running.has(child)) await sleep(10);
  };
  return {
    port,
    url,
    freeze: () => stopAll(treeOf(child.pid!)),
    thaw: () => treeOf(child.pid!).forEach((pid) => void signal(pid, 'SIGCONT')),
    kill: end,
    restart: async () => {
      child = await start(command, port, owner);
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}

async function start(command: string[], port: number, owner?: number): Promise<ChildProcess> {
  const [program, args] = commandOf(command, owner);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let said = '';
  const hear = (text: Buffer) => {
    said = (said + text).slice(-2000);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.once('close', () => running.delete(child));
  for (const until = Date.now() + PATIENCE_MS; !(await answers(port)); await sleep(50)) {
    if (running.has(child) && Date.now() < until) continue;
    child.kill('SIGKILL');
    throw new Error(`${command[0]} does not answer at port ${port}: ${said}`);
  }
  return child;
}

/** As another user, if one is named; it dies with us, even if we are killed. */
function commandOf(command: readonly string[], owner?: number): [string, string[]] {
  const user = owner === undefined ? [] : ['--reuid', `${owner}`, '--regid', `${owner}`];
  const groups = owner === undefined ? [] : ['--clear-groups'];
  const [program, ...args] = existsSync('/usr/bin/setpriv')
    ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL', ...user, ...groups, ...command]
    : command;
  return [program!, args];
}

function find({ name, places }: Program): string | undefined {
  const path = [...places(), ...(process.env['PATH'] ?? '').split(delimiter)];
  return path.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

const userId = (name: string): number =>
  Number(execFileSync('id', ['-u', name], { encoding: 'utf8' }));

function scratch(owner?: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-server-'));
  folders.add(folder);
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address!.port : 0));
    });
  });

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (value: boolean) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });

/** A signal takes effect some time after it was sent: this waits until all threads stand still. */
function stopAll(pids: readonly number[]): void {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let i = 0; i < 1000 && !pids.every(isStopped); i++) Atomics.wait(clock, 0, 0, 2);
}

function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((task) =>
      /^[Tt]/.test(/\) (.)/.exec(readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8'))![1]!),
    );
  } catch {
    return true; // It has ended since.
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}
