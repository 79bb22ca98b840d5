import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePorts, programAt, scratch, serve, start } from '../locks/server.js';

/** Debian installs the programs of each version in its own folder. */
const DEBIAN = '/usr/lib/postgresql';
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
const initdb = programAt('initdb', ...folders);
const postgres = programAt('postgres', ...folders);
let server;

/** Postgres does not run as root: in that case its own user runs it. */
function userOfPostgres() {
  if (process.getuid() !== 0) return undefined;
  return Number(spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).stdout);
}

/** FNV-1a in 31 bits: the number of an advisory lock. */
function numberOf(name) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash & 0x7fffffff;
}

export const isThere = () =>
  (initdb !== undefined && postgres !== undefined) || 'needs the Debian package postgresql';

/** A new server: its port, and how to stop it. */
export async function startPostgres() {
  const uid = userOfPostgres();
  const data = join(scratch(uid), 'data');
  const [port] = await freePorts(1);
  await start([initdb, '-D', data, '-U', 'bench', '-A', 'trust'], uid).ended;
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const command = [postgres, '-D', data, '-p', String(port)];
  const { stop } = await serve([...command, ...settings.flatMap((s) => ['-c', s])], port, uid);
  return { port, stop };
}

export const contestant = {
  file: import.meta.url,
  name: 'Postgres advisory lock',
  note:
    'one server; a lock lives in its memory and as long as the session that holds it. One connection ' +
    'for each process, on which requests follow one another',
  processes: 5,
  available: isThere,
  async start() {
    server = await startPostgres();
    return { port: server.port };
  },
  async open({ port }) {
    const at = { host: '127.0.0.1', port, user: 'bench', database: 'postgres' };
    const client = await connectTo(at);
    let last = Promise.resolve();
    const query = (name, text, values) => {
      last = last.then(() => client.query({ name, text, values }));
      return last;
    };
    return {
      async request(name, callback) {
        const values = [numberOf(name)];
        await query('lock', 'select pg_advisory_lock($1::bigint)', values);
        callback();
        await query('unlock', 'select pg_advisory_unlock($1::bigint)', values);
      },
    };
  },
  stop: () => server.stop(),
};

/** The server accepts TCP connections before it serves queries. */
async function connectTo(at) {
  for (let tries = 50; ; tries--) {
    const client = new pg.Client(at);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (tries === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
