/** Where the shortcut is: tests that listen there or dial it themselves need its name. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A directory of the shortcut for the tests of one file. */
export function shortcutDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'latchkey-'));
  afterAll(() => rmSync(parent, { recursive: true }));
  const directory = join(parent, 'members');
  mkdirSync(directory, { mode: 0o700 });
  return directory;
}

/** The socket beside the port of this address, in this network namespace. */
export const shortcutPath = (directory: string, address: string): string =>
  join(directory, `${statSync('/proc/self/ns/net').ino}-${address}`);
