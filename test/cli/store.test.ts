/** `latchkey node --engine` and `latchkey up --engine`, with a real Postgres server. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { killTheRest, latchkey, until } from '../support/program.ts';
import { missing, type Server, startPostgres } from '../support/servers.ts';

const why = missing('postgres');
const folder = mkdtempSync(join(tmpdir(), 'latchkey-store-'));
afterEach(killTheRest);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let groups = 0;

describe('an engine that cannot be', () => {
  const listen = ['--listen', 'localhost:0'];
  test.each([
    [
      ['--engine', 'mysql://x'],
      'an engine is postgres://HOST/DATABASE, etcd://HOST:PORT or nats://HOST:PORT, got "mysql://x"',
    ],
    [['--engine', 'postgres:'], 'an engine is postgres://'],
    [
      ['--engine', 'etcd://nowhere'],
      'expected an address such as etcd://10.0.0.1:2379, got "etcd://nowhere"',
    ],
    [
      ['--engine', 'nats://h:1?x=1'],
      'nats takes bucket, replicas, syncAlways, allowUnsafe, ca, cert, key after "?", got "x"',
    ],
    [['--engine', 'nats://h:1?replicas=9'], 'replicas takes a number from 1 to 5, got "9"'],
    [['--engine', 'etcd://h:1?protocol=x'], 'protocol takes grpc or json, got "x"'],
    [['--engine', 'postgres://h/d?table=A;'], '`table` to be a name in lower case'],
    [['--engine', 'postgres://h/d', '--peer', 'b=localhost:1'], 'leave peers out'],
    [
      ['--self', 'a', '--lease-ms', '1000'],
      'leaseMs is for a group with engine, got 1000: leave it out',
    ],
    [['--self', 'a', '--advertise', 'h:1'], 'advertise is for a group with engine, got h:1'],
    [
      ['--engine', 'postgres://h/d', '--lease-ms', '5'],
      '--lease-ms takes a whole number, from 500 to 3600000, got "5"',
    ],
    [
      ['--engine', 'postgres://me:hidden@127.0.0.1:1/d', '--socket', 'off'],
      'postgres cannot be used: connect ECONNREFUSED 127.0.0.1:1: check --engine',
    ],
    [
      ['--engine', 'etcd://me:hidden@127.0.0.1:1', '--socket', 'off'],
      'etcd cannot be used: connect ECONNREFUSED 127.0.0.1:1: check --engine',
    ],
    [
      ['--engine', 'nats://me:hidden@127.0.0.1:1', '--socket', 'off'],
      'nats cannot be used: connect ECONNREFUSED 127.0.0.1:1: check --engine',
    ],
  ])('%j is refused with the value, the rule and the way out', async (flags, message) => {
    const { code, stderr } = await latchkey(['node', ...listen, ...flags]).end;
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hidden');
    expect(code).toBe(2);
  });

  describe('at an address where another program listens', () => {
    const sockets = new Set<Socket>();
    let says = '';
    const front = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      if (says !== '') socket.write(says);
    });
    beforeAll(() => new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve)));
    afterAll(() => {
      for (const socket of sockets) socket.destroy();
      front.close();
    });
    const at = () => `127.0.0.1:${(front.address() as AddressInfo).port}`;
    const node = (engine: string) => latchkey(['node', ...listen, '--engine', engine]);

    test('is refused, and the process ends', async () => {
      says = 'hello\r\n';
      const { code, stderr } = await node(`nats://${at()}`).end;
      expect([code, stderr]).toEqual([2, expect.stringContaining('is no server of NATS')]);
    });

    test.each(['postgres', 'etcd', 'nats'])(
      '%s that does not answer is waited for until the process is told to end',
      async (scheme) => {
        says = '';
        sockets.clear();
        const run = node(`${scheme}://${at()}`);
        await until(() => sockets.size > 0);
        run.child.kill('SIGTERM');
        expect((await run.end).code).toBe(0);
      },
    );
  });

  test('is refused by `latchkey up` as well', async () => {
    const { code, stderr } = await latchkey(['up', '--engine', 'redis://x']).end;
    expect([code, stderr]).toEqual([2, expect.stringContaining('an engine is postgres://')]);
    const away = await latchkey(['up', '--group', 'away', '--engine', 'etcd://127.0.0.1:1'], {
      XDG_RUNTIME_DIR: folder,
    }).end;
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining('etcd cannot be used')]);
    const lease = await latchkey(['up', '--lease-ms', '1000']).end;
    expect([lease.code, lease.stderr]).toEqual([
      2,
      expect.stringContaining('--lease-ms is for --engine'),
    ]);
  });
});

describe.skipIf(why !== null)(`a group on Postgres${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);
  afterAll(() => server?.stop());

  test('of daemons that know nothing but the URL goes on when one is killed', async () => {
    const group = ['--group', `cli${++groups}`];
    const socket = (name: string) => join(folder, `${groups}-${name}.sock`);
    const start = async (name: string, ...more: string[]) => {
      const store = ['--engine', server.url, '--lease-ms', '1500'];
      const run = latchkey([
        'node',
        ...group,
        ...store,
        '--listen',
        '127.0.0.1:0',
        '--socket',
        socket(name),
        ...more,
      ]);
      await run.says(/is up/);
      return run;
    };
    const a = await start('a');
    await start('b', '--self', 'b');
    const members = async () => {
      const { stdout } = await latchkey(['status', '--json', '--socket', socket('b')]).end;
      return JSON.parse(stdout).view?.members.length as number | undefined;
    };
    await until(async () => (await members()) === 2);
    const holder = latchkey([
      'lock',
      '--socket',
      socket('a'),
      'x',
      '--',
      'sh',
      '-c',
      'echo "$LATCHKEY_FENCE"; sleep 60',
    ]);
    const [, before] = await holder.says(/(\d+)\n/);
    a.child.kill('SIGKILL');
    const next = await latchkey([
      'lock',
      '--socket',
      socket('b'),
      'x',
      '--',
      'sh',
      '-c',
      'echo "$LATCHKEY_FENCE"',
    ]).end;
    expect(next.code).toBe(0);
    expect(BigInt(next.stdout)).toBeGreaterThan(BigInt(before!));
    expect((await holder.end).code).toBe(75);
    await until(async () => (await members()) === 1);
  }, 60_000);

  test('needs nothing but the URL: names, ports and sockets are found', async () => {
    const env = { XDG_RUNTIME_DIR: folder };
    const flags = ['--group', `cli${++groups}`];
    const node = () => latchkey(['node', '--engine', server.url, ...flags], env);
    const both = [node(), node()];
    await Promise.all(both.map((run) => run.says(/is up, for members on this machine only/)));
    const { stdout } = await latchkey(['lock', ...flags, 'x', '--', 'echo', 'inside'], env).end;
    expect(stdout).toBe('inside\n');
    await until(async () => {
      const { stdout: status } = await latchkey(['status', '--json', ...flags], env).end;
      return JSON.parse(status).view?.members.length === 2;
    });
    for (const { child } of both) child.kill('SIGTERM');
    expect((await Promise.all(both.map(({ end }) => end))).map(({ code }) => code)).toEqual([0, 0]);
  }, 60_000);

  /** A client of `a` holds a lock, and `a` is stopped. What the next holder, a client of `b`, sees of its command. */
  async function stoppedDaemon(env: { readonly [name: string]: string } = {}) {
    const group = ['--group', `cli${++groups}`];
    const socket = (name: string) => join(folder, `${groups}-${name}.sock`);
    const start = async (self: string) => {
      const store = ['--engine', server.url, '--lease-ms', '3000', '--listen', '127.0.0.1:0'];
      const run = latchkey(['node', ...group, ...store, '--self', self, '--socket', socket(self)]);
      await run.says(/is up/);
      return run;
    };
    const [a] = await Promise.all([start('a'), start('b')]);
    // It ignores SIGTERM: it must be killed, and in time.
    const stubborn = 'trap "" TERM; echo "pid $$"; while :; do sleep 0.1; done';
    const lock = ['lock', '--socket', socket('a'), 'x', '--', 'sh', '-c', stubborn];
    const holder = latchkey(lock, env);
    const [, pid] = await holder.says(/pid (\d+)\n/);
    a.child.kill('SIGSTOP');
    const look = `kill -0 ${pid} 2>/dev/null && echo alive || echo dead`;
    const next = await latchkey(['lock', '--socket', socket('b'), 'x', '--', 'sh', '-c', look]).end;
    const { code, stderr } = await holder.end;
    a.child.kill('SIGCONT');
    return { command: next.stdout, code, stderr };
  }

  test('stops the command of a stopped daemon before the lock is granted to another client', async () => {
    expect(await stoppedDaemon()).toEqual({
      command: 'dead\n',
      code: 75,
      stderr: expect.stringContaining('a is no member for now'),
    });
  }, 60_000);

  test('stops that command in time, however long another program takes to start', async () => {
    const slow = join(folder, 'slow');
    mkdirSync(slow);
    writeFileSync(join(slow, 'ps'), '#!/bin/sh\nsleep 2\nexec /bin/ps "$@"\n', { mode: 0o755 });
    const seen = await stoppedDaemon({ PATH: `${slow}:${process.env['PATH']}` });
    expect(seen).toMatchObject({ command: 'dead\n', code: 75 });
  }, 60_000);

  test('says how long the first view in a store takes', async () => {
    const socket = join(folder, 'first.sock');
    const store = ['--engine', server.url, '--lease-ms', '60000', '--group', `cli${++groups}`];
    await latchkey(['node', ...store, '--listen', '127.0.0.1:0', '--socket', socket]).says(/is up/);
    const { code, stdout } = await latchkey(['status', '--socket', socket]).end;
    expect(stdout).toMatch(/no view yet; the first view in this store in \d\d\.\d s/);
    expect(code).toBe(1);
  }, 60_000);

  test('is read from a file', async () => {
    const path = join(folder, 'node.yaml');
    const socket = join(folder, 'file.sock');
    writeFileSync(
      path,
      `engine: ${server.url}\nleaseMs: 1500\nlisten: 127.0.0.1:0\ngroup: cli${++groups}\nsocket: ${socket}\n`,
    );
    await latchkey(['node', '--config', path]).says(/is up/);
    const { stdout } = await latchkey(['lock', '--socket', socket, 'x', '--', 'echo', 'inside'])
      .end;
    expect(stdout).toBe('inside\n');
  }, 60_000);

  test('is started by `latchkey up`', async () => {
    const group = `cli${++groups}`;
    const env = { XDG_RUNTIME_DIR: folder };
    const up = latchkey(
      ['up', '--group', group, '--port', '0', '--engine', server.url, '--lease-ms', '1500'],
      env,
    );
    await up.says(/3 members/);
    const run = await latchkey(['lock', '--group', group, 'x', '--', 'echo', 'inside'], env).end;
    expect(run).toMatchObject({ code: 0, stdout: 'inside\n' });
    await until(async () => {
      const { stdout } = await latchkey(['status', '--group', group], env).end;
      return (
        stdout.includes('3 in one view') && /engine postgres, lease \d\.\d s left/.test(stdout)
      );
    });
    up.child.kill('SIGTERM');
    expect((await up.end).code).toBe(0);
  }, 60_000);
});
