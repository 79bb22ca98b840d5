import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { UsageError } from '../core/errors.ts';
import { formatAddress, parseAddress } from './address.ts';
import { acceptSocket, attach, listen, listenerOf, SocketConnection } from './sockets.ts';
import type { Transport } from './transport.ts';

/** Plain TCP, without encryption. Without a group secret, any process that reaches the port is believed. */
export const tcp: Transport = {
  async listen(address, acceptor) {
    const at = hostOf(address);
    const server = createServer({ noDelay: true }, (socket) =>
      acceptSocket(socket, socket.remoteAddress ?? 'unknown', acceptor),
    );
    await listen(server, address, at);
    return listenerOf(server, formatAddress(at.host, (server.address() as AddressInfo).port));
  },

  dial(address, handler) {
    const socket = connectTcp(address);
    attach(socket, handler, 'connect');
    return new SocketConnection(socket, address);
  },
};

export const connectTcp = (address: string): Socket =>
  connect({ ...hostOf(address), noDelay: true });

/** The host and port of an address; throws a UsageError for a Unix path. */
export function hostOf(address: string): { readonly host: string; readonly port: number } {
  const at = parseAddress(address);
  if (at.kind === 'host') return { host: at.host, port: at.port };
  throw new UsageError(`expected an address as host:port, got ${JSON.stringify(address)}`);
}
