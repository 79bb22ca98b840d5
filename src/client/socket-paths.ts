/**
 * Paths of the sockets by which daemons serve the clients of one machine: a socket for each member, in a folder
 * for each group, under the runtime directory of the user. So `latchkey lock build -- make` needs no address.
 */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../core/errors.ts';

/** The group of commands that name none. */
export const DEFAULT_GROUP = 'latchkey';

const ENDING = '.sock';

const uid = (): number => process.getuid?.() ?? 0;

/** The folder of the folders of all groups. */
function base(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  return runtime ? join(runtime, 'latchkey') : join(tmpdir(), `latchkey-${uid()}`);
}

/** The folder of the sockets of a group, whether or not the group runs. */
export function socketFolder(group?: string): string {
  const name = group ?? (process.env['LATCHKEY_GROUP'] || DEFAULT_GROUP);
  checkName('a group', name);
  return join(base(), name);
}

/** The socket on which a member serves the clients of its machine, unless it is told otherwise. */
export function socketOf(group: string, member: string): string {
  checkName('a member', member);
  return join(socketFolder(group), `${member}${ENDING}`);
}

/**
 * Makes a folder for sockets, for this user alone. A folder by default must belong to this user: in a temporary
 * directory another user may have made it before, to listen in the daemon's place. A folder that the user chose
 * stays as it is.
 */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeign(folder);
}

/** The same check, for clients that look for sockets there. */
export function refuseForeign(folder: string): void {
  if (dirname(folder) !== base()) return;
  for (const path of [base(), folder]) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return;
    const isOurs = found.isDirectory() && found.uid === uid();
    if (isOurs && (found.mode & 0o022) === 0) continue;
    throw new UsageError(
      `others may write to ${path}, and so listen in a daemon's place: remove it, or set XDG_RUNTIME_DIR`,
    );
  }
}

/** The sockets to try, in order: `where` itself, or all sockets in it by name if it is a folder. */
export function socketsAt(where: string): string[] {
  try {
    if (!statSync(where).isDirectory()) return [where];
    const names = readdirSync(where).filter((name) => name.endsWith(ENDING));
    return names.sort().map((name) => join(where, name));
  } catch {
    return [];
  }
}

export function checkName(what: string, name: string): void {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(name)) {
    throw new UsageError(
      `the name of ${what} has the characters a-z, A-Z, 0-9, ".", "_" and "-", and begins with one of the first three kinds, got "${name}"`,
    );
  }
}
