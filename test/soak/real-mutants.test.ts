/** Builds with one thing wrong, on a real Postgres server: real faults must show it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mutantExperiments } from '../../bench/faults/mutants.js';
import { Network, noNetwork } from '../../bench/faults/network.js';
import { startStore } from '../../bench/faults/stores.js';
import { missing } from '../support/servers.ts';

const why = missing('postgres') ?? missing('ip') ?? missing('nft') ?? noNetwork();
const LEASE_MS = 1500;

describe.skipIf(why !== null)(`broken builds on Postgres${why === null ? '' : ` (${why})`}`, () => {
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

  const [withoutEntryCheck, withoutFence] = mutantExperiments;

  test.each([
    ['a build without checks of the deadline is found', withoutEntryCheck!],
    ['a build that leaves members out without fencing them is found', withoutFence!],
  ])('%s', async (_, experiment) => {
    const context = { network, store, host: network.host, leaseMs: LEASE_MS, rounds: 4 };
    const settings = { ...context, minutes: 0, say: () => {}, program: undefined };
    const { rounds, good, seen, wrong } = await experiment.run(settings);
    expect(wrong).toEqual([]);
    expect(good, seen).toBe(rounds);
  });
});
