import { expect, test } from 'vitest';
import { unguarded } from '../../../src/algorithms/printed/ricart-agrawala-token.ts';
import { ricartAgrawalaToken as algorithm } from '../../../src/algorithms/ricart-agrawala-token.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const five = makeWorld(algorithm, { nodes: 5 });
const three = makeWorld(algorithm, { nodes: 3 });
const run = (script: string) => {
  const order: number[] = [];
  const { byType } = simulate(algorithm, five, {
    delay: 'constant:1',
    cs: 10,
    workload: 'script',
    script,
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { byType, order };
};

// "The algorithm requires N messages exchanges for each critical section entry, or 0 messages if the
// requesting node is holding an idle token." (survey, Ricart-Agrawala)
test('of five, one that lacks the token pays five messages, the holder none', () => {
  expect(run('0 request 1').byType).toEqual({ REQUEST: 4, TOKEN: 1 });
  expect(run('0 request 0').byType).toEqual({});
  expect(run('0 request 1\n100 request 1').byType).toEqual({ REQUEST: 4, TOKEN: 1 });
});

// "The token moves in a logical circular ring of nodes ordered by their unique identification number.
// Therefore, a first-come-first-served service is not guaranteed." (survey)
test('waiting sites are served in the order of the ring, not of asking', () => {
  const script = '0 request 2 stay 50\n10 request 1\n11 request 4\n12 request 3';
  expect(run(script).order).toEqual([2, 3, 4, 1]);
});

test('three sites, two entries each: 6 to 18 messages, over all schedules', () => {
  const { totalMessages } = check(algorithm, three, { entries: 2, reportMessages: true });
  expect([totalMessages!.at(0), totalMessages!.at(-1)]).toEqual([6, 18]);
});

// "message-order preservation is not required" (survey). As the survey tells it, it would not even
// be enough: a REQUEST may be late though no other message of its sender is.
test('as the survey tells it, links that keep order do not help', () => {
  const report = check(unguarded.algorithm, three, { entries: [2, 1, 1], links: 'fifo' });
  expect(report.violation?.property).toBe('deadlock-freedom');
  expect(report.depth).toBe(19);
});
