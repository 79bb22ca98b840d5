/**
 * A connection of two Unix sockets, one for each direction. The end that reads a socket dials it: Node reads a dialed
 * socket into one reused buffer (`onread`), but allocates 64 KiB for each read of an accepted socket. That allocation
 * costs more than the read.
 *
 * The dialing end listens for a moment itself, under a random name in the same directory. It sends that name over the
 * socket that it dialed, and the other end dials back.
 */
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { attach } from './sockets.ts';
import type { Acceptor, Connection, ConnectionHandler } from './transport.ts';

const ID_BYTES = 16;
/** How long the name is under which the dialing end listens. */
export const ID_LENGTH = 2 * ID_BYTES;
const ID = new RegExp(`^[0-9a-f]{${ID_LENGTH}}$`);
const READ_BYTES = 65_536;
/** What is kept of the bytes that arrive before both sockets are connected: far more than a HELLO. */
const MAX_BUFFERED_BYTES = 65_536;

/**
 * Dials the pair, or `fallback` if no process listens there. A member opens its Unix socket before its TCP port, so
 * the pair is tried once more when the fallback has connected. Otherwise a member that dials while the other is
 * starting would stay with TCP.
 */
export function dialPair(
  path: string,
  remote: string,
  handler: ConnectionHandler,
  fallback: () => Socket,
): Connection {
  const use = ({ outgoing, incoming, read }: Pair) => {
    connection.pair(outgoing, incoming, handler);
    handler.opened();
    read((bytes, length) => handler.data(bytes, length));
  };
  const first = connectPair(path, use, (wasThere, failure) => {
    if (wasThere || connection.isDestroyed) handler.closed(failure);
    else fallBack();
  });
  const connection = new PairedConnection(remote, first);
  return connection;

  function fallBack(): void {
    const socket = fallback();
    connection.replace(socket);
    const closed = watch(socket, handler);
    socket.once('connect', () => {
      const hangUp = () => second.destroy();
      const release = () => socket.off('close', hangUp).off('close', closed);
      const usePair = (pair: Pair) => {
        release().destroy();
        use(pair);
      };
      const second = connectPair(path, usePair, () => {
        if (socket.destroyed) return; // its `close` tells the handler
        attach(release(), handler);
        handler.opened();
      });
      socket.once('close', hangUp);
    });
  }
}

/** Both sockets are connected. `read` passes on the bytes received so far and all later ones. */
interface Pair {
  readonly outgoing: Socket;
  readonly incoming: Socket;
  readonly read: (onData: OnData) => void;
}
type OnData = (bytes: Uint8Array, length: number) => void;

/** Dials, and waits for the other end to dial back. */
function connectPair(
  path: string,
  connected: (pair: Pair) => void,
  failed: (wasThere: boolean, failure: Error | undefined) => void,
): Socket {
  const id = randomBytes(ID_BYTES).toString('hex');
  const server = createServer();
  server.maxConnections = 1;
  const buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let onData: OnData = (bytes, length) => {
    bufferedBytes += length;
    if (bufferedBytes > MAX_BUFFERED_BYTES) incoming.destroy();
    else buffered.push(bytes.slice(0, length));
  };
  const incoming = connect({ path, onread: reading((bytes, length) => onData(bytes, length)) });
  let wasThere = false;
  let failure: Error | undefined;
  const closed = () => {
    server.close();
    failed(wasThere, failure);
  };
  incoming.once('connect', () => {
    wasThere = true;
    incoming.write(id);
  });
  incoming.on('error', (error) => {
    failure = error;
  });
  incoming.once('close', closed);
  server.once('error', () => incoming.destroy());
  server.once('connection', (outgoing) => {
    server.close();
    if (incoming.destroyed) {
      outgoing.destroy();
      return;
    }
    incoming.off('close', closed);
    const read = (by: OnData) => {
      onData = by;
      for (const chunk of buffered) by(chunk, chunk.length);
    };
    connected({ outgoing, incoming, read });
  });
  // Exclusive: in a cluster worker Node would otherwise ask the parent process to listen, which is not immediate.
  server.listen({ path: join(dirname(path), id), exclusive: true });
  return incoming;
}

/** Before the socket is usable, its end is the end of the connection. Returns the listener of `close`. */
function watch(socket: Socket, handler: ConnectionHandler): () => void {
  let failure: Error | undefined;
  const closed = () => handler.closed(failure);
  socket.on('error', (error) => {
    failure = error;
  });
  socket.once('close', closed);
  return closed;
}

/** Accepts the first socket of a pair, and dials back for the second, whose name is in the same directory. */
export function acceptPair(outgoing: Socket, directory: string, acceptor: Acceptor): void {
  const pending = acceptor.accept('unix', () => outgoing.destroy());
  outgoing.on('error', () => {});
  outgoing.once('close', () => pending.closed());
  if (outgoing.destroyed) return;
  let id = '';
  const readId = (chunk: Buffer) => {
    id += chunk.toString('latin1');
    if (id.length < ID_LENGTH) return;
    outgoing.off('data', readId);
    if (ID.test(id)) dialBack();
    else pending.failed(new Error('did not send the name of the socket to dial back'));
  };
  outgoing.on('data', readId);

  function dialBack(): void {
    let handler: ConnectionHandler;
    const onread = reading((bytes, length) => handler.data(bytes, length));
    const incoming = connect({ path: join(directory, id), onread });
    incoming.on('error', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
    incoming.once('connect', () => {
      const connection = new PairedConnection('unix', incoming);
      handler = pending.established(connection);
      connection.pair(outgoing, incoming, handler);
    });
  }
}

const reading = (onData: OnData) => ({
  // Not a Buffer, whose `slice` does not copy: a kept slice must not change with the next read.
  buffer: new Uint8Array(READ_BYTES),
  callback(length: number, bytes: Uint8Array): boolean {
    onData(bytes, length);
    return true;
  },
});

class PairedConnection implements Connection {
  readonly remote: string;
  readonly names = undefined;
  /** False while it is being dialed, and where it fell back to TCP. */
  isLocal = false;
  /** By this end. */
  isDestroyed = false;
  #outgoing: Socket;
  #incoming: Socket;
  #isEnding = false;

  /** While it is being dialed there is one socket. */
  constructor(remote: string, socket: Socket) {
    this.remote = remote;
    this.#outgoing = socket;
    this.#incoming = socket;
  }

  write(bytes: Uint8Array): boolean {
    return this.#outgoing.write(bytes);
  }

  end(): void {
    this.#isEnding = true;
    this.#outgoing.end();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.#outgoing.destroy();
    this.#incoming.destroy();
  }

  /** Uses another socket, for both directions. */
  replace(socket: Socket): void {
    this.#outgoing = socket;
    this.#incoming = socket;
  }

  pair(outgoing: Socket, incoming: Socket, handler: ConnectionHandler): void {
    this.isLocal = true;
    this.#outgoing = outgoing;
    this.#incoming = incoming;
    let failure: Error | undefined;
    let open = 2;
    for (const socket of [outgoing, incoming]) {
      socket.on('error', (error) => {
        failure ??= error;
      });
      socket.once('close', () => {
        // The end of one is the end of both, except while this end closes in order.
        if (!this.#isEnding || failure !== undefined) this.destroy();
        if (--open === 0) handler.closed(failure);
      });
    }
    incoming.once('end', () => this.end());
    outgoing.on('drain', () => handler.drained());
    // Only the end of the stream is read here.
    outgoing.resume();
  }
}
