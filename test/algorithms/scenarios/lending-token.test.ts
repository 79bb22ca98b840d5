import { describe, expect, test } from 'vitest';
import { lendingToken } from '../../../src/algorithms/lending-token.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { costs as costsOf } from '../../support/costs.ts';

const world = (nodes: number) => makeWorld(lendingToken, { nodes });
const costs = (nodes: number, ...requests: string[]) => costsOf(lendingToken, nodes, ...requests);

describe('to write', () => {
  test('an entry takes N messages at a site without the token, and none at its holder', () => {
    expect(costs(5, '0', '0', '3', '3', '0')).toEqual([0, 0, 5, 0, 5]);
  });

  test('one message an entry where all want in all the time, whatever N', () => {
    for (const nodes of [2, 5, 13]) {
      const { steady, fairness } = simulate(lendingToken, world(nodes), {
        ...{ workload: 'saturated', entries: 40 * nodes, seed: 1 },
      });
      expect(steady!.messagesPerEntry).toBe(1);
      expect(fairness).toMatchObject({ jain: 1, maxBypass: nodes - 1 });
    }
  });

  test('a site that leaves and re-requests while others wait stands in line behind them', () => {
    const events: string[] = [];
    simulate(lendingToken, world(3), {
      ...{ workload: 'saturated', entries: 9, seed: 1, delay: 'constant:1' },
      trace: ({ site, event, enters }) => {
        if (event === 'rerequest') events.push(`${site} again`);
        if (enters) events.push(`${site} in`);
      },
    });
    const rounds = ['0 in', '0 again', '1 in', '1 again', '2 in', '2 again'];
    expect(events.slice(0, 12)).toEqual([...rounds, ...rounds]);
  });
});

describe('to read', () => {
  test('a copy costs N, and is good for as long as no site writes', () => {
    const all = ['0 shared', '1 shared', '2 shared', '3 shared'];
    expect(costs(4, ...all, ...all)).toEqual([0, 4, 4, 4, 0, 0, 0, 0]);
  });

  test('a writer has every copy returned', () => {
    // Two copies are recalled and returned; then, as ever, requests and the token.
    expect(costs(4, '1 shared', '2 shared', '3')).toEqual([4, 4, 4 + 4]);
  });

  test('a reader that becomes a writer asks its lender alone', () => {
    // RETURN, with the request in it; RECALL and RETURN of the other copy; TOKEN.
    expect(costs(4, '1 shared', '2 shared', '1')).toEqual([4, 4, 4]);
  });

  test('all waiting readers go in together, up to the next writer', () => {
    const inside: string[] = [];
    const script = [
      ...['0 request 0', '1 request 1 shared', '2 request 2 shared', '3 request 3'],
      '4 request 4 shared',
    ].join('\n');
    simulate(lendingToken, world(5), {
      ...{ workload: 'script', script, delay: 'constant:1', cs: 10 },
      trace: ({ time, site, enters }) => enters && inside.push(`${site} at ${time}`),
    });
    expect(inside).toEqual(['0 at 0', '1 at 11', '2 at 11', '3 at 23', '4 at 34']);
  });

  test('a waiting writer may downgrade at any moment', () => {
    const report = check(lendingToken, world(3), {
      ...{ entries: [2, 1, 1], modes: ['exclusive', 'shared'], downgrade: true },
    });
    expect(report).toMatchObject({ verdict: 'proved', states: 275_593 });
  });

  test('a RECALL that crosses a RETURN has no effect', () => {
    // Of all schedules in which readers turn writers by themselves while they are recalled.
    const report = check(lendingToken, world(3), {
      ...{ entries: [1, 2, 2], modes: ['exclusive', 'shared'] },
    });
    expect(report.verdict).toBe('proved');
  });
});

test('ordered links are needed: a RECALL that overtakes its COPY has no effect, and all sites wait', () => {
  const { violation, trace } = check(lendingToken, world(2), {
    ...{ entries: 1, links: 'any', modes: ['exclusive', 'shared'] },
  });
  expect(violation!.property).toBe('deadlock-freedom');
  const arrived = trace!.flatMap((step) => (step.event === 'deliver' ? [step.message.type] : []));
  expect(arrived).toEqual(['REQUEST', 'RECALL', 'COPY']);
});
