import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { UsageError } from '../core/errors.ts';
import { formatAddress, parseAddress } from './address.ts';
import { attach, listener, listening, receive, SocketConnection } from './sockets.ts';
import { ListenError, type Transport } from './transport.ts';

/** Plain TCP: whoever can reach the port, and knows the names, is believed. For networks you trust. */
export const tcp: Transport = {
  async listen(address, incoming) {
    const at = hostOf(address);
    const server = createServer({ noDelay: true }, (socket) =>
      receive(socket, socket.remoteAddress ?? 'unknown', incoming),
    );
    await listening(server, at).catch((cause) => {
      throw new ListenError(address, cause);
    });
    return listener(server, formatAddress(at.host, (server.address() as AddressInfo).port));
  },

  dial(address, handler) {
    const socket = connectTcp(address);
    attach(socket, handler, 'connect');
    return new SocketConnection(socket, address);
  },
};

export const connectTcp = (address: string): Socket =>
  connect({ ...hostOf(address), noDelay: true });

export function hostOf(address: string): { readonly host: string; readonly port: number } {
  const at = parseAddress(address);
  if (at.kind === 'host') return { host: at.host, port: at.port };
  throw new UsageError(`expected an address as host:port, got ${JSON.stringify(address)}`);
}
