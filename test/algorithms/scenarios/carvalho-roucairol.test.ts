import { describe, expect, test } from 'vitest';
import { carvalhoRoucairol } from '../../../src/algorithms/carvalho-roucairol.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { costs as costsOf } from '../../support/costs.ts';

const world = (nodes: number) => makeWorld(carvalhoRoucairol, { nodes });
const costs = (nodes: number, ...requests: string[]) =>
  costsOf(carvalhoRoucairol, nodes, ...requests);

describe('permissions that are kept', () => {
  test('the first entry costs 2(N−1), the same site’s next ones nothing', () => {
    expect(costs(3, '1', '1', '1')).toEqual([4, 0, 0]);
    expect(costs(9, '4', '4')).toEqual([16, 0]);
  });
  test('a site asks only the sites that have asked it since: three sites, 1, 2, 1', () => {
    expect(costs(3, '1', '2', '1')).toEqual([4, 4, 2]);
  });
  test('two sites that take turns pay 2 each, whatever N', () => {
    expect(costs(9, '1', '2', '1', '2', '1').slice(2)).toEqual([2, 2, 2]);
  });
  test('when all want in all the time, 2(N−1) as in Ricart and Agrawala’s', () => {
    const settings = { workload: 'saturated', entries: 800, seed: 1 } as const;
    const { steady } = simulate(carvalhoRoucairol, world(8), settings);
    expect(steady!.messagesPerEntry).toBe(14);
  });
  // Unlike its model: a permission that one has, one need not wait for.
  test('requests are not served first come, first served', () => {
    const order: string[] = [];
    simulate(carvalhoRoucairol, world(2), {
      ...{
        workload: 'script',
        script: '0 request 0\n50 request 1\n52 request 0',
        delay: 'constant:5',
      },
      trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
    });
    expect(order).toEqual(['0 at 10', '0 at 52', '1 at 67']);
  });
});

// The mode `shared` is our own.
describe('readers', () => {
  test('a site that re-acquires alone sends no message, to read or to write', () => {
    expect(costs(5, '2 shared', '2 shared', '2 shared')).toEqual([8, 0, 0]);
    expect(costs(5, '2', '2 shared', '2', '2 shared')).toEqual([8, 0, 0, 0]);
  });
  test('once each has read, all read without a message', () => {
    const once = ['0 shared', '1 shared', '2 shared'];
    expect(costs(3, ...once, ...once)).toEqual([4, 4, 4, 0, 0, 0]);
  });
  test('a reader that becomes a writer asks again, and then has it all', () => {
    expect(costs(4, '0 shared', '0', '0', '0 shared')).toEqual([6, 6, 0, 0]);
  });
  test('a writer leaves one that reads after it the right to read, and keeps it itself', () => {
    expect(costs(4, '0', '1 shared', '0 shared', '1 shared', '0', '1 shared')).toEqual([
      6, 6, 0, 0, 2, 2,
    ]);
  });
  test('readers are inside together, and never with a writer', () => {
    const stays: string[] = [];
    const script = '0 request 0 shared\n0 request 1 shared\n5 request 2\n6 request 3 shared';
    simulate(carvalhoRoucairol, world(4), {
      ...{ workload: 'script', script, delay: 'constant:1', cs: 10 },
      trace: ({ site, enters, event, time }) =>
        (enters || event === 'exit') && stays.push(`${time} ${site} ${enters ? 'in' : 'out'}`),
    });
    expect(stays).toEqual([
      ...['2 0 in', '2 1 in', '12 0 out', '12 1 out'],
      ...['13 2 in', '23 2 out', '24 3 in', '34 3 out'], // 3 asked after the writer, and waits for it
    ]);
  });
  test('never more than 2(N−1) messages per entry, and fewer the more there are of them', () => {
    const cost = (readers: number) =>
      simulate(carvalhoRoucairol, world(6), { readers, entries: 2000, delay: 'uniform:1,9' })
        .messagesPerEntry;
    const [none, half, most, all] = [0, 0.5, 0.95, 1].map(cost);
    expect(none).toBeLessThanOrEqual(10);
    expect(half).toBeLessThan(none!);
    expect(most).toBeLessThan(half!);
    expect(all).toBe((6 * 2 * 5) / 2000); // each asks all once
  });
  test.each([
    [[2, 2, 2], 330_140],
    [[6, 6], 23_748],
  ])(
    'safe and live, readers and writers mixed at will: %j entries, %i states',
    (entries, states) => {
      const modes = ['exclusive', 'shared'] as const;
      const report = check(carvalhoRoucairol, world(entries.length), { entries, modes });
      expect(report.violation).toBeNull();
      expect(report).toMatchObject({ verdict: 'proved', states });
    },
  );
});
