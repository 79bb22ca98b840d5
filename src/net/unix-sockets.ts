/** Unix sockets as files: their paths, their rights, and the files that killed processes leave behind. */
import { lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { UsageError } from '../core/errors.ts';
import { listen } from './sockets.ts';
import type { ListenError } from './transport.ts';

/**
 * What the kernel accepts, in bytes. Some systems and some versions of Node cut a longer path silently, and then two
 * servers would share one socket.
 */
export const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Throws a UsageError for a path that the kernel would cut. */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  const rule = `a socket path of at most ${MAX_SOCKET_PATH_BYTES} bytes`;
  throw new UsageError(
    `expected ${rule}, got ${bytes} bytes: ${JSON.stringify(path)}; take a shorter one`,
  );
}

/**
 * Listens at a socket file that only this user can connect to, whatever the umask is. Replaces a file that a killed
 * process left behind. Rejects with a ListenError if a process answers at the path.
 */
export async function listenOnSocketFile(
  server: Server,
  path: string,
  options: { readonly backlog?: number } = {},
): Promise<void> {
  checkSocketPath(path);
  try {
    await listenPrivately(server, path, options);
  } catch (error) {
    const { code } = (error as ListenError).cause as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !(await removeStaleSocket(path))) throw error;
    await listenPrivately(server, path, options);
  }
}

/** The file has the rights 0600 when it appears, so that there is no moment in which others may connect. */
function listenPrivately(
  server: Server,
  path: string,
  options: { readonly backlog?: number },
): Promise<void> {
  const mask = process.umask(0o177);
  try {
    // Node creates the file before this call returns.
    return listen(server, path, { path, ...options });
  } finally {
    process.umask(mask);
  }
}

/** Removes the file of a socket at which no process answers. False if it must stay. */
async function removeStaleSocket(path: string): Promise<boolean> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return true;
  if (!before.isSocket() || (await isAnswered(path))) return false;
  try {
    // Another process may have replaced the file meanwhile.
    if (lstatSync(path).ino === before.ino) unlinkSync(path);
  } catch {
    // The file is gone already.
  }
  return true;
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Any other error may come from a process that is busy.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
