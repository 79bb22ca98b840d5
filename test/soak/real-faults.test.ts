/**
 * Real faults on a real Postgres server: members in network namespaces, links that drop packets, processes that are
 * stopped. `node bench/faults.js` runs the same for longer, and on all stores.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneWay, partition } from '../../bench/faults/links.js';
import { Network, noNetwork } from '../../bench/faults/network.js';
import { kill, stop } from '../../bench/faults/processes.js';
import { startStore } from '../../bench/faults/stores.js';
import { missing } from '../support/servers.ts';

const why = missing('postgres') ?? missing('ip') ?? missing('nft') ?? noNetwork();
const LEASE_MS = 1500;

describe.skipIf(why !== null)(`real faults on Postgres${why === null ? '' : ` (${why})`}`, () => {
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

  test.each([
    ['a killed holder is replaced within W and a second, with a higher fence', kill],
    ['a stopped holder is granted nothing when it goes on, and its late write is refused', stop],
    ['a holder that is cut off is told so before the next entry', partition],
    ['packets that are dropped in one direction cost one member its place within 2 W', oneWay],
  ])('%s', async (_, experiment) => {
    const context = { network, store, host: network.host, leaseMs: LEASE_MS, rounds: 4 };
    const settings = { ...context, minutes: 0, say: () => {}, program: undefined };
    const { rounds, good, seen, wrong } = await experiment.run(settings);
    expect(wrong).toEqual([]);
    expect(good, seen).toBe(rounds);
  });
});
