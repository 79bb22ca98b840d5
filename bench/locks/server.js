/** Starts programs for a benchmark, on loopback and with their own folders, and stops them. */
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { sleep } from './clock.js';

const START_TIMEOUT_MS = 30_000;
const running = new Set();
const folders = new Set();

// Removes every process and folder, however this process ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** The path of a program: on the PATH, or in the given folders. */
export function programAt(name, ...places) {
  const path = [...(process.env.PATH ?? '').split(delimiter), ...places];
  return path.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** Ports that no program listens at, below the range that systems use for outgoing connections. */
export async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/**
 * A temporary folder, deleted at the end; `owner` is the number of the user that may write there.
 */
export function scratch(owner) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
  folders.add(folder);
  if (owner !== undefined) chownSync(folder, owner, owner);
  return folder;
}

/**
 * The command as another user, if one is given. It ends with this process, even if this process is
 * killed.
 */
function asUser(command, uid) {
  const setpriv = programAt('setpriv');
  if (setpriv === undefined) return command;
  const as = uid === undefined ? [] : [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return [setpriv, '--pdeathsig', 'KILL', ...as, ...command];
}

/** Starts a program; `ended` resolves with its last output. */
export function start(command, uid) {
  const [program, ...args] = asUser(command, uid);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  const onOutput = (text) => {
    output = (output + text).slice(-2000);
  };
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', () => {
      running.delete(child);
      resolve(output.trim());
    });
  });
  return { child, ended };
}

/** Starts a server, and resolves when the port accepts connections. */
export async function serve(command, port, uid) {
  const { child, ended } = start(command, uid);
  let end;
  ended.then((output) => {
    end = output;
  });
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  };
  for (const until = Date.now() + START_TIMEOUT_MS; !(await answers(port)); await sleep(50)) {
    if (end === undefined && Date.now() < until) continue;
    await stop();
    throw new Error(`${command[0]} does not answer at port ${port}: ${end}`);
  }
  return { port, stop };
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (value) => {
      socket.destroy();
      resolve(value);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
