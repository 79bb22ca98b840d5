/** Unix sockets as files: their paths, their rights, and the files that killed processes leave behind. */
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { UsageError } from '../core/errors.ts';
import { listen } from './sockets.ts';
import type { ListenError } from './transport.ts';

/**
 * What the kernel accepts, in bytes. Some systems and some versions of Node cut a longer path silently, and then two
 * servers would share one socket.
 */
export const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** A younger file may belong to a process that is about to listen, and does not answer yet. */
const STALE_MS = 60_000;

/** Throws a UsageError for a path that the kernel would cut. */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  const rule = `a socket path of at most ${MAX_SOCKET_PATH_BYTES} bytes`;
  throw new UsageError(
    `expected ${rule}, got ${bytes} bytes: ${JSON.stringify(path)}; take a shorter one`,
  );
}

interface SocketFileOptions {
  readonly backlog?: number;
  /** Only this user can reach the directory, so the rights of the file do not matter. */
  readonly isDirectoryPrivate?: boolean;
}

/**
 * Listens at a socket file that only this user can connect to, whatever the umask is. Replaces a file that a killed
 * process left behind. Rejects with a ListenError if a process answers at the path.
 */
export async function listenOnSocketFile(
  server: Server,
  path: string,
  { backlog, isDirectoryPrivate = false }: SocketFileOptions = {},
): Promise<void> {
  checkSocketPath(path);
  const at = backlog === undefined ? { path } : { path, backlog };
  // A thread of a process may not change the umask.
  const listenAt = () =>
    isDirectoryPrivate ? listen(server, path, at) : listenPrivately(server, at);
  try {
    await listenAt();
  } catch (error) {
    const { code } = (error as ListenError).cause as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !(await removeStaleSocket(path))) throw error;
    await listenAt();
  }
}

/** The file has the rights 0600 when it appears, so that there is no moment in which others may connect. */
function listenPrivately(server: Server, at: { readonly path: string }): Promise<void> {
  const mask = process.umask(0o177);
  try {
    // Node creates the file before this call returns.
    return listen(server, at.path, at);
  } finally {
    process.umask(mask);
  }
}

/** Removes the files of sockets that killed processes left behind in a directory. */
export async function removeStaleSockets(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) await removeStaleSocket(path);
  }
}

/** Removes the file of a socket at which no process answers. False if it must stay. */
async function removeStaleSocket(path: string): Promise<boolean> {
  const before = lstatSync(path, { throwIfNoEntry: false });
  if (before === undefined) return true;
  if (!before.isSocket() || (await isAnswered(path))) return false;
  try {
    // Another process may have replaced the file meanwhile, and the new file may have the number of the old one.
    const { ino, ctimeMs } = lstatSync(path);
    if (ino === before.ino && ctimeMs === before.ctimeMs) unlinkSync(path);
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
