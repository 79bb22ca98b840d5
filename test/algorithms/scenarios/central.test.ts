import { expect, test } from 'vitest';
import { central } from '../../../src/algorithms/central.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const five = makeWorld(central, { nodes: 5 });

test('a site alone pays three messages, the coordinator none', () => {
  const ask = (site: number) =>
    simulate(central, five, { workload: 'script', script: `0 request ${site}` }).messages;
  expect([ask(3), ask(0)]).toEqual([3, 0]);
});

test('all five at once: twelve', () => {
  const { byType, messages } = simulate(central, five, { workload: 'once' });
  expect(messages).toBe(12);
  expect(byType).toEqual({ REQUEST: 4, GRANT: 4, RELEASE: 4 });
});

test('an exit and the next entry are two hops apart', () => {
  const settings = { workload: 'once', delay: 'constant:1' } as const;
  // Only when the coordinator itself leaves or enters is it one hop.
  expect(simulate(central, five, settings).synchronizationDelay.max).toBe(2);
});

test('readers that come together go in together', () => {
  const script = '0 request 1 shared\n0 request 2 shared\n0 request 3\n0 request 4 shared';
  const trace: string[] = [];
  simulate(central, five, {
    workload: 'script',
    script,
    delay: 'constant:1',
    cs: 10,
    trace: ({ site, event, enters, time }) => {
      if (enters || event === 'exit') trace.push(`${time} ${site} ${enters ? 'in' : 'out'}`);
    },
  });
  // 4 comes after the writer 3, and waits for it though readers are inside.
  expect(trace).toEqual([
    '2 1 in',
    '2 2 in',
    '12 1 out',
    '12 2 out',
    '14 3 in',
    '24 3 out',
    '26 4 in',
    '36 4 out',
  ]);
});
