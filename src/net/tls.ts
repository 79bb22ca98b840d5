import { type AddressInfo, createServer, type Socket } from 'node:net';
import { connect, createSecureContext, createServer as guard, type TLSSocket } from 'node:tls';
import { formatAddress } from './address.ts';
import { attach, listener, listening, SocketConnection } from './sockets.ts';
import { hostOf } from './tcp.ts';
import { type Guest, type Incoming, ListenError, type Transport } from './transport.ts';

/** In PEM. Every member has a certificate of this authority that names it, as CN or as a DNS name. */
export interface TlsSettings {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** TLS with mutual authentication: nobody speaks as a member without the certificate of that member. */
export function tls({ ca, cert, key }: TlsSettings): Transport {
  const ours = { ca, cert, key, minVersion: 'TLSv1.3' } as const;
  const secureContext = createSecureContext(ours);
  return {
    async listen(address, incoming) {
      const at = hostOf(address);
      const server = createServer({ noDelay: true });
      const reception = new Reception(incoming);
      const guarded = guard({ ...ours, requestCert: true, rejectUnauthorized: true });
      // TLS is given its connections by us, so that they are counted before any work is done for them.
      server.on('connection', (socket) => {
        reception.arrives(socket);
        if (!socket.destroyed) guarded.emit('connection', socket);
      });
      guarded.on('secureConnection', (socket) => reception.enters(socket));
      guarded.on('tlsClientError', (error, socket) => reception.fails(error, socket));
      await listening(server, at).catch((cause) => {
        throw new ListenError(address, cause);
      });
      return listener(server, formatAddress(at.host, (server.address() as AddressInfo).port));
    },

    dial(address, handler) {
      // Whom the certificate names is held against who they say they are: see hello.ts.
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

/** Who is shaking hands: Node tells of the socket under a TLS socket only by its port. */
class Reception {
  readonly #incoming: Incoming;
  readonly #guests = new Map<string, Guest>();

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  arrives(socket: Socket): void {
    const key = keyOf(socket);
    const guest = this.#incoming.arrives(socket.remoteAddress ?? 'unknown', () => socket.destroy());
    this.#guests.set(key, guest);
    socket.on('error', () => {});
    socket.once('close', () => {
      if (this.#guests.delete(key)) guest.fails(new Error(UNEXPLAINED));
      guest.leaves();
    });
  }

  enters(socket: TLSSocket): void {
    const key = keyOf(socket);
    const guest = this.#guests.get(key);
    this.#guests.delete(key);
    if (guest === undefined) socket.destroy();
    else {
      const names = namesOf(socket);
      const connection = new SocketConnection(
        socket,
        socket.remoteAddress ?? 'unknown',
        () => names,
      );
      attach(socket, guest.enters(connection));
    }
  }

  fails(error: Error & { readonly reason?: string }, socket: TLSSocket): void {
    const key = keyOf(socket);
    this.#guests
      .get(key)
      ?.fails(new Error(`failed the TLS handshake: ${error.reason ?? error.message}`));
    this.#guests.delete(key);
  }
}

const UNEXPLAINED =
  'hung up, or showed a certificate that is not of our authority, or one that is out of date';

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
