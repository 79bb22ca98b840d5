/** `latchkey lab`: serves the built lab to this machine, and nothing else. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

async function start(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['bin/latchkey.js', 'lab', '--port', '0']);
  running.push(child);
  const url = await new Promise<string>((resolve) => {
    let text = '';
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      const found = /http:\S+/.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return { child, url };
}

test('the page comes with a policy that lets it run its own scripts and workers alone', async () => {
  const { url } = await start();
  const page = await fetch(url);
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  const html = await page.text();
  const scripts = [...html.matchAll(/src="\.\/([^"]+)"/g)].map(([, path]) => path!);
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of scripts) {
    const script = await fetch(new URL(path, url));
    expect([script.status, script.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    // Code of a reader runs in a worker that has no network.
    const own = await fetch(new URL(`${path}?own`, url));
    expect(own.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self' blob:",
    );
  }
});

test('nothing outside its folder is served', async () => {
  const { url } = await start();
  for (const path of [
    '../package.json',
    '%2e%2e/cli/main.js',
    'assets',
    'nothing.js',
    'index.html%00.js',
  ]) {
    expect((await fetch(`${url}${path}`)).status, path).toBe(404);
  }
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test('Ctrl-C ends it, and a port that is taken is refused in one line', async () => {
  const { child, url } = await start();
  const { port } = new URL(url);
  const second = spawnSync(process.execPath, ['bin/latchkey.js', 'lab', '--port', port], {
    encoding: 'utf8',
  });
  expect(second).toMatchObject({
    status: 2,
    stderr: `latchkey: port ${port} is taken by another program: name another, or leave --port out\n`,
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

/** As the system refuses a port below 1024 to a user without rights. */
const NOT_ALLOWED = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  Server.prototype.listen = function () {
    process.nextTick(() => this.emit('error', Object.assign(new Error('no'), { code: 'EACCES' })));
    return this;
  };
`)}`;

test('a port that this user may not have is refused in one line', () => {
  const args = ['--import', NOT_ALLOWED, 'bin/latchkey.js', 'lab', '--port', '80'];
  expect(spawnSync(process.execPath, args, { encoding: 'utf8' })).toMatchObject({
    status: 2,
    stderr:
      'latchkey: cannot listen at 127.0.0.1:80: not allowed (EACCES); use a port above 1023, or a directory that exists and is yours\n',
  });
});

test('the package has it', () => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/lab/index.html');
  expect(paths.filter((path) => /^dist\/lab\/assets\/worker-.*\.js$/.test(path))).toHaveLength(1);
});

test('a page of a member that is none is refused in one line', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['bin/latchkey.js', 'lab', '--port', '0', '--live', 'here'],
    { encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([
    2,
    'latchkey: --live takes the page of a member, as in http://127.0.0.1:7180/, got "here"\n',
  ]);
});
