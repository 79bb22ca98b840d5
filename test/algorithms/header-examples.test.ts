/** The worked examples in the headers of algorithm files, run. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catalogue, find } from '../../src/algorithms/catalogue.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const line = { topology: 'line' };
const grid = { topology: 'grid' };
const majority = { topology: 'majority' };
const two = { k: 2 };
const square = { topology: 'square', k: 2 };

const EXAMPLES = [
  ['central', 3, {}, '0 request 1; 5 request 2; 100 request 0', 6, '1, 2, 0'],
  // The token goes on after the entry: two messages before it, one after it.
  ['ring-token', 3, {}, '0 request 2', 3, '2'],
  ['ricart-agrawala-token', 4, {}, '0 request 0 stay 50; 10 request 3; 20 request 1', 8, '0, 1, 3'],
  ['suzuki-kasami', 3, {}, '0 request 2 stay 50; 10 request 1; 200 request 1', 6, '2, 1, 1'],
  [
    'lending-token',
    3,
    {},
    '0 request 1 stay 50; 10 request 2; 100 request 2',
    3 + 3 + 0,
    '1, 2, 2',
  ],
  ['mizuno-neilsen-rao', 4, grid, '0 request 3; 100 request 1', 4 + 4, '3, 1'],
  ['neilsen-mizuno', 3, line, '0 request 2; 100 request 1', 3 + 2, '2, 1'],
  ['helary-plouzeau-raynal', 3, line, '0 request 2; 100 request 1', 4 + 3, '2, 1'],
  ['raymond', 3, line, '0 request 0 stay 20; 1 request 2; 5 request 1', 6, '0, 2, 1'],
  [
    ...(['lending-coordinator', 4, two] as const),
    ...(['0 request 1; 100 request 2 stay 50; 110 request 3', 10, '1, 2, 3'] as const),
  ],
  [
    ...(['directory-token', 4, {}] as const),
    ...([
      '0 request 1 stay 50; 10 request 2; 100 request 3; 200 request 3',
      2 + 3 + 3 + 0,
    ] as const),
    '1, 2, 3, 3',
  ],
  ['singhal-heuristic', 3, {}, '0 request 1; 100 request 2; 200 request 0', 2 + 3 + 3, '1, 2, 0'],
  ['naimi-trehel', 3, {}, '0 request 0 stay 50; 5 request 1; 10 request 2', 5, '0, 1, 2'],
  ['lamport', 3, {}, '0 request 0; 0 request 1', 12, '0, 1'],
  ['ricart-agrawala', 3, {}, '0 request 0; 0 request 1', 8, '0, 1'],
  [
    ...(['carvalho-roucairol', 3, {}] as const),
    ...(['0 request 0; 100 request 0; 200 request 1; 300 request 0', 4 + 0 + 4 + 2] as const),
    '0, 0, 1, 0',
  ],
  ['raynal-primes', 3, {}, '0 request 0; 100 request 1', 4 + 4, '0, 1'],
  ['maekawa', 4, grid, '0 request 0; 0 request 3', 14, '0, 3'],
  ['sanders', 3, { topology: 'ricart-agrawala' }, '0 request 0', 4, '0'],
  ['sanders', 3, { topology: 'central' }, '0 request 1', 3, '1'],
  ['agrawal-el-abbadi', 7, {}, '0 request 3', 6, '3'],
  ['singhal-dynamic', 3, {}, '0 request 2; 100 request 2; 200 request 0', 4 + 0 + 2, '2, 2, 0'],
  ['raymond-k', 3, two, '0 request 0 stay 50; 10 request 1', 8, '0, 1'],
  [
    ...([
      'srimani-reddy',
      3,
      two,
      '0 request 1 stay 50; 10 request 2 stay 50; 20 request 0',
    ] as const),
    ...([10, '1, 2, 0'] as const),
  ],
  ['kakugawa', 4, square, '0 request 1; 0 request 3; 5 request 0', 10, '1, 3, 0'],
  ['lodha-kshemkalyani', 3, {}, '0 request 0; 0 request 1', 7, '0, 1'],
  ['relative-consensus-voting', 3, {}, '0 request 0 stay 20; 5 request 1', 5, '0, 1'],
  ['majority', 5, {}, '0 request 0; 100 request 3', 6 + 6, '0, 3'],
  [
    ...(['gifford', 3, { topology: 'read-one' }] as const),
    ...(['0 request 0 shared; 0 request 1 shared; 5 request 2', 6, '0, 1, 2'] as const),
  ],
  ['rangarajan-setia-tripathi', 9, majority, '0 request 0', 9, '0'],
] as const;

/** Examples in which something fails. */
const FAILURES = [
  ['agrawal-el-abbadi', 7, {}, '10 request 3', '[{ "at": 0, "crash": 1 }]', 'REQUEST to 0, 4'],
  ['agrawal-el-abbadi', 7, {}, '10 request 3', '[{ "at": 0, "crash": 0 }]', 'REQUEST to 1, 2, 5'],
  [
    ...(['rangarajan-setia-tripathi', 9, majority, '10 request 0'] as const),
    ...(['[{ "at": 0, "crash": 1 }]', 'REQUEST to 2, 3, 4'] as const),
  ],
  [
    ...(['mishra-srimani', 3, {}, '10 request 1', '[{ "at": 0, "crash": 0 }]'] as const),
    'REQUEST to 0, 2; PRIVILEGE_CHECK to 0, 2; CREATE_PRIVILEGE to 0, 2; RESUME to 0, 2',
  ],
  [
    ...(['nishio-li-manning', 3, {}, '0 request 1'] as const),
    '[{ "until": 30, "lose": 1, "types": ["TOKEN"] }]',
    'REQUEST to 0, 2; TOKEN_MISSING to 0, 2; TOKEN_MISSING to 0, 2',
  ],
] as const;

const settings = { workload: 'script', delay: 'constant:1', cs: 10 } as const;

test.each(EXAMPLES)(
  '%s, %i sites, %j, "%s": %i messages, entered by %s',
  (id, nodes, choices, script, messages, order) => {
    const algorithm = find(id);
    const entered: number[] = [];
    const result = simulate(algorithm, makeWorld(algorithm, { nodes, ...choices }), {
      ...{ ...settings, script: script.replaceAll('; ', '\n') },
      trace: ({ enters, site }) => enters && entered.push(site),
    });
    expect(result.violations).toEqual([]);
    expect([result.messages, entered.join(', ')]).toEqual([messages, order]);
  },
);

test.each(FAILURES)(
  '%s, %i sites, %j, "%s", faults %s: the site that asks sends %s, and enters',
  (id, nodes, choices, script, faults, expected) => {
    const algorithm = find(id);
    const asks = Number(script.at(-1));
    const sent: string[] = [];
    const entered: number[] = [];
    simulate(algorithm, makeWorld(algorithm, { nodes, ...choices }), {
      ...{ ...settings, script, faults },
      trace: ({ site, event, enters, sends }) => {
        if (enters) entered.push(site);
        if (site !== asks || event === 'exit' || sends.length === 0) return;
        const to = sends.map((send) => send.to).sort((a, b) => Number(a) - Number(b));
        sent.push(`${sends[0]!.message.type} to ${to.join(', ')}`);
      },
    });
    expect(sent.join('; ')).toBe(expected);
    expect(entered).toEqual([asks]);
  },
);

describe('a header', () => {
  // Our own algorithm is told as a change of Suzuki and Kasami's, whose example it shares.
  const ids = catalogue.map(({ id }) => id);
  test.each(ids)('of %s has a worked example', (id) => {
    const [header] = readFileSync(`src/algorithms/${id}.ts`, 'utf8').split('*/');
    expect(header).toMatch(/^ \* Example\b/m);
  });
  test('has no example that is not run', () => {
    const run = new Set<string>([...EXAMPLES, ...FAILURES].map(([id]) => id));
    expect(ids.filter((id) => !run.has(id))).toEqual([]);
  });
});
