/** Clients that ask for too much, say too much or never read get an error, and no other client is affected. */
import { connect as connectNet, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { openSession } from '../../src/client/open-session.ts';
import { PROTOCOL, write } from '../../src/client/protocol.ts';
import type { DaemonSettings } from '../../src/daemon/daemon.ts';
import { partsOf, SharedSurvey } from '../../src/daemon/shared-survey.ts';
import { daemonStatus } from '../../src/daemon/status.ts';
import type { Survey, SurveyEntry } from '../../src/group/backend.ts';
import { OverloadedError } from '../../src/group/errors.ts';
import { MAX_PERMITS } from '../../src/group/limits.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
afterEach(() => alone.close());
const start = async (settings: Partial<DaemonSettings> = {}) => {
  alone = await daemonAlone(settings);
};

const hello = write({ type: 'hello', protocol: PROTOCOL, as: 'a test' });
const ask = (id: number, name: string, permits = 0) =>
  write({ type: 'ask', id, name, permits, mode: 'exclusive', how: 'wait' });

/** A raw client: sends text, and keeps the lines that it hears. */
function raw(): { socket: Socket; lines: Record<string, unknown>[] } {
  const socket = connectNet({ path: alone.socket });
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    for (const line of parts) lines.push(JSON.parse(line));
  });
  socket.write(hello);
  return { socket, lines };
}
const errorOf = (lines: Record<string, unknown>[], id: number) =>
  lines.find((line) => line['id'] === id && line['type'] === 'failed')?.['error'];

/** Another client locks and releases: the daemon does its work. */
async function lockOnce(): Promise<void> {
  const client = await connect({ socket: alone.socket });
  await (await client.locks.acquire('after all', { timeoutMs: 10_000 })).release();
  await client.close();
}

describe('a request that cannot be', () => {
  beforeEach(() => start());
  test.each([MAX_PERMITS + 1, 1001, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    'for %d permits fails, and the session goes on',
    async (permits) => {
      const { socket, lines } = raw();
      socket.write(ask(1, 'gpu', permits) + ask(2, 'build'));
      await until(() => lines.some(({ type }) => type === 'granted'));
      expect(errorOf(lines, 1)).toMatchObject({
        message: `a semaphore cannot have ${permits} permits: their number is whole, from 1 to 128`,
      });
      socket.destroy();
      await lockOnce();
    },
  );
  test(`for ${MAX_PERMITS} permits is granted`, async () => {
    const { socket, lines } = raw();
    socket.write(ask(1, 'gpu', MAX_PERMITS));
    await until(() => lines.some(({ type }) => type === 'granted'));
    socket.destroy();
  });
  test('with a name of more than 1 KiB fails, with the bytes and the rule', async () => {
    const { socket, lines } = raw();
    socket.write(ask(1, 'é'.repeat(512)) + ask(2, 'é'.repeat(513)));
    await until(() => lines.length === 3);
    expect(errorOf(lines, 1)).toBeUndefined();
    expect(errorOf(lines, 2)).toMatchObject({
      message: expect.stringContaining('has 1026 bytes, and at most 1024 are allowed'),
    });
    socket.destroy();
  });
});

test('an error in one session ends that session and no other', async () => {
  await start({ dashboard: '127.0.0.1:0' });
  const bystander = await connect({ socket: alone.socket });
  const held = await bystander.locks.acquire('mine');
  const spy = vi.spyOn(alone.group.backend, 'requestFor').mockImplementationOnce(() => {
    throw new TypeError('a defect of ours');
  });
  const { socket, lines } = raw();
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.write(ask(1, 'x'));
  await closed;
  spy.mockRestore();
  expect(lines.at(-1)).toEqual({
    type: 'refused',
    reason: 'the daemon could not handle a message',
  });
  const metrics = await (await fetch(`${alone.daemon.page}metrics`)).text();
  expect(metrics).toContain('latchkey_client_refused_total{reason="internal-error"} 1');
  expect(held.lost.aborted).toBe(false);
  await bystander.close();
  await lockOnce();
});

describe('budgets', () => {
  test('of one client: a request beyond it fails with an OverloadedError, and room is made by a release', async () => {
    await start({ limits: { maxRequestsPerClient: 3 } });
    const { socket, lines } = raw();
    socket.write([1, 2, 3, 4].map((id) => ask(id, `lock ${id}`)).join(''));
    await until(() => errorOf(lines, 4) !== undefined);
    expect(errorOf(lines, 4)).toMatchObject({
      name: 'OverloadedError',
      message: expect.stringContaining('this client holds and waits for as much as it may, 3 req'),
    });
    const client = await connect({ socket: alone.socket });
    for (const name of ['x', 'y', 'z']) await client.locks.acquire(name);
    await expect(client.locks.acquire('w')).rejects.toBeInstanceOf(OverloadedError);
    await client.close();
    socket.write(write({ type: 'done', id: 1 }) + ask(5, 'lock 5'));
    await until(() => lines.some(({ type, id }) => type === 'granted' && id === 5));
    await lockOnce();
    socket.destroy();
  });
  test('of all clients together: it is shared, and freed when a session ends', async () => {
    await start({ limits: { maxRequests: 3 } });
    const one = raw();
    one.socket.write(ask(1, 'a') + ask(2, 'b'));
    await until(() => one.lines.length === 3);
    const two = raw();
    two.socket.write(ask(1, 'c') + ask(2, 'd'));
    await until(() => errorOf(two.lines, 2) !== undefined);
    expect(errorOf(two.lines, 2)).toMatchObject({
      message: expect.stringContaining('the daemon holds and waits for as much as it may'),
    });
    one.socket.destroy();
    await until(async () => (await alone.group.backend.query()).held.length === 1);
    two.socket.write(ask(3, 'd'));
    await until(() => two.lines.some(({ type, id }) => type === 'granted' && id === 3));
    two.socket.destroy();
  });
  test('of bytes: long names use it up before many requests do', async () => {
    await start({ limits: { maxBytesPerClient: 2_000 } });
    const { socket, lines } = raw();
    socket.write(ask(1, 'x'.repeat(1_000)) + ask(2, 'y'.repeat(1_000)));
    await until(() => errorOf(lines, 2) !== undefined);
    expect(errorOf(lines, 2)).toMatchObject({ message: expect.stringContaining('2000 bytes') });
    socket.destroy();
  });
});

describe('a client that never reads', () => {
  test('is cut off when a mebibyte is unread, and what it held is free', async () => {
    await start({ dashboard: '127.0.0.1:0' });
    const socket = connectNet({ path: alone.socket });
    socket.on('error', () => {});
    socket.pause();
    socket.write(hello + ask(1, 'held'));
    await until(async () => (await alone.group.backend.query()).held.length === 1);
    const pings = write({ type: 'ping', id: 1 }).repeat(20_000);
    const metrics = async () => (await fetch(`${alone.daemon.page}metrics`)).text();
    const isCut = async () =>
      (await metrics()).includes('client_refused_total{reason="does-not-read"} 1');
    const writing = setInterval(() => socket.writable && socket.write(pings), 20);
    await until(isCut);
    clearInterval(writing);
    await until(async () => (await alone.group.backend.query()).held.length === 0);
    socket.destroy();
    await lockOnce();
  });
  test('costs one answer, however many queries it sends', async () => {
    await start();
    const holder = await connect({ socket: alone.socket });
    await Promise.all(
      Array.from({ length: 2_000 }, (_, i) => holder.locks.acquire(`${'n'.repeat(900)} ${i}`)),
    );
    const before = process.memoryUsage();
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connectNet({ path: alone.socket });
      socket.pause();
      socket.write(hello + write({ type: 'query', id: 1 }).repeat(60));
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { rss } = process.memoryUsage();
    // 1,200 answers of 2 MB would be 2.4 GB.
    expect(rss - before.rss).toBeLessThan(300_000_000);
    for (const socket of sockets) socket.destroy();
    await holder.close();
    await lockOnce();
  });
});

test('a connection that says nothing is ended after 5 seconds', async () => {
  await start();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isClosed = false;
    const socket = connectNet({ path: alone.socket })
      .on('error', () => {})
      .resume();
    const closed = new Promise((resolve) => socket.on('close', resolve)).then(() => {
      isClosed = true;
    });
    // The daemon has accepted the connection when it has answered a later one.
    await lockOnce();
    await vi.advanceTimersByTimeAsync(4_500);
    await lockOnce();
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(600);
    await closed;
  } finally {
    vi.useRealTimers();
  }
});

test('a connection that says nothing makes room for others', async () => {
  await start({ limits: { maxHalfOpen: 2 } });
  let closed = 0;
  const open = () =>
    connectNet({ path: alone.socket })
      .on('error', () => {})
      .on('close', () => closed++)
      .resume();
  const silent = Array.from({ length: 4 }, open);
  await lockOnce();
  expect(closed).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  silent.push(open());
  await until(() => closed === 3);
  await lockOnce();
  for (const socket of silent) socket.destroy();
});

describe('surveys', () => {
  const empty: Survey = { held: [], pending: [], unreachable: [] };
  test('queries that come together share one, which begins after them', async () => {
    let begun = 0;
    const surveys = new SharedSurvey(async () => {
      begun++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { ...empty };
    });
    const first = surveys.fresh();
    const others = Array.from({ length: 50 }, () => surveys.fresh());
    expect(new Set(await Promise.all(others)).size).toBe(1);
    expect(await others[0]).not.toBe(await first);
    expect(begun).toBe(2);
    const recent = await Promise.all(Array.from({ length: 50 }, () => surveys.recent(1_000)));
    expect(new Set(recent).size).toBe(1);
    expect(begun).toBe(2);
  });
  test('one that fails does not stop the next', async () => {
    let begun = 0;
    const surveys = new SharedSurvey(async () => {
      if (++begun === 1) throw new Error('no member');
      return empty;
    });
    await expect(surveys.fresh()).rejects.toThrow('no member');
    expect(await surveys.fresh()).toBe(empty);
  });
  test('/healthz and /metrics run none, and answer while a survey hangs', async () => {
    await start({ dashboard: '127.0.0.1:0' });
    const query = vi.spyOn(alone.group.backend, 'query').mockReturnValue(new Promise(() => {}));
    const url = alone.daemon.page!;
    expect(await (await fetch(`${url}healthz`)).text()).toBe('ok\n');
    expect(await (await fetch(`${url}metrics`)).text()).toContain('latchkey_view_members 1');
    expect(query).not.toHaveBeenCalled();
    query.mockRestore();
  });
});

describe('large replies', () => {
  const entry = (i: number): SurveyEntry => ({
    name: `${'\u0000'.repeat(20)} ${i}`,
    permits: 0,
    mode: 'exclusive',
    clientId: `a/${i}`,
    member: 'a',
    forMs: i,
  });
  const entries = Array.from({ length: 50_000 }, (_, i) => entry(i));
  const survey: Survey = { held: entries.slice(0, 1_000), pending: entries, unreachable: ['z'] };

  test('a survey is sent in parts that a small buffer holds, and nothing is left out', () => {
    const parts = partsOf(survey);
    for (const { length } of parts) expect(length).toBeLessThan(100_000);
    let [held, pending] = [0, 0];
    for (const part of parts) {
      const { held: h, pending: p, unreachable } = JSON.parse(part) as Survey;
      held += h.length;
      pending += p.length;
      expect(unreachable).toEqual(['z']);
    }
    expect([held, pending]).toEqual([1_000, 50_000]);
    expect(partsOf(survey)).toBe(parts);
  });
  test('status and page are capped, and say how much they leave out', async () => {
    await start({ dashboard: '127.0.0.1:0' });
    const member = alone.group.memberStatus();
    const status = daemonStatus({ member, survey, sessions: [], events: [], upMs: 1 });
    expect(JSON.stringify(status).length).toBeLessThan(1_048_576);
    expect(status.omitted.pending).toBe(50_000 - status.pending.length);
    expect(status.counts.pending).toBe(50_000);
    expect(status.longestWaitMs).toBe(49_999);
    const query = vi.spyOn(alone.group.backend, 'query').mockResolvedValue(survey);
    for (const path of ['', 'status.json']) {
      const text = await (await fetch(alone.daemon.page + path)).text();
      expect(text.length).toBeLessThan(4_000_000);
    }
    const { body } = await fetch(`${alone.daemon.page}events`);
    const reader = body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: ');
    await reader.cancel();
    const { session } = await openSession({ socket: alone.socket });
    expect((await session.query()).pending).toHaveLength(50_000);
    expect(await session.status()).toMatchObject({ counts: { pending: 50_000 } });
    await session.close(new Error('done'));
    query.mockRestore();
  });
});
