/**
 * TCP with a shortcut: beside its port a member listens at a Unix socket, and others on the same machine
 * take that one; a hop costs a third less (docs/decisions/0014-shortcut.md). Whoever finds none takes TCP.
 *
 * The socket's name is no file (near.ts), and is known within one network namespace, as the machine's own
 * addresses are. It has the address as it was written: who dials what we listen at, letter by letter, and can
 * reach our socket, would have reached our port.
 */
import { createServer } from 'node:net';
import { answer, dialNear, withoutFile } from './near.ts';
import { listener, listening } from './sockets.ts';
import { dialTcp, hostOf, tcp } from './tcp.ts';
import { ListenError, type Transport } from './transport.ts';

export const tcpWithShortcut: Transport = {
  async listen(address, incoming) {
    const port = await tcp.listen(address, incoming);
    const path = pathBeside(port.address);
    if (path === undefined) return port;
    const server = createServer((socket) => answer(socket, incoming));
    try {
      await listening(server, { path });
    } catch (cause) {
      // Not even allowed to, in some sandboxes: then there is only the port.
      if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') return port;
      // Others would take whoever has the name for us.
      await port.close();
      throw new ListenError(address, cause);
    }
    const beside = listener(server, path);
    return {
      address: port.address,
      close: async () => {
        await Promise.all([port.close(), beside.close()]);
      },
    };
  },

  dial(address, handler) {
    // What is no address is said at once.
    hostOf(address);
    const path = pathBeside(address);
    if (path === undefined) return tcp.dial(address, handler);
    return dialNear(path, address, handler, () => dialTcp(address, handler));
  },
};

/** What Linux allows. */
const MAX_PATH_BYTES = 107;

function pathBeside(address: string): string | undefined {
  const path = withoutFile(address);
  const fits = Buffer.byteLength(path) <= MAX_PATH_BYTES;
  return process.platform === 'linux' && fits ? path : undefined;
}
