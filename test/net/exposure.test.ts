/** Which addresses other machines can reach, and what is refused or limited there. */
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { type Group, join } from '../../src/member/join.ts';
import type { JoinLog } from '../../src/member/join-settings.ts';
import { TlsTransport, transportFor } from '../../src/member/transport.ts';
import { checkExposure, isLoopback, isThisMachine, pageExposure } from '../../src/net/exposure.ts';
import { kinds, Splitter } from '../../src/net/frames.ts';
import { decodeHello, encodeHello, type Hello, PreambleReader } from '../../src/net/hello.ts';
import { TcpWithShortcut } from '../../src/net/shortcut.ts';
import { freePorts } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { makePeer } from '../support/net-peers.ts';
import { message } from '../support/net-raw-client.ts';
import { shortcutDirectory, shortcutPath } from '../support/net-shortcut.ts';
import { until } from '../support/net-until.ts';

const members = shortcutDirectory();
const tcpWithShortcut = new TcpWithShortcut({ directory: members });

describe('an address', () => {
  test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    '%s is loopback',
    (host) => expect([isLoopback(host), isThisMachine(host)]).toEqual([true, true]),
  );
  test.each([
    '0.0.0.0',
    '::',
    '192.0.2.1',
    '127.0.0.1.example.org',
    '128.0.0.1',
    'db1',
    '1.127.0.1',
  ])('%s is not loopback', (host) => expect(isLoopback(host)).toBe(false));
  test('of a network interface is of this machine, others are not', () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address } of own) expect(isThisMachine(address), address).toBe(true);
    expect(isThisMachine('192.0.2.1')).toBe(false);
    expect(isThisMachine('db1.example.org')).toBe(false);
  });
});

describe('listening without TLS', () => {
  test.each(['0.0.0.0:7101', '[::]:7101', '192.0.2.1:7101', 'db1:7101'])(
    'at %s is refused with the way out, unless it is accepted as insecure',
    (listen) => {
      expect(() => checkExposure({ listen })).toThrow(UsageError);
      expect(() => checkExposure({ listen })).toThrow(/set `tls`, .*or .*`insecure: true`/);
      expect(checkExposure({ listen, insecure: true })).toContain(`${listen} without TLS`);
      expect(checkExposure({ listen, tls: {} })).toBeUndefined();
    },
  );
  test.each(['localhost:7101', '127.0.0.1:0', '[::1]:0', 'unix:/tmp/x'])(
    'at %s is allowed without a warning',
    (listen) => expect(checkExposure({ listen })).toBeUndefined(),
  );

  test('the page at an address that other machines can reach is warned of, and no other', () => {
    expect(pageExposure('0.0.0.0:7180')).toMatch(/0\.0\.0\.0:7180.*names of all locks; set/);
    expect(pageExposure('[::]:7180')).toContain('[::]:7180');
    for (const here of ['127.0.0.1:7180', 'localhost:0', '[::1]:80']) {
      expect(pageExposure(here)).toBeUndefined();
    }
  });

  test('is refused by `join`, which opens nothing, and warned of when it is accepted', async () => {
    const settings = { self: 'a', listen: '0.0.0.0:0', peers: {} };
    await expect(join(settings)).rejects.toThrow(UsageError);
    const log: JoinLog[] = [];
    await using group = await join({ ...settings, insecure: true, log: (e) => log.push(e) });
    expect(log[0]).toMatchObject({ level: 'warn' });
    expect(log[0]!.message).toMatch(/0\.0\.0\.0:0 without TLS/);
    expect(group.address).toMatch(/^0\.0\.0\.0:/);
  });
});

test.runIf(process.platform === 'linux')(
  'the shortcut is not tried for the address of another machine',
  async () => {
    const address = '192.0.2.1:7101';
    let connections = 0;
    const squatter = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) =>
      squatter.listen({ path: shortcutPath(members, address) }, resolve),
    );
    let isClosed = false;
    const quiet = { opened() {}, data() {}, drained() {} };
    const connection = tcpWithShortcut.dial(address, {
      ...quiet,
      closed: () => {
        isClosed = true;
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    connection.destroy();
    await until(() => isClosed);
    await new Promise((resolve) => squatter.close(resolve));
    expect(connections).toBe(0);
  },
);

test.runIf(process.platform === 'linux')(
  'over the shortcut, a process that sends much before it dials back is hung up on',
  async () => {
    const address = '127.0.0.1:1';
    let sent = 0;
    let isHungUp = false;
    const flooder = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('close', () => {
          isHungUp = true;
        });
      socket.resume();
      const chunk = Buffer.alloc(16_384);
      const flood = () => {
        sent += chunk.length;
        if (!isHungUp) socket.write(chunk, () => setImmediate(flood));
      };
      flood();
    });
    await new Promise<void>((resolve) =>
      flooder.listen({ path: shortcutPath(members, address) }, resolve),
    );
    let heard = 0;
    let isClosed = false;
    const handler = { opened() {}, data: () => heard++, drained() {} };
    tcpWithShortcut.dial(address, {
      ...handler,
      closed: () => {
        isClosed = true;
      },
    });
    await until(() => isHungUp && isClosed);
    await new Promise((resolve) => flooder.close(resolve));
    expect(heard).toBe(0);
    // What the kernel holds for a socket comes on top of the 64 KiB that the member keeps.
    expect(sent).toBeLessThan(2 ** 20);
  },
);

test.runIf(process.platform === 'linux')(
  'over the shortcut, only a process that knows the secret of the group becomes a peer',
  async () => {
    const [at] = await freePorts(1);
    const address = `127.0.0.1:${at}`;
    const common = { listen: '127.0.0.1:0', transport: tcpWithShortcut };
    const secret = 'correct horse battery staple';
    // It listens under the name of b, at the port and beside it.
    const impostor = makePeer({
      ...{ self: 'b', peers: { a: 'x:1' }, ...common, listen: address },
      secret: 'wrong horse battery staple',
    });
    const a = makePeer({ ...common, self: 'a', peers: { b: address }, secret });
    await impostor.links.open();
    await a.links.open();
    await until(() => a.log.some(({ reason }) => reason === 'wrong-secret'));
    expect([a.recorded, impostor.recorded]).toEqual([[], []]);
    await impostor.links.close();

    const b = makePeer({ ...common, self: 'b', peers: { a: 'x:1' }, listen: address, secret });
    await b.links.open();
    await until(() => a.recorded.includes('b up'));
    await Promise.all([a.links.close(), b.links.close()]);
  },
);

test.skipIf(!opensslIsThere)('TLS never uses the shortcut', () => {
  const { a } = certificates({ a: { cn: 'a' } });
  const at = { listen: '127.0.0.1:7101', peers: { b: '127.0.0.1:7102' } };
  expect(transportFor({ ...at, tls: a, shortcut: true })).toBeInstanceOf(TlsTransport);
  expect(transportFor({ ...at, shortcut: true })).not.toBeInstanceOf(TlsTransport);
});

describe('a member that sends malformed messages', () => {
  let group: Group | undefined;
  afterEach(() => group?.leave());

  test('writes ten lines into the log, however many it sends', async () => {
    const MESSAGES = 20_000;
    // It takes the place of z: the other side dials it, and says what it expects.
    const impostor = createServer((socket) => {
      const [preamble, splitter] = [new PreambleReader(), new Splitter(1 << 20)];
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        const read = preamble.read(chunk, chunk.length) as number;
        splitter.push(chunk.subarray(read), (bytes, start, end) => {
          if (bytes[start] !== kinds.HELLO) return true;
          const { to, from, ...shared } = decodeHello(bytes, start, end)!;
          const hello: Hello = { ...shared, from: to, to: from, incarnation: Date.now(), knows: 0 };
          socket.write(encodeHello(hello));
          const garbage = Uint8Array.of(99, 1, 2, 3);
          for (let i = 1; i <= MESSAGES; i++) socket.write(message(i, 0, garbage));
          return true;
        });
      });
    });
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve));
    const { port } = impostor.address() as { port: number };
    const log: JoinLog[] = [];
    group = await join({
      ...{ self: 'a', listen: '127.0.0.1:0', peers: { z: `127.0.0.1:${port}` } },
      ...{ shortcut: false, log: (entry: JoinLog) => log.push(entry) },
    });
    const malformed = async () => (await group!.status()).refusals['malformed-message'];
    while ((await malformed())! < MESSAGES) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await malformed()).toBe(MESSAGES);
    expect(log.filter(({ message }) => message.startsWith('malformed'))).toHaveLength(10);
    impostor.close();
  });
});
