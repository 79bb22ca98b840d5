/** What every engine on a register is held to, in real time: members come together, and go on without the dead. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineFactory } from '../../src/engines/factory.ts';
import { BEAT } from '../../src/engines/leased-own.ts';
import { Fleet, type FleetMember } from './engine-members.ts';
import { until } from './register-suite.ts';

const LEASE_MS = 2000;
/** A member renews its record so often within W, and seldom more often: only if the record has news. */
const RENEWALS_IN_LEASE = 1 / BEAT;
let groups = 0;

/** How often each of these renews its record from now until its latest view. On a busy machine also renewals are late. */
function renewalsUntilView(...members: FleetMember[]): () => readonly number[] {
  const before = members.map(({ renewals }) => renewals);
  return () => members.map(({ renewalsBeforeView }, i) => renewalsBeforeView - before[i]!);
}

export function engineStoreSuite(
  name: string,
  make: (settings: { leaseMs: number }) => EngineFactory,
  store: { freeze: () => void; thaw: () => void },
): void {
  describe(`members with the engine ${name}`, () => {
    const fleetOf = async (...ids: string[]) => {
      const fleet = new Fleet(make({ leaseMs: LEASE_MS }), `fleet ${process.pid} ${++groups}`);
      onTestFinished(() => fleet.close());
      const members = await Promise.all(ids.map((id) => fleet.start(id)));
      await until(() => fleet.isTogether(...ids));
      return { fleet, members };
    };

    test('find each other by the store alone, and a dead one is left out after its right has ended', async () => {
      const { fleet, members } = await fleetOf('a', 'b', 'c');
      const dead = members[1]!;
      const renewals = renewalsUntilView(members[0]!, members[2]!);
      await dead.kill();
      await until(() => fleet.isTogether('a', 'c'));
      expect(performance.now()).toBeGreaterThan(dead.deadline);
      // W, and half of it for the turns of the members and the answers of the store.
      for (const count of renewals()) expect(count).toBeLessThan(1.5 * RENEWALS_IN_LEASE);
      expect(members[0]!.suspensions + members[2]!.suspensions).toBe(0);
      await fleet.start('d');
      await until(() => fleet.isTogether('a', 'c', 'd'));
      for (const { epochs } of fleet.members) {
        expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
      }
    }, 60_000);

    test('do not wait for one that leaves', async () => {
      const { fleet, members } = await fleetOf('a', 'b');
      const renewals = renewalsUntilView(members[1]!);
      await members[0]!.leave();
      await until(() => fleet.isTogether('b'));
      expect(renewals()[0]).toBeLessThan(RENEWALS_IN_LEASE / 2);
      expect(members[1]!.suspensions).toBe(0);
    }, 60_000);

    test('are suspended while the store is away for too long, and come back by themselves', async () => {
      const { fleet, members } = await fleetOf('a', 'b');
      const { epoch } = members[0]!.view!;
      store.freeze();
      try {
        await until(() => members.every(({ suspensions }) => suspensions === 1));
        expect(members.some(({ mayAct }) => mayAct)).toBe(false);
        expect(members[0]!.status).toMatchObject({ leaseLeftMs: 0, storeReachable: false });
      } finally {
        store.thaw();
      }
      await until(() => fleet.isTogether('a', 'b'));
      expect(members[0]!.view!.epoch).toBeGreaterThan(epoch);
    }, 60_000);

    test('do not notice that the store is away for a moment', async () => {
      const { fleet, members } = await fleetOf('a', 'b');
      const views = fleet.views.length;
      store.freeze();
      await sleep(LEASE_MS / 4);
      store.thaw();
      await sleep(LEASE_MS);
      expect(members.map(({ suspensions }) => suspensions)).toEqual([0, 0]);
      expect(fleet.views).toHaveLength(views);
      expect(fleet.isTogether('a', 'b')).toBe(true);
    }, 60_000);

    test('are stopped when a later process takes their name', async () => {
      const { fleet, members } = await fleetOf('a', 'b');
      await sleep(5);
      await fleet.start('a');
      await until(() => members[0]!.stopped !== null);
      expect(members[0]!.stopped!.message).toContain('another process is a now');
      await members[0]!.kill();
      await until(() => fleet.isTogether('a', 'b'));
    }, 60_000);
  });
}
