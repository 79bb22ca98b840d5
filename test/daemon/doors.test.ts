/** The doors of a daemon for other machines, TLS for clients and HTTP: how many connections, from where, how long. */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { freePorts } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { until } from '../support/program.ts';

const opened: Socket[] = [];
let alone: Awaited<ReturnType<typeof daemonAlone>> | undefined;
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await alone?.close();
  alone = undefined;
});

/** A connection that says nothing, from one of the addresses of this machine. */
async function silent(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectTcp({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

const isOver = (socket: Socket): boolean => socket.destroyed || socket.readableEnded;

/** The daemon has accepted all connections that were made before. */
async function ended(socket: Socket): Promise<void> {
  socket.resume();
  await until(() => isOver(socket));
}

/** Whether the daemon answers over this connection, and does not close it. */
function answers(socket: Socket): Promise<boolean> {
  socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  return new Promise((resolve) => {
    socket.once('data', (answer) => resolve(String(answer).includes('200 OK')));
    socket.once('close', () => resolve(false));
  });
}

describe('the HTTP door', () => {
  test('takes 128 connections from one address, and still answers another address', async () => {
    alone = await daemonAlone({ dashboard: '127.0.0.1:0' });
    const port = Number(new URL(alone.daemon.page!).port);
    const first = [];
    for (let i = 0; i < 128; i++) first.push(await silent(port));
    await ended(await silent(port));
    expect(first.some(isOver)).toBe(false);
    const other = await silent(port, '127.0.0.2');
    expect(await answers(other)).toBe(true);
    // A connection that ends makes room.
    first[0]!.destroy();
    await until(async () => answers(await silent(port)));
  });
});

describe.skipIf(!opensslIsThere)('the TLS door (needs openssl)', () => {
  const issued = certificates({ daemon: { cn: 'a', dns: 'localhost' }, client: { cn: 'c' } });
  const start = async (limits: object) => {
    const [port] = await freePorts(1);
    const remote = { listen: `127.0.0.1:${port}`, tls: issued.daemon };
    alone = await daemonAlone({ remote, limits });
    return port!;
  };
  /** What the daemon has said of connections that it refused. */
  const refusals = () => alone!.eventLog.recent.map(({ text }) => text).join('\n');

  test('takes so many connections from one address, and still serves another address', async () => {
    const port = await start({ maxConnectionsPerAddress: 3 });
    for (let i = 0; i < 3; i++) await silent(port, '127.0.0.2');
    await ended(await silent(port, '127.0.0.2'));
    expect(refusals()).toContain('more than 3 connections from 127.0.0.2 at once');
    const client = await connect({ socket: `localhost:${port}`, tls: issued.client });
    await (await client.locks.acquire('x')).release();
    await client.close();
  });

  test('takes so many connections that are in their handshake; one that completes it makes room', async () => {
    const port = await start({ maxHalfOpen: 2 });
    const client = await connect({ socket: `localhost:${port}`, tls: issued.client });
    const held = [await silent(port), await silent(port)];
    await ended(await silent(port));
    expect(refusals()).toContain('more than 2 connections in their handshake at once');
    expect(held.some(isOver)).toBe(false);
    await (await client.locks.acquire('x')).release();
    await client.close();
  });

  test('cuts off a connection that does not complete its handshake', async () => {
    const port = await start({});
    await ended(await silent(port));
    expect(refusals()).toContain('handshake timeout');
  }, 30_000);

  test('speaks TLS 1.3 and nothing older', async () => {
    const port = await start({});
    const socket = connectTls({ ...issued.client, port, host: 'localhost', maxVersion: 'TLSv1.2' });
    opened.push(socket);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/protocol version/);
  });
});
