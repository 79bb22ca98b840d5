/** Experiments of bench/faults on a real Postgres server, with members in network namespaces. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Network, noNetwork } from '../../bench/faults/network.js';
import type { kill } from '../../bench/faults/processes.js';
import { startStore } from '../../bench/faults/stores.js';
import { missing } from './servers.ts';

type Experiment = Pick<typeof kill, 'run'>;

const why = missing('postgres') ?? missing('ip') ?? missing('nft') ?? noNetwork();
/** A call of the store may then take half a second, also while other tests keep the processors busy. */
const LEASE_MS = 2500;

/** Each experiment is a test of this title: all its rounds must be good. */
export function faultsOnPostgres(
  title: string,
  experiments: readonly (readonly [string, Experiment])[],
): void {
  describe.skipIf(why !== null)(`${title}${why === null ? '' : ` (${why})`}`, () => {
    let network: InstanceType<typeof Network>;
    let store: Awaited<ReturnType<typeof startStore>>;
    beforeAll(async () => {
      network = new Network();
      store = await startStore('postgres', network.host);
    }, 120_000);
    afterAll(async () => {
      await store?.stop();
      network?.close();
    });

    test.each(experiments)('%s', async (_, experiment) => {
      const context = { network, store, host: network.host, leaseMs: LEASE_MS, rounds: 4 };
      const settings = { ...context, minutes: 0, say: () => {}, program: undefined };
      const { rounds, good, seen, wrong } = await experiment.run(settings);
      expect(wrong).toEqual([]);
      expect(good, seen).toBe(rounds);
    });
  });
}
