/** Members that find each other by a real Postgres server, and lock. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { postgres } from '../../src/engines/postgres.ts';
import { type Group, join } from '../../src/member/join.ts';
import type { JoinSettings } from '../../src/member/join-settings.ts';
import { until } from '../support/program.ts';
import { missing, type Server, startPostgres } from '../support/servers.ts';
import { LEASE_MS, storeMembersSuite } from '../support/store-members-suite.ts';

const why = missing('postgres');

describe.skipIf(why !== null)(`Postgres${why === null ? '' : ` (${why})`}`, () => {
  let server: Server;
  const open = new Set<Group>();

  beforeAll(async () => {
    server = await startPostgres();
    await until(async () => {
      const group = await start({ group: 'probe' }).catch(() => null);
      await group?.leave();
      return group !== null;
    });
  }, 120_000);
  afterEach(async () => {
    await Promise.all([...open].map((group) => group.leave()));
    open.clear();
  });
  afterAll(() => server?.stop());

  const start = async (settings: Partial<JoinSettings>) => {
    const engine = postgres(server.url, { leaseMs: LEASE_MS });
    const group = await join({ listen: '127.0.0.1:0', engine, ...settings });
    open.add(group);
    return group;
  };

  test('members find each other without names and peers, and lock', async () => {
    const all = await Promise.all([1, 2, 3].map(() => start({ group: 'nameless' })));
    await until(() => all.every(({ members }) => members.length === 3));
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    const first = await all[0]!.locks.acquire('x');
    const waiting = all[1]!.locks.acquire('x');
    first.release();
    const second = await waiting;
    expect(second.fence).toBeGreaterThan(first.fence);
    second.release();
    expect(all[0]!.memberStatus().view!.members[0]).toMatchObject({
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      tenure: expect.any(Number),
    });
  }, 30_000);

  test('the status has the store, the lease and no suspicion while all is well', async () => {
    const group = await start({ group: 'status', self: 'a' });
    await until(() => group.memberStatus().view !== null);
    const { engine } = group.memberStatus();
    expect(engine).toMatchObject({ name: 'postgres', storeReachable: true, suspected: [] });
    expect(engine.leaseLeftMs).toBeGreaterThan(0);
    expect(engine.leaseLeftMs).toBeLessThanOrEqual(0.8 * LEASE_MS);
  }, 30_000);

  test('the address of a member is what it advertises', async () => {
    const group = await start({ group: 'advertised', self: 'a', advertise: 'a.example:7101' });
    await until(() => group.memberStatus().view !== null);
    expect(group.memberStatus().view!.members[0]!.address).toBe('a.example:7101');
  }, 30_000);

  test('a member with another lease is refused', async () => {
    const first = await start({ group: 'leases', self: 'a' });
    await until(() => first.memberStatus().view !== null);
    const engine = postgres(server.url, { leaseMs: 2 * LEASE_MS });
    const second = await start({ group: 'leases', self: 'b', engine });
    await until(() => second.stopped.aborted);
    expect((second.stopped.reason as Error).message).toContain('give all members the same');
    await second.leave();
  }, 30_000);

  test('a database that is killed and started again costs no lock', async () => {
    // Long enough for the recovery of Postgres on a busy machine.
    const engine = postgres(server.url, { leaseMs: 4 * LEASE_MS });
    const both = await Promise.all(
      ['a', 'b'].map((self) => start({ group: 'dead', self, engine })),
    );
    await until(() => both.every(({ members }) => members.length === 2));
    const held = await Promise.all(both.map((group) => group.locks.acquire(`of ${group.id}`)));
    const statuses = () => both.map((group) => group.memberStatus().engine);
    await server.kill();
    await until(() => statuses().every(({ storeReachable }) => storeReachable === false));
    await server.restart();
    await until(() => statuses().every(({ storeReachable }) => storeReachable === true));
    expect(held.map(({ lost }) => lost.aborted)).toEqual([false, false]);
    for (const one of held) one.release();
  }, 60_000);

  test('a store that cannot be used is an error, and nothing is left open', async () => {
    const engine = postgres('postgres://nobody@127.0.0.1:1/x', { leaseMs: LEASE_MS });
    await expect(start({ engine })).rejects.toThrow('ECONNREFUSED');
  });

  test.each([
    [{ peers: { b: '127.0.0.1:1' } }, 'leave `peers` out'],
    [{ advertise: 'unix:/tmp/x' }, '`advertise` takes an address'],
    [{ advertise: 'host:0' }, '`advertise` takes an address'],
    [{ self: '' }, '`join` needs `self`'],
  ])('settings that do not go with a store are refused: %j', async (settings, message) => {
    const starting = start(settings);
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toBeInstanceOf(UsageError);
  });

  storeMembersSuite('Postgres', () => ({ engine: 'postgres', url: server.url }), {
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
  });
});
