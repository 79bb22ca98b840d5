import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { transportFor } from '../../src/member/transport.ts';
import { systemClock } from '../../src/net/clock.ts';
import { MemoryNetwork } from '../../src/net/memory.ts';
import { dialPair } from '../../src/net/paired-sockets.ts';
import { TcpWithShortcut } from '../../src/net/shortcut.ts';
import { tcp } from '../../src/net/tcp.ts';
import { tls } from '../../src/net/tls.ts';
import {
  type Acceptor,
  type Connection,
  ListenError,
  type Listener,
  type Transport,
} from '../../src/net/transport.ts';
import { unix } from '../../src/net/unix.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { shortcutDirectory, shortcutPath } from '../support/net-shortcut.ts';
import { transportSuite } from '../support/net-transport-suite.ts';
import { until } from '../support/net-until.ts';

const directory = mkdtempSync(join(tmpdir(), 'latchkey-'));
afterAll(() => rmSync(directory, { recursive: true }));
const members = shortcutDirectory();
const tcpWithShortcut = new TcpWithShortcut({ directory: members });
const acceptNone = {
  accept: () => ({ established: () => expect.fail(), failed: () => {}, closed: () => {} }),
};

transportSuite('memory', () => {
  const network = new MemoryNetwork(systemClock);
  const leftovers = () => Array(network.size).fill('an end');
  const [listening, dialing] = [network.host('there'), network.host('here')];
  return { listening, dialing, address: 'somewhere', leftovers };
});

transportSuite('TCP', () => ({ listening: tcp, dialing: tcp, address: '127.0.0.1:0' }));
transportSuite('TCP by IPv6', () => ({ listening: tcp, dialing: tcp, address: '[::1]:0' }));

transportSuite('TCP with a shortcut', () => ({
  listening: tcpWithShortcut,
  dialing: tcpWithShortcut,
  address: '127.0.0.1:0',
  leftovers: () => readdirSync(members),
}));

describe.runIf(process.platform === 'linux')('the shortcut', () => {
  /** The remote address that the listener sees when this address is dialed. */
  async function remoteOf(listening: Transport, dialled: (address: string) => string) {
    const remotes: string[] = [];
    const quiet = { opened() {}, data() {}, drained() {}, closed() {} };
    const listener = await listening.listen('127.0.0.1:0', {
      accept(remote) {
        remotes.push(remote);
        return { established: () => quiet, failed: () => expect.fail(), closed: () => {} };
      },
    });
    let isOpen = false;
    const connection = tcpWithShortcut.dial(dialled(listener.address), {
      ...quiet,
      opened: () => {
        isOpen = true;
      },
    });
    await until(() => isOpen && remotes.length > 0);
    connection.destroy();
    await listener.close();
    return remotes;
  }
  const asItIs = (address: string) => address;

  test('is used unless it is switched off', () => {
    const settings = { listen: '127.0.0.1:7101', peers: { b: '127.0.0.1:7102' } };
    expect(transportFor(settings)).toBeInstanceOf(TcpWithShortcut);
    expect(transportFor({ ...settings, shortcut: true })).toBeInstanceOf(TcpWithShortcut);
    expect(transportFor({ ...settings, shortcut: false })).toBe(tcp);
  });

  test('is used for exactly the address that the listener was given', async () => {
    expect(await remoteOf(tcpWithShortcut, asItIs)).toEqual(['unix']);
  });
  test('is not used for another spelling of the address, which might be another machine', async () => {
    const otherwise = (address: string) => address.replace('127.0.0.1', 'localhost');
    const [remote] = await remoteOf(tcpWithShortcut, otherwise);
    expect(remote).toMatch(/127\.0\.0\.1$/);
  });
  test('is replaced by TCP where the listener has none', async () => {
    expect(await remoteOf(tcp, asItIs)).toEqual(['127.0.0.1']);
  });
  test('whose name another process has is an error, and the port is given back', async () => {
    const port = await tcp.listen('127.0.0.1:0', acceptNone);
    const squatter = createServer().listen({ path: shortcutPath(members, port.address) });
    await port.close();
    const error = await tcpWithShortcut.listen(port.address, acceptNone).catch((e) => e);
    expect(error).toBeInstanceOf(ListenError);
    expect(error.message).toContain(`${port.address}: another process has it`);
    await new Promise((closed) => squatter.close(closed));
    const second = await tcpWithShortcut.listen(port.address, acceptNone);
    await second.close();
  });
  test('gives its name back if another process has the port', async () => {
    const port = await tcp.listen('127.0.0.1:0', acceptNone);
    await expect(tcpWithShortcut.listen(port.address, acceptNone)).rejects.toThrow(ListenError);
    await port.close();
    const second = await tcpWithShortcut.listen(port.address, acceptNone);
    await second.close();
  });

  describe('a member that dials while the other starts', () => {
    const address = async () => {
      const port = await tcp.listen('127.0.0.1:0', acceptNone);
      await port.close();
      return port.address;
    };
    /** Dials before the other listens; `start` runs before the fallback connects. */
    async function dialDuring(start: (address: string, incoming: Acceptor) => Promise<Listener>) {
      const at = await address();
      const events: string[] = [];
      const note = (event: string) => () => void events.push(event);
      const quiet = { opened() {}, drained() {}, closed() {} };
      const came: Connection[] = [];
      const incoming: Acceptor = {
        accept: (remote) => ({
          established: (connection) => {
            came.push(connection);
            return { ...quiet, data: note(`${remote} is told`) };
          },
          failed: () => expect.fail(),
          closed: () => {},
        }),
      };
      let listener: Listener | undefined;
      const handler = {
        ...quiet,
        opened: note('opened'),
        closed: note('closed'),
        data: note('hears'),
      };
      const connection = dialPair(shortcutPath(members, at), at, handler, () => {
        const socket = new Socket();
        const port = Number(at.split(':')[1]);
        void start(at, incoming).then((started) => {
          listener = started;
          socket.connect(port, '127.0.0.1');
        });
        return socket;
      });
      await until(() => events.includes('opened') && came.length > 0);
      connection.write(Buffer.from('hello'));
      await until(() => events.length === 2);
      came.at(-1)!.write(Buffer.from('you too'));
      await until(() => events.length === 3);
      connection.destroy();
      await until(() => events.length === 4);
      await listener!.close();
      return events;
    }

    test('uses the shortcut all the same', async () => {
      const events = await dialDuring((...how) => tcpWithShortcut.listen(...how));
      expect(events).toEqual(['opened', 'unix is told', 'hears', 'closed']);
    });
    test('stays with TCP, if there is no shortcut', async () => {
      const events = await dialDuring(tcp.listen);
      expect(events).toEqual(['opened', '127.0.0.1 is told', 'hears', 'closed']);
    });
    test('may give up at any moment', async () => {
      for (let i = 0; i < 200; i++) {
        const at = await address();
        let closed = 0;
        const quiet = { opened() {}, data() {}, drained() {}, closed() {} };
        const client = { established: () => quiet, failed() {}, closed() {} };
        const starting = tcpWithShortcut.listen(at, { accept: () => client });
        const connection = tcpWithShortcut.dial(at, { ...quiet, closed: () => void closed++ });
        for (let k = 0; k < i % 10; k++) await new Promise((resolve) => setImmediate(resolve));
        connection.destroy();
        await until(() => closed >= 1);
        const listener = await starting;
        await listener.close();
        expect(closed).toBe(1);
      }
    });
  });

  describe('and a raw client', () => {
    const events: string[] = [];
    let path: string;
    let close: () => Promise<void>;
    beforeEach(async () => {
      events.length = 0;
      const listener = await tcpWithShortcut.listen('127.0.0.1:0', {
        accept: (_, cut) => ({
          established: () => {
            events.push('established');
            const [opened, data, drained] = [() => {}, () => {}, () => {}];
            return { opened, data, drained, closed: () => events.push('handler closed') };
          },
          failed: ({ message }) => {
            events.push(message);
            cut();
          },
          closed: () => events.push('closed'),
        }),
      });
      path = shortcutPath(members, listener.address);
      ({ close } = listener);
    });
    afterEach(() => close());

    const closedBy = (socket: Socket) => new Promise((closed) => socket.once('close', closed));

    test('that sends garbage is refused', async () => {
      const socket = connect({ path });
      for (const piece of ['GET / HTTP/1.1', '\r\nHost: me\r\n', '\r\n and so on'])
        socket.write(piece);
      await closedBy(socket.resume());
      await until(() => events.length === 2);
      expect(events).toEqual(['did not send the name of the socket to dial back', 'closed']);
    });
    test('that does not listen under its name is refused', async () => {
      const socket = connect({ path });
      socket.write('0123456789abcdef'.repeat(2));
      await closedBy(socket.resume());
      await until(() => events.length > 0);
      expect(events).toEqual(['closed']);
    });
    test.each(['outgoing', 'incoming'])(
      'that breaks its %s socket has broken both',
      async (which) => {
        const id = 'fedcba9876543210'.repeat(2);
        const server = createServer().listen({ path: join(members, id) });
        const back = new Promise<Socket>((dialled) => server.once('connection', dialled));
        const incoming = connect({ path });
        incoming.write(id);
        const outgoing = await back;
        await until(() => events.includes('established'));
        const [broken, other] = which === 'outgoing' ? [outgoing, incoming] : [incoming, outgoing];
        broken.destroy();
        await closedBy(other.resume());
        await until(() => events.length === 3);
        expect(events.toSorted()).toEqual(['closed', 'established', 'handler closed']);
        server.close();
      },
    );
  });
  test('refuses an address that is not valid at once', () => {
    const handler = { opened() {}, data() {}, drained() {}, closed() {} };
    expect(() => tcpWithShortcut.dial('nowhere', handler)).toThrow(UsageError);
  });
});

let sockets = 0;
transportSuite('Unix sockets', () => {
  const path = join(directory, `${sockets++}`);
  const leftovers = () => (existsSync(path) ? [path] : []);
  return { listening: unix, dialing: unix, address: `unix:${path}`, leftovers };
});

describe.skipIf(!opensslIsThere)('TLS, for which openssl makes the certificates', () => {
  const made = opensslIsThere
    ? certificates({ a: { cn: 'a' }, b: { cn: 'machine 7', dns: 'b' } })
    : undefined;
  const others = opensslIsThere ? certificates({ a: { cn: 'a' } }) : undefined;

  transportSuite('TLS', () => ({
    listening: tls(made!.b),
    dialing: tls(made!.a),
    address: '127.0.0.1:0',
    names: { ofDialer: 'a', ofListener: 'b' },
  }));

  test('an unknown authority, no certificate and no TLS at all are failures', async () => {
    const failures: string[] = [];
    let left = 0;
    const listener = await tls(made!.b).listen('127.0.0.1:0', {
      accept: () => ({
        established: () => expect.fail(),
        failed: (error) => failures.push(error.message),
        closed: () => {
          left++;
        },
      }),
    });
    const ends: string[] = [];
    const handler = {
      opened: () => {},
      data: () => expect.fail(),
      drained: () => {},
      closed: (error: Error | undefined) => ends.push(error?.message ?? 'closed'),
    };
    // The client trusts the listener, but the listener does not trust the client.
    tls({ ...others!.a, ca: made!.a.ca }).dial(listener.address, handler);
    await until(() => left === 1);
    tls(others!.a).dial(listener.address, handler);
    await until(() => left === 2);
    tcp
      .dial(listener.address, { ...handler, data: () => {} })
      .write(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    await until(() => left === 3 && ends.length === 3);
    expect(failures).toHaveLength(3);
    expect(failures[0]).toMatch(/not of our authority/);
    expect(failures[1]).toMatch(/unknown ca|closed the connection/);
    expect(failures[2]).toMatch(/http request/);
    await listener.close();
  });
});

describe('a Unix socket', () => {
  test('is open to this user only, whatever the umask is', async () => {
    const path = join(directory, 'private');
    const before = process.umask(0);
    const listener = await unix.listen(`unix:${path}`, acceptNone);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(process.umask(before)).toBe(0);
    await listener.close();
  });

  test('that a killed process left behind is replaced', async () => {
    const path = join(directory, 'stale');
    const leave = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', leave]);
    expect(existsSync(path)).toBe(true);
    const listener = await unix.listen(`unix:${path}`, acceptNone);
    await listener.close();
    expect(existsSync(path)).toBe(false);
  });

  test('does not replace a file that is something else', async () => {
    const path = join(directory, 'recorded');
    writeFileSync(path, 'dear recorded');
    await expect(unix.listen(`unix:${path}`, acceptNone)).rejects.toBeInstanceOf(ListenError);
    expect(existsSync(path)).toBe(true);
  });

  test('says what is wrong with its path', async () => {
    const missing = unix.listen(`unix:${join(directory, 'no', 'such')}`, acceptNone);
    await expect(missing).rejects.toThrow(/a directory that exists and is yours/);
    const long = unix.listen(`unix:${join(directory, 'x'.repeat(120))}`, acceptNone);
    await expect(long).rejects.toThrow(/of at most 10\d bytes/);
  });
});

test('an address that is not ours cannot be listened at', async () => {
  await expect(tcp.listen('192.0.2.1:0', acceptNone)).rejects.toThrow(/no such address/);
});
