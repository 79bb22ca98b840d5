/** The network namespaces of bench/faults. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Network, noNetwork } from '../../bench/faults/network.js';
import { missing } from '../support/servers.ts';

const why = missing('ip') ?? missing('nft') ?? noNetwork();

describe.skipIf(why !== null)(`network namespaces${why === null ? '' : ` (${why})`}`, () => {
  let network: InstanceType<typeof Network>;
  beforeAll(() => {
    network = new Network();
  });
  afterAll(() => network?.close());

  const macOfStore = () =>
    Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.address === network.host)?.mac;

  test('a new member changes nothing about the way to the store, which others may know already', () => {
    network.place('a');
    const before = macOfStore();
    expect(before).toMatch(/^[0-9a-f:]{17}$/);
    for (const member of 'bcdefghij') network.place(member);
    expect(macOfStore()).toBe(before);
  });
});
