/**
 * TCP with a shortcut: a member also listens at a Unix socket named after its TCP address, and members on the same
 * machine connect to that socket, which makes a hop a third cheaper (docs/decisions/0014-shortcut.md). A member that
 * finds no such socket uses TCP.
 *
 * The name of the socket is no file (paired-sockets.ts). It is visible in one network namespace, as the addresses of
 * the machine are. It contains the address exactly as written: a process that dials this text and reaches the
 * socket would have reached the same port. It is tried only for addresses of this machine, because any local user could
 * listen under the name of a remote address.
 */
import { createServer } from 'node:net';
import { formatAddress } from './address.ts';
import { isThisMachine } from './exposure.ts';
import { abstractName, acceptPair, dialPair } from './paired-sockets.ts';
import { listen, listenerOf } from './sockets.ts';
import { connectTcp, hostOf, tcp } from './tcp.ts';
import type { Acceptor, ListenError, Listener, Transport } from './transport.ts';
import { MAX_SOCKET_PATH_BYTES } from './unix-sockets.ts';

export const tcpWithShortcut: Transport = {
  async listen(address, acceptor) {
    const { host, port } = hostOf(address);
    // The shortcut must exist before the port does, or early dialers would stay with TCP. If the system chooses the
    // port, it is not known yet, and no peer can dial it.
    const early = port > 0 ? await openShortcut(formatAddress(host, port), acceptor) : undefined;
    const main = await tcp.listen(address, acceptor).catch(closing(early));
    const shortcut =
      port > 0 ? early : await openShortcut(main.address, acceptor).catch(closing(main));
    return {
      address: main.address,
      close: async () => {
        await Promise.all([main.close(), shortcut?.close()]);
      },
    };
  },

  dial(address, handler) {
    const { host } = hostOf(address);
    const path = shortcutOf(address);
    if (path === undefined || !isThisMachine(host)) return tcp.dial(address, handler);
    return dialPair(path, address, handler, () => connectTcp(address));
  },
};

const closing = (opened: Listener | undefined) => async (error: unknown) => {
  await opened?.close();
  throw error;
};

async function openShortcut(address: string, acceptor: Acceptor): Promise<Listener | undefined> {
  const path = shortcutOf(address);
  if (path === undefined) return undefined;
  const server = createServer((socket) => acceptPair(socket, acceptor));
  try {
    await listen(server, address, { path });
  } catch (error) {
    // Peers would take the owner of this name for us.
    const { code } = (error as ListenError).cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw error;
    return undefined; // some sandboxes forbid it: then there is only the port
  }
  return listenerOf(server, path);
}

function shortcutOf(address: string): string | undefined {
  const path = abstractName(address);
  const fits = Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
  return process.platform === 'linux' && fits ? path : undefined;
}
