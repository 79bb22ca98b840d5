/** A client whose daemon is a member on a store: it knows how long the member may act. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../src/client/open-session.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  FRAMES_PROTOCOL,
} from '../../src/client/protocol.ts';
import { LostError } from '../../src/locks/errors.ts';
import { LockManager } from '../../src/locks/manager.ts';
import { answerClient } from '../support/fake-daemon.ts';
import { until } from '../support/program.ts';

const RIGHT_MS = 400;
let folder: string;
let server: Server;
/** What the daemon answers to pings; null for nothing. */
let leftMs: number | null;
let isGranting: boolean;
let isLending: boolean;
const heard: ClientMessage[] = [];
let send: (message: DaemonMessage) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-right-'));
  leftMs = RIGHT_MS;
  isGranting = true;
  isLending = false;
  heard.length = 0;
  server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(join(folder, 'a.sock'), resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function serve(socket: Socket): void {
  const group = { group: 'g', members: ['m'], engine: 'postgres' };
  const about = { protocol: FRAMES_PROTOCOL, member: 'm', clientId: 'm/1', leaseMs: 0 };
  send = answerClient(socket, (message) => {
    heard.push(message);
    if (message.type === 'hello') send({ type: 'welcome', ...about, ...group, rightMs: RIGHT_MS });
    if (message.type === 'ping' && leftMs !== null) send({ type: 'pong', id: message.id, leftMs });
    if (message.type === 'ask' && isGranting) {
      const grant = { id: message.id, epoch: 1, clock: message.id };
      if (isLending) send({ type: 'lent', ...grant, reentries: 1000, step: 1 });
      else send({ type: 'granted', ...grant });
    }
  });
}

const connect = async () => {
  const { session } = await openSession({ socket: join(folder, 'a.sock') });
  return { session, locks: new LockManager(session) };
};

describe('a client of a member on a store', () => {
  test('keeps its locks while the daemon answers', async () => {
    const { session, locks } = await connect();
    const held = await locks.acquire('x');
    await sleep(3 * RIGHT_MS);
    expect(held.lost.aborted).toBe(false);
    held.release();
    await session.close(new Error('done'));
  });

  test('loses its locks when the daemon stops answering, and its requests wait on', async () => {
    const { session, locks } = await connect();
    const held = await locks.acquire('x');
    isGranting = false;
    const waiting = locks.acquire('y');
    leftMs = null;
    await until(() => held.lost.aborted);
    expect(held.lost.reason).toBeInstanceOf(LostError);
    expect((held.lost.reason as Error).message).toContain('m is no member for now');
    expect(session.leftToStopMs).toBeLessThan(RIGHT_MS / 8);
    // The daemon is back, and its member, too.
    leftMs = RIGHT_MS;
    send({ type: 'granted', id: 2, epoch: 2, clock: 1 });
    (await waiting).release();
    await session.close(new Error('done'));
  });

  test('is told of a grant only when it knows that the member may act', async () => {
    leftMs = 0;
    const { session, locks } = await connect();
    let isGranted = false;
    const waiting = locks.acquire('x').then((held) => {
      isGranted = true;
      return held;
    });
    await until(() => heard.some(({ type }) => type === 'ask'));
    await sleep(RIGHT_MS / 2);
    expect(isGranted).toBe(false);
    leftMs = RIGHT_MS;
    (await waiting).release();
    await session.close(new Error('done'));
  });

  test('does not enter by a loan once the right of the member has ended, even before a timer could fire', async () => {
    isLending = true;
    const { session, locks } = await connect();
    session.mayBorrow = true;
    (await locks.acquire('x')).release();
    leftMs = null;
    const spec = { name: 'x', permits: 0, mode: 'exclusive', how: 'wait' } as const;
    const ignore = () => {};
    const entries: { readonly wasOver: boolean; readonly hasEntered: boolean }[] = [];
    // No timer fires and no message is read in this loop.
    for (const end = performance.now() + 2 * RIGHT_MS; performance.now() < end; ) {
      const wasOver = session.leftToStopMs <= RIGHT_MS / 8;
      let hasEntered = false;
      const granted = () => {
        hasEntered = true;
      };
      session.request(spec, { granted, busy: ignore, failed: ignore, lost: ignore }).release();
      entries.push({ wasOver, hasEntered });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
    expect(entries.some(({ hasEntered }) => hasEntered)).toBe(true);
    expect(entries.filter(({ wasOver, hasEntered }) => wasOver && hasEntered)).toEqual([]);
    await session.close(new Error('done'));
  });

  test('does not enter with a grant that is lost before the client knows that the member may act', async () => {
    leftMs = 0;
    const { session, locks } = await connect();
    const waiting = locks.acquire('x');
    await until(() => heard.some(({ type }) => type === 'ask'));
    const error = { name: 'NotMemberError', message: 'm is no member for now' };
    send({ type: 'lost', id: 1, error });
    await expect(waiting).rejects.toBeInstanceOf(LostError);
    await session.close(new Error('done'));
  });
});
