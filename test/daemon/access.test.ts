/** Certificates of clients: roles, groups, access rules, revocation, and their reload without a restart. */
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { AccessError } from '../../src/client/errors.ts';
import { openSession } from '../../src/client/open-session.ts';
import type { RemoteSettings } from '../../src/daemon/daemon.ts';
import { join as joinGroup } from '../../src/member/join.ts';
import { refusalOfRole } from '../../src/net/roles.ts';
import type { TlsSettings } from '../../src/net/tls.ts';
import { daemonAlone } from '../support/daemon-alone.ts';
import { freePorts } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';
import { until } from '../support/program.ts';
import { withRevoked } from '../support/revoked-certificates.ts';

describe('the role in a certificate', () => {
  const wanted = 'client.g.latchkey';
  test('is good for that role in that group alone', () => {
    expect(refusalOfRole(['x', wanted], 'client', 'g', true)).toBeUndefined();
    expect(refusalOfRole(['x', wanted], 'member', 'g', false)).toContain(`is for ${wanted}`);
    expect(refusalOfRole(['x', wanted], 'client', 'other', false)).toContain(
      'client.other.latchkey',
    );
    expect(refusalOfRole([wanted, 'member.g.latchkey'], 'member', 'g', true)).toBeUndefined();
  });
  test('may be left out unless roles are required', () => {
    expect(refusalOfRole(['x'], 'client', 'g', false)).toBeUndefined();
    expect(refusalOfRole(['x'], 'client', 'g', true)).toContain('names no role');
  });
});

describe.skipIf(!opensslIsThere)('over TLS (needs openssl)', () => {
  let alone: Awaited<ReturnType<typeof daemonAlone>> | undefined;
  afterEach(async () => {
    await alone?.close();
    alone = undefined;
  });
  const start = async (tls: RemoteSettings['tls'], more: Partial<RemoteSettings> = {}) => {
    const [port] = await freePorts(1);
    const listen = `localhost:${port}`;
    alone = await daemonAlone({ remote: { listen, tls, ...more } });
    return listen;
  };
  const issued = certificates({
    daemon: { cn: 'a', dns: 'localhost,DNS:member.alone.latchkey' },
    client: { cn: 'build-1', dns: 'client.alone.latchkey' },
    plain: { cn: 'plain' },
    other: { cn: 'other', dns: 'client.elsewhere.latchkey' },
    member: { cn: 'b', dns: 'member.alone.latchkey' },
    clientNamedB: { cn: 'b', dns: 'client.alone.latchkey' },
    impostor: { cn: 'c', dns: 'localhost,DNS:client.alone.latchkey' },
  });

  test('a client of the group is let in, and its name is in its clientId, the status and the page', async () => {
    const socket = await start({ ...issued.daemon, requireRoles: true });
    const client = await connect({ socket, tls: issued.client, as: 'make' });
    await client.locks.acquire('x');
    const { held } = await client.locks.query();
    expect(held[0]!.clientId).toBe('a/1 [build-1] (make)');
    expect(await client.status()).toMatchObject({ sessions: [{ certificate: 'build-1' }] });
    await client.close();
  });

  test.each(['member', 'other', 'plain'] as const)(
    'a certificate "%s" is refused as a client, with the reason',
    async (name) => {
      const socket = await start({ ...issued.daemon, requireRoles: true });
      await expect(connect({ socket, tls: issued[name] })).rejects.toThrow(/its certificate/);
      expect(alone!.eventLog.recent.at(-1)!.text).toContain('a client was refused');
    },
  );

  test("a client refuses a daemon that shows a client's certificate", async () => {
    const socket = await start(issued.impostor);
    await expect(connect({ socket, tls: issued.client })).rejects.toThrow(
      'is no member of the group',
    );
  });

  test("a client's certificate is no member's: the group does not let it in", async () => {
    const [one, two] = await freePorts(2);
    const at = { a: `127.0.0.1:${one}`, b: `127.0.0.1:${two}` };
    const common = { group: 'alone' };
    const a = await joinGroup({
      ...common,
      self: 'a',
      listen: at.a,
      peers: { b: at.b },
      tls: issued.daemon,
    });
    const second = { ...common, self: 'b', listen: at.b, peers: { a: at.a } };
    // Its name is right, and its authority too; only its role is not.
    const b = await joinGroup({ ...second, tls: issued.clientNamedB });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(a.memberStatus().peers[0]!.connected).toBe(false);
    expect(a.memberStatus().waitsFor).toEqual(['b']);
    await b.leave();
    // With the certificate of a member it is let in, and locks are granted.
    const rejoined = await joinGroup({ ...second, tls: issued.member });
    await (await rejoined.locks.acquire('x', { timeoutMs: 20_000 })).release();
    await Promise.all([a.leave(), rejoined.leave()]);
  });

  test('access rules say which locks, whether to steal, and whether to see the status', async () => {
    const access = [
      { client: 'build-*', locks: ['build/*', 'shared'], steal: false, status: false },
      { client: 'plain', locks: ['*'], steal: true, status: true },
    ];
    const socket = await start(issued.daemon, { access });
    const build = await connect({ socket, tls: issued.client });
    await (await build.locks.acquire('build/x')).release();
    const refused = build.locks.acquire('deploy');
    await expect(refused).rejects.toBeInstanceOf(AccessError);
    await expect(refused).rejects.toThrow(
      'the certificate of "build-1" does not allow it to ask for this lock',
    );
    const steals = build.locks.request('shared', { steal: true }, () => {});
    await expect(steals).rejects.toThrow('does not allow it to steal');
    await expect(build.status()).rejects.toThrow('does not allow it to see the status');
    const { session } = await openSession({ socket, tls: issued.client });
    expect(await session.askUnreachable('build/x', 0)).toEqual([]);
    await expect(session.askUnreachable('deploy', 0)).rejects.toThrow('to ask for this lock');
    await session.close(new Error('the test is over'));
    const plain = await connect({ socket, tls: issued.plain });
    await plain.locks.request('deploy', { steal: true }, () => {});
    expect(await plain.status()).toMatchObject({ self: 'a' });
    await expect(connect({ socket, tls: issued.member })).rejects.toThrow();
    await build.close();
    await plain.close();
  });

  test('a client that no rule is for is refused', async () => {
    const access = [{ client: 'build-*', locks: ['*'], steal: false, status: true }];
    const socket = await start(issued.daemon, { access });
    await expect(connect({ socket, tls: issued.plain })).rejects.toThrow(
      'no access rule is for this name',
    );
  });

  test('a reload brings new certificates and rules, and open sessions stay', async () => {
    const socket = await start(issued.daemon);
    const before = await connect({ socket, tls: issued.client });
    const held = await before.locks.acquire('x');
    const renewed = certificates({ daemon: { cn: 'a', dns: 'localhost' }, client: { cn: 'new' } });
    const group = alone!.group;
    // The members of this group of one listen without TLS: only the clients' port has certificates.
    group.reloadTls = async () => {};
    await alone!.daemon.reload(renewed.daemon, [
      { client: 'new', locks: ['*'], steal: true, status: true },
    ]);
    await expect(connect({ socket, tls: issued.client })).rejects.toThrow();
    const after = await connect({ socket, tls: renewed.client });
    await (await after.locks.acquire('y')).release();
    expect(held.lost.aborted).toBe(false);
    await held.release();
    await Promise.all([before.close(), after.close()]);
  });

  test('a revoked certificate is refused, and others of the authority are not', async () => {
    const { daemon, good, bad, crl } = withRevoked();
    const socket = await start({ ...daemon, crl });
    await expect(connect({ socket, tls: bad })).rejects.toThrow();
    const client = await connect({ socket, tls: good });
    await (await client.locks.acquire('x')).release();
    await client.close();
  });

  describe('a member whose certificate is revoked', () => {
    const { daemon, good, bad, crl } = withRevoked();
    // Of two members the one with the smaller name dials: "a" dials "bad", and "bad" dials "good".
    test.each([
      ['a', daemon],
      ['good', good],
    ] as const)('is refused by %s', async (self, tls) => {
      const { honest, revoked, said } = await pairOf(self, { ...tls, crl }, bad);
      const isRefused = () => (honest.memberStatus().refusals['not-authenticated'] ?? 0) > 0;
      await until(() => isRefused() || said.some((message) => /revoked/.test(message)));
      expect(honest.memberStatus().peers[0]!.connected).toBe(false);
      await Promise.all([honest.leave(), revoked.leave()]);
    });

    test('is refused once the list of revoked certificates has been reloaded', async () => {
      const { honest, revoked, said, rejoin } = await pairOf('a', daemon, bad);
      await (await honest.locks.acquire('x', { timeoutMs: 20_000 })).release();
      await honest.reloadTls({ ...daemon, crl });
      await revoked.leave();
      const rejoined = await rejoin();
      await until(() => said.some((message) => /revoked/.test(message)));
      expect(honest.memberStatus().peers[0]!.connected).toBe(false);
      await Promise.all([honest.leave(), rejoined.leave()]);
    });
  });

  test('members go on after a reload: the new certificates are of another authority', async () => {
    const [one, two] = await freePorts(2);
    const at = { a: `127.0.0.1:${one}`, b: `127.0.0.1:${two}` };
    const [old, renewed] = [0, 1].map(() => certificates({ a: { cn: 'a' }, b: { cn: 'b' } }));
    const settings = (self: 'a' | 'b', peer: 'a' | 'b', tls: TlsSettings) => ({
      ...{ self, listen: at[self], peers: { [peer]: at[peer] }, tls },
    });
    const a = await joinGroup(settings('a', 'b', old!.a));
    const b = await joinGroup(settings('b', 'a', old!.b));
    await (await a.locks.acquire('x', { timeoutMs: 20_000 })).release();
    await Promise.all([a.reloadTls(renewed!.a), b.reloadTls(renewed!.b)]);
    await (await b.locks.acquire('x', { timeoutMs: 20_000 })).release();
    await b.leave();
    // A member that starts now needs the new certificates, on both ends.
    const rejoined = await joinGroup(settings('b', 'a', renewed!.b));
    await (await rejoined.locks.acquire('x', { timeoutMs: 20_000 })).release();
    await Promise.all([a.leave(), rejoined.leave()]);
  });
});

/** A member, and "bad", whose certificate is revoked; `said` is what the first one logs. */
async function pairOf(self: string, tls: TlsSettings, bad: TlsSettings) {
  const [one, two] = await freePorts(2);
  const at = { own: `127.0.0.1:${one}`, bad: `127.0.0.1:${two}` };
  const said: string[] = [];
  const honest = await joinGroup({
    ...{ self, listen: at.own, peers: { bad: at.bad }, tls },
    log: ({ message }) => said.push(message),
  });
  const rejoin = () =>
    joinGroup({ self: 'bad', listen: at.bad, peers: { [self]: at.own }, tls: bad });
  return { honest, revoked: await rejoin(), said, rejoin };
}
