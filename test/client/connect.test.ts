/** The lock API through a daemon: the same suite as for members, over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { DaemonLostError, NoDaemonError } from '../../src/client/errors.ts';
import { openSession } from '../../src/client/open-session.ts';
import { LostError, TimeoutError } from '../../src/locks/index.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { answerClient } from '../support/fake-daemon.ts';
import { locksSuite } from '../support/locks-suite.ts';

for (const [clients, mayBorrow] of [
  ['three clients of one daemon', false],
  ['three clients of one daemon that lends', true],
] as const) {
  locksSuite(clients, async (count) => {
    // The suite tries the longest names that a member takes.
    const alone = await daemonAlone({ limits: { maxNameBytes: 200_000 } });
    const opened = await Promise.all(
      Array.from({ length: count }, () => openSession({ socket: alone.socket })),
    );
    for (const { session } of opened) session.mayBorrow = mayBorrow;
    return {
      backends: opened.map(({ session }) => session),
      stop: () => alone.close(),
    };
  });
}

test('a client that closes gives back what it holds', async () => {
  const alone = await daemonAlone();
  const [one, two] = [
    await connect({ socket: alone.socket }),
    await connect({ socket: alone.socket }),
  ];
  await one.locks.acquire('build');
  const next = two.locks.acquire('build');
  await one.close();
  expect((await next).name).toBe('build');
  await expect(one.locks.acquire('build')).rejects.toThrow('closed');
  await alone.close();
});

test('the daemon goes: what is held is lost, what waits fails, and both say why', async () => {
  const alone = await daemonAlone();
  const client = await connect({ socket: alone.socket });
  const held = await client.locks.acquire('build');
  const waits = client.locks.acquire('build').catch((error: unknown) => error);
  const semaphore = client.semaphore('gpu', 2);
  const permit = await semaphore.acquire();
  await alone.close();
  expect(await waits).toBeInstanceOf(DaemonLostError);
  for (const { lost } of [held, permit]) {
    expect(lost.reason).toBeInstanceOf(LostError);
    expect((lost.reason as Error).cause).toBeInstanceOf(DaemonLostError);
  }
  expect(client.ended.reason).toBeInstanceOf(DaemonLostError);
  await expect(client.locks.acquire('build')).rejects.toBeInstanceOf(DaemonLostError);
  await expect(connect({ socket: alone.socket })).rejects.toBeInstanceOf(NoDaemonError);
});

test('the member stops being one: the same, and the session goes on', async () => {
  const alone = await daemonAlone();
  const client = await connect({ socket: alone.socket });
  const held = await client.locks.acquire('build');
  const lost = new Promise((resolve) => held.lost.addEventListener('abort', resolve));
  alone.group.backend.end(new Error('nobody vouches for us'));
  await lost;
  expect((held.lost.reason as Error).message).toContain('nobody vouches for us');
  expect(client.ended.aborted).toBe(false);
  await expect(client.locks.acquire('build')).rejects.toThrow('nobody vouches for us');
  await client.close();
  await alone.close();
});

describe('while a member cannot be reached', () => {
  const DEAD = { b: '127.0.0.1:1' };

  test('the TimeoutError of a client names it', async () => {
    const alone = await daemonAlone({}, DEAD);
    const client = await connect({ socket: alone.socket });
    for (const request of [
      () => client.locks.acquire('build', { timeoutMs: 500 }),
      () => client.locks.request('build', { timeoutMs: 500 }, () => {}),
      () => client.semaphore('gpu', 2).acquire({ timeoutMs: 500 }),
    ]) {
      const errorOf = (): Promise<TimeoutError> =>
        (request() as Promise<never>).catch((error: TimeoutError) => error);
      let error = await errorOf();
      // A machine that is very busy may answer too late: the error does not wait for the answer.
      for (let i = 0; i < 5 && error.waitedFor.length === 0; i++) error = await errorOf();
      expect(error).toBeInstanceOf(TimeoutError);
      expect(error.waitedFor).toEqual(['b']);
      expect(error.message).toContain('it waits for b, which cannot be reached');
    }
    await client.close();
    await alone.close();
  });

  test('a daemon that does not say so in time does not delay the TimeoutError', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
    const socket = join(folder, 'a.sock');
    const asked: string[] = [];
    const mute = createServer((client) => {
      answerClient(client, ({ type }, send) => {
        asked.push(type);
        if (type !== 'hello') return;
        const about = { member: 'a', clientId: 'a/1', group: 'g', members: ['a', 'b'] };
        send({ type: 'welcome', protocol: 2, leaseMs: 0, ...about });
      });
    });
    await new Promise<void>((resolve) => mute.listen(socket, resolve));
    const client = await connect({ socket });
    const error = await client.locks.acquire('build', { timeoutMs: 200 }).catch((error) => error);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as TimeoutError).waitedFor).toEqual([]);
    expect(asked).toEqual(['hello', 'ask', 'unreachable']);
    await client.close();
    mute.close();
    rmSync(folder, { recursive: true });
  });
});

test('every name reaches the daemon and comes back unchanged', async () => {
  const alone = await daemonAlone({ limits: { maxNameBytes: 100_000 } });
  const client = await connect({ socket: alone.socket });
  const names = ['', '\ud800', '\udfff\ud800', '\0\n"\\', '\ufffd', 'é😀', 'x'.repeat(30_000)];
  for (const name of names) await client.locks.acquire(name);
  const { held } = await client.locks.query();
  expect(held.map(({ name }) => name).sort()).toEqual([...names].sort());
  await client.close();
  await alone.close();
});

test('a daemon that speaks only lines of JSON is refused with the versions of both sides', async () => {
  const alone = await daemonAlone();
  const socket = join(alone.folder, 'old.sock');
  const old = createServer((client) => {
    client.on('error', () => {});
    client.once('data', () => {
      client.end('{"type":"refused","reason":"a line that is not JSON"}\n');
    });
  });
  await new Promise<void>((resolve) => old.listen(socket, resolve));
  await expect(connect({ socket })).rejects.toThrow(
    'it speaks only version 1 of the protocol, and this client version 2: install one version',
  );
  old.close();
  await alone.close();
});

test('twenty requests of one turn are one write, and so are their grants and their releases', async () => {
  const alone = await daemonAlone();
  const client = await connect({ socket: alone.socket });
  const writes = vi.spyOn(Socket.prototype, 'write');
  const names = Array.from({ length: 20 }, (_, i) => `lock ${i}`);
  const held = await Promise.all(names.map((name) => client.locks.acquire(name)));
  expect(writes).toHaveBeenCalledTimes(2);
  for (const lock of held) lock.release();
  await new Promise(setImmediate);
  expect(writes).toHaveBeenCalledTimes(3);
  writes.mockRestore();
  await client.close();
  await alone.close();
});
