/**
 * A connection of two Unix sockets, one for each direction, and each is dialled by who hears through it. For
 * Node reads what comes in on a socket that it dialled into one buffer, if asked to, and allots a new one
 * of 64 KiB for each read of a socket that it accepted; to allot and to free them costs more than the read.
 *
 * Whoever dials listens for a moment itself, under a name that nobody can guess, and says that name on the
 * socket that it dialled; the other end dials back.
 */
import { randomBytes } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import type { Connection, ConnectionHandler, Incoming } from './transport.ts';

const ID_BYTES = 16;
const ID = new RegExp(`^[0-9a-f]{${2 * ID_BYTES}}$`);
const READ_BYTES = 65_536;

/** Linux has Unix sockets whose names are no files; they are gone with their process. */
export const withoutFile = (name: string): string => `\0latchkey ${name}`;

/** Dials, and calls `otherwise` for another way if nobody listens there. */
export function dialNear(
  path: string,
  remote: string,
  handler: ConnectionHandler,
  otherwise: () => Socket,
): Connection {
  const id = randomBytes(ID_BYTES).toString('hex');
  const back = createServer();
  back.maxConnections = 1;
  const early: Uint8Array[] = [];
  let hear = (bytes: Uint8Array, length: number): void => {
    early.push(bytes.slice(0, length));
  };
  const hears = connect({ path, onread: reading((bytes, length) => hear(bytes, length)) });
  const connection = new NearConnection(remote, hears);
  let isThere = false;
  let failure: Error | undefined;
  const gone = () => {
    back.close();
    if (isThere || connection.isDestroyed) handler.closed(failure);
    else connection.becomes(otherwise());
  };
  hears.once('connect', () => {
    isThere = true;
    hears.write(id);
  });
  hears.on('error', (error) => {
    failure = error;
  });
  hears.once('close', gone);
  back.once('error', () => hears.destroy());
  back.once('connection', (speaks) => {
    back.close();
    if (hears.destroyed) {
      speaks.destroy();
      return;
    }
    hears.off('close', gone);
    connection.joins(speaks, hears, handler);
    hear = (bytes, length) => handler.data(bytes, length);
    handler.opened();
    for (const chunk of early) handler.data(chunk);
  });
  // Exclusive: else a worker of a cluster would have its parent listen, and not at once.
  back.listen({ path: withoutFile(id), exclusive: true });
  return connection;
}

/** Someone has dialled us: dials back, and lets it in. */
export function answer(speaks: Socket, incoming: Incoming): void {
  const guest = incoming.arrives('unix', () => speaks.destroy());
  speaks.on('error', () => {});
  speaks.once('close', () => guest.leaves());
  if (speaks.destroyed) return;
  let id = '';
  const listen = (chunk: Buffer) => {
    id += chunk.toString('latin1');
    if (id.length < 2 * ID_BYTES) return;
    speaks.off('data', listen);
    if (!ID.test(id)) guest.fails(new Error('said something else than where to dial back'));
    else dialBack();
  };
  speaks.on('data', listen);

  function dialBack(): void {
    let handler: ConnectionHandler;
    const onread = reading((bytes, length) => handler.data(bytes, length));
    const hears = connect({ path: withoutFile(id), onread });
    hears.on('error', () => speaks.destroy());
    speaks.once('close', () => hears.destroy());
    hears.once('connect', () => {
      const connection = new NearConnection('unix', hears);
      handler = guest.enters(connection);
      connection.joins(speaks, hears, handler);
    });
  }
}

const reading = (hear: (bytes: Uint8Array, length: number) => void) => ({
  // No Buffer, whose `slice` copies nothing: what is kept of it must not change.
  buffer: new Uint8Array(READ_BYTES),
  callback(length: number, bytes: Uint8Array): boolean {
    hear(bytes, length);
    return true;
  },
});

class NearConnection implements Connection {
  readonly remote: string;
  readonly names = undefined;
  /** By us. */
  isDestroyed = false;
  #speaks: Socket;
  #hears: Socket;
  #isEnding = false;

  /** As long as it is being dialled there is one socket. */
  constructor(remote: string, socket: Socket) {
    this.remote = remote;
    this.#speaks = socket;
    this.#hears = socket;
  }

  write(bytes: Uint8Array): boolean {
    return this.#speaks.write(bytes);
  }

  end(): void {
    this.#isEnding = true;
    this.#speaks.end();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.#speaks.destroy();
    this.#hears.destroy();
  }

  /** Another socket, for both directions. */
  becomes(socket: Socket): void {
    this.#speaks = socket;
    this.#hears = socket;
  }

  joins(speaks: Socket, hears: Socket, handler: ConnectionHandler): void {
    this.#speaks = speaks;
    this.#hears = hears;
    let failure: Error | undefined;
    let open = 2;
    for (const socket of [speaks, hears]) {
      socket.on('error', (error) => {
        failure ??= error;
      });
      socket.once('close', () => {
        // The end of one is the end of both, unless it is just coming in good order.
        if (!this.#isEnding || failure !== undefined) this.destroy();
        if (--open === 0) handler.closed(failure);
      });
    }
    hears.once('end', () => this.end());
    speaks.on('drain', () => handler.drained());
    // Nothing comes this way but the end.
    speaks.resume();
  }
}
