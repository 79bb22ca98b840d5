/** Finds a daemon, and begins a session with it. */
import { existsSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { UsageError } from '../core/errors.ts';
import type { TlsSettings } from '../net/tls.ts';
import { NoDaemonError } from './errors.ts';
import { ClientSession } from './session.ts';
import { refuseForeign, socketFolder, socketsAt } from './socket-paths.ts';

export interface ConnectSettings {
  /**
   * The daemon's socket, or a folder of sockets that are tried in order of their names. By default the
   * folder of the group on this machine. `host:port` with `tls` for a daemon on another one.
   */
  readonly socket?: string | undefined;
  /** Which group on this machine; `LATCHKEY_GROUP`, or "latchkey". */
  readonly group?: string | undefined;
  /** The texts of the certificate authority, our certificate and its key, in PEM. */
  readonly tls?: TlsSettings | undefined;
  /** What this process is called in lists of who holds and who waits. */
  readonly as?: string | undefined;
}

/** Connects to the first daemon that answers. Whoever asks holds an open session: close it. */
export async function openSession(settings: ConnectSettings = {}): Promise<OpenSession> {
  const as = settings.as ?? `pid ${process.pid}`;
  const { socket: where = socketFolder(settings.group), tls } = settings;
  const remote = /^(.+):(\d+)$/.exec(where);
  if (tls !== undefined || (remote !== null && !existsSync(where))) {
    if (tls === undefined || remote === null) {
      throw new UsageError(`TLS is for HOST:PORT, and HOST:PORT takes TLS: got "${where}"`);
    }
    const [, host, port] = remote;
    const socket = connectTls({ host: host!, port: Number(port), ...tls });
    return welcome(await connected(socket, 'secureConnect', where), as);
  }
  refuseForeign(where);
  const failures: Error[] = [];
  for (const path of socketsAt(where)) {
    try {
      return await welcome(await connected(connectNet({ path }), 'connect', path), as);
    } catch (error) {
      failures.push(error as Error);
    }
  }
  // A daemon that refuses has more to say than sockets that dead ones have left.
  const refusal = failures.find(({ cause }) => cause === undefined);
  throw refusal ?? new NoDaemonError(`no daemon is running: none answers at ${where}`);
}

export interface OpenSession {
  readonly session: ClientSession;
  /** The connection itself, which a child process may keep open for us. */
  readonly socket: Socket;
}

const welcome = async (socket: Socket, as: string): Promise<OpenSession> => ({
  session: await ClientSession.open(socket, as),
  socket,
});

function connected(socket: Socket, event: string, where: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const failed = (cause: Error) => {
      reject(new NoDaemonError(`no daemon answers at ${where}: ${cause.message}`, { cause }));
    };
    socket.once('error', failed);
    socket.once(event, () => {
      socket.off('error', failed);
      resolve(socket);
    });
  });
}
