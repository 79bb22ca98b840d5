/** Finds a daemon, and opens a session with it. */
import { existsSync } from 'node:fs';
import { connect as connectNet, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { UsageError } from '../core/errors.ts';
import { certificateNames, refusalOfRole } from '../net/roles.ts';
import { checkTls, type TlsSettings } from '../net/tls.ts';
import type { ReadSocket } from './channel.ts';
import { NoDaemonError } from './errors.ts';
import { ClientSession } from './session.ts';
import { refuseForeign, socketFolder, socketsAt } from './socket-paths.ts';

export interface ConnectSettings {
  /**
   * The daemon's socket, or a folder of sockets that are tried in order of their names. By default the
   * folder of the group on this machine. `host:port` with `tls` for a daemon on another one.
   */
  readonly socket?: string | undefined;
  /** The group on this machine. Default: `LATCHKEY_GROUP`, or "latchkey". */
  readonly group?: string | undefined;
  /** The texts of the certificate authority, our certificate and its key, in PEM. */
  readonly tls?: TlsSettings | undefined;
  /** The name of this process in lists of holders and waiting requests. */
  readonly as?: string | undefined;
  /**
   * Whether the daemon may lend locks to this process. A lock that it takes again and again then costs no messages; but
   * what it released less than a fifth of a second ago is free for others only when it has answered. So they wait while its
   * event loop is blocked or the process is stopped. Default: true.
   */
  readonly lend?: boolean | undefined;
}

export interface OpenSession {
  readonly session: ClientSession;
  /** The connection itself, which a child process may keep open. */
  readonly socket: Socket;
}

/** How long a daemon may take to answer: one that does not read must not keep a client for ever. */
const WELCOME_MS = 10_000;
/** How long to try again while the daemon has too many new connections. */
const BUSY_MS = 5_000;

/** Opens a session with the first daemon that answers. The caller closes it. */
export async function openSession(settings: ConnectSettings = {}): Promise<OpenSession> {
  const as = settings.as ?? `pid ${process.pid}`;
  const { socket: where = socketFolder(settings.group), tls } = settings;
  if (tls !== undefined || isRemote(where)) {
    return welcomed({ socket: await connectOverTls(where, tls, settings.group) }, as);
  }
  refuseForeign(where);
  const failures: Error[] = [];
  for (const path of socketsAt(where)) {
    try {
      return await openAt(path, as);
    } catch (error) {
      failures.push(error as Error);
    }
  }
  // The reason of a daemon that refuses tells more than the sockets that dead daemons have left.
  const refusal = failures.find(({ cause }) => cause === undefined);
  throw refusal ?? new NoDaemonError(`no daemon is running: none answers at ${where}`);
}

/** Opens a session with the daemon at this very socket. */
export async function openAt(path: string, as: string, timeoutMs?: number): Promise<OpenSession> {
  return welcomed(await connectLocally(path), as, timeoutMs);
}

/** A daemon with many new connections has no room for another one for a moment: the kernel says EAGAIN. */
async function connectLocally(path: string): Promise<ReadSocket> {
  const end = performance.now() + BUSY_MS;
  for (;;) {
    try {
      return await connectReading(path);
    } catch (error) {
      const { code } = (error as Error).cause as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' || performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40));
    }
  }
}

/** All connections of this process are read into one buffer: Node allocates 64 KiB for each read otherwise. */
let readBuffer: Uint8Array | undefined;
const READ_BYTES = 65_536;

async function connectReading(path: string): Promise<ReadSocket> {
  readBuffer ??= new Uint8Array(READ_BYTES);
  let take = (_bytes: Uint8Array, _length: number): void => {};
  const callback = (length: number, bytes: Uint8Array): boolean => {
    take(bytes, length);
    return true;
  };
  const socket = connectNet({ path, onread: { buffer: readBuffer, callback } });
  await connected(socket, 'connect', path);
  const onBytes = (hear: typeof take) => {
    take = hear;
  };
  return { socket, onBytes };
}

/** Opens a session over a connection that another process keeps. */
export async function welcomed(
  connection: ReadSocket,
  as: string,
  timeoutMs = WELCOME_MS,
): Promise<OpenSession> {
  const { socket } = connection;
  const timer = setTimeout(() => {
    socket.destroy(
      new NoDaemonError(`the daemon has not answered for ${timeoutMs / 1000} seconds`),
    );
  }, timeoutMs);
  try {
    return { session: await ClientSession.open(connection, as), socket };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether this is `host:port` rather than a path. */
const isRemote = (where: string): boolean => /^(.+):(\d+)$/.test(where) && !existsSync(where);

/** Connects to a daemon of another machine, and checks that its certificate is a member's. */
export async function connectOverTls(
  where: string,
  tls: TlsSettings | undefined,
  group: string | undefined,
): Promise<TLSSocket> {
  const remote = /^(.+):(\d+)$/.exec(where);
  if (tls === undefined || remote === null) {
    throw new UsageError(`TLS is for HOST:PORT, and HOST:PORT takes TLS: got "${where}"`);
  }
  checkTls(tls);
  const [, host, port] = remote;
  const socket = connectTls({ host: host!, port: Number(port), minVersion: 'TLSv1.3', ...tls });
  await connected(socket, 'secureConnect', where);
  const names = certificateNames(socket.getPeerCertificate());
  const refusal = refusalOfRole(names, 'member', group, false);
  if (refusal === undefined) return socket;
  socket.destroy();
  throw new NoDaemonError(`what answers at ${where} is no member of the group: ${refusal}`);
}

function connected<S extends Socket>(socket: S, event: string, where: string): Promise<S> {
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
