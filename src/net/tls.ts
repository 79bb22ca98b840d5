import { X509Certificate } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  connect,
  createSecureContext,
  createServer as createTlsServer,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { UsageError } from '../core/errors.ts';
import { formatAddress } from './address.ts';
import { attach, listen, listenerOf, SocketConnection } from './sockets.ts';
import { hostOf } from './tcp.ts';
import type { Acceptor, PendingConnection, Transport } from './transport.ts';

/** In PEM. Each member has a certificate of this authority with its name as CN or as a DNS name. */
export interface TlsSettings {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** A list of revoked certificates of the authority: a member that has one of them is refused. */
  readonly crl?: string | Buffer | undefined;
}

const PARTS = ['ca', 'cert', 'key', 'crl'] as const;

/** Throws a UsageError for certificates that cannot be used, before OpenSSL refuses them in its own words. */
export function checkTls(
  settings: TlsSettings,
  nameOf = (part: string) => `\`tls.${part}\``,
): void {
  for (const part of PARTS) {
    const value: unknown = settings[part];
    if (value === undefined && part === 'crl') continue;
    const isText = typeof value === 'string' || Buffer.isBuffer(value);
    const why = isText ? refusalOf({ [part]: value }) : `got ${JSON.stringify(value)}`;
    if (why === undefined) continue;
    throw new UsageError(`${nameOf(part)} takes a text in PEM: ${why}: check its file`);
  }
  const { cert, key } = settings;
  const why = refusalOf({ cert, key });
  if (why === undefined) return;
  throw new UsageError(
    `${nameOf('cert')} and ${nameOf('key')} do not belong together: ${why}: take the key of the certificate`,
  );
}

function refusalOf(parts: Partial<TlsSettings>): string | undefined {
  try {
    // Of an authority that is no certificate, OpenSSL says nothing: it then trusts none.
    if (parts.ca !== undefined) new X509Certificate(parts.ca);
    createSecureContext(parts as SecureContextOptions);
    return undefined;
  } catch (error) {
    const { reason, message } = error as Error & { readonly reason?: string };
    return reason ?? message;
  }
}

/** TLS 1.3 with certificates on both sides: a member proves its name by its certificate. */
export function tls(settings: TlsSettings): Transport {
  checkTls(settings);
  const { ca, cert, key, crl } = settings;
  const revoked = crl === undefined ? {} : { crl };
  const ours = { ca, cert, key, ...revoked, minVersion: 'TLSv1.3' } as const;
  const secureContext = createSecureContext(ours);
  return {
    async listen(address, acceptor) {
      const at = hostOf(address);
      const server = createServer({ noDelay: true });
      const handshakes = new TlsHandshakes(acceptor);
      const tlsServer = createTlsServer({ ...ours, requestCert: true, rejectUnauthorized: true });
      // A plain server accepts, so that connections are counted and limited before TLS does any work.
      server.on('connection', (socket) => {
        handshakes.begin(socket);
        if (!socket.destroyed) tlsServer.emit('connection', socket);
      });
      tlsServer.on('secureConnection', (socket) => handshakes.complete(socket));
      tlsServer.on('tlsClientError', (error, socket) => handshakes.fail(error, socket));
      await listen(server, address, at);
      return listenerOf(server, formatAddress(at.host, (server.address() as AddressInfo).port));
    },

    dial(address, handler) {
      // The name in the certificate is compared with the member, not with the host: see hello.ts.
      const checkServerIdentity = () => undefined;
      const socket = connect({ ...hostOf(address), secureContext, checkServerIdentity });
      socket.setNoDelay(true);
      attach(socket, handler, 'secureConnect');
      return new SocketConnection(socket, address, () => namesOf(socket));
    },
  };
}

/** The CN and the DNS names in the certificate of the other end. */
function namesOf(socket: TLSSocket): readonly string[] {
  const { subject, subjectaltname = '' } = socket.getPeerCertificate();
  const common = subject?.CN as string | string[] | undefined;
  const others = subjectaltname.split(', ').filter((name) => name.startsWith('DNS:'));
  return [common ?? [], others.map((name) => name.slice(4))].flat(2);
}

/** The TLS handshakes under way. Node identifies the socket under a TLS socket only by its remote port. */
class TlsHandshakes {
  readonly #acceptor: Acceptor;
  readonly #pending = new Map<string, PendingConnection>();

  constructor(acceptor: Acceptor) {
    this.#acceptor = acceptor;
  }

  begin(socket: Socket): void {
    const key = keyOf(socket);
    const remote = socket.remoteAddress ?? 'unknown';
    const pending = this.#acceptor.accept(remote, () => socket.destroy());
    this.#pending.set(key, pending);
    socket.on('error', () => {});
    socket.once('close', () => {
      if (this.#pending.delete(key)) pending.failed(new Error(UNEXPLAINED));
      pending.closed();
    });
  }

  complete(socket: TLSSocket): void {
    const key = keyOf(socket);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pending === undefined) {
      socket.destroy();
      return;
    }
    const names = namesOf(socket);
    const remote = socket.remoteAddress ?? 'unknown';
    attach(socket, pending.established(new SocketConnection(socket, remote, () => names)));
  }

  fail(error: Error & { readonly reason?: string }, socket: TLSSocket): void {
    const key = keyOf(socket);
    const failure = new Error(`failed the TLS handshake: ${error.reason ?? error.message}`);
    this.#pending.get(key)?.failed(failure);
    this.#pending.delete(key);
  }
}

const UNEXPLAINED =
  'closed the connection, or has a certificate that expired or is not of our authority';

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
