/** Files that the program opens and writes: those that the user names, and no others. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { WholeFile } from '../../src/cli/trace-file.ts';
import { textOf } from '../../src/cli/values.ts';

const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = (name: string): string => join(folder, name);
const latchkey = (...args: string[]) =>
  spawnSync('node', ['bin/latchkey.js', ...args], { encoding: 'utf8' });

test('a trace that names a file is refused, unless the user lets it open files', () => {
  const trace = path('trace.jsonl');
  writeFileSync(path('tree'), '0 1\n1 2\n');
  const topology = `file:${path('tree')}`;
  const flags = ['--entries', '3', '--seed', '1', '--nodes', '3', '--topology', topology];
  expect(latchkey('simulate', 'raymond', ...flags, '--trace', trace).status).toBe(0);
  const refused = latchkey('replay', trace);
  expect([refused.status, refused.stderr]).toEqual([
    2,
    `latchkey: the trace names a topology in the file "${path('tree')}": give --open-files to open it\n`,
  ]);
  expect(latchkey('replay', trace, '--open-files').status).toBe(0);
  const converted = latchkey('convert', trace, '--format', 'itf');
  expect(converted.stderr).toContain('give --open-files to open it');
  expect(latchkey('convert', trace, '--format', 'itf', '--open-files').stderr).toBe('');
});

test('a file that is too large is refused before it is read', () => {
  writeFileSync(path('large'), '');
  truncateSync(path('large'), 300_000_000);
  expect(() => textOf('replay', path('large'))).toThrow(
    'it has 300000000 bytes, and at most 268435456 bytes can be read',
  );
});

test('what is written never goes through a symbolic link that another user has put there', () => {
  writeFileSync(path('precious'), 'precious');
  symlinkSync(path('precious'), path('out.partial'));
  const file = new WholeFile(path('out'), '--out');
  file.write('new');
  file.finish();
  expect(readFileSync(path('precious'), 'utf8')).toBe('precious');
  expect(readFileSync(path('out'), 'utf8')).toBe('new');
  expect(lstatSync(path('out')).isSymbolicLink()).toBe(false);
  expect(existsSync(path('out.partial'))).toBe(false);
});
