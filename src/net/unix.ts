import { connect, createServer } from 'node:net';
import { UsageError } from '../core/errors.ts';
import { parseAddress } from './address.ts';
import { acceptSocket, attach, listenerOf, SocketConnection } from './sockets.ts';
import { ListenError, type Transport } from './transport.ts';
import { checkSocketPath, listenOnSocketFile } from './unix-sockets.ts';

/** Unix sockets, `unix:path`, for members of one user on one machine: the file has the rights 0600. */
export const unix: Transport = {
  async listen(address, acceptor) {
    const server = createServer((socket) => acceptSocket(socket, 'unix', acceptor));
    await listenOnSocketFile(server, pathOf(address)).catch((error: Error) => {
      // The caller knows the address with its prefix.
      throw error instanceof ListenError ? new ListenError(address, error.cause) : error;
    });
    return listenerOf(server, address);
  },

  dial(address, handler) {
    const socket = connect({ path: pathOf(address) });
    attach(socket, handler, 'connect');
    return new SocketConnection(socket, address);
  },
};

function pathOf(address: string): string {
  const at = parseAddress(address);
  if (at.kind === 'unix') return checkSocketPath(at.path);
  throw new UsageError(`expected an address as unix:path, got ${JSON.stringify(address)}`);
}
