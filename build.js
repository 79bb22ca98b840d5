/**
 * Builds `dist`: the package with tsc and, at the same time, the lab with Vite. Neither checks types: `npm run types` does,
 * and so does `npm test`. To check them here too would make a build half as long again.
 *
 *     node build.js [--if-changed]
 *
 * `--if-changed` builds only if a source is newer than the last build. So `npm start` after `npm ci`, which has built, starts
 * at once.
 */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** All that a build reads. */
const SOURCES = [
  'src',
  'lab',
  'docs/figures',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** Written when all is built. */
const LAST = 'dist/.built';

const root = import.meta.dirname;

/** When the newest of these files was written. A directory counts too: its time tells that a file was removed. */
function newest(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function isCurrent() {
  const last = statSync(join(root, LAST), { throwIfNoEntry: false });
  return last !== undefined && SOURCES.every((source) => newest(join(root, source)) < last.mtimeMs);
}

/** Resolves with the exit code. */
function run(command) {
  const child = spawn(command, { cwd: root, stdio: 'inherit', shell: true });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

if (!process.argv.includes('--if-changed') || !isCurrent()) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const codes = await Promise.all([
    run('node_modules/.bin/tsc -p tsconfig.build.json --noCheck'),
    run('node_modules/.bin/vite build -c lab/vite.config.ts'),
  ]);
  process.exitCode = Math.max(...codes);
  if (process.exitCode === 0) writeFileSync(join(root, LAST), '');
}
