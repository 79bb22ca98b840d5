import { UsageError } from '../core/errors.ts';
import { parseAddress } from '../net/address.ts';
import { tcpWithShortcut } from '../net/shortcut.ts';
import { tcp } from '../net/tcp.ts';
import { type TlsSettings, tls } from '../net/tls.ts';
import type { Transport } from '../net/transport.ts';
import { unix } from '../net/unix.ts';

/** The transport of a group, the same for all members: TLS if there are certificates, otherwise as the addresses say. */
export function transportFor(settings: {
  readonly listen: string;
  readonly peers: { readonly [id: string]: string };
  readonly tls?: TlsSettings | undefined;
  readonly shortcut?: boolean | undefined;
}): Transport {
  const { kind } = parseAddress(settings.listen);
  for (const [id, address] of Object.entries(settings.peers)) {
    if (parseAddress(address).kind === kind) continue;
    throw new UsageError(
      `expected all members to listen at host:port, or all at unix:path; ${id} listens at ${address}`,
    );
  }
  if (kind === 'host') {
    if (settings.tls !== undefined) return tls(settings.tls);
    return settings.shortcut === false ? tcp : tcpWithShortcut;
  }
  if (settings.tls === undefined) return unix;
  throw new UsageError(
    'Unix sockets need no TLS: leave `tls` out, or give each member a host:port',
  );
}
