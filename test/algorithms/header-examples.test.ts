/** The worked examples in the headers of algorithm files, run. */
import { expect, test } from 'vitest';
import { find } from '../../src/algorithms/catalogue.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const line = { topology: 'line' };
const two = { k: 2 };

test.each([
  ['suzuki-kasami', 3, {}, '0 request 2 stay 50; 10 request 1; 200 request 1', 6, '2, 1, 1'],
  [
    'srimani-reddy',
    3,
    two,
    '0 request 1 stay 50; 10 request 2 stay 50; 20 request 0',
    10,
    '1, 2, 0',
  ],
  [
    'lending-coordinator',
    4,
    two,
    '0 request 1; 100 request 2 stay 50; 110 request 3',
    10,
    '1, 2, 3',
  ],
  [
    'directory-token',
    4,
    {},
    '0 request 1 stay 50; 10 request 2; 100 request 3; 200 request 3',
    2 + 3 + 3 + 0,
    '1, 2, 3, 3',
  ],
  ['singhal-heuristic', 3, {}, '0 request 1; 100 request 2; 200 request 0', 2 + 3 + 3, '1, 2, 0'],
  ['singhal-dynamic', 3, {}, '0 request 2; 100 request 2; 200 request 0', 4 + 0 + 2, '2, 2, 0'],
  ['sanders', 3, { topology: 'ricart-agrawala' }, '0 request 0', 4, '0'],
  ['sanders', 3, { topology: 'central' }, '0 request 1', 3, '1'],
  ['ricart-agrawala-token', 4, {}, '0 request 0 stay 50; 10 request 3; 20 request 1', 8, '0, 1, 3'],
  ['ricart-agrawala', 3, {}, '0 request 0; 0 request 1', 8, '0, 1'],
  ['raymond-k', 3, two, '0 request 0 stay 50; 10 request 1', 8, '0, 1'],
  ['raymond', 3, line, '0 request 0 stay 20; 1 request 2; 5 request 1', 6, '0, 2, 1'],
])(
  '%s, %i sites, %j, "%s": %i messages, entered by %s',
  (id, nodes, choices, script, messages, order) => {
    const algorithm = find(id);
    const entered: number[] = [];
    const result = simulate(algorithm, makeWorld(algorithm, { nodes, ...choices }), {
      ...{ workload: 'script', script: script.replaceAll('; ', '\n'), delay: 'constant:1', cs: 10 },
      trace: ({ enters, site }) => enters && entered.push(site),
    });
    expect(result.violations).toEqual([]);
    expect([result.messages, entered.join(', ')]).toEqual([messages, order]);
  },
);
