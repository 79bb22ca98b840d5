/** When `npm start` builds. The compilers are replaced: what is tested is whether they are called. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const FILES = [
  ...['src/group/node.ts', 'src/group/old.ts', 'lab/main.tsx', 'docs/figures/rows.json'],
  ...['package.json', 'tsconfig.json', 'tsconfig.build.json'],
];
const HOUR_S = 3600;
let project: string;

/** So many seconds ago. */
function setTime(path: string, secondsAgo: number): void {
  const time = Date.now() / 1000 - secondsAgo;
  utimesSync(join(project, path), time, time);
}

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'latchkey-build-'));
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text, { mode });
  };
  copyFileSync('build.js', join(project, 'build.js'));
  for (const file of FILES) write(file, file === 'package.json' ? '{ "type": "module" }' : '');
  write('node_modules/.bin/tsc', '#!/bin/sh\nmkdir -p dist && touch called\n', 0o755);
  write('node_modules/.bin/vite', '#!/bin/sh\nmkdir -p dist/lab\n', 0o755);
  for (const path of [...FILES, 'src/group', 'src', 'lab', 'docs/figures']) setTime(path, HOUR_S);
});

afterEach(() => rmSync(project, { recursive: true }));

/** Whether a build was made. */
function builds(...flags: string[]): boolean {
  rmSync(join(project, 'called'), { force: true });
  const { status, stderr } = spawnSync('node', ['build.js', ...flags], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return existsSync(join(project, 'called'));
}

test('--if-changed builds if nothing was built yet, and only once', () => {
  expect(builds('--if-changed')).toBe(true);
  expect(builds('--if-changed')).toBe(false);
  expect(builds()).toBe(true);
});

test.each(FILES)('--if-changed builds if %s is newer than the last build', (file) => {
  builds();
  setTime(file, -1);
  expect(builds('--if-changed')).toBe(true);
});

test('--if-changed builds if a source was removed', () => {
  builds();
  setTime('dist/.built', 60);
  expect(builds('--if-changed')).toBe(false);
  rmSync(join(project, 'src/group/old.ts'));
  expect(builds('--if-changed')).toBe(true);
});

test.each(['tsc', 'vite'])(
  'if %s fails, the build ends with its exit code and is made again',
  (name) => {
    const compiler = join(project, 'node_modules/.bin', name);
    const works = readFileSync(compiler);
    writeFileSync(compiler, '#!/bin/sh\nexit 2\n');
    const { status } = spawnSync('node', ['build.js'], { cwd: project });
    expect(status).toBe(2);
    writeFileSync(compiler, works);
    expect(builds('--if-changed')).toBe(true);
    expect(builds('--if-changed')).toBe(false);
  },
);
