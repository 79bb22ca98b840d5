import { lstatSync, unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { UsageError } from '../core/errors.ts';
import { parseAddress } from './address.ts';
import { attach, listener, listening, receive, SocketConnection } from './sockets.ts';
import { ListenError, type Transport } from './transport.ts';

/** Unix sockets, `unix:path`: for members on one machine. Who may connect, the file's permissions say. */
export const unix: Transport = {
  async listen(address, incoming) {
    const path = pathOf(address);
    const server = createServer((socket) => receive(socket, 'unix', incoming));
    try {
      await listening(server, { path }).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE' || !(await removeStale(path))) throw error;
        await listening(server, { path });
      });
    } catch (cause) {
      throw new ListenError(address, cause);
    }
    return listener(server, address);
  },

  dial(address, handler) {
    const socket = connect({ path: pathOf(address) });
    attach(socket, handler, 'connect');
    return new SocketConnection(socket, address);
  },
};

// A longer path is silently cut short by some systems, and by some versions of Node: a trap.
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

function pathOf(address: string): string {
  const at = parseAddress(address);
  if (at.kind === 'unix' && Buffer.byteLength(at.path) <= MAX_PATH_BYTES) return at.path;
  const rule = `unix:path of at most ${MAX_PATH_BYTES} bytes`;
  throw new UsageError(`expected an address as ${rule}, got ${JSON.stringify(address)}`);
}

/** A process that was killed leaves its socket file behind. It goes, if it is one and nobody answers. */
async function removeStale(path: string): Promise<boolean> {
  const before = lstatSync(path);
  if (!before.isSocket() || (await answers(path))) return false;
  try {
    // Not if someone else has put its own there meanwhile.
    if (lstatSync(path).ino === before.ino) unlinkSync(path);
  } catch {
    // Gone already: as well.
  }
  return true;
}

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Anything but "refused" may be someone who is busy.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
