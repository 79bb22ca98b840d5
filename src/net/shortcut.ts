/**
 * TCP with a shortcut: a member also listens at a Unix socket named after its TCP address. Members on the same
 * machine connect to that socket, which makes a hop take a third less time (docs/decisions/0014-shortcut.md). A member
 * that finds no such socket uses TCP.
 *
 * The sockets are files in a directory that only this user can reach (private-directory.ts). So only processes of this user
 * can listen there or connect. If the directory is not private, there is no shortcut.
 *
 * The name of a file contains the address exactly as written, and the network namespace: containers may share a
 * directory, and each has a port 7101 of its own. A process that dials this text and reaches the socket would have
 * reached the same port. So the shortcut is only for addresses of this machine.
 */
import { statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { formatAddress } from './address.ts';
import { isThisMachine } from './exposure.ts';
import { acceptPair, dialPair, ID_LENGTH } from './paired-sockets.ts';
import { memberDirectory, preparePrivate } from './private-directory.ts';
import { listenerOf } from './sockets.ts';
import { connectTcp, hostOf, tcp } from './tcp.ts';
import {
  type Acceptor,
  type Connection,
  type ConnectionHandler,
  ListenError,
  type Listener,
  type Transport,
} from './transport.ts';
import { listenOnSocketFile, MAX_SOCKET_PATH_BYTES, removeStaleSockets } from './unix-sockets.ts';

/** The kernel gives each network namespace that is in use another number. */
const NETWORK_NAMESPACE = '/proc/self/ns/net';

interface Settings {
  /** Default: a directory for this user alone, the same for all its processes. */
  readonly directory?: string;
  /** Hears once why there is no shortcut. */
  readonly warn?: ((message: string) => void) | undefined;
}

export class TcpWithShortcut implements Transport {
  readonly #directory: string;
  readonly #warn: (message: string) => void;
  #hasWarned = false;

  constructor({ directory = memberDirectory(), warn = () => {} }: Settings = {}) {
    this.#directory = directory;
    this.#warn = warn;
  }

  async listen(address: string, acceptor: Acceptor): Promise<Listener> {
    const { host, port } = hostOf(address);
    const gate = new Gate(acceptor, this.#directory);
    // The shortcut must exist before the port does, or early dialers would stay with TCP. If the system chooses the
    // port, it is not known yet, and no peer can dial it.
    const opened = port > 0 ? await this.#open(formatAddress(host, port), gate) : undefined;
    const main = await tcp.listen(address, acceptor).catch(async (error: unknown) => {
      gate.shut();
      await opened?.close();
      throw error;
    });
    gate.open();
    const shortcut =
      port > 0
        ? opened
        : await this.#open(main.address, gate).catch(async (error: unknown) => {
            await main.close();
            throw error;
          });
    return {
      address: main.address,
      close: async () => {
        await Promise.all([main.close(), shortcut?.close()]);
      },
    };
  }

  dial(address: string, handler: ConnectionHandler): Connection {
    const path = this.#pathOf(address);
    if (path === undefined) return tcp.dial(address, handler);
    return dialPair(path, address, handler, () => connectTcp(address));
  }

  async #open(address: string, gate: Gate): Promise<Listener | undefined> {
    const path = this.#pathOf(address);
    if (path === undefined) return undefined;
    const server = createServer((socket) => gate.accept(socket));
    try {
      await listenOnSocketFile(server, path, { isDirectoryPrivate: true });
    } catch (error) {
      const { code } = (error as ListenError).cause as NodeJS.ErrnoException;
      // Peers would take the owner of this name for us.
      if (code === 'EADDRINUSE') throw new ListenError(address, (error as ListenError).cause);
      return this.#without(`it cannot listen at ${path} (${code})`);
    }
    void removeStaleSockets(this.#directory).catch(() => {});
    return listenerOf(server, path);
  }

  /** The socket beside this port; undefined if there is none that could be trusted. */
  #pathOf(address: string): string | undefined {
    if (process.platform !== 'linux' || !isThisMachine(hostOf(address).host)) return undefined;
    const refusal = preparePrivate(this.#directory);
    if (refusal !== undefined) return this.#without(refusal);
    const namespace = statSync(NETWORK_NAMESPACE, { throwIfNoEntry: false })?.ino;
    if (namespace === undefined) return this.#without(`there is no ${NETWORK_NAMESPACE}`);
    const name = `${namespace}-${address}`;
    const longest = join(this.#directory, name.padEnd(ID_LENGTH));
    if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH_BYTES) return join(this.#directory, name);
    return this.#without(`the path of ${this.#directory} is too long for a socket in it`);
  }

  #without(reason: string): undefined {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const wayOut = 'set XDG_RUNTIME_DIR to a directory of this user, or `shortcut` to off';
    this.#warn(`members on this machine are reached over TCP alone, because ${reason}: ${wayOut}`);
  }
}

/**
 * Connections beside the port wait here until the port is ours. A process that cannot have the port never answers
 * for it, not even for the moment in which it finds that out.
 */
class Gate {
  readonly #acceptor: Acceptor;
  readonly #directory: string;
  readonly #waiting = new Set<Socket>();
  #state: 'waiting' | 'open' | 'shut' = 'waiting';

  constructor(acceptor: Acceptor, directory: string) {
    this.#acceptor = acceptor;
    this.#directory = directory;
  }

  accept(socket: Socket): void {
    if (this.#state === 'open') acceptPair(socket, this.#directory, this.#acceptor);
    else if (this.#state === 'shut') socket.destroy();
    else {
      this.#waiting.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#waiting.delete(socket));
    }
  }

  open(): void {
    this.#become('open');
  }

  shut(): void {
    this.#become('shut');
  }

  #become(state: 'open' | 'shut'): void {
    this.#state = state;
    const sockets = [...this.#waiting];
    this.#waiting.clear();
    for (const socket of sockets) this.accept(socket);
  }
}
