/** `latchkey node`: where it may listen, and a reload of certificates and access rules without a restart. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { freePorts } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { killTheRest, latchkey } from '../support/program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
});
afterEach(() => {
  killTheRest();
  rmSync(folder, { recursive: true, force: true });
});
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

test('a member that would listen to a network without TLS is refused with the way out, and exit code 2', async () => {
  const run = latchkey(['node', '--self', 'a', '--listen', '0.0.0.0:7101']);
  const { code, stdout, stderr } = await run.end;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/tls.*0\.0\.0\.0:7101.*insecure/);
});

test('a page that other machines can reach is warned of at the start', async () => {
  const socket = join(folder, 'a.sock');
  const where = ['--listen', 'localhost:0', '--socket', socket, '--dashboard', '0.0.0.0:0'];
  const node = latchkey(['node', '--self', 'a', ...where]);
  await node.says(/"event":"page-exposed".*0\.0\.0\.0:0.*names of all locks/);
});

test('a socket path that is too long is refused before the member joins', async () => {
  const self = 'x'.repeat(120);
  const run = latchkey(['node', '--self', self, '--listen', 'localhost:0']);
  const { code, stderr } = await run.end;
  expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
  expect(stderr).toMatch(/a socket path of at most \d+ bytes, got \d+ bytes: .*take a shorter one/);
});

test('certificates that are none are refused with the flag, by members and by clients', async () => {
  write('none.pem', 'garbage');
  const pem = join(folder, 'none.pem');
  const flags = ['--ca', pem, '--cert', pem, '--key', pem];
  const member = latchkey(['node', '--self', 'a', '--listen', 'localhost:0', ...flags]);
  const client = latchkey(['lock', '--socket', 'localhost:1', ...flags, 'x', '--', 'true']);
  for (const { end } of [member, client]) {
    const { code, stderr } = await end;
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toMatch(/(`tls\.ca`|--ca) takes a text in PEM: .*: check its file/);
  }
});

describe.skipIf(!opensslIsThere)('certificates (needs openssl)', () => {
  test('a certificate and the key of another one are refused', async () => {
    const { a, b } = certificates({ a: { cn: 'a' }, b: { cn: 'b' } });
    for (const [name, text] of Object.entries({ ...a, key: b.key })) write(name, String(text));
    const flags = ['ca', 'cert', 'key'].flatMap((name) => [`--${name}`, join(folder, name)]);
    const { code, stderr } = await latchkey([
      ...['node', '--self', 'a', '--listen', 'localhost:0'],
      ...flags,
    ]).end;
    expect(code).toBe(2);
    expect(stderr).toMatch(/`tls\.cert` and `tls\.key` do not belong together: .*\n$/);
  });
});

describe.skipIf(!opensslIsThere)('SIGHUP (needs openssl)', () => {
  test('reads certificates and access rules again, and a wrong file changes nothing', async () => {
    const [one, two] = await freePorts(2);
    const settings = (client: string) => `
self: a
listen: localhost:${one}
clients: localhost:${two}
socket: a.sock
tls: { ca: ca, cert: cert, key: key }
access: [{ client: ${client}, locks: ['*'], status: true }]
`;
    const issue = (client: string) =>
      certificates({ daemon: { cn: 'a', dns: 'localhost' }, client: { cn: client } });
    const [before, after] = [issue('old'), issue('new')];
    const install = (tls: object) => {
      for (const [name, text] of Object.entries(tls)) write(name, text);
    };
    install(before.daemon);
    write('a.yaml', settings('old'));
    const node = latchkey(['node', '--config', join(folder, 'a.yaml')]);
    await node.says(/"event":"ready"/);
    const socket = `localhost:${two}`;
    const old = await connect({ socket, tls: before.client });
    const held = await old.locks.acquire('x');

    write('a.yaml', settings('[1]'));
    node.child.kill('SIGHUP');
    await node.says(/"event":"not-reloaded".*stay as they are/);
    await (await connect({ socket, tls: before.client })).close();

    install(after.daemon);
    write('a.yaml', settings('new'));
    node.child.kill('SIGHUP');
    await node.says(/"event":"reloaded"/);
    await expect(connect({ socket, tls: before.client })).rejects.toThrow();
    const fresh = await connect({ socket, tls: after.client });
    await (await fresh.locks.acquire('y')).release();
    expect(held.lost.aborted).toBe(false);
    await old.close();
    await fresh.close();
    node.child.kill('SIGTERM');
    expect((await node.end).code).toBe(0);
  });
});
