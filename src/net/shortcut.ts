/**
 * TCP with a shortcut: beside its port a member listens at a Unix socket, and others on the same machine
 * take that one; a hop costs a third less (docs/decisions/0014-shortcut.md). Whoever finds none takes TCP.
 *
 * The socket's name is no file (near.ts), and is known within one network namespace, as the machine's own
 * addresses are. It has the address as it was written: who dials what we listen at, letter by letter, and can
 * reach our socket, would have reached our port.
 */
import { createServer } from 'node:net';
import { formatAddress } from './address.ts';
import { answer, dialNear, withoutFile } from './near.ts';
import { listener, listening } from './sockets.ts';
import { connectTcp, hostOf, tcp } from './tcp.ts';
import { type Incoming, ListenError, type Listener, type Transport } from './transport.ts';

export const tcpWithShortcut: Transport = {
  async listen(address, incoming) {
    const { host, port } = hostOf(address);
    // Whoever finds the port must find what is beside it as well, or it would take TCP for good (near.ts). Where
    // the system chooses the port, nobody knows it yet.
    const early = port > 0 ? await listenBeside(formatAddress(host, port), incoming) : undefined;
    const main = await tcp.listen(address, incoming).catch(closing(early));
    const beside =
      port > 0 ? early : await listenBeside(main.address, incoming).catch(closing(main));
    return {
      address: main.address,
      close: async () => {
        await Promise.all([main.close(), beside?.close()]);
      },
    };
  },

  dial(address, handler) {
    // What is no address is said at once.
    hostOf(address);
    const path = pathBeside(address);
    if (path === undefined) return tcp.dial(address, handler);
    return dialNear(path, address, handler, () => connectTcp(address));
  },
};

const closing = (opened: Listener | undefined) => async (error: unknown) => {
  await opened?.close();
  throw error;
};

/** If that can be. */
async function listenBeside(address: string, incoming: Incoming): Promise<Listener | undefined> {
  const path = pathBeside(address);
  if (path === undefined) return undefined;
  const server = createServer((socket) => answer(socket, incoming));
  try {
    await listening(server, { path });
  } catch (cause) {
    // Others would take whoever has the name for us.
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ListenError(address, cause);
    }
    return undefined; // not even allowed to, in some sandboxes: then there is only the port
  }
  return listener(server, path);
}

/** What Linux allows. */
const MAX_PATH_BYTES = 107;

function pathBeside(address: string): string | undefined {
  const path = withoutFile(address);
  const fits = Buffer.byteLength(path) <= MAX_PATH_BYTES;
  return process.platform === 'linux' && fits ? path : undefined;
}
