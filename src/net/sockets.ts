/** What TCP, TLS and Unix sockets have in common. */
import type { ListenOptions, Server, Socket } from 'node:net';
import {
  type Acceptor,
  type Connection,
  type ConnectionHandler,
  ListenError,
  type Listener,
} from './transport.ts';

export class SocketConnection implements Connection {
  readonly remote: string;
  readonly #socket: Socket;
  readonly #names: (() => readonly string[]) | undefined;

  constructor(socket: Socket, remote: string, names?: () => readonly string[]) {
    this.#socket = socket;
    this.remote = remote;
    this.#names = names;
  }

  get names(): readonly string[] | undefined {
    return this.#names?.();
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket.write(bytes);
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Passes the events of the socket to the handler. `openedBy`: the event after which the socket is usable. */
export function attach(socket: Socket, handler: ConnectionHandler, openedBy?: string): void {
  let failure: Error | undefined;
  if (openedBy !== undefined) socket.once(openedBy, () => handler.opened());
  socket.on('data', (chunk: Buffer) => handler.data(chunk));
  socket.on('drain', () => handler.drained());
  socket.on('error', (error) => {
    failure = error;
  });
  socket.once('close', () => handler.closed(failure));
}

/** Accepts a socket that is usable at once. */
export function acceptSocket(socket: Socket, remote: string, acceptor: Acceptor): void {
  const pending = acceptor.accept(remote, () => socket.destroy());
  // If the acceptor cut it, its error does not matter.
  socket.on('error', () => {});
  socket.once('close', () => pending.closed());
  if (!socket.destroyed) attach(socket, pending.established(new SocketConnection(socket, remote)));
}

/** Resolves when the server listens. Rejects with a ListenError that names the address. */
export async function listen(server: Server, address: string, at: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (cause: Error) => reject(new ListenError(address, cause));
    server.once('error', failed);
    server.listen(at, () => {
      server.off('error', failed);
      // A later accept may fail, as when no file descriptors are left. Only that connection is lost.
      server.on('error', () => {});
      resolve();
    });
  });
}

export const listenerOf = (server: Server, address: string): Listener => ({
  address,
  close: () => new Promise((resolve) => server.close(() => resolve())),
});
