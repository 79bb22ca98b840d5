/**
 * Where daemons and their clients meet on one machine: a socket per member, in a folder per group, under
 * the runtime directory of the user. So `latchkey lock build -- make` needs no address at all.
 */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../core/errors.ts';

/** The group that commands mean when none is named. */
export const DEFAULT_GROUP = 'latchkey';
/** What the kernels of Linux and macOS allow at least, in bytes. */
const LONGEST_PATH = 103;

const ENDING = '.sock';

const uid = (): number => process.getuid?.() ?? 0;

/** Under which the folders of all groups are. */
function base(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'];
  return runtime ? join(runtime, 'latchkey') : join(tmpdir(), `latchkey-${uid()}`);
}

/** Where the sockets of a group are, whether or not it runs. */
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
 * Makes a folder for sockets, for this user alone. One that we choose ourselves must be ours: in a temporary
 * directory anyone may have made it before us, to listen in our place. One that the user chose is the user's.
 */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeign(folder);
}

/** The same, for those who only look for sockets there. */
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

/** The sockets to try, in order: `where` itself, or if it is a folder all in it by name. */
export function socketsAt(where: string): string[] {
  try {
    if (!statSync(where).isDirectory()) return [where];
    const names = readdirSync(where).filter((name) => name.endsWith(ENDING));
    return names.sort().map((name) => join(where, name));
  } catch {
    return [];
  }
}

/** The kernel cuts longer paths off, and then two daemons would share one socket. */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_PATH) {
    throw new UsageError(
      `the socket path "${path}" has ${bytes} bytes, and at most ${LONGEST_PATH} work: take a shorter one`,
    );
  }
  return path;
}

export function checkName(what: string, name: string): void {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u.test(name)) {
    throw new UsageError(
      `the name of ${what} is letters, digits, ".", "_" and "-", beginning with a letter or digit, got "${name}"`,
    );
  }
}
