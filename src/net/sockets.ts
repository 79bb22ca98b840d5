/** What TCP, TLS and Unix sockets have in common. */
import type { ListenOptions, Server, Socket } from 'node:net';
import type { Connection, ConnectionHandler, Incoming, Listener } from './transport.ts';

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

/** Lets the handler hear what happens on the socket. `openedBy`: the event after which it can be used. */
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

/** A guest at the door of a server whose sockets can be used as they come. */
export function receive(socket: Socket, remote: string, incoming: Incoming): void {
  const guest = incoming.arrives(remote, () => socket.destroy());
  // Sent away at once: what is still to come is its end, and nobody cares how it went.
  socket.on('error', () => {});
  socket.once('close', () => guest.leaves());
  if (!socket.destroyed) attach(socket, guest.enters(new SocketConnection(socket, remote)));
}

/** Resolves when the server listens; rejects with what Node says. */
export function listening(server: Server, at: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      // Accepting may fail later, as when no file descriptors are left: that connection is lost, no more.
      server.on('error', () => {});
      resolve();
    });
  });
}

export const listener = (server: Server, address: string): Listener => ({
  address,
  close: () => new Promise((resolve) => server.close(() => resolve())),
});
