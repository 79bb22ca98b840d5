import { describe, expect, test } from 'vitest';
import { exchange } from '../../../src/algorithms/printed/relative-consensus-voting/procedures.ts';
import { section4, theorem1 } from '../../../src/algorithms/printed/relative-consensus-voting.ts';
import type { Tuple } from '../../../src/algorithms/relative-consensus-voting/tuples.ts';
import { relativeConsensusVoting as rcv } from '../../../src/algorithms/relative-consensus-voting.ts';
import { check } from '../../../src/check/check.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const unit = { delay: 'constant:1', cs: 1 } as const;
const script = (n: number, text: string) =>
  simulate(rcv, makeWorld(rcv, { nodes: n }), { ...unit, workload: 'script', script: text });

describe('a site that asks alone', () => {
  // The paper says [N/2]+2; but the home row has one vote already, and an even split goes to site 0.
  test('site 1 pays floor(N/2)+1', () => {
    const paid = [2, 3, 4, 5, 6, 7, 8, 9].map((n) => script(n, '0 request 1').messages);
    expect(paid).toEqual([2, 2, 3, 3, 4, 4, 5, 5]);
  });
  test('site 0 wins ties, and pays one less where N is even', () => {
    const paid = [2, 3, 4, 5, 6, 7, 8, 9].map((n) => script(n, '0 request 0').messages);
    expect(paid).toEqual([2, 2, 2, 3, 3, 4, 4, 5]);
  });
});

test('one after the other: 3 + 4 with another, 3 + 3 with the same site', () => {
  expect(script(5, '0 request 1\n100 request 3').messages).toBe(7);
  expect(script(5, '0 request 1\n100 request 1').messages).toBe(6);
});

test.each([
  [3, 11],
  [5, 29],
  [10, 109],
])('all %i at once: N²+N−1 = %i messages', (n, messages) => {
  const result = simulate(rcv, makeWorld(rcv, { nodes: n }), { ...unit, workload: 'once' });
  expect(result.messages).toBe(messages);
  expect(result.byType).toEqual({ RM: n * (n - 1), EM: n, IM: n - 1 });
});

test('three sites, one entry each: 6 to 11 messages, over all schedules', () => {
  const { totalMessages } = check(rcv, makeWorld(rcv, { nodes: 3 }), {
    entries: 1,
    reportMessages: true,
  });
  expect([totalMessages!.at(0), totalMessages!.at(-1)]).toEqual([6, 11]);
});

// Its worst errors as printed show only from four sites on: there, random schedules.
describe.each(['cyclic', 'random'])('routing %s', (routing) => {
  test.each([
    [4, 600],
    [5, 300],
    [6, 150],
  ])('%i sites, three entries each: %i random schedules find nothing wrong', (nodes, schedules) => {
    const world = makeWorld(rcv, { nodes, options: [`routing=${routing}`] });
    const report = check(rcv, world, { entries: 3, random: { schedules, seed: nodes } });
    expect(report.violation).toBeNull();
    expect(report.schedules).toBe(schedules);
  });
});

// "If Ni hasn't entered the CS or is currently executing the CS (this can be determined by whether tuple <i, ti> is
// still in SIi.NONL)": line 26 can be read in three ways, and the errata say what each of them leads to.
describe('line 26 of MPM as printed', () => {
  /** The printed algorithm, with another answer to the question whether the receiver of an IM has finished. */
  const reading = (
    { algorithm }: typeof section4,
    isUnfinished: (own: (t: Tuple) => boolean, nonl: Tuple[], row: Tuple[]) => boolean,
  ): AnyAlgorithm => ({
    ...algorithm,
    on: {
      ...algorithm.on,
      IM(my, site, _, { next, monl, msit }) {
        exchange(my, monl as Tuple[], msit as never);
        const own = ({ node }: Tuple) => node === site.me;
        if (isUnfinished(own, my.nonl, my.nsit[site.me].mnl)) my.next = next;
        else
          site.send(next as number, structuredClone({ type: 'EM', monl: my.nonl, msit: my.nsit }));
      },
    },
  });
  const judged = (algorithm: AnyAlgorithm, entries: number[]) => {
    const world = makeWorld(algorithm, { nodes: entries.length });
    const { violation, depth } = check(algorithm, world, { entries, links: 'fifo' });
    return [violation?.property, depth];
  };

  test('by any tuple of the node in its list: two sites are inside after 22 steps', () => {
    const byNode = reading(theorem1, (own, nonl) => nonl.some(own));
    expect(judged(byNode, [2, 1, 1, 1])).toEqual(['mutual-exclusion', 22]);
  });
  test('by the state of the node: no two sites are inside, and three sites deadlock in 11 steps', () => {
    const byState = (form: typeof section4) =>
      reading(form, (own, nonl, row) => nonl.some(own) || row.some(own));
    expect(judged(byState(theorem1), [2, 1, 1, 1])).toEqual(['starvation-freedom', 24]);
    expect(judged(byState(section4), [2, 1, 1])).toEqual(['deadlock-freedom', 11]);
  });
});
