/** The checker on two threads: the reports are those of one, no thread outlives a search, and a lost thread gives no verdict. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted, printed } from '../../src/algorithms/catalogue.ts';
import { type CheckReport, type CheckSettings, check } from '../../src/check/check.ts';
import type { SecondThread } from '../../src/check/thread.ts';
import { secondThread } from '../../src/cli/check-thread.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { assert } from '../../src/core/assert.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { newestFirst, oldestFirst } from '../support/broken.ts';

const file = new URL('../../dist/cli/check-worker.js', import.meta.url);
/** Starts with the first state, so that small spaces are enough. */
const thread: SecondThread = { ...secondThread(file), from: 1 };

const run = (algorithm: AnyAlgorithm, nodes: number, settings: CheckSettings) =>
  check(algorithm, makeWorld(algorithm, { nodes }), settings);

/** The report of two threads, which must equal that of one. */
function both(algorithm: AnyAlgorithm, nodes: number, settings: CheckSettings): CheckReport {
  const one = run(algorithm, nodes, settings);
  const two = run(algorithm, nodes, { ...settings, thread });
  expect([one.threads, two.threads]).toEqual([1, 2]);
  expect({ ...two, threads: 1 }).toEqual(one);
  return one;
}

describe('two threads give the report of one, to the last transition', () => {
  const ricartAgrawala = find('ricart-agrawala');
  const overtakes = find('lamport');
  /** A site with a greater number enters out of turn, and that is its only violation. */
  const outOfTurn: AnyAlgorithm = {
    ...oldestFirst,
    claims: { ...oldestFirst.claims, ticket: (_: unknown, site: { me: number }) => [-site.me] },
  };
  const failing = (algorithm: AnyAlgorithm): AnyAlgorithm => {
    const RELEASE: typeof oldestFirst.on.RELEASE = (my, site, from, message) => {
      assert(my.waiting.length < 2 || from === 1, 'few wait');
      oldestFirst.on.RELEASE(my, site, from, message);
    };
    return { ...algorithm, on: { ...algorithm.on, RELEASE } };
  };

  test.each<[string, string, AnyAlgorithm, number, CheckSettings]>([
    ['proved', '', ricartAgrawala, 3, {}],
    ['proved', '', find('raymond'), 4, { entries: 1 }],
    ['proved', '', find('suzuki-kasami'), 3, { entries: 2, reportMessages: true, rest: false }],
    ['proved', '', find('suzuki-kasami'), 4, { entries: 1, rest: true }],
    ['proved', '', find('suzuki-kasami'), 3, { entries: 1, partialOrder: true }],
    ['proved', '', find('central'), 4, { entries: 1, symmetry: true }],
    ['violated', 'mutual-exclusion', overtakes, 3, { links: 'any' }],
    ['violated', 'mutual-exclusion', overtakes, 3, { links: 'any', rest: true }],
    ['violated', 'starvation-freedom', newestFirst, 3, { entries: Number.POSITIVE_INFINITY }],
    ['violated', 'deadlock-freedom', find('suzuki-kasami'), 3, { entries: 1, losses: 1 }],
    ['violated', 'assertion', failing(oldestFirst), 4, { entries: 2 }],
    ['violated', 'fcfs', outOfTurn, 4, { entries: 2 }],
    ['violated', 'fcfs', failing(outOfTurn), 4, { entries: 2 }],
  ])('%s %s', (verdict, property, algorithm, nodes, settings) => {
    const report = both(algorithm, nodes, settings);
    expect([report.verdict, report.violation?.property ?? '']).toEqual([verdict, property]);
  });

  // Counted by a search that took successors one at a time, and stopped at once.
  const mishraSrimani = findPrinted('mishra-srimani', 'survey').algorithm;
  test.each<[string, number, number, number, AnyAlgorithm, number, CheckSettings]>([
    ['mutual-exclusion', 979, 1922, 7, overtakes, 3, { links: 'any', entries: 1 }],
    ['fcfs', 200_004, 572_448, 8, overtakes, 4, { links: 'any' }],
    ['deadlock-freedom', 263, 477, 4, find('suzuki-kasami'), 4, { entries: 1, losses: 1 }],
    ['mutual-exclusion', 259_756, 1_064_577, 14, mishraSrimani, 4, { entries: 2 }],
    ['', 12_345, 39_837, 16, find('suzuki-kasami'), 3, { maxStates: 12_345 }],
    ['', 20_000, 61_749, 19, ricartAgrawala, 3, { maxStates: 20_000 }],
  ])('%s: %i states, %i transitions, depth %i', (property, states, transitions, depth, ...of) => {
    const report = both(...of);
    expect(report.violation?.property ?? '').toBe(property);
    expect(report).toMatchObject({ states, transitions, depth });
  });

  test.each(catalogue.map((algorithm) => [algorithm.id, algorithm] as const))(
    '%s',
    (_, algorithm) => {
      both(algorithm, 3, { entries: [1, 1, 0] });
    },
  );

  const forms = Object.values(printed).flat();
  test.each(forms.map((form) => [form.algorithm.id, form.name, form] as const))(
    '%s as printed (%s)',
    (_, __, { algorithm, shows }) => {
      const { nodes, entries, links, crashes = 0 } = shows;
      both(algorithm, nodes, { entries, ...(links && { links }), crashes, maxStates: 20_000 });
    },
  );

  test('the reports are equal at every limit on states', () => {
    const most = fc.integer({ min: 2, max: 1500 });
    fc.assert(
      fc.property(most, (maxStates) => {
        const { states, verdict } = both(find('central'), 3, { entries: 2, maxStates });
        expect(states).toBeGreaterThanOrEqual(verdict === 'proved' ? 1 : maxStates);
      }),
      { numRuns: 5 },
    );
  });
});

describe('the second thread of a search', () => {
  const central = find('central');
  const dying = (start: SecondThread['start']) => () =>
    run(central, 4, { entries: 2, thread: { start, from: 1, timeoutMs: 300 } });

  test('it ends with the search: complete, refuted or failed', async () => {
    const exits: Promise<unknown>[] = [];
    const start: SecondThread['start'] = (work) => {
      const worker = new Worker(file, { workerData: work });
      exits.push(once(worker, 'exit'));
      return { post: (segment) => worker.postMessage(segment), end: () => void worker.terminate() };
    };
    const settings = { entries: 1, thread: { start, from: 1 } };
    run(central, 3, settings);
    run(find('ricart-agrawala'), 3, { ...settings, rest: true });
    run(find('lamport'), 3, { ...settings, links: 'any' });
    const broken: AnyAlgorithm = {
      ...oldestFirst,
      release: () => {
        throw new TypeError('a defect of the algorithm');
      },
    };
    expect(() => run(broken, 3, settings)).toThrow('a defect of the algorithm');
    expect(() =>
      run(central, 3, {
        ...settings,
        onProgress: () => {
          throw new Error('a defect of the caller');
        },
      }),
    ).toThrow('a defect of the caller');
    expect(exits.length).toBeGreaterThanOrEqual(5);
    await Promise.all(exits);
  });

  test('if it dies, the search fails and has no verdict', () => {
    const terminated: SecondThread['start'] = (work) => {
      const worker = new Worker(file, { workerData: work });
      void worker.terminate();
      return { post: (segment) => worker.postMessage(segment), end: () => void worker.terminate() };
    };
    const silence = 'the second thread of the search has said nothing for 0.3 s';
    expect(dying(terminated)).toThrow(silence);
    expect(dying(() => ({ post: () => {}, end: () => {} }))).toThrow(silence);
  });

  test('if it fails, the error says why', () => {
    const deaf: SecondThread['start'] = (work) => {
      const worker = new Worker(file, { workerData: work });
      return { post: () => {}, end: () => void worker.terminate() };
    };
    expect(() => run(central, 4, { thread: { start: deaf, from: 1 } })).toThrow(
      'the second thread of the search failed: Error: there is no room for another state',
    );
  });
});

describe('the command latchkey check', () => {
  const call = ['bin/latchkey.js', 'check', 'ricart-agrawala', '--nodes', '4', '--entries', '1'];
  const env = { ...process.env, NO_COLOR: '1' };

  test('it uses a second thread in a large space, and reports it', () => {
    const { stdout } = spawnSync('node', [...call, '--threads', '2'], { encoding: 'utf8', env });
    expect(stdout).toMatch(/^proved: /m);
    expect(stdout).toMatch(/^2,084,955 states, 13,433,284 transitions, .* a state, 2 threads$/m);
  });

  test('it uses one thread in a small space', () => {
    const small = ['bin/latchkey.js', 'check', 'central', '--threads', '2', '--json'];
    const { stdout } = spawnSync('node', small, { encoding: 'utf8' });
    expect((JSON.parse(stdout) as CheckReport).threads).toBe(1);
  });

  test('it ends at once on SIGINT while two threads run', async () => {
    const code = `
      import { find } from './dist/algorithms/catalogue.js';
      import { check, makeWorld } from './dist/check/index.js';
      import { secondThread } from './dist/cli/check-thread.js';
      const lamport = find('lamport');
      const onProgress = ({ states }) => void (states > 50000 && console.log(states));
      const thread = { ...secondThread(), from: 1 };
      check(lamport, makeWorld(lamport, { nodes: 5 }), { rest: false, thread, onProgress });`;
    const child = spawn('node', ['--input-type=module', '-e', code]);
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  });

  test('it refuses a wrong number of threads', () => {
    const { status, stderr } = spawnSync('node', [...call, '--threads', '3'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, 'latchkey: --threads takes 1 or 2, got "3"\n']);
  });
});
