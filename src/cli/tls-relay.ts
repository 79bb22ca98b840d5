/**
 * A TLS connection that outlives `latchkey lock`. What TLS adds to a socket lives in the process that opened it, so
 * that a guard cannot hold a copy of it. `latchkey lock` therefore starts this process, which holds the TLS
 * connection and copies frames between it and a local socket. The guard holds a copy of the local socket: the
 * session lasts until `latchkey lock` and its guard have both ended.
 */
import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Command } from 'commander';
import { NoDaemonError } from '../client/errors.ts';
import { PREAMBLE, writeFrame } from '../client/frame-codec.ts';
import { connectOverTls, type OpenSession, welcomed } from '../client/open-session.ts';
import { Writer } from '../core/wire.ts';
import { LENGTH_BYTES, Splitter } from '../net/frames.ts';
import { type ConnectionFlags, NO_DAEMON, settingsOf, withConnection } from './connection.ts';
import { RUN_VARIABLE } from './lock-processes.ts';
import { start } from './lock-program.ts';
import type { ExitCode } from './main.ts';

/** The local socket of the relay, as `latchkey lock` passes it. */
const LOCAL_FD = 3;
/** `latchkey lock` pings the daemon more often than this. If it is dead or stopped, the relay pings. */
const SILENCE_MS = 3_000;
/** Numbers that `latchkey lock` does not use. */
const FIRST_PING = 2 ** 52;
/** Longer than any frame that a daemon reads. */
const MAX_FRAME = 1_048_576;

/** The relay itself, as a command that help does not list. */
export function tlsRelay(answer: (code: ExitCode) => void): Command {
  const command = new Command('tls-relay').description('hold a TLS session for latchkey lock');
  return withConnection(command).action(async (flags: ConnectionFlags) => {
    // Only the end of the local socket ends the relay: signals to the run are not for it.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
    const local = new Socket({ fd: LOCAL_FD, readable: true, writable: true });
    local.on('error', () => {});
    try {
      const { socket, tls, group } = settingsOf(flags);
      const remote = await connectOverTls(socket ?? '', tls, group);
      local.write('{}\n');
      await relay(local, remote);
      answer(0);
    } catch (error) {
      local.end(`${JSON.stringify({ error: (error as Error).message })}\n`);
      answer(NO_DAEMON);
    }
  });
}

/** Copies frames until both ends are closed. */
function relay(local: Socket, remote: TLSSocket): Promise<void> {
  const frames = new Splitter(MAX_FRAME);
  let preamble = PREAMBLE.length;
  let lastRead = 0;
  let ping = FIRST_PING;
  const copy = (bytes: Uint8Array, start: number, end: number): boolean => {
    if (!remote.write(Uint8Array.from(bytes.subarray(start, end)))) local.pause();
    return true;
  };
  local.on('data', (chunk: Buffer) => {
    lastRead = performance.now();
    const from = Math.min(preamble, chunk.length);
    preamble -= from;
    if (from > 0) copy(chunk, 0, from);
    // Whole frames alone: the other end may be killed in the middle of one.
    const whole = (bytes: Uint8Array, start: number, end: number) =>
      copy(bytes, start - LENGTH_BYTES, end);
    if (frames.push(chunk, whole, from) !== undefined) remote.end();
  });
  remote.on('drain', () => local.resume());
  remote.pipe(local);
  const pings = setInterval(() => {
    if (lastRead === 0 || performance.now() - lastRead < SILENCE_MS) return;
    const writer = new Writer();
    writeFrame(writer, { type: 'ping', id: ping++ });
    remote.write(writer.take());
  }, SILENCE_MS);
  local.on('close', () => remote.end());
  local.on('end', () => remote.end());
  return new Promise((resolve) => {
    remote.on('error', () => {});
    remote.on('close', () => {
      clearInterval(pings);
      local.end();
      resolve();
    });
  });
}

/** Opens a session over TLS through a relay. The socket is the local one, which a guard can hold. */
export async function openThroughRelay(flags: ConnectionFlags, as: string): Promise<OpenSession> {
  // Wrong flags are reported by this process: the relay can only say that there is no session.
  settingsOf(flags);
  const given = Object.entries(flags).filter(([name]) => FLAGS.includes(name));
  const args = given.flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { [RUN_VARIABLE]: _, ...env } = process.env;
  const command = [process.argv[1]!, 'tls-relay', ...args];
  const child = await start('its relay for TLS does not start', process.execPath, command, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
    env,
  });
  child.unref();
  const socket = child.stdio[LOCAL_FD] as Socket;
  const report = await new Promise<{ readonly error?: string }>((resolve) => {
    const failed = () => resolve({ error: 'the relay for TLS has ended' });
    child.once('error', failed);
    socket.once('close', failed);
    socket.once('data', (chunk) => resolve(JSON.parse(String(chunk))));
  });
  if (report.error !== undefined) throw new NoDaemonError(report.error);
  return welcomed({ socket }, as);
}

const FLAGS: readonly string[] = ['socket', 'group', 'ca', 'cert', 'key'];
