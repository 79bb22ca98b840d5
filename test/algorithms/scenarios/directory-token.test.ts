import { describe, expect, test } from 'vitest';
import { directoryToken } from '../../../src/algorithms/directory-token.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';
import { costs as costsOf } from '../../support/costs.ts';

const world = (nodes: number) => makeWorld(directoryToken, { nodes });
const costs = (nodes: number, ...requests: string[]) => costsOf(directoryToken, nodes, ...requests);
const both = ['exclusive', 'shared'] as const;

describe('to write', () => {
  test('a site that has the token enters for no message', () => {
    expect(costs(5, '0', '0', '3', '3')).toEqual([0, 0, 2, 0]);
  });

  test('three messages between two sites, two from or to the directory, whatever N', () => {
    for (const nodes of [4, 10, 100]) {
      expect(costs(nodes, '1', '2', '3', '0', '3')).toEqual([2, 3, 3, 2, 2]);
    }
  });

  test('at most three messages an entry where one site at a time asks', () => {
    for (const nodes of [3, 30, 300]) {
      const { messagesPerEntry } = simulate(directoryToken, world(nodes), {
        ...{ workload: 'solo', entries: 500, seed: 1 },
      });
      expect(messagesPerEntry).toBeLessThanOrEqual(3);
    }
  });

  test('three messages an entry where all ask at once, and one where all ask all the time', () => {
    for (const nodes of [3, 13, 100]) {
      const once = simulate(directoryToken, world(nodes), { workload: 'once', seed: 1 });
      expect(once.messagesPerEntry).toBeLessThanOrEqual(3);
      const { steady, fairness } = simulate(directoryToken, world(nodes), {
        ...{ workload: 'saturated', entries: 10 * nodes, seed: 1 },
      });
      expect(steady!.messagesPerEntry).toBe(1);
      expect(fairness).toMatchObject({ jain: 1, maxBypass: nodes - 1 });
    }
  });

  test('sites that ask at once enter in the order of the directory, before any enters again', () => {
    const entered: number[] = [];
    simulate(directoryToken, world(5), {
      ...{ workload: 'saturated', entries: 15, seed: 1, delay: 'constant:1' },
      trace: ({ site, enters }) => enters && entered.push(site),
    });
    const round = [0, 1, 2, 3, 4];
    expect(entered.slice(0, 15)).toEqual([...round, ...round, ...round]);
  });

  test('a request follows the token through a site that has passed it on, once', () => {
    // Site 1 has a copy of site 3's token, and gets the token from it: the directory does not hear of that.
    // So it forwards the request of site 2 to site 3, which forwards it to site 1.
    expect(costs(4, '3', '1 shared', '1', '2', '3')).toEqual([2, 3, 2, 4, 3]);
  });

  test('no site waits for ever, however often the others ask', () => {
    const { verdict, states } = check(directoryToken, world(3), { entries: Infinity });
    expect({ verdict, states }).toEqual({ verdict: 'proved', states: 403_944 });
  });
});

describe('to read', () => {
  test('a copy costs three messages, and is good for as long as no site writes', () => {
    const all = ['0 shared', '1 shared', '2 shared', '3 shared'];
    expect(costs(4, '3', ...all, ...all)).toEqual([2, 2, 3, 3, 0, 0, 0, 0, 0]);
  });

  test('a writer has every copy returned', () => {
    // REQUEST; two copies are recalled and returned; NEXT, and the token.
    expect(costs(4, '1 shared', '2 shared', '3')).toEqual([2, 2, 1 + 4 + 2]);
  });

  test('a reader that becomes a writer asks its lender alone', () => {
    // RETURN, with the request in it; RECALL and RETURN of the other copy; NEXT and TOKEN.
    expect(costs(4, '1 shared', '2 shared', '1')).toEqual([2, 2, 5]);
  });

  test('all sites that wait to read enter together, up to the next that writes', () => {
    const inside: string[] = [];
    const script = [
      ...['0 request 0', '1 request 1 shared', '2 request 2 shared', '3 request 3'],
      '4 request 4 shared',
    ].join('\n');
    simulate(directoryToken, world(5), {
      ...{ workload: 'script', script, delay: 'constant:1', cs: 10 },
      trace: ({ time, site, enters }) => enters && inside.push(`${site} at ${time}`),
    });
    expect(inside).toEqual(['0 at 0', '1 at 11', '2 at 11', '3 at 23', '4 at 34']);
  });

  test('no reader follows the token for ever, however often it goes home and leaves again', () => {
    const report = check(directoryToken, world(2), { entries: Infinity, modes: both });
    expect(report).toMatchObject({ verdict: 'proved', states: 24_047 });
  });

  test('a waiting writer may downgrade at any moment', () => {
    const report = check(directoryToken, world(3), {
      ...{ entries: [2, 1, 1], modes: both, downgrade: true },
    });
    expect(report).toMatchObject({ verdict: 'proved', states: 166_793 });
  });
});

test('ordered links are needed: a RECALL that overtakes its COPY is ignored, and all wait', () => {
  const { violation, trace } = check(directoryToken, world(2), {
    ...{ entries: 1, links: 'any', modes: both },
  });
  expect(violation!.property).toBe('deadlock-freedom');
  const arrived = trace!.flatMap((step) => (step.event === 'deliver' ? [step.message.type] : []));
  expect(arrived).toEqual(['REQUEST', 'RECALL', 'COPY']);
});
