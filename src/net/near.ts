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
import { attach } from './sockets.ts';
import type { Connection, ConnectionHandler, Incoming } from './transport.ts';

const ID_BYTES = 16;
const ID = new RegExp(`^[0-9a-f]{${2 * ID_BYTES}}$`);
const READ_BYTES = 65_536;

/** Linux has Unix sockets whose names are no files; they are gone with their process. */
export const withoutFile = (name: string): string => `\0latchkey ${name}`;

/**
 * Dials there, and `afar` where nobody listens. Whoever can be reached afar has begun to listen here before, if
 * it ever does: so that is seen again then. Else who dials while the other is just starting would stay afar.
 */
export function dialNear(
  path: string,
  remote: string,
  handler: ConnectionHandler,
  afar: () => Socket,
): Connection {
  const meet = ({ speaks, hears, listen }: Meeting) => {
    connection.joins(speaks, hears, handler);
    handler.opened();
    listen((bytes, length) => handler.data(bytes, length));
  };
  const first = call(path, meet, (wasThere, failure) => {
    if (wasThere || connection.isDestroyed) handler.closed(failure);
    else goAfar();
  });
  const connection = new NearConnection(remote, first);
  return connection;

  function goAfar(): void {
    const socket = afar();
    connection.becomes(socket);
    const closed = watch(socket, handler);
    socket.once('connect', () => {
      const hangUp = () => second.destroy();
      const leave = () => socket.off('close', hangUp).off('close', closed);
      const meetAfterAll = (meeting: Meeting) => {
        leave().destroy();
        meet(meeting);
      };
      const second = call(path, meetAfterAll, () => {
        if (socket.destroyed) return; // which tells the handler
        attach(leave(), handler);
        handler.opened();
      });
      socket.once('close', hangUp);
    });
  }
}

/** Both ways are there; whoever listens hears what has come so far, and all that comes. */
interface Meeting {
  readonly speaks: Socket;
  readonly hears: Socket;
  readonly listen: (hear: Hear) => void;
}
type Hear = (bytes: Uint8Array, length: number) => void;

/** Dials, and listens for who dials back. */
function call(
  path: string,
  meet: (meeting: Meeting) => void,
  missed: (wasThere: boolean, failure: Error | undefined) => void,
): Socket {
  const id = randomBytes(ID_BYTES).toString('hex');
  const back = createServer();
  back.maxConnections = 1;
  const early: Uint8Array[] = [];
  let hear: Hear = (bytes, length) => early.push(bytes.slice(0, length));
  const hears = connect({ path, onread: reading((bytes, length) => hear(bytes, length)) });
  let wasThere = false;
  let failure: Error | undefined;
  const gone = () => {
    back.close();
    missed(wasThere, failure);
  };
  hears.once('connect', () => {
    wasThere = true;
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
    const listen = (by: Hear) => {
      hear = by;
      for (const chunk of early) by(chunk, chunk.length);
    };
    meet({ speaks, hears, listen });
  });
  // Exclusive: else a worker of a cluster would have its parent listen, and not at once.
  back.listen({ path: withoutFile(id), exclusive: true });
  return hears;
}

/** Until it can be used: its end is the end of the connection. Returns what says so. */
function watch(socket: Socket, handler: ConnectionHandler): () => void {
  let failure: Error | undefined;
  const closed = () => handler.closed(failure);
  socket.on('error', (error) => {
    failure = error;
  });
  socket.once('close', closed);
  return closed;
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
