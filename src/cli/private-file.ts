/** Files that this program writes beside others' files. */
import { constants, openSync, rmSync } from 'node:fs';

/**
 * Opens a new file for writing, in the place of an old one of that name. It never follows a symbolic link and never
 * opens a file that another process puts there meanwhile.
 */
export function openNew(path: string, mode: number): number {
  rmSync(path, { force: true });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return openSync(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode);
}
