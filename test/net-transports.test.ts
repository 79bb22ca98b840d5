import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../src/net/clock.ts';
import { MemoryNetwork } from '../src/net/memory.ts';
import { tcp } from '../src/net/tcp.ts';
import { tls } from '../src/net/tls.ts';
import { ListenError } from '../src/net/transport.ts';
import { unix } from '../src/net/unix.ts';
import { certificates, opensslIsThere } from './support/net-certificates.ts';
import { transportSuite } from './support/net-transport-suite.ts';
import { until } from './support/net-until.ts';

const directory = mkdtempSync(join(tmpdir(), 'latchkey-'));
afterAll(() => rmSync(directory, { recursive: true }));
const nobody = {
  arrives: () => ({ enters: () => expect.fail(), fails: () => {}, leaves: () => {} }),
};

transportSuite('memory', () => {
  const network = new MemoryNetwork(systemClock);
  const leftovers = () => Array(network.size).fill('an end');
  const [listening, dialling] = [network.host('there'), network.host('here')];
  return { listening, dialling, address: 'somewhere', leftovers };
});

transportSuite('TCP', () => ({ listening: tcp, dialling: tcp, address: '127.0.0.1:0' }));
transportSuite('TCP by IPv6', () => ({ listening: tcp, dialling: tcp, address: '[::1]:0' }));

let sockets = 0;
transportSuite('Unix sockets', () => {
  const path = join(directory, `${sockets++}`);
  const leftovers = () => (existsSync(path) ? [path] : []);
  return { listening: unix, dialling: unix, address: `unix:${path}`, leftovers };
});

describe.skipIf(!opensslIsThere)('TLS, for which openssl makes the certificates', () => {
  const made = opensslIsThere
    ? certificates({ a: { cn: 'a' }, b: { cn: 'machine 7', dns: 'b' } })
    : undefined;
  const others = opensslIsThere ? certificates({ a: { cn: 'a' } }) : undefined;

  transportSuite('TLS', () => ({
    listening: tls(made!.b),
    dialling: tls(made!.a),
    address: '127.0.0.1:0',
    names: { ofDialler: 'a', ofListener: 'b' },
  }));

  test('an unknown authority, no certificate and no TLS at all are failures', async () => {
    const failures: string[] = [];
    let left = 0;
    const listener = await tls(made!.b).listen('127.0.0.1:0', {
      arrives: () => ({
        enters: () => expect.fail(),
        fails: (error) => failures.push(error.message),
        leaves: () => {
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
    // It is trusted by the stranger, but does not trust it back.
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
    expect(failures[1]).toMatch(/unknown ca|hung up/);
    expect(failures[2]).toMatch(/http request/);
    await listener.close();
  });
});

describe('a Unix socket', () => {
  test('that a killed process left behind is replaced', async () => {
    const path = join(directory, 'stale');
    const leave = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', leave]);
    expect(existsSync(path)).toBe(true);
    const listener = await unix.listen(`unix:${path}`, nobody);
    await listener.close();
    expect(existsSync(path)).toBe(false);
  });

  test('does not replace a file that is something else', async () => {
    const path = join(directory, 'diary');
    writeFileSync(path, 'dear diary');
    await expect(unix.listen(`unix:${path}`, nobody)).rejects.toBeInstanceOf(ListenError);
    expect(existsSync(path)).toBe(true);
  });

  test('says what is wrong with its path', async () => {
    const missing = unix.listen(`unix:${join(directory, 'no', 'such')}`, nobody);
    await expect(missing).rejects.toThrow(/a directory that exists and is yours/);
    const long = unix.listen(`unix:${join(directory, 'x'.repeat(120))}`, nobody);
    await expect(long).rejects.toThrow(/of at most 10\d bytes/);
  });
});

test('an address that is not ours cannot be listened at', async () => {
  await expect(tcp.listen('192.0.2.1:0', nobody)).rejects.toThrow(/no such address/);
});
