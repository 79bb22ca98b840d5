/**
 * The directory in which the members of one user on one machine find each other's sockets. Only this user can reach it,
 * so the permissions of the kernel say which processes may listen there and connect there. The directory is used
 * only if it is what this file expects: another user may have made it before, or a link in its place.
 */
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = 0;
const STICKY = 0o1000;
const WRITABLE_BY_OTHERS = 0o022;
const PRIVATE = 0o700;

/** Below the runtime directory of the user, or below the temporary directory. */
export function memberDirectory(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  if (runtime) return join(runtime, 'latchkey-members');
  return join(tmpdir(), `latchkey-members-${process.geteuid?.()}`);
}

/** Makes the directory if it is missing. Returns the reason why it must not be used, if there is one. */
export function preparePrivate(directory: string): string | undefined {
  try {
    makeIfMissing(directory);
    return refusalOfParent(dirname(directory)) ?? refusalOf(directory);
  } catch (error) {
    return `${directory} cannot be used (${(error as NodeJS.ErrnoException).code})`;
  }
}

function makeIfMissing(directory: string): void {
  try {
    mkdirSync(directory, { mode: PRIVATE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function refusalOf(directory: string): string | undefined {
  // Not `stat`: another user may have put a symbolic link there.
  const found = lstatSync(directory);
  if (!found.isDirectory()) return `${directory} is no directory`;
  if (found.uid !== process.geteuid?.()) return `${directory} belongs to another user`;
  const rights = found.mode & 0o777;
  if (rights === PRIVATE) return undefined;
  return `${directory} has the rights ${rights.toString(8)} and not ${PRIVATE.toString(8)}`;
}

/** A user who may rename entries of the parent could put another directory in the place of ours. */
function refusalOfParent(parent: string): string | undefined {
  const { mode, uid } = statSync(parent);
  const isKept = (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0;
  if (isKept && (uid === ROOT || uid === process.geteuid?.())) return undefined;
  return `other users may rename what is in ${parent}`;
}
