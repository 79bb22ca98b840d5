/** The two doors of a daemon for its clients: a Unix socket for this machine, TLS for others. */
import { lstatSync, readFileSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { checkSocketPath, prepareFolder } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import { hostOf } from '../net/tcp.ts';
import type { TlsSettings } from '../net/tls.ts';
import { ListenError } from '../net/transport.ts';

/** Files in PEM. */
export interface TlsPaths {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Listens for clients of this user on this machine. */
export async function listenOnSocket(path: string): Promise<Server> {
  checkSocketPath(path);
  prepareFolder(dirname(path));
  await clearStale(path);
  const server = createServer();
  // Created with these rights, not given them later: there is no moment in which others may connect.
  const mask = process.umask(0o177);
  const starting = listening(server, path, { path });
  process.umask(mask);
  await starting;
  return server;
}

/** Listens for clients that prove by a certificate of our authority that they may lock. */
export async function listenWithTls(address: string, tls: TlsSettings): Promise<Server> {
  const server = createTlsServer({
    ...tls,
    requestCert: true,
    rejectUnauthorized: true,
  });
  await listening(server, address, hostOf(address));
  return server;
}

export function readFiles({ ca, cert, key }: TlsPaths): Readonly<Record<keyof TlsPaths, string>> {
  const read = (what: string, path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new UsageError(`tls.${what} cannot be read: ${(error as Error).message}`);
    }
  };
  return { ca: read('ca', ca), cert: read('cert', cert), key: read('key', key) };
}

function listening(server: Server, name: string, at: object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new ListenError(name, cause)));
    server.listen(at, () => {
      server.removeAllListeners('error');
      // Accepting may fail later, as when no file descriptors are left: that connection is lost, no more.
      server.on('error', () => {});
      resolve();
    });
  });
}

/** A daemon that was killed leaves its socket behind. One that lives must not be robbed of it. */
async function clearStale(path: string): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(undefined);
    });
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
  });
  if (code === undefined) {
    throw new UsageError(
      `another daemon serves ${path}: stop it, or take another --group, --self or --socket`,
    );
  }
  // A file that is no socket stays: it is somebody's, and listening will say that the path is taken.
  if (code === 'ECONNREFUSED' && lstatSync(path).isSocket()) unlinkSync(path);
}
