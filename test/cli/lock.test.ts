/** `latchkey lock` as shells meet it: real processes, one daemon. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unfit } from '../../src/cli/lock-program.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { freePorts } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { killTheRest, latchkey, until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
beforeEach(async () => {
  alone = await daemonAlone();
});
afterEach(async () => {
  killTheRest();
  await alone.close();
});

const lock = (args: readonly string[], stdin?: string) =>
  latchkey(['lock', ...args], { LATCHKEY_SOCKET: alone.socket }, stdin);
const shell = (script: string): string[] => ['--', 'sh', '-c', script];
const file = (name: string): string => join(alone.folder, name);
const textOf = (name: string): string => {
  try {
    return readFileSync(file(name), 'utf8');
  } catch {
    return '';
  }
};
const survey = () => alone.group.backend.query();
const isWaitedFor = async (name: string, by = 1): Promise<boolean> =>
  (await survey()).pending.filter((entry) => entry.name === name).length === by;
const isHeld = async (name: string, by = 1): Promise<boolean> =>
  (await survey()).held.filter((entry) => entry.name === name).length === by;
/** A shell that holds the lock until the file `go` is there. */
const holdUntilGo = `while [ ! -e ${'$GO'} ]; do sleep 0.02; done`;
const hold = (name: string, ...flags: string[]) => {
  const script = holdUntilGo.replace('$GO', file('go'));
  return lock([name, ...flags, ...shell(`echo in; ${script}`)]);
};
const go = () => writeFileSync(file('go'), '');

describe('one after the other', () => {
  test('ten at once: strictly in turn, with growing fences', async () => {
    const log = file('log');
    const script = `echo "in $LATCHKEY_LOCK $LATCHKEY_FENCE" >> ${log}; sleep 0.02; echo out >> ${log}`;
    const runs = Array.from({ length: 10 }, () => lock(['build', ...shell(script)]));
    const ends = await Promise.all(runs.map(({ end }) => end));
    expect(ends.map(({ code }) => code)).toEqual(Array(10).fill(0));
    const lines = textOf('log').trim().split('\n');
    expect(lines).toHaveLength(20);
    const fences = lines
      .filter((_, i) => i % 2 === 0)
      .map((line) => {
        expect(line).toMatch(/^in build \d+$/);
        return BigInt(line.split(' ')[2]!);
      });
    expect(lines.filter((_, i) => i % 2 === 1)).toEqual(Array(10).fill('out'));
    for (let i = 1; i < 10; i++) expect(fences[i]).toBeGreaterThan(fences[i - 1]!);
  });

  test('-s runs readers together, and a writer alone', async () => {
    const readers = [hold('data', '-s'), hold('data', '--shared')];
    for (const reader of readers) await reader.says(/in/);
    const writer = lock(['data', '--', 'true']);
    await until(() => isWaitedFor('data'));
    go();
    expect((await writer.end).code).toBe(0);
    for (const { end } of readers) expect((await end).code).toBe(0);
  });

  test('-k lets so many in, and no more', async () => {
    const holders = [hold('gpu', '-k', '2'), hold('gpu', '-k', '2')];
    for (const holder of holders) await holder.says(/in/);
    expect((await lock(['gpu', '-k', '2', '-n', '--', 'true']).end).code).toBe(1);
    go();
    for (const { end } of holders) expect((await end).code).toBe(0);
  });

  test('other locks, and a permit of the same name, are not in the way', async () => {
    const holder = hold('build');
    await holder.says(/in/);
    expect((await lock(['-n', 'test', '--', 'true']).end).code).toBe(0);
    expect((await lock(['-n', '-k', '1', 'build', '--', 'true']).end).code).toBe(0);
    go();
    await holder.end;
  });
});

describe('not obtained', () => {
  test('-n fails at once with 1, -E says otherwise, and the command does not run', async () => {
    const holder = hold('build');
    await holder.says(/in/);
    const { code, stdout, stderr } = await lock(['build', '-n', '--', 'echo', 'ran']).end;
    expect([code, stdout, stderr]).toEqual([1, '', 'latchkey: the lock "build" is busy\n']);
    expect((await lock(['build', '-n', '-E', '99', '--', 'true']).end).code).toBe(99);
    expect((await lock(['build', '-w', '0', '--', 'true']).end).code).toBe(1);
    go();
    expect((await holder.end).code).toBe(0);
  });

  test('-w waits so long and no longer, and leaves nothing behind', async () => {
    const holder = hold('build');
    await holder.says(/in/);
    const { code, stderr } = await lock(['build', '-w', '0.2', '--', 'true']).end;
    expect([code, stderr]).toEqual([1, 'latchkey: the lock "build" was not free within 200 ms\n']);
    expect((await survey()).pending).toEqual([]);
    const patient = lock(['build', '-w', '50', '--', 'true']);
    await until(() => isWaitedFor('build'));
    go();
    expect((await patient.end).code).toBe(0);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s while waiting leaves nothing behind', async (signal, expected) => {
    const holder = hold('build');
    await holder.says(/in/);
    const waiter = lock(['build', '--', 'echo', 'ran']);
    await until(() => isWaitedFor('build'));
    waiter.child.kill(signal);
    const { code, stdout, stderr } = await waiter.end;
    expect([code, stdout, stderr]).toEqual([expected, '', '']);
    expect((await survey()).pending).toEqual([]);
    go();
    await holder.end;
  });

  test('no daemon: 69, and one line that names the socket and what to type', async () => {
    const { code, stderr } = await lock(['build', '--socket', '/nowhere/a.sock', '--', 'true']).end;
    expect(code).toBe(69);
    expect(stderr).toBe(
      'latchkey: no daemon is running: none answers at /nowhere/a.sock: start one with latchkey up\n',
    );
  });
});

describe('the command', () => {
  test('its exit code is ours', async () => {
    expect((await lock(['build', ...shell('exit 42')]).end).code).toBe(42);
  });
  test('128 + signal if it was killed', async () => {
    expect((await lock(['build', ...shell('kill -KILL $$')]).end).code).toBe(137);
  });
  test('127 if there is none, 126 if it cannot be run; and the lock is free again', async () => {
    const none = await lock(['build', '--', 'no-such-command']).end;
    expect([none.code, none.stderr]).toEqual([
      127,
      'latchkey: cannot run "no-such-command": no such command\n',
    ]);
    writeFileSync(file('data'), 'not a program');
    chmodSync(file('data'), 0o644);
    expect((await lock(['build', '--', file('data')]).end).code).toBe(126);
    const folder = await lock(['build', '--', '/']).end;
    expect([folder.code, folder.stderr]).toEqual([
      126,
      'latchkey: cannot run "/": it is not a file\n',
    ]);
    expect((await survey()).held).toEqual([]);
  });
  test('is found behind a folder of PATH that cannot be looked into', () => {
    symlinkSync('loop', file('loop'));
    vi.stubEnv('PATH', `${file('loop')}:${process.env['PATH']}`);
    expect(unfit('sh')).toBeUndefined();
    expect(unfit('no-such-command')).toEqual({ code: 127, why: 'no such command' });
    vi.unstubAllEnvs();
  });
  test('reads our stdin, writes our stdout and stderr, gets its arguments as they are', async () => {
    const { stdout, stderr } = await lock(
      ['build', '--', 'sh', '-c', 'cat; echo "$1" >&2', 'sh', '-n  *'],
      'what we say',
    ).end;
    expect([stdout, stderr]).toEqual(['what we say', '-n  *\n']);
  });
  test('gets our signals, and decides', async () => {
    const script = `trap 'echo caught; exit 7' TERM; echo in; while :; do sleep 0.05; done`;
    const run = lock(['build', ...shell(script)]);
    await run.says(/in/);
    run.child.kill('SIGTERM');
    const { code, stdout } = await run.end;
    expect([code, stdout]).toEqual([7, 'in\ncaught\n']);
  });
  test('what it has started gets them too', async () => {
    const run = lock(['build', ...shell(`sleep 1000 & echo "child $!"; wait`)]);
    const pid = Number((await run.says(/child (\d+)/))[1]);
    run.child.kill('SIGTERM');
    expect((await run.end).code).toBe(143);
    await until(() => !isAlive(pid));
  });
});

/** A zombie is dead: it runs no instruction, and waits only for its parent to read its exit code. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a command that the system refuses to start ends at once, and its lock is free', () => {
  const program = (name: string, text: string | Uint8Array): string => {
    writeFileSync(file(name), text);
    chmodSync(file(name), 0o755);
    return file(name);
  };
  /** Each script asks for the next: the system gives up with ELOOP, although no file has a flaw. */
  const chain = (name: string): string => {
    for (let i = 0; i < 8; i++) program(`chain-${i}`, `#!${file(`chain-${i + 1}`)}\n`);
    program('chain-8', '#!/bin/true\n');
    return program(name, `#!${file('chain-0')}\n`);
  };
  const loop = (name: string): string => {
    symlinkSync(basename(name), file(name));
    return file(name);
  };
  const withPath = (path: string, ...args: string[]) =>
    latchkey(['lock', 'build', ...args], { LATCHKEY_SOCKET: alone.socket, PATH: path });
  const path = process.env['PATH']!;
  /** Processes that this test has started: they know its daemon. */
  const processes = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(alone.socket);
        } catch {
          return false;
        }
      });
  afterEach(async () => {
    expect((await lock(['build', '-n', '--', 'true']).end).code).toBe(0);
    await until(() => processes().length === 0);
  });

  test.each([
    ['a folder of PATH', ''],
    ['the shell of the guard in a folder of PATH', 'sh'],
    ['the command in a folder of PATH', 'true'],
  ])('a loop of links is passed over: %s', async (_, name) => {
    mkdirSync(file('first'));
    loop(join('first', name === '' ? 'loop' : name));
    const first = file(name === '' ? 'first/loop' : 'first');
    symlinkSync('/bin/true', file('true'));
    for (const rest of [path, alone.folder]) {
      const { code, stderr } = await withPath(`${first}:${rest}`, '--', 'true').end;
      expect([code, stderr]).toEqual([0, '']);
    }
  });

  describe.each([
    ['with a guard', () => path],
    ['without a shell for a guard', () => alone.folder],
  ])('%s', (_, pathNow) => {
    const say = async (command: string, ...args: string[]) => {
      const { code, stdout, stderr } = await withPath(pathNow(), '--', command, ...args).end;
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^[^\n]+\n$/);
      return [code, stderr.replace(`latchkey: cannot run "${command}": `, '').trim()];
    };

    test('a loop of links: 126', async () => {
      expect(await say(loop('loop'))).toEqual([126, 'too many symbolic links encountered']);
      expect(await say(join(loop('folder'), 'it'))).toEqual([
        126,
        'too many symbolic links encountered',
      ]);
    });
    test('an interpreter that is not there: 127, and its name', async () => {
      expect(await say(program('it', '#! /no/such/interpreter -x\n'))).toEqual([
        127,
        'its first line asks for "/no/such/interpreter": there is no such file',
      ]);
      expect(await say(program('it', '#!/bin/sh\r\necho ran\r\n'))).toEqual([
        127,
        'its first line ends with a carriage return: save it with the line ends of Unix',
      ]);
    });
    test('an interpreter that cannot be executed: 126, and its name', async () => {
      expect(await say(program('it', '#!/etc/passwd'))).toEqual([
        126,
        'its first line asks for "/etc/passwd": it is not executable',
      ]);
    });
    test('a script without a first line for the system runs in a shell, as under flock', async () => {
      const it = program('it', 'echo "ran $1"; exit 3\n');
      const { code, stdout } = await withPath(pathNow(), '--', it, 'well').end;
      expect([code, stdout]).toEqual([3, 'ran well\n']);
    });
  });

  test('a flaw that only the system sees, without a guard: 126', async () => {
    const { code, stderr } = await withPath(alone.folder, '--', chain('it')).end;
    const words = 'too many symbolic links encountered';
    expect([code, stderr]).toEqual([126, `latchkey: cannot run "${file('it')}": ${words}\n`]);
  });
  test('a binary format that the system does not know, with a guard: 126', async () => {
    const it = program('it', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 0));
    const { code, stderr } = await withPath(path, '--', it).end;
    expect(code).toBe(126);
    expect(stderr).toMatch(/^latchkey: .*\n/);
    expect(stderr).toContain(`${it}: `);
    expect(stderr).not.toContain('defect');
  });
  test('a guard that does not start: 126, and the command does not run', async () => {
    chain('sh');
    const { code, stdout, stderr } = await withPath(`${alone.folder}:${path}`, '--', 'echo', 'ran')
      .end;
    const why = 'its guard does not start: too many symbolic links encountered';
    expect([code, stdout, stderr]).toEqual([126, '', `latchkey: cannot run "echo": ${why}\n`]);
  });

  /** A command that waits for its lock, and what happens to it meanwhile. */
  const meanwhile = async (args: readonly string[], happen: (pid: number) => Promise<void>) => {
    const holder = hold('build');
    await holder.says(/in/);
    const waiter = lock(['build', '--', 'echo', ...args]);
    await until(() => isWaitedFor('build'));
    await happen(waiter.child.pid!);
    go();
    const { code, stdout, stderr } = await waiter.end;
    await holder.end;
    return [code, stdout, stderr];
  };
  const limit = async (pid: number, ...limits: string[]) => {
    execFileSync('prlimit', ['--pid', String(pid), ...limits]);
  };

  test('too many open files: 126, and what to raise', async () => {
    expect(await meanwhile(['ran'], (pid) => limit(pid, '--nofile=8:'))).toEqual([
      126,
      '',
      'latchkey: cannot run "echo": too many open files: raise ulimit -n\n',
    ]);
  });
  test('too many arguments: 126, and what to do', async () => {
    const args = Array(8).fill('x'.repeat(50_000));
    expect(await meanwhile(args, (pid) => limit(pid, '--stack=1048576:'))).toEqual([
      126,
      '',
      'latchkey: cannot run "echo": argument list too long: give it fewer arguments at once, as xargs does\n',
    ]);
  });
  test('a guard that was killed: 126', async () => {
    const killGuard = async (pid: number) => {
      const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      process.kill(Number(children()), 'SIGKILL');
      await until(() => children() === '');
    };
    expect(await meanwhile(['ran'], killGuard)).toEqual([
      126,
      '',
      'latchkey: cannot run "echo": its guard has ended before it: call it again\n',
    ]);
  });
});

describe('killed', () => {
  test('the command, with SIGKILL: the lock is free', async () => {
    const run = lock(['build', ...shell('echo "me $$"; while :; do sleep 0.05; done')]);
    process.kill(Number((await run.says(/me (\d+)/))[1]), 'SIGKILL');
    expect((await run.end).code).toBe(137);
    expect((await lock(['build', '-n', '--', 'true']).end).code).toBe(0);
  });
  test('latchkey itself, with SIGKILL: the command is stopped, and only then the lock is free', async () => {
    const script = `trap 'sleep 0.3; echo gone >> ${file('log')}; exit' TERM; echo "me $$"; while :; do sleep 0.05; done`;
    const run = lock(['build', ...shell(script)]);
    const pid = Number((await run.says(/me (\d+)/))[1]);
    const next = lock(['build', ...shell(`echo next >> ${file('log')}`)]);
    await until(() => isWaitedFor('build'));
    run.child.kill('SIGKILL');
    expect((await next.end).code).toBe(0);
    expect(textOf('log')).toBe('gone\nnext\n');
    expect(isAlive(pid)).toBe(false);
  });
  test('latchkey itself, with SIGKILL: a child of the command that called setsid is dead before the lock is free', async () => {
    const child = `trap '' TERM; echo "child $$"; while :; do echo alive >> ${file('log')}; sleep 0.05; done`;
    const script = `setsid sh -c '${child.replaceAll("'", `'"'"'`)}' & wait`;
    const run = lock(['build', ...shell(script)]);
    const pid = Number((await run.says(/child (\d+)/))[1]);
    const next = lock(['build', ...shell(`echo next >> ${file('log')}`)]);
    await until(() => isWaitedFor('build'));
    run.child.kill('SIGKILL');
    expect((await next.end).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
    expect(textOf('log').trim().split('\n').at(-1)).toBe('next');
  });
  test('one that waits, with SIGKILL: it waits no longer', async () => {
    const holder = hold('build');
    await holder.says(/in/);
    const waiter = lock(['build', '--', 'true']);
    await until(() => isWaitedFor('build'));
    waiter.child.kill('SIGKILL');
    await until(() => isWaitedFor('build', 0));
    expect(await isHeld('build')).toBe(true);
    go();
    await holder.end;
  });
});

describe.skipIf(!opensslIsThere)('with TLS (needs openssl)', () => {
  let remote: Awaited<ReturnType<typeof daemonAlone>>;
  let listen: string;
  let flags: readonly string[];
  beforeEach(async () => {
    const { daemon, client } = certificates({
      daemon: { cn: 'a', dns: 'localhost' },
      client: { cn: 'a client' },
    });
    const [port] = await freePorts(1);
    listen = `localhost:${port}`;
    remote = await daemonAlone({ remote: { listen, tls: daemon } });
    flags = Object.entries(client).flatMap(([name, text]) => {
      writeFileSync(file(name), text as string);
      return [`--${name}`, file(name)];
    });
  });
  afterEach(() => remote.close());
  const lockRemotely = (...args: string[]) =>
    lock(['build', '--socket', listen, ...flags, ...args]);
  const isFree = async () => (await remote.group.backend.query()).held.length === 0;

  test('a command runs under a lock of another machine, under the name in its certificate', async () => {
    const run = lockRemotely(...shell('echo "fence $LATCHKEY_FENCE"; exit 3'));
    await run.says(/fence \d+/);
    expect((await run.end).code).toBe(3);
    await until(isFree);
    expect((await lockRemotely('-n', '--', 'true').end).code).toBe(0);
  });

  test('latchkey itself is killed: the next command starts when the first is dead', async () => {
    const log = file('log');
    const stop = `sleep 0.5; echo gone >> ${log}; exit`;
    const first = lockRemotely(
      ...shell(`trap '${stop}' TERM; echo "me $$"; while :; do sleep 0.05; done`),
    );
    const pid = Number((await first.says(/me (\d+)/))[1]);
    const next = lockRemotely(...shell(`echo next >> ${log}`));
    await until(async () => (await remote.group.backend.query()).pending.length === 1);
    first.child.kill('SIGKILL');
    expect((await next.end).code).toBe(0);
    expect(textOf('log')).toBe('gone\nnext\n');
    expect(isAlive(pid)).toBe(false);
    await until(isFree);
  });

  test('without certificates, or at an address where no daemon answers, one line says so', async () => {
    const plain = await lock(['build', '--socket', listen, '--', 'true']).end;
    expect([plain.code, plain.stderr]).toEqual([
      2,
      `latchkey: TLS is for HOST:PORT, and HOST:PORT takes TLS: got "${listen}"\n`,
    ]);
    const [port] = await freePorts(1);
    const none = await lock(['build', ...flags, '--socket', `localhost:${port}`, '--', 'true']).end;
    expect(none.code).toBe(69);
    expect(none.stderr).toMatch(/^latchkey: no daemon answers at localhost:\d+: .*\n$/);
  });
});

describe('lost', () => {
  const loop = (trap: string) =>
    shell(`trap '${trap}' TERM; echo in; while :; do sleep 0.05; done`);

  test('the command gets SIGTERM, and the exit code is 75 whatever it says', async () => {
    const run = lock(['build', ...loop('echo bye; exit 0')]);
    await run.says(/in/);
    alone.group.backend.end(new Error('the engine cannot vouch for us'));
    const { code, stdout, stderr } = await run.end;
    expect([code, stdout]).toEqual([75, 'in\nbye\n']);
    // The shell may have something to say of what it lost.
    expect(stderr.split('\n')[0]).toBe(
      'latchkey: the lock "build" is lost: the engine cannot vouch for us; stopping the command',
    );
  });
  test('what does not stop is killed after a while, with all that it has started', async () => {
    const run = lock(['build', ...shell(`trap '' TERM; sleep 1000 & echo "child $!"; wait; wait`)]);
    const pid = Number((await run.says(/child (\d+)/))[1]);
    alone.group.backend.end(new Error('gone'));
    expect((await run.end).code).toBe(75);
    await until(() => !isAlive(pid));
  });
  test('a child of the command that called setsid is stopped too', async () => {
    const run = lock(['build', ...shell(`setsid sh -c 'echo "child $$"; exec sleep 1000' & wait`)]);
    const pid = Number((await run.says(/child (\d+)/))[1]);
    alone.group.backend.end(new Error('gone'));
    expect((await run.end).code).toBe(75);
    expect(isAlive(pid)).toBe(false);
  });
  test('with --on-lost warn it runs on, and its exit code is ours', async () => {
    const run = lock(['build', '--on-lost', 'warn', ...shell(`echo in; read line; exit 5`)], '');
    const slow = hold('other', '--on-lost', 'warn');
    await slow.says(/in/);
    expect((await run.end).code).toBe(5);
    alone.group.backend.end(new Error('gone'));
    await slow.says(/the command runs on without it/);
    go();
    expect((await slow.end).code).toBe(0);
  });
  test('the daemon dies: the same, and a command that waits fails with 69', async () => {
    const run = lock(['build', ...loop('exit 0')]);
    await run.says(/in/);
    const waiter = lock(['build', '--', 'true']);
    await until(() => isWaitedFor('build'));
    await alone.daemon.close();
    expect((await run.end).code).toBe(75);
    const { code, stderr } = await waiter.end;
    expect(code).toBe(69);
    expect(stderr).toMatch(
      /^latchkey: the lock "build" was not obtained: the daemon is gone: .*\n$/,
    );
  });
});

describe('a wrong call gets one line, and exit 2', () => {
  test.each([
    [['build'], 'what to run goes after --, as in: latchkey lock build -- make'],
    [['--', 'make'], 'what to run goes after --, as in: latchkey lock make -- make'],
    [['build', '-n', '-w', '3', '--', 'make'], '-n does not wait and -w does: take one of them'],
    [['build', '-s', '-k', '3', '--', 'make'], 'a permit is not shared: take -s or -k'],
    [['build', '-k', '0', '--', 'make'], '-k takes a whole number, from 1 to 128, got "0"'],
    [['build', '-w', 'soon', '--', 'make'], '-w takes a number, 0 or more, got "soon"'],
    [['build', '-E', '256', '--', 'make'], '-E takes a whole number, from 0 to 255, got "256"'],
    [['build', '--on-lost', 'pray', '--', 'make'], '--on-lost takes kill or warn, got "pray"'],
    [['build', '--ca', 'x', '--', 'make'], 'TLS takes all of --ca, --cert and --key'],
    [['build', 'make', '-j4'], "unknown option '-j4'"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await lock(args).end;
    expect(stderr).toMatch(/^latchkey: [^\n]*\n$/);
    expect(stderr).toContain(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('a name that is too long for the daemon', async () => {
    const { code, stderr } = await lock(['n'.repeat(1025), '--', 'true']).end;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^latchkey: [^\n]* 1025 bytes, and at most 1024 are allowed: [^\n]*\n$/);
  });
  test('a semaphore that has another size', async () => {
    const holder = hold('gpu', '-k', '2');
    await holder.says(/in/);
    const { code, stderr } = await lock(['-k', '3', 'gpu', '--', 'true']).end;
    expect(code).toBe(2);
    expect(stderr).toMatch(/^latchkey: the semaphore "gpu" has 2 permits [^\n]* not 3: [^\n]*\n$/);
    go();
    await holder.end;
  });
});
