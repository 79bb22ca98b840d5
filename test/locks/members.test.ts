/** The lock API among members over real sockets: the whole suite over TCP, and what is a member's own. */
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { ClosedError, type LockManager, TimeoutError } from '../../src/locks/index.ts';
import { type Group, join } from '../../src/member/join.ts';
import { ListenError } from '../../src/net/transport.ts';
import { locksSuite } from '../support/locks-suite.ts';
import { type Members, members } from '../support/members.ts';
import { certificates, opensslIsThere } from '../support/net-certificates.ts';

const IDS = ['a', 'b', 'c'];

locksSuite('three members over TCP', async (count) => {
  const { groups, stop } = await members(IDS.slice(0, count));
  return { backends: Object.values(groups).map(({ backend }) => backend), stop };
});

describe('members', () => {
  let fleet: Members | undefined;
  const extra: Group[] = [];
  afterEach(async () => {
    await Promise.all(extra.splice(0).map((group) => group.leave()));
    await fleet?.stop();
    fleet = undefined;
  });

  /** Each goes in some times; nobody sees another inside, and fences grow. */
  async function take(groups: readonly Group[], rounds: number): Promise<void> {
    let inside = 0;
    let last = 0n;
    await Promise.all(
      groups.map(async ({ locks }) => {
        for (let i = 0; i < rounds; i++) {
          await locks.request('shared by all', async ({ fence }) => {
            expect(++inside).toBe(1);
            expect(fence).toBeGreaterThan(last);
            last = fence;
            await new Promise((later) => setImmediate(later));
            inside--;
          });
        }
      }),
    );
  }

  test('a deadlock of two members is named in the error of a request that runs out of time', async () => {
    fleet = await members(['a', 'b']);
    const [a, b] = Object.values(fleet.groups).map(({ locks }) => locks) as [
      LockManager,
      LockManager,
    ];
    const [x, y] = [await a.acquire('x'), await b.acquire('y')];
    const waits = b.acquire('x', { timeoutMs: 60_000 });
    const error = await a.acquire('y', { timeoutMs: 1000 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as TimeoutError).deadlock).toHaveLength(2);
    expect((error as TimeoutError).message).toMatch(
      /"y" was not granted within 1000 ms: a deadlock: .*a holds "x" and waits for "y".*; request all locks at once/,
    );
    await x.release();
    const got = await waits;
    // Both hold, and none waits in a circle.
    const late = await a.acquire('y', { timeoutMs: 100 }).catch((reason: unknown) => reason);
    expect((late as TimeoutError).deadlock).toBeUndefined();
    await Promise.all([got.release(), y.release()]);
  });

  test('over Unix sockets', async () => {
    fleet = await members(IDS, 'unix');
    await take(Object.values(fleet.groups), 50);
  });

  test.runIf(opensslIsThere)('over TLS, each with its own certificate', async () => {
    const issued = certificates({ a: { cn: 'a' }, b: { cn: 'x', dns: 'b' }, c: { cn: 'c' } });
    fleet = await members(IDS, 'tcp', (id) => ({ tls: issued[id as 'a'] }));
    await take(Object.values(fleet.groups), 50);
  });

  test.each([true, false])('many locks at once, with a shortcut: %s', async (shortcut) => {
    fleet = await members(IDS, 'tcp', () => ({ shortcut }));
    const inside = new Map<string, number>();
    const enter = (name: string) => async () => {
      const others = inside.get(name) ?? 0;
      expect(others).toBe(0);
      inside.set(name, others + 1);
      await new Promise((later) => setImmediate(later));
      inside.delete(name);
    };
    // Each name is wanted by two, some at a time, and there are more than anyone remembers.
    const ask = async ({ locks }: Group, from: number, step: number): Promise<void> => {
      for (let k = from; k < from + 1500; k += step) {
        const name = `many/${1000 + (k % 2250)}`;
        await locks.request(name, enter(name));
      }
    };
    const groups = Object.values(fleet.groups);
    const lines = groups.flatMap((group, i) =>
      Array.from({ length: 10 }, (_, j) => ask(group, i * 750 + j, 10)),
    );
    await Promise.all(lines);
    for (const { backend, locks } of Object.values(fleet.groups)) {
      expect(locks.stats.granted).toBe(1500);
      expect(backend.stats.malformed).toBe(0);
    }
  });

  test('start in any order; until all are there, a request waits and names the missing members', async () => {
    fleet = await members(IDS);
    await fleet.groups['b']!.leave();
    await fleet.groups['c']!.leave();
    await fleet.groups['a']!.leave();
    const a = await join(fleet.settings['a']!);
    extra.push(a);
    const asked = a.locks.request('x', () => 'in');
    const b = await join(fleet.settings['b']!);
    extra.push(b);
    await vi.waitFor(async () => expect((await a.status()).waitsFor).toEqual(['c']));
    expect((await a.locks.query()).pending).toMatchObject([{ name: 'x', waitsFor: ['c'] }]);
    extra.push(await join(fleet.settings['c']!));
    expect(await asked).toBe('in');
  });

  test('one that leaves gives back what it holds, and is not waited for', async () => {
    fleet = await members(IDS);
    const { a, b } = fleet.groups as { a: Group; b: Group };
    const held = await a.locks.acquire('x');
    const waiting = b.locks.acquire('x');
    await a.leave();
    expect(held.lost.aborted).toBe(true);
    await expect(a.locks.request('x', () => {})).rejects.toThrow(ClosedError);
    (await waiting).release();
    expect((await b.status()).view!.members.map(({ id }) => id)).toEqual(['b', 'c']);
    // And it may come back.
    const rejoined = await join(fleet.settings['a']!);
    extra.push(rejoined);
    await rejoined.locks.request('x', () => {});
    expect((await b.status()).view!.members.map(({ id }) => id)).toEqual(IDS);
  });

  test('the second process of one name takes the place of the first', async () => {
    fleet = await members(IDS, 'unix');
    const { a } = fleet.groups as { a: Group };
    const held = await a.locks.acquire('x');
    const { listen } = fleet.settings['a']!;
    const successor = await join({ ...fleet.settings['a']!, listen: `${listen}.other` });
    extra.push(successor);
    await vi.waitFor(() => expect(a.stopped.aborted).toBe(true));
    expect(held.lost.aborted).toBe(true);
    await successor.locks.request('x', () => {});
  });

  test('a member with another configuration is refused, and the refusal is counted', async () => {
    fleet = await members(IDS);
    const { a } = fleet.groups as { a: Group };
    await a.locks.request('x', () => {});
    await fleet.groups['c']!.leave();
    const locks = [{ match: '*', algorithm: 'raymond' }];
    const other = await join({ ...fleet.settings['c']!, locks });
    extra.push(other);
    // The first by name dials: it is c that refuses.
    await vi.waitFor(async () => {
      expect((await other.status()).refusals['wrong-digest']).toBeGreaterThan(0);
    });
    await a.locks.request('x', () => {});
  });

  test('wrong settings are refused with the way out', async () => {
    const settings = { self: 'a', listen: '127.0.0.1:0', peers: { b: '127.0.0.1:1' } };
    const wrong = (more: object) => join({ ...settings, ...more });
    await expect(wrong({ self: 'b' })).rejects.toThrow(UsageError);
    await expect(wrong({ listen: 'nowhere' })).rejects.toThrow(/host:port or unix:path/);
    await expect(wrong({ peers: { b: 'unix:/x' } })).rejects.toThrow(/b listens at unix:/);
    await expect(wrong({ turns: 0 })).rejects.toThrow(/turns/);
    await expect(wrong({ locks: [{ match: '*', algorithm: 'redlock' }] })).rejects.toThrow(
      UsageError,
    );
    fleet = await members(['a', 'b']);
    const taken = join({ ...settings, listen: fleet.groups['a']!.address });
    await expect(taken).rejects.toThrow(ListenError);
  });
});

afterAll(async () => {
  // Nothing that would keep a process alive is left.
  const sockets = () => process.getActiveResourcesInfo().filter((what) => what.startsWith('TCP'));
  await vi.waitFor(() => expect(sockets()).toEqual([]));
});
