/** The transport of a member: TLS where there are certificates, else as the addresses say. */
import { UsageError } from '../core/errors.ts';
import { parseAddress } from '../net/address.ts';
import { refusalOfRole } from '../net/roles.ts';
import { TcpWithShortcut } from '../net/shortcut.ts';
import { tcp } from '../net/tcp.ts';
import { type TlsSettings, tls } from '../net/tls.ts';
import type {
  Acceptor,
  Connection,
  ConnectionHandler,
  Listener,
  Transport,
} from '../net/transport.ts';
import { unix } from '../net/unix.ts';

/** TLS between members, and whether a certificate must name its role. */
export interface MemberTls extends TlsSettings {
  /** Whether every certificate must have the DNS name `member.GROUP.latchkey`. Default false. */
  readonly requireRoles?: boolean | undefined;
}

interface Addresses {
  readonly listen: string;
  readonly peers: { readonly [id: string]: string };
  readonly group?: string | undefined;
  readonly tls?: MemberTls | undefined;
  readonly shortcut?: boolean | undefined;
}

/**
 * The transport of a group, the same for all members: TLS if there are certificates, otherwise as the addresses say.
 * `warn` hears once if members on this machine cannot use the shortcut.
 */
export function transportFor(
  { listen, peers, ...settings }: Addresses,
  warn?: (message: string) => void,
): Transport {
  const { kind } = parseAddress(listen);
  for (const [id, address] of Object.entries(peers)) {
    if (parseAddress(address).kind === kind) continue;
    throw new UsageError(
      `expected all members to listen at host:port, or all at unix:path; ${id} listens at ${address}`,
    );
  }
  if (kind === 'host') {
    const { tls: certificates, group = 'latchkey', shortcut } = settings;
    if (certificates !== undefined) return new TlsTransport(certificates, group);
    return shortcut === false ? tcp : new TcpWithShortcut({ warn });
  }
  if (settings.tls === undefined) return unix;
  throw new UsageError(
    'Unix sockets need no TLS: leave `tls` out, or give each member a host:port',
  );
}

/** How often, and after which pause, a reload tries to listen again at the port that it has just closed. */
const LISTEN_ATTEMPTS = 20;
const LISTEN_PAUSE_MS = 50;

/** TLS between members. Its certificates can be replaced while it runs. */
export class TlsTransport implements Transport {
  readonly #group: string;
  #settings: MemberTls;
  #transport: Transport;
  #listening:
    | { readonly address: string; readonly acceptor: Acceptor; listener: Listener }
    | undefined;

  constructor(settings: MemberTls, group: string) {
    this.#settings = settings;
    this.#transport = tls(settings);
    this.#group = group;
  }

  async listen(address: string, acceptor: Acceptor): Promise<Listener> {
    const guarded = this.#guarded(acceptor);
    const listener = await this.#transport.listen(address, guarded);
    // The port is known now, and a reload takes the same.
    this.#listening = { address: listener.address, acceptor: guarded, listener };
    return {
      address: listener.address,
      close: () => this.#listening?.listener.close() ?? Promise.resolve(),
    };
  }

  dial(address: string, handler: ConnectionHandler): Connection {
    let refusal: string | undefined;
    const connection = this.#transport.dial(address, {
      opened: () => {
        refusal = this.#refusal(connection);
        if (refusal === undefined) handler.opened();
        else connection.destroy();
      },
      data: (bytes, length) => handler.data(bytes, length),
      drained: () => handler.drained(),
      closed: (error) => handler.closed(refusal === undefined ? error : new Error(refusal)),
    });
    return connection;
  }

  /** New connections use the new certificates; open ones stay as they are. */
  async reload(settings: MemberTls): Promise<void> {
    const next = tls(settings);
    this.#settings = settings;
    this.#transport = next;
    const listening = this.#listening;
    if (listening === undefined) return;
    // The port is free at once; connections that are open stay so, and are not waited for.
    void listening.listener.close();
    for (let attempt = 1; ; attempt++) {
      try {
        listening.listener = await next.listen(listening.address, listening.acceptor);
        return;
      } catch (error) {
        if (attempt === LISTEN_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, LISTEN_PAUSE_MS));
      }
    }
  }

  #refusal({ names = [] }: Connection): string | undefined {
    return refusalOfRole(names, 'member', this.#group, this.#settings.requireRoles === true);
  }

  /** Refuses the certificate of a client, or of another group, before its owner sends anything. */
  #guarded(acceptor: Acceptor): Acceptor {
    return {
      accept: (remote, cut) => {
        const pending = acceptor.accept(remote, cut);
        return {
          established: (connection) => {
            const refusal = this.#refusal(connection);
            if (refusal === undefined) return pending.established(connection);
            pending.failed(new Error(refusal));
            connection.destroy();
            return { opened() {}, data() {}, drained() {}, closed() {} };
          },
          failed: (error) => pending.failed(error),
          closed: () => pending.closed(),
        };
      },
    };
  }
}
