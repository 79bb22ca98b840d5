/** Clients of a daemon: which are admitted, which are refused, and that none affects the others. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectNet, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NoDaemonError } from '../../src/client/errors.ts';
import { PREAMBLE, writeFrame } from '../../src/client/frame-codec.ts';
import { openSession } from '../../src/client/open-session.ts';
import {
  type ClientMessage,
  FRAMES_PROTOCOL,
  PROTOCOL,
  type Refusal,
  write,
} from '../../src/client/protocol.ts';
import { prepareFolder, socketFolder, socketsAt } from '../../src/client/socket-paths.ts';
import { Writer } from '../../src/core/wire.ts';
import { DEFAULT_LIMITS } from '../../src/daemon/limits.ts';
import { listenOnSocket, listenWithTls } from '../../src/daemon/listen.ts';
import type { SessionContext, SessionObserver } from '../../src/daemon/session.ts';
import { Sessions } from '../../src/daemon/sessions.ts';
import { SharedSurvey } from '../../src/daemon/shared-survey.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { answerClient } from '../support/fake-daemon.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { until } from '../support/program.ts';

let alone: Awaited<ReturnType<typeof daemonAlone>>;
beforeEach(async () => {
  alone = await daemonAlone({ dashboard: '127.0.0.1:0' });
});
afterEach(() => alone.close());

const hello = write({ type: 'hello', protocol: PROTOCOL, as: 'a test' });
const ask = (id: number, name = 'build', how: 'wait' | 'try' = 'wait') =>
  write({ type: 'ask', id, name, permits: 0, mode: 'exclusive', how });

/** Version 2: the preamble, a hello, and these messages in frames. */
function framed(...messages: readonly ClientMessage[]): Buffer {
  const writer = new Writer();
  writer.append(PREAMBLE);
  for (const message of messages) writeFrame(writer, message);
  return Buffer.from(writer.take());
}
const framedHello: ClientMessage = { type: 'hello', protocol: FRAMES_PROTOCOL, as: 'a test' };
const framedAsk: ClientMessage = {
  type: 'ask',
  id: 1,
  name: 'build',
  permits: 0,
  mode: 'exclusive',
  how: 'wait',
};
/** A frame of this kind with these fields, after the hello. */
const afterHello = (...bytes: readonly number[]): Buffer =>
  Buffer.concat([framed(framedHello), Buffer.from([0, 0, 0, bytes.length]), Buffer.from(bytes)]);

/** Says something to the daemon, and hears all it answers until it hangs up. */
function say(text: string | Buffer, path = alone.socket): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connectNet({ path });
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
    socket.write(text);
  });
}
/** What a client says first: nothing, or a hello in either form. */
const beginnings = fc.constantFrom(Buffer.from(''), Buffer.from(hello), framed(framedHello));
const metrics = async () => (await fetch(`${alone.daemon.page}metrics`)).text();
/** The daemon still does its work. */
async function lockOnce(): Promise<void> {
  const { session } = await openSession({ socket: alone.socket });
  await new Promise<void>((resolve, reject) => {
    session.request(
      { name: 'after all', permits: 0, mode: 'exclusive', how: 'try' },
      { granted: () => resolve(), busy: reject, failed: reject, lost: reject },
    );
  });
  await session.close(new Error('done'));
}

describe('a client that breaks the protocol is refused and counted, and no other client is affected', () => {
  const cases: readonly (readonly [string, string | Buffer, Refusal])[] = [
    ['nonsense', 'GET / HTTP/1.1\r\n\r\n', 'not-json'],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 1, 10]), 'not-json'],
    ['no object', '17\n', 'malformed'],
    ['an unknown message', '{"type":"constructor"}\n', 'unknown-message'],
    ['no hello', ask(1), 'no-hello'],
    ['a second hello', hello + hello, 'second-hello'],
    ['another version', write({ type: 'hello', protocol: 9, as: '' }), 'wrong-version'],
    ['a field too many', `${hello}{"type":"done","id":1,"x":1}\n`, 'malformed'],
    ['a wrong type', `${hello}{"type":"done","id":"1"}\n`, 'malformed'],
    ['a number in use', hello + ask(1) + ask(1), 'number-in-use'],
    ['a line without end', 'x'.repeat(100_000), 'too-long'],
    ['a byte 0 and no preamble', Buffer.from('\0LKX\n'), 'malformed'],
    ['another version in frames', framed({ ...framedHello, protocol: 1 }), 'wrong-version'],
    ['no hello in frames', framed(framedAsk), 'no-hello'],
    ['a second hello in frames', framed(framedHello, framedHello), 'second-hello'],
    ['a number in use in frames', framed(framedHello, framedAsk, framedAsk), 'number-in-use'],
    ['an unknown kind of frame', afterHello(99), 'unknown-message'],
    ['a frame of the daemon', afterHello(3, 1, 1, 1), 'unknown-message'],
    ['a frame that ends too early', afterHello(1, 1, 0, 0, 40, 120), 'malformed'],
    ['a frame with bytes left over', afterHello(2, 1, 1), 'malformed'],
    ['an unknown manner', afterHello(1, 1, 6, 0, 2, 120), 'malformed'],
    ['a negative number', afterHello(2, 0x41), 'malformed'],
    ['an empty frame', afterHello(), 'malformed'],
    ['a frame of no JSON', afterHello(0, 120), 'not-json'],
    ['a frame without end', Buffer.concat([framed(framedHello), Buffer.alloc(4, 9)]), 'too-long'],
    ['many questions', hello + write({ type: 'query', id: 1 }).repeat(65), 'too-many-questions'],
  ];
  test.each(cases)('%s', async (_, text, reason) => {
    expect(await say(text)).toMatch(/{"type":"refused","reason":"[^\n]*"}\n?$/);
    expect(await metrics()).toContain(`latchkey_client_refused_total{reason="${reason}"} 1\n`);
    expect(alone.eventLog.recent.at(-1)).toMatchObject({ level: 'warn', event: 'client-refused' });
    await lockOnce();
  });

  test('a client of another version is told so', async () => {
    const heard = await say(write({ type: 'hello', protocol: 9, as: '' }));
    expect(JSON.parse(heard)).toEqual({
      type: 'refused',
      reason: 'this daemon speaks version 1 of the protocol, not 9',
    });
  });

  test('a client of another version in frames is told so in a frame', async () => {
    const heard = await say(framed({ ...framedHello, protocol: 9 }));
    const reason = 'this daemon speaks version 2 of the protocol in frames, not 9';
    const json = JSON.stringify({ type: 'refused', reason });
    expect(heard).toBe(`\0\0\0${String.fromCharCode(json.length + 1)}\0${json}`);
  });

  test('any bytes at all are refused', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), beginnings, async (bytes, beginning) => {
        // In frames the length is right, so that the bytes after it are read.
        const isFramed = beginning[0] === 0;
        const length = isFramed ? Buffer.from([0, 0, bytes.length >> 8, bytes.length & 255]) : '';
        const end = isFramed ? Buffer.alloc(4, 9) : Buffer.from('\n');
        await say(Buffer.concat([beginning, Buffer.from(length), bytes, end]));
      }),
      { numRuns: 300 },
    );
    await lockOnce();
    expect((await alone.daemon.status()).sessions).toEqual([]);
  });

  test('half a message, and then nothing: when it hangs up, all is as before', async () => {
    const socket = connectNet({ path: alone.socket });
    await new Promise<void>((resolve) =>
      socket.write(`${hello + ask(1)}{"type":`, () => resolve()),
    );
    await until(async () => (await alone.group.backend.query()).held.length === 1);
    socket.destroy();
    await until(async () => (await alone.group.backend.query()).held.length === 0);
  });
});

test('what a dead client held goes to the next at once', async () => {
  const first = connectNet({ path: alone.socket });
  first.write(hello + ask(1) + ask(2, 'other'));
  await until(async () => (await alone.group.backend.query()).held.length === 2);
  const { session } = await openSession({ socket: alone.socket });
  const granted = new Promise((resolve) => {
    session.request(
      { name: 'build', permits: 0, mode: 'exclusive', how: 'wait' },
      { granted: resolve, busy: () => {}, failed: () => {}, lost: () => {} },
    );
  });
  await until(async () => (await alone.group.backend.query()).pending.length === 1);
  first.destroy();
  expect(await granted).toMatchObject({ epoch: expect.any(Number) });
  const { held } = await session.query();
  expect(held).toMatchObject([{ name: 'build', clientId: session.clientId, member: 'a' }]);
  await session.close(new Error('done'));
});

const quiet = { opened: () => {}, refused: () => {}, lost: () => {} };
const contextOf = (
  { group }: Awaited<ReturnType<typeof daemonAlone>>,
  observer: SessionObserver,
): SessionContext => ({
  member: 'a',
  group: 'alone',
  members: ['a'],
  engine: undefined,
  forget: () => {},
  rightMs: undefined,
  leftMs: () => 0,
  backend: group.backend,
  meter: { moved: () => {} },
  surveys: new SharedSurvey(() => group.backend.query()),
  limits: DEFAULT_LIMITS,
  status: async () => ({}),
  observer,
});

describe('leases, where a connection does not tell of a death', () => {
  let server: Server;
  afterEach(() => server.close());

  test('a client that says nothing is given up, one that pings is not', async () => {
    server = await listenOnSocket(join(alone.folder, 'leased.sock'));
    const gone: string[] = [];
    const observer = { ...quiet, ended: (_: unknown, { message }: Error) => gone.push(message) };
    const sessions = new Sessions(contextOf(alone, observer));
    sessions.serve(server, { event: 'connection', leaseMs: 100 });
    const socket = join(alone.folder, 'leased.sock');
    const { session } = await openSession({ socket });
    expect(await say(hello, socket)).toContain('"leaseMs":100');
    expect(gone).toEqual(['nothing heard for 0.15 seconds']);
    expect(session.ended.aborted).toBe(false);
    await session.close(new Error('done'));
  });

  test('a daemon that says nothing is given up, and what is held is lost', async () => {
    const path = join(alone.folder, 'mute.sock');
    server = createServer((socket) => {
      const about = { protocol: FRAMES_PROTOCOL, member: 'm', clientId: 'm/1', leaseMs: 50 };
      answerClient(socket, (message, send) => {
        if (message.type === 'hello') {
          send({ type: 'welcome', ...about, group: 'g', members: ['m'] });
        }
        if (message.type === 'ask') send({ type: 'granted', id: message.id, epoch: 1, clock: 1 });
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const { session } = await openSession({ socket: path });
    const lost = new Promise<Error>((resolve) => {
      session.request(
        { name: 'build', permits: 0, mode: 'exclusive', how: 'wait' },
        { granted: () => {}, busy: () => {}, failed: () => {}, lost: resolve },
      );
    });
    expect((await lost).message).toBe(
      'the daemon is gone: nothing heard from the daemon for 0.05 seconds',
    );
  });
});

describe.skipIf(!opensslIsThere)('TLS (needs openssl)', () => {
  test('a client with a certificate of the authority is let in, and no other client', async () => {
    const { daemon, client } = certificates({
      daemon: { cn: 'a', dns: 'localhost' },
      client: { cn: 'a client' },
    });
    const { stranger } = certificates({ stranger: { cn: 'a client' } });
    const server = await listenWithTls('localhost:0', daemon, DEFAULT_LIMITS, () => {});
    const sessions = new Sessions(contextOf(alone, { ...quiet, ended: () => {} }));
    sessions.serve(server, { event: 'secureConnection', leaseMs: 5_000 });
    const { port } = server.address() as { port: number };
    const socket = `localhost:${port}`;
    const { session } = await openSession({ socket, tls: client });
    expect(session.member).toBe('a');
    await session.close(new Error('done'));
    const forged = { ...stranger, ca: client.ca };
    await expect(openSession({ socket, tls: forged })).rejects.toThrow();
    await expect(openSession({ socket, tls: stranger })).rejects.toBeInstanceOf(NoDaemonError);
    server.close();
  });
});

describe('sockets', () => {
  test('are for this user alone', () => {
    expect(statSync(alone.socket).mode & 0o777).toBe(0o600);
  });
  test('of a living daemon are not taken, of a dead one they are', async () => {
    await expect(listenOnSocket(alone.socket)).rejects.toThrow(
      `another daemon serves ${alone.socket}`,
    );
    const path = join(alone.folder, 'b.sock');
    writeFileSync(path, 'a file that happens to be there');
    await expect(listenOnSocket(path)).rejects.toThrow(`cannot listen at ${path}`);
  });
  test('that are too long are refused, not cut off', async () => {
    const path = join(alone.folder, 'x'.repeat(100));
    await expect(listenOnSocket(path)).rejects.toThrow('expected a socket path of at most');
  });
  test('in a folder are tried in order of their names', async () => {
    const folder = join(alone.folder, 'many');
    mkdirSync(folder);
    for (const name of ['c.sock', 'a.sock', 'a.yaml']) writeFileSync(join(folder, name), '');
    expect(socketsAt(folder)).toEqual([join(folder, 'a.sock'), join(folder, 'c.sock')]);
    expect(socketsAt(join(folder, 'none'))).toEqual([]);
    expect((await openSession({ socket: alone.folder })).session.member).toBe('a');
  });
  describe('are in a folder of the group', () => {
    beforeEach(() => vi.stubEnv('XDG_RUNTIME_DIR', alone.folder));
    afterEach(() => vi.unstubAllEnvs());

    test('which is for this user alone', () => {
      const folder = socketFolder('mine');
      expect(folder).toBe(join(alone.folder, 'latchkey', 'mine'));
      prepareFolder(folder);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(() => socketFolder('../theirs')).toThrow('the name of a group has the characters');
    });
    test('and one that others may write to is refused, by daemons and by clients', async () => {
      prepareFolder(socketFolder('mine'));
      chmodSync(join(alone.folder, 'latchkey'), 0o777);
      const refusal = "and so listen in a daemon's place";
      expect(() => prepareFolder(socketFolder('mine'))).toThrow(refusal);
      await expect(openSession({ group: 'mine' })).rejects.toThrow(refusal);
    });
    test('but one that the user chose is left as it is', async () => {
      const folder = join(alone.folder, 'public');
      mkdirSync(folder);
      chmodSync(folder, 0o777);
      const server = await listenOnSocket(join(folder, 'a.sock'));
      expect(statSync(folder).mode & 0o777).toBe(0o777);
      server.close();
    });
  });
});
