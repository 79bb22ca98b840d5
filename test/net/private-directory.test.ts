/** The shortcut is for the processes of one user: its sockets are in a directory that no other user can reach. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memberDirectory } from '../../src/net/private-directory.ts';
import { TcpWithShortcut } from '../../src/net/shortcut.ts';
import { tcp } from '../../src/net/tcp.ts';
import { ListenError } from '../../src/net/transport.ts';
import { freePorts } from '../support/members.ts';
import { shortcutPath } from '../support/net-shortcut.ts';
import { until } from '../support/net-until.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const canBeNobody = isRoot && has('setpriv');
const canUnshare = isRoot && spawnSync('unshare', ['-n', 'ip', 'link']).status === 0;
const quiet = { opened() {}, data() {}, drained() {}, closed() {} };

let parent: string;
let directory: string;
let warnings: string[];
let transport: TcpWithShortcut;
const children = new Set<ChildProcess>();

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'latchkey-'));
  directory = join(parent, 'members');
  warnings = [];
  transport = new TcpWithShortcut({ directory, warn: (message) => warnings.push(message) });
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  vi.unstubAllEnvs();
  rmSync(parent, { recursive: true });
});

/** Listens at the address and dials it. Returns what the listener sees of the dialer: `unix` over the shortcut. */
async function wayTo(listen = '127.0.0.1:0'): Promise<string> {
  const remotes: string[] = [];
  const listener = await transport.listen(listen, {
    accept(remote) {
      remotes.push(remote);
      return { established: () => quiet, failed: () => expect.fail(), closed() {} };
    },
  });
  let isOpen = false;
  const opened = () => {
    isOpen = true;
  };
  const connection = transport.dial(listener.address, { ...quiet, opened });
  await until(() => isOpen && remotes.length > 0);
  connection.destroy();
  await listener.close();
  return remotes.join();
}

/** Dials an address at which no member of this machine listens. Returns what came of it. */
function outcomeOf(address: string): Promise<string> {
  return new Promise((resolve) => {
    const connection = transport.dial(address, {
      ...quiet,
      opened: () => {
        connection.destroy();
        resolve('opened');
      },
      closed: (error) => resolve((error as NodeJS.ErrnoException | undefined)?.code ?? 'closed'),
    });
  });
}

/** A process that prints lines. Resolves with the first one. */
function firstLineOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  return new Promise((resolve) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('exit', () => resolve(`ended after: ${text}`));
  });
}

describe.runIf(process.platform === 'linux')('the directory of the shortcut', () => {
  test('is made for this user alone, and is empty when nothing listens', async () => {
    const mask = process.umask(0);
    expect(await wayTo()).toBe('unix');
    process.umask(mask);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('is the same for all processes of a user', () => {
    vi.stubEnv('XDG_RUNTIME_DIR', parent);
    expect(memberDirectory()).toBe(join(parent, 'latchkey-members'));
    vi.stubEnv('XDG_RUNTIME_DIR', undefined);
    expect(memberDirectory()).toBe(join(tmpdir(), `latchkey-members-${process.geteuid!()}`));
  });

  test.each<[string, () => void, RegExp]>([
    ['is open to others', () => mkdirSync(directory, { mode: 0o755 }), /has the rights 755/],
    ['is a file', () => writeFileSync(directory, ''), /members is no directory/],
    ['is a symbolic link', linkToDirectory, /members is no directory/],
    ['may be renamed by others', () => chmodSync(parent, 0o777), /may rename what is in/],
  ])('is not used if it %s: members use TCP, and say so once', (_, make, reason) => {
    make();
    return expectTcp(reason);
  });

  test.skipIf(!isRoot).each<[string, () => void, RegExp]>([
    ['it belongs', () => chownSync(privateDirectory(), NOBODY, NOBODY), /belongs to another user/],
    ['its parent belongs', () => chownSync(parent, NOBODY, NOBODY), /may rename what is in/],
  ])('is not used if %s to another user (tested as root)', (_, make, reason) => {
    make();
    return expectTcp(reason);
  });

  async function expectTcp(reason: RegExp): Promise<void> {
    expect(await wayTo()).toBe('127.0.0.1');
    expect(await wayTo()).toBe('127.0.0.1');
    expect(warnings).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).toContain('set XDG_RUNTIME_DIR to a directory of this user');
  }

  function privateDirectory(): string {
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  }

  function linkToDirectory(): void {
    mkdirSync(join(parent, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(parent, 'elsewhere'), directory);
  }

  test('is not used if a path in it would be longer than the kernel allows', async () => {
    // The longest name in it has 32 bytes.
    const longest = join(parent, 'x'.repeat(107 - '//'.length - 32 - parent.length));
    transport = at(longest);
    expect(await wayTo()).toBe('unix');
    transport = at(`${longest}x`);
    await expectTcp(/too long/);
  });

  test('is not used if it cannot be made', async () => {
    transport = at(join(parent, 'missing', 'members'));
    await expectTcp(/cannot be used \(ENOENT\)/);
  });

  const at = (path: string) =>
    new TcpWithShortcut({ directory: path, warn: (message) => warnings.push(message) });
});

/** Leaves a socket file behind, as a process that is killed does. */
function leaveBehind(path: string, ageSeconds = 0): void {
  const leave = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', leave]);
  expect(existsSync(path)).toBe(true);
  makeOlder(path, ageSeconds);
}

function makeOlder(path: string, ageSeconds: number): void {
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(path, then, then);
}

describe.runIf(process.platform === 'linux')('the socket that a killed member left behind', () => {
  beforeEach(() => mkdirSync(directory, { mode: 0o700 }));

  test('is replaced when the member starts again', async () => {
    const [port] = await freePorts(1);
    leaveBehind(shortcutPath(directory, `127.0.0.1:${port}`));
    expect(await wayTo(`127.0.0.1:${port}`)).toBe('unix');
  });

  test('leads a dialing member to TCP', async () => {
    const port = await tcp.listen('127.0.0.1:0', {
      accept: () => ({ established: () => quiet, failed() {}, closed() {} }),
    });
    leaveBehind(shortcutPath(directory, port.address));
    expect(await outcomeOf(port.address)).toBe('opened');
    await port.close();
    expect(await outcomeOf(port.address)).toBe('ECONNREFUSED');
  });

  test('is removed after a minute, when another member starts', async () => {
    const live = join(directory, 'live');
    const server = createServer((socket) => socket.destroy()).listen(live);
    makeOlder(live, 120);
    const ids = ['4026531840-127.0.0.1:7101', '0123456789abcdef'.repeat(2)];
    for (const id of ids) leaveBehind(join(directory, id), 120);
    leaveBehind(join(directory, 'young'));
    const listener = await transport.listen('127.0.0.1:0', {
      accept: () => ({ established: () => quiet, failed() {}, closed() {} }),
    });
    await until(() => ids.every((id) => !existsSync(join(directory, id))));
    await listener.close();
    expect(readdirSync(directory).sort()).toEqual(['live', 'young']);
    await new Promise((resolve) => server.close(resolve));
  });
});

/** Keeps the threads busy by which Node looks up the names of hosts, for a moment. */
function occupyThreads(): void {
  for (let i = 0; i < 8; i++) pbkdf2('', '', 100_000, 32, 'sha256', () => {});
}

describe.runIf(process.platform === 'linux')('beside a port', () => {
  test('a process that cannot have the port never answers', async () => {
    const port = await tcp.listen('localhost:0', {
      accept: () => ({ established: () => quiet, failed() {}, closed() {} }),
    });
    let accepted = 0;
    occupyThreads();
    const second = transport.listen(port.address, {
      accept: (_, cut) => {
        accepted++;
        cut();
        return { established: () => quiet, failed() {}, closed() {} };
      },
    });
    // The socket exists already. The port is asked for when the name of the host is known, for which a thread is needed.
    const events: string[] = [];
    const socket = connect({ path: shortcutPath(directory, port.address) }).resume();
    socket.on('error', () => events.push('error'));
    socket.once('connect', () => events.push('connected'));
    const isClosed = new Promise((resolve) => socket.once('close', resolve));
    await expect(second).rejects.toThrow(ListenError);
    await isClosed;
    expect(events).toEqual(['connected']);
    expect(accepted).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
    await port.close();
  });

  test('a thread of a process can listen and dial', async () => {
    const shortcut = new URL('../../dist/net/shortcut.js', import.meta.url).href;
    const inThread = `
      const { parentPort, workerData: { shortcut, directory } } = require('node:worker_threads');
      import(shortcut).then(async ({ TcpWithShortcut }) => {
        const transport = new TcpWithShortcut({ directory });
        const quiet = { opened() {}, data() {}, drained() {}, closed() {} };
        const listener = await transport.listen('127.0.0.1:0', {
          accept: (remote) => ({
            established: () => { parentPort.postMessage(remote); return quiet; },
            failed() {},
            closed() {},
          }),
        });
        transport.dial(listener.address, quiet);
      });`;
    const worker = new Worker(inThread, { eval: true, workerData: { shortcut, directory } });
    const remote = await new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    await worker.terminate();
    expect(remote).toBe('unix');
  });
});

describe.runIf(process.platform === 'linux')('another user of the machine', () => {
  /** Runs a script as the user `nobody`, who may enter the parent of the directory. */
  function asNobody(script: string): Promise<string> {
    const identity = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];
    return firstLineOf('setpriv', [...identity, process.execPath, '-e', script]);
  }
  beforeEach(() => chmodSync(parent, 0o755));

  test.skipIf(!canBeNobody)(
    'can neither dial a member beside its port nor listen in its place (tested as root, with setpriv)',
    async () => {
      const listener = await transport.listen('127.0.0.1:0', {
        accept: (remote) => expect.fail(`was dialed by ${remote}`),
      });
      const path = JSON.stringify(shortcutPath(directory, listener.address));
      const tell = `(e) => console.log(e.code)`;
      const dials = `require('net').connect({ path: ${path} }, () => console.log('connected')).on('error', ${tell})`;
      expect(await asNobody(dials)).toBe('EACCES');
      await listener.close();
      const listens = `require('net').createServer().listen({ path: ${path} }, () => console.log('listens')).on('error', ${tell})`;
      expect(await asNobody(listens)).toBe('EACCES');
    },
  );

  test.skipIf(!canBeNobody)(
    'keeps no member from starting, and is taken for no peer, whatever it listens at (tested as root, with setpriv)',
    async () => {
      const [port] = await freePorts(1);
      const address = `127.0.0.1:${port}`;
      // Any user may listen under an abstract name.
      const squats = `require('net').createServer((s) => s.destroy()).listen({ path: '\\0latchkey ${address}' }, () => console.log('listens'))`;
      expect(await asNobody(squats)).toBe('listens');
      expect(await outcomeOf(address)).toBe('ECONNREFUSED');
      expect(await wayTo(address)).toBe('unix');
    },
  );
});

describe.runIf(process.platform === 'linux')('a member in another network namespace', () => {
  test.skipIf(!canUnshare)(
    'that shares the directory and has the same address is not reached (tested as root, with unshare)',
    async () => {
      const [port] = await freePorts(1);
      const address = `127.0.0.1:${port}`;
      const module = new URL('../../dist/net/shortcut.js', import.meta.url).href;
      const listens = `import('${module}').then(async ({ TcpWithShortcut }) => {
        const accept = () => ({ established: () => ({ opened() {}, data() {}, drained() {}, closed() {} }), failed() {}, closed() {} });
        const transport = new TcpWithShortcut({ directory: '${directory}' });
        await transport.listen('${address}', { accept });
        console.log('listens');
      })`;
      const inNamespace = ['-n', 'sh', '-c', 'ip link set lo up && exec "$0" -e "$1"'];
      const line = firstLineOf('unshare', [...inNamespace, process.execPath, listens]);
      expect(await line).toBe('listens');
      expect(readdirSync(directory)).toHaveLength(1);
      expect(await outcomeOf(address)).toBe('ECONNREFUSED');
      expect(await wayTo(address)).toBe('unix');
      expect(readdirSync(directory)).toHaveLength(1);
    },
  );
});
