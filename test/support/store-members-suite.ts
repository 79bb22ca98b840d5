/** What members on any real store are held to: processes that are killed, stopped, started and that leave. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from './program.ts';
import { StoreFleet, type StoreMember, type StoreTarget } from './store-fleet.ts';

export const LEASE_MS = 1500;

export function storeMembersSuite(
  name: string,
  target: () => Omit<StoreTarget, 'leaseMs'>,
  store: { freeze: () => void; thaw: () => void },
): void {
  const fleetOf = async (...names: string[]) => {
    const fleet = new StoreFleet({ ...target(), leaseMs: LEASE_MS });
    onTestFinished(() => fleet.close());
    const members = await Promise.all(names.map((self) => fleet.start(self)));
    await fleet.together(...members);
    return { fleet, members: members as [StoreMember, StoreMember, StoreMember] };
  };

  describe(`members on ${name}`, () => {
    test('what a killed member held is granted to another one with a higher fence', async () => {
      const { fleet, members } = await fleetOf('a', 'b', 'c');
      const [a, b, c] = members;
      const before = await b.ask('acquire', { name: 'x' });
      const next = a.ask('acquire', { name: 'x' });
      await b.kill('SIGKILL');
      expect(BigInt(await next)).toBeGreaterThan(BigInt(before));
      await fleet.together(a, c);
      // A process of the same name comes back, and is admitted.
      await fleet.together(a, await fleet.start('b'), c);
    }, 30_000);

    test('a member that is stopped past its lease loses what it holds, and is granted nothing before it has rejoined', async () => {
      const { fleet, members } = await fleetOf('a', 'b', 'c');
      const [a, b, c] = members;
      const before = await a.ask('acquire', { name: 'x' });
      a.signal('SIGSTOP');
      const second = await b.ask('acquire', { name: 'x' });
      expect(BigInt(second)).toBeGreaterThan(BigInt(before));
      // Asked for while it stands still: what its cached state would allow must not count.
      const reacquired = a.ask('acquire', { name: 'x' });
      const fresh = a.ask('acquire', { name: 'never used before' });
      a.signal('SIGCONT');
      await until(() => a.hasTold('lost'));
      expect(a.told.find(({ event }) => event === 'lost')!.why).toContain('a is no member for now');
      await fresh;
      await fleet.together(a, b, c);
      await b.ask('release', { name: 'x' });
      expect(BigInt(await reacquired)).toBeGreaterThan(BigInt(second));
      expect(a.hasTold('stopped')).toBe(false);
    }, 30_000);

    test('when the store is away for too long all holders lose their locks, and all members come back by themselves', async () => {
      const { fleet, members } = await fleetOf('a', 'b', 'c');
      const [a, b] = members;
      const before = await a.ask('acquire', { name: 'x' });
      const waiting = b.ask('acquire', { name: 'x' });
      store.freeze();
      try {
        await until(() => a.hasTold('lost'));
        await sleep(LEASE_MS);
      } finally {
        store.thaw();
      }
      // The request has waited through it.
      expect(BigInt(await waiting)).toBeGreaterThan(BigInt(before));
      await fleet.together(...members);
    }, 30_000);

    test('a store that is away for a moment costs nothing', async () => {
      const { fleet, members } = await fleetOf('a', 'b');
      for (const member of members) await member.ask('load', { name: 'x' });
      await until(() => fleet.entries > 20);
      store.freeze();
      await sleep(LEASE_MS / 4);
      const during = fleet.entries;
      store.thaw();
      await sleep(LEASE_MS);
      expect(during).toBeGreaterThan(20);
      expect(fleet.violations).toEqual([]);
      expect(members.flatMap(({ told }) => told)).toEqual([]);
    }, 30_000);

    test('scaling from 1 to 5 and back to 1 under load grants nothing twice, and no request fails', async () => {
      const { fleet, members } = await fleetOf('a');
      await members[0].ask('load', { name: 'x' });
      for (const self of ['b', 'c', 'd', 'e']) {
        const member = await fleet.start(self);
        await member.ask('load', { name: 'x' });
      }
      await fleet.together(...fleet.members);
      const entries = fleet.entries;
      await until(() => fleet.entries > entries + 50);
      const counts: number[] = [];
      for (const member of fleet.members.slice(1)) counts.push(await member.leave());
      await fleet.together(members[0]);
      expect(counts.every((count) => count > 0)).toBe(true);
      expect(fleet.violations).toEqual([]);
      expect(fleet.members.flatMap(({ told }) => told)).toEqual([]);
    }, 45_000);

    test('a rolling restart under load grants nothing twice, and no request fails', async () => {
      const { fleet, members } = await fleetOf('a', 'b', 'c');
      for (const member of members) await member.ask('load', { name: 'x' });
      for (const member of members) {
        await member.leave();
        const next = await fleet.start(member.self);
        await next.ask('load', { name: 'x' });
        const entries = fleet.entries;
        await until(() => fleet.entries > entries + 20);
      }
      await fleet.together(...fleet.members.filter(({ isRunning }) => isRunning));
      expect(fleet.violations).toEqual([]);
      expect(fleet.members.flatMap(({ told }) => told)).toEqual([]);
    }, 45_000);
  });
}
