/** Where a daemon listens for its clients: a Unix socket for this machine, TLS for other machines. */
import { lstatSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import {
  createServer as createTlsServer,
  type TLSSocket,
  type Server as TlsServer,
} from 'node:tls';
import { prepareFolder } from '../client/socket-paths.ts';
import { UsageError } from '../core/errors.ts';
import { listen } from '../net/sockets.ts';
import { hostOf } from '../net/tcp.ts';
import { checkSocketPath, listenOnSocketFile } from '../net/unix-sockets.ts';
import { AddressLimit } from './address-limit.ts';
import type { TlsMaterial } from './certificates.ts';
import type { DaemonLimits } from './limits.ts';

/** New connections that the kernel keeps until the daemon accepts them: a burst of clients must fit. */
const BACKLOG = 4_096;
/** A TLS handshake that takes longer is cut off. */
const HANDSHAKE_MS = 5_000;

/** Listens for clients of this user on this machine. */
export async function listenOnSocket(path: string): Promise<Server> {
  checkSocketPath(path);
  prepareFolder(dirname(path));
  const server = createServer();
  await listenOnSocketFile(server, path, { backlog: BACKLOG }).catch((error: Error) => {
    const isInUse = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    // A file that is no socket belongs to another program.
    if (!isInUse || !lstatSync(path).isSocket()) throw error;
    throw new UsageError(
      `another daemon serves ${path}: stop it, or take another --group, --self or --socket`,
      { cause: error },
    );
  });
  return server;
}

/** TLS 1.3 with certificates of both ends. */
const secureOptions = ({ ca, cert, key, crl }: TlsMaterial) => ({
  ca,
  cert,
  key,
  minVersion: 'TLSv1.3' as const,
  ...(crl !== undefined && { crl }),
});

/** Listens for clients that prove by a certificate of our authority that they may lock. */
export async function listenWithTls(
  address: string,
  tls: TlsMaterial,
  limits: DaemonLimits,
  refused: (message: string) => void,
): Promise<TlsServer> {
  const server = createTlsServer({
    ...secureOptions(tls),
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout: HANDSHAKE_MS,
  });
  limitConnections(server, limits, refused);
  server.on('tlsClientError', ({ message }: Error, socket) => {
    refused(message);
    // After a handshake that took too long Node leaves the connection open.
    socket.destroy();
  });
  await listen(server, address, hostOf(address));
  return server;
}

/** New connections are held to the new certificates; open sessions stay. */
export const reloadTlsServer = (server: TlsServer, tls: TlsMaterial): void =>
  server.setSecureContext(secureOptions(tls));

/**
 * Bounds the connections that are in their handshake, and all connections of one address. Above a limit the
 * new connection is cut off before any work is done for it.
 */
function limitConnections(
  server: TlsServer,
  { maxHalfOpen, maxConnectionsPerAddress }: DaemonLimits,
  refused: (message: string) => void,
): void {
  const handshakes = new Set<string>();
  const addresses = new AddressLimit(maxConnectionsPerAddress);
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.prependListener('connection', (socket: Socket) => {
    const refuse = (what: string) => {
      refused(`more than ${what} at once`);
      socket.destroy();
    };
    if (handshakes.size >= maxHalfOpen) {
      refuse(`${maxHalfOpen} connections in their handshake`);
      return;
    }
    if (!addresses.admit(socket)) {
      refuse(`${maxConnectionsPerAddress} connections from ${socket.remoteAddress}`);
      return;
    }
    const key = keyOf(socket);
    handshakes.add(key);
    socket.once('close', () => handshakes.delete(key));
  });
  server.on('secureConnection', (socket: TLSSocket) => handshakes.delete(keyOf(socket)));
}
