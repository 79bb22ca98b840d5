/** Real stores that can be stopped, killed, stalled and replaced: Postgres with a standby, etcd of three nodes, NATS. */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, programAt, scratch, start } from '../locks/server.js';
import { treeOf } from './process-tree.js';
import { etcdServes, natsServes, postgresServes } from './serving.js';

const START_MS = 60_000;
const LOOK_MS = 20;
const ANSWER_MS = 1000;
const started = new Set();
// A server may be stopped when this program ends, and then its processes do not end by themselves.
process.on('exit', () => {
  for (const server of started) server.signal('SIGKILL');
});

/** A server as a process, and all that it starts. */
class Server {
  folder;
  #command;
  #user;
  #host;
  #port;
  #run;

  constructor(command, folder, host, port, user) {
    this.folder = folder;
    this.#command = command;
    this.#host = host;
    this.#port = port;
    this.#user = user;
  }

  get pid() {
    return this.#run.child.pid;
  }

  async start() {
    this.#run = start(this.#command, this.#user);
    started.add(this);
    let end;
    this.#run.ended.then((output) => {
      end = output;
      started.delete(this);
    });
    const until = Date.now() + START_MS;
    while (!(await answers(this.#host, this.#port))) {
      if (end !== undefined || Date.now() > until) {
        throw new Error(
          `${this.#command[0]} does not answer at ${this.#host}:${this.#port}: ${end}`,
        );
      }
      await sleep(LOOK_MS);
    }
    return this;
  }

  signal(name) {
    for (const pid of treeOf(this.pid)) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended since.
      }
    }
  }

  async kill() {
    this.signal('SIGKILL');
    await this.#run.ended;
  }
}

/** All servers of a store: `freeze` and `restart` are for all at once. `serves` asks it whether it does its work. */
const storeOf = (name, url, servers, serves, more = {}) => ({
  name,
  url,
  servers,
  freeze: () => servers.forEach((server) => void server.signal('SIGSTOP')),
  thaw: () => servers.forEach((server) => void server.signal('SIGCONT')),
  /** Returns for how long it was away, in milliseconds: until it served again. */
  async restart(awayMs) {
    const began = performance.now();
    await Promise.all(servers.map((server) => server.kill()));
    await sleep(awayMs);
    await Promise.all(servers.map((server) => server.start()));
    while (!(await serves())) {
      if (performance.now() - began > START_MS) throw new Error(`${name} does not serve again`);
      await sleep(LOOK_MS);
    }
    return performance.now() - began;
  },
  /** Ends it, and deletes its data. */
  async stop() {
    await Promise.all(servers.map((server) => server.kill()));
    for (const { folder } of servers) rmSync(folder, { recursive: true, force: true });
  },
  ...more,
});

/** The folder of Debian's newest version, which has all programs; a link on the PATH may lead to one of them only. */
const postgresBin = () => {
  const all = '/usr/lib/postgresql';
  const versions = existsSync(all) ? readdirSync(all).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(all, version, 'bin'));
  return (
    folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? join(programAt('initdb'), '..')
  );
};
const isRoot = () => process.getuid() === 0;
const postgresUser = () => (isRoot() ? Number(execFileSync('id', ['-u', 'postgres'])) : undefined);

function runAs(user, command) {
  const as = user === undefined ? {} : { uid: user, gid: user };
  execFileSync(command[0], command.slice(1), { stdio: 'ignore', cwd: '/', ...as });
}

async function storeOfPostgres(host, folder, user, port) {
  const flags = [`port=${port}`, `listen_addresses=${host}`, `unix_socket_directories=${folder}`];
  const command = [join(postgresBin(), 'postgres'), '-D', join(folder, 'data')];
  for (const flag of flags) command.push('-c', flag);
  const server = await new Server(command, folder, host, port, user).start();
  const serves = () => postgresServes(join(postgresBin(), 'pg_isready'), host, port);
  const url = `postgres://postgres@${host}:${port}/postgres`;
  return storeOf('postgres', url, [server], serves, { port });
}

async function startPostgres(host) {
  const user = postgresUser();
  const folder = scratch(user);
  const data = join(folder, 'data');
  const [port] = await freePorts(1);
  const initdb = join(postgresBin(), 'initdb');
  runAs(user, [initdb, '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale']);
  for (const who of ['all', 'replication']) {
    appendFileSync(join(data, 'pg_hba.conf'), `host ${who} postgres 10.0.0.0/8 trust\n`);
  }
  return storeOfPostgres(host, folder, user, port);
}

/** A standby that follows the primary asynchronously, and how to make it the primary. */
export async function startStandby(host, primaryUrl) {
  const user = postgresUser();
  const folder = scratch(user);
  const data = join(folder, 'data');
  const [port] = await freePorts(1);
  const bin = postgresBin();
  runAs(user, [join(bin, 'pg_basebackup'), '-d', primaryUrl, '-D', data, '-R', '-c', 'fast']);
  const promote = () => runAs(user, [join(bin, 'pg_ctl'), 'promote', '-w', '-D', data]);
  return { ...(await storeOfPostgres(host, folder, user, port)), promote };
}

async function startEtcd(host) {
  const ports = await freePorts(6);
  const at = (port) => `http://${host}:${port}`;
  const names = ['one', 'two', 'three'];
  const cluster = names.map((name, i) => `${name}=${at(ports[i + 3])}`).join(',');
  const servers = names.map((name, i) => {
    const [clients, peers] = [at(ports[i]), at(ports[i + 3])];
    const folder = scratch();
    const command = [
      ...[programAt('etcd'), '--name', name, '--data-dir', join(folder, 'data')],
      ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', cluster, '--auto-compaction-retention', '1'],
    ];
    return new Server(command, folder, host, ports[i]);
  });
  await Promise.all(servers.map((server) => server.start()));
  const endpoints = ports.slice(0, 3).map((port) => `${host}:${port}`);
  const leaderAt = async (port) => {
    const request = { method: 'POST', body: '{}', signal: AbortSignal.timeout(ANSWER_MS) };
    const { header, leader } = await (
      await fetch(`${at(port)}/v3/maintenance/status`, request)
    ).json();
    return leader !== undefined && header.member_id === leader;
  };
  /** A node whose disk is stalled may still call itself the leader, and may not answer. */
  const leaders = async () => {
    const isLeader = await Promise.all(
      ports.slice(0, 3).map((port) => leaderAt(port).catch(() => false)),
    );
    return servers.filter((_, i) => isLeader[i]);
  };
  const serves = () => etcdServes(ports.slice(0, 3).map(at));
  const store = storeOf('etcd', `etcd://${endpoints.join(',')}`, servers, serves, { leaders });
  for (const until = Date.now() + START_MS; ; await sleep(100)) {
    if ((await leaders()).length > 0) return store;
    if (Date.now() > until) throw new Error('etcd elected no leader');
  }
}

async function startNats(host) {
  const [port] = await freePorts(1);
  const folder = scratch();
  const command = [programAt('nats-server', '/usr/sbin'), '-a', host, '-p', `${port}`, '-js'];
  const server = await new Server(
    [...command, '-sd', join(folder, 'data')],
    folder,
    host,
    port,
  ).start();
  // Debian's NATS is older than what the engine accepts: good for the protocol, not for a claim of durability.
  const serves = () => natsServes(host, port);
  return storeOf('nats', `nats://${host}:${port}?allowUnsafe=true`, [server], serves);
}

const starts = { postgres: startPostgres, etcd: startEtcd, nats: startNats };
export const STORES = Object.keys(starts);
/** Starts a store that listens at that address of this machine. */
export const startStore = (name, host = '127.0.0.1') => starts[name](host);

/** Each `fdatasync` of that process takes so long, until the returned function is called. */
export function stallDisk(pid, ms) {
  const delay = `inject=fdatasync:delay_enter=${ms * 1000}`;
  const words = ['-f', '-p', `${pid}`, '-o', '/dev/null', '-e', 'trace=fdatasync', '-e', delay];
  const strace = spawn('strace', words, { stdio: 'ignore' });
  return () =>
    new Promise((resolve) => {
      strace.once('exit', resolve);
      strace.kill('SIGINT');
    });
}

/** An address that stays while the server behind it changes, as a load balancer has one. */
export async function startForwarder(host, port) {
  let target = port;
  const open = new Set();
  const server = createServer((socket) => {
    const onward = connect(target, host);
    for (const one of [socket, onward]) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        socket.destroy();
        onward.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  await new Promise((resolve) => server.listen(0, host, resolve));
  return {
    url: `postgres://postgres@${host}:${server.address().port}/postgres`,
    forwardTo(next) {
      target = next;
      for (const socket of open) socket.destroy();
    },
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function answers(host, port) {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const done = (value) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
}
