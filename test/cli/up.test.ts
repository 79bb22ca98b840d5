/** `latchkey up`, `node` and `status` as people meet them: a group of processes on this machine. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { killTheRest, latchkey, type Run, until } from '../support/program.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
  env = { XDG_RUNTIME_DIR: folder };
});
afterEach(() => {
  killTheRest();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): Run => latchkey(args, env);
const socket = (member: string): string => join(folder, 'latchkey', 'latchkey', `${member}.sock`);
const settings = (member: string): string => join(folder, 'latchkey', 'latchkey', `${member}.yaml`);
const status = async (...flags: string[]) =>
  JSON.parse((await run('status', '--json', ...flags).end).stdout);

async function start(...flags: string[]): Promise<Run & { readonly page: string }> {
  const up = run('up', '--port', '0', ...flags);
  const [, page] = await up.says(/page +(http:\S+)/);
  await up.says(/Ctrl-C stops/);
  return { ...up, page: page! };
}
const answers = async (member: string): Promise<boolean> =>
  (await run('status', '--socket', socket(member)).end).code !== 69;

describe('latchkey up', () => {
  test('ten at once, through all members: strictly in turn, with growing fences', async () => {
    const up = await start();
    const log = join(folder, 'log');
    const script = `echo "in $LATCHKEY_FENCE" >> ${log}; sleep 0.02; echo out >> ${log}`;
    const runs = Array.from({ length: 10 }, (_, i) =>
      run('lock', 'build', '--socket', socket('abc'[i % 3]!), '--', 'sh', '-c', script),
    );
    for (const { end } of runs) expect(await end).toMatchObject({ code: 0, stderr: '' });
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.filter((_, i) => i % 2 === 1)).toEqual(Array(10).fill('out'));
    const fences = lines.filter((_, i) => i % 2 === 0).map((line) => BigInt(line.slice(3)));
    expect(fences).toHaveLength(10);
    for (let i = 1; i < 10; i++) expect(fences[i]).toBeGreaterThan(fences[i - 1]!);
    expect((await fetch(`${up.page}healthz`)).status).toBe(200);
    const { code, stdout } = await run('status').end;
    expect(stdout).toContain('group latchkey, as member a sees it: 3 in one view');
    expect(stdout).toMatch(/^b +yes +connected/m);
    expect(code).toBe(0);
  });

  test('Ctrl-C stops all of it, and nothing is left', async () => {
    const up = await start('--nodes', '2');
    up.child.kill('SIGINT');
    const { code, stderr } = await up.end;
    expect([code, stderr]).toEqual([0, '']);
    for (const member of ['a', 'b']) expect(await answers(member)).toBe(false);
    expect((await run('lock', 'x', '--', 'true').end).code).toBe(69);
  });

  test('killed by force, it takes its members along', async () => {
    const up = await start('--nodes', '2');
    up.child.kill('SIGKILL');
    await until(async () => !(await answers('a')) && !(await answers('b')));
  });

  test('a second one of the same name is refused', async () => {
    await start('--nodes', '1');
    const { code, stderr } = await run('up').end;
    expect([code, stderr]).toEqual([
      2,
      'latchkey: the group "latchkey" is up already: stop it, or take another --group\n',
    ]);
    const other = run('up', '--nodes', '1', '--group', 'other', '--port', '0');
    const [said] = await other.says(/lock .*/);
    expect(said).toContain('lock --group other build');
    expect((await run('lock', 'x', '--group', 'other', '--', 'true').end).code).toBe(0);
  });

  test('a member dies: it is said, locks wait for it and say so, and it can be brought back', async () => {
    const up = await start();
    const held = run('lock', 'held', '--', 'sh', '-c', 'echo in; sleep 1');
    await held.says(/in/);
    // The member that serves us is the first: another one dies.
    const victim = run('lock', '--socket', socket('c'), 'x', '--', 'sh', '-c', 'echo in; sleep 60');
    await victim.says(/in/);
    process.kill((await status('--socket', socket('c'))).pid, 'SIGKILL');
    const [said] = await up.says(/c: was killed by SIGKILL.*/);
    // As this program was called: so it works when pasted.
    expect(said).toMatch(/: node \S*bin\/latchkey\.js node --config /);
    expect(said).toContain(settings('c'));
    expect((await victim.end).code).toBe(75);
    const waiter = run('lock', 'x', '--', 'true');
    await until(async () => (await run('status').end).stdout.includes('a view of 3, without c'));
    expect((await run('status').end).code).toBe(1);
    expect(await (await fetch(`${up.page}healthz`)).text()).toBe('ok, without c\n');
    run('node', '--config', settings('c'), '--log-level', 'silent');
    expect((await waiter.end).code).toBe(0);
    expect((await held.end).code).toBe(0);
    await until(async () => (await run('status').end).code === 0);
    expect((await run('lock', '--socket', socket('c'), 'x', '--', 'true').end).code).toBe(0);
  });
});

describe('a daemon of another group in the folder of a live one', () => {
  test('is refused, naming both groups and the way out, and locks stay exclusive', async () => {
    await start('--nodes', '2');
    const holder = run('lock', 'demo', '--', 'sh', '-c', 'echo in; sleep 60');
    await holder.says(/in/);
    const { code, stderr } = await run('node', '--self', '0', '--listen', 'localhost:0').end;
    const lines = stderr.trim().split('\n');
    expect(lines.at(-1)).toMatch(
      /^latchkey: .*\/a\.sock serves the group "latchkey" of a, b, and this daemon would serve the group "latchkey" of 0 from the same folder: take another --group or --socket/,
    );
    expect(code).toBe(2);
    expect((await run('lock', '-n', 'demo', '--', 'true').end).code).toBe(1);
    const other = run('node', '--self', '0', '--listen', 'localhost:0', '--group', 'other');
    await other.says(/"event":"ready"/);
  });
});

describe('what is not known is not called busy or free', () => {
  test('-n says that it cannot know, and the status names the member that does not answer', async () => {
    const up = await start();
    const holder = run('lock', '--socket', socket('c'), 'x', '--', 'sh', '-c', 'echo in; sleep 60');
    await holder.says(/in/);
    const busy = await run('lock', '-n', 'x', '--', 'true').end;
    expect([busy.code, busy.stderr]).toEqual([1, 'latchkey: the lock "x" is busy\n']);
    process.kill((await status('--socket', socket('c'))).pid, 'SIGKILL');
    await up.says(/c: was killed/);
    const unknown = await run('lock', '-w', '0.2', 'x', '--', 'true').end;
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'latchkey: it is not known whether the lock "x" is free: c does not answer\n',
    ]);
    expect((await status()).waitsFor).toEqual(['c']);
    const waiter = run('lock', 'x', '--', 'true');
    await until(async () => (await status()).pending.length === 1);
    const page = await (await fetch(up.page)).text();
    expect(page).toContain('not known: c does not answer');
    expect(page).not.toContain('no process at the moment');
    expect((await run('status').end).stdout).toContain('what c holds is not known: no answer');
    waiter.child.kill('SIGTERM');
    await waiter.end;
  });
});

test('a deadlock across processes is named by status, in JSON and on the page', async () => {
  const up = await start('--nodes', '2');
  const [a, b] = await Promise.all(
    ['a', 'b'].map((member) => connect({ socket: socket(member), as: 'crosswise' })),
  );
  await a!.locks.acquire('A');
  await b!.locks.acquire('B');
  const waits = [a!.locks.acquire('B'), b!.locks.acquire('A')];
  for (const wait of waits) wait.catch(() => {});
  await until(async () => (await status()).deadlocks.length === 1);
  const { stdout, code } = await run('status').end;
  expect(stdout).toMatch(/deadlock: \S+ \(crosswise\) holds "[AB]" and waits for "[AB]"; /);
  expect(code).toBe(1);
  await until(async () => (await (await fetch(up.page)).text()).includes('Deadlock: <b>'));
  await Promise.all([a!.close(), b!.close()]);
});

test('a client name with escape sequences reaches the terminal as visible text', async () => {
  await start('--nodes', '1');
  const client = await connect({
    socket: socket('a'),
    as: '\u001b]0;owned\u0007\r\nforged\u009b2J\u202e',
  });
  await client.locks.acquire('\u001b[2J\u009bname');
  const { stdout } = await run('status').end;
  expect(stdout).toContain('\\u001b]0;owned\\u0007\\u000d\\u000aforged\\u009b2J\\u202e');
  expect(stdout).toContain('\\u001b[2J\\u009bname');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals obey.
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  const waiter = run('lock', '--verbose', '-w', '1.5', '\u001b[2J\u009bname', '--', 'true');
  expect((await waiter.end).stderr).not.toContain('\u001b');
  await client.close();
});
