/**
 * Traces run again: those of the simulator, those of the checker, and those in test/traces, which are
 * regression tests.
 *
 * **From a counterexample to a regression test in one command.** Let the checker write it down where the
 * tests look for it, and commit the file:
 *
 *     node bin/latchkey.js check maekawa --as-printed --trace test/traces/maekawa/displaced-head.jsonl
 *
 * - `test/traces/ALGORITHM/NAME.jsonl` must go on failing as it does: it is run again on what its header
 *   names (as printed, where it says so), every step must go as written, and what the header says went
 *   wrong must be so at the last step. If it is of a printed form, our algorithm is then driven by the
 *   same schedule, steps that are not possible passed over, and nothing may go wrong with it.
 * - `test/traces/ALGORITHM/fixed/NAME.jsonl` is of an error of our own that was mended. Record it before
 *   mending: afterwards the algorithm no longer goes that way, so only the second half is asked of it.
 *
 * Where the state of an algorithm gets another shape, its traces diverge: record them again, by the same
 * command, and see that they still show what their name says.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted } from '../../src/algorithms/catalogue.ts';
import { type CheckSettings, check } from '../../src/check/check.ts';
import { follow } from '../../src/check/replay/follow.ts';
import { replay } from '../../src/check/replay.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace, type Trace, toNative } from '../../src/core/formats/native.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { type Settings, simulate } from '../../src/sim/index.ts';
import { type Choices, makeWorld } from '../../src/topologies/world.ts';
import { newestFirst } from '../support/broken.ts';

const FOLDER = 'test/traces';
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .sort();

describe('the traces in test/traces', () => {
  test('there is at least one trace', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
  });
  describe.each(files)('%s', (file) => {
    const trace = parseTrace(readFileSync(join(FOLDER, file), 'utf8'));
    const { header, steps } = trace;
    const { algorithm: id, asPrinted, nodes, k, topology, options, violation } = header;
    const ours = find(id);
    const choices = { nodes, k, topology, options };
    const isFixed = file.split('/')[1] === 'fixed';

    test('it lies in the folder of its algorithm and names its violation', () => {
      expect(file.split('/')[0]).toBe(id);
      expect(violation).toBeDefined();
    });
    if (!isFixed) {
      test(`it still shows its violation: ${violation?.property}`, () => {
        const algorithm = asPrinted === undefined ? ours : findPrinted(id, asPrinted).algorithm;
        const replayed = replay(algorithm, makeWorld(algorithm, choices), trace);
        expect(replayed).toMatchObject({ steps: steps.length, divergence: null, confirmed: true });
        expect(replayed.found).toMatchObject({ step: steps.length, property: violation?.property });
      });
    }
    if (isFixed || asPrinted !== undefined) {
      test('our algorithm, driven by the same schedule, violates nothing', () => {
        const { followed, wrong } = follow(ours, makeWorld(ours, choices), trace);
        expect(wrong).toBeUndefined();
        // Otherwise it says nothing: as a rule nearly all of it is possible.
        expect(followed).toBeGreaterThan(steps.length / 2);
      });
    }
  });
});

/** As from a file: what was written and read again. */
const written = (trace: Trace): Trace => parseTrace(toNative(trace));

function simulated(algorithm: AnyAlgorithm, choices: Choices, settings: Settings) {
  const world = makeWorld(algorithm, choices);
  const steps: TraceStep[] = [];
  const { violations } = simulate(algorithm, world, { ...settings, trace: (s) => steps.push(s) });
  const header = headerOf(algorithm, 'simulate', choices);
  const links = settings.links ?? algorithm.links;
  return { world, violations, trace: written({ header: { ...header, links }, steps }) };
}

function counterexample(algorithm: AnyAlgorithm, choices: Choices, settings: CheckSettings) {
  const world = makeWorld(algorithm, choices);
  const { violation, trace: steps, links, loop } = check(algorithm, world, settings);
  const header = { ...headerOf(algorithm, 'check', choices), links, violation: violation! };
  const lasso = loop === undefined ? {} : { loop };
  return { world, trace: written({ header: { ...header, ...lasso }, steps: steps! }) };
}

const headerOf = (algorithm: AnyAlgorithm, source: 'simulate' | 'check', choices: Choices) => ({
  latchkey: 'trace' as const,
  version: 1 as const,
  source,
  algorithm: algorithm.id,
  nodes: choices.nodes,
  k: choices.k ?? 1,
  links: algorithm.links,
  topology: algorithm.defaultTopology,
  options: choices.options ?? [],
});

describe('traces of the simulator are replayed', () => {
  const delay = 'exponential:5';
  test.each(catalogue.map(({ id }) => id))('%s: every step goes as recorded', (id) => {
    const algorithm = find(id);
    const readers = algorithm.modes.includes('shared') ? 0.5 : 0;
    const choices = { nodes: 4, k: algorithm.k ? 2 : 1 };
    const settings = { delay, entries: 20, rate: 0.05, readers, seed: 3 };
    const { world, violations, trace } = simulated(algorithm, choices, settings);
    expect(violations).toEqual([]);
    expect(replay(algorithm, world, trace)).toEqual({
      steps: trace.steps.length,
      divergence: null,
      found: null,
      confirmed: null,
    });
  });
  test.each([
    ['central', [], [{ at: 20, crash: 0 }]],
    ['suzuki-kasami', [], [{ lose: 0.05 }]],
    ['lamport', [], [{ duplicate: 0.2 }]],
    ['maekawa', [], [{ lose: 0.1 }, { duplicate: 0.1 }]],
    [
      'raymond',
      ['recovery'],
      [
        { at: 20, crash: 1 },
        { at: 90, restart: 1 },
      ],
    ],
    [
      'ricart-agrawala',
      [],
      [
        { at: 9, partition: [[0, 1]] },
        { at: 60, heal: true },
      ],
    ],
  ])("%s %j with faults: the replay finds the simulator's violations", (id, options, faults) => {
    const algorithm = find(id);
    const settings = { delay, entries: 40, rate: 0.05, faults: JSON.stringify(faults) };
    const { world, violations, trace } = simulated(algorithm, { nodes: 4, options }, settings);
    const { divergence, found } = replay(algorithm, world, trace);
    expect(divergence).toBeNull();
    expect(found?.property).toBe(violations[0]?.property);
  });
  test.each([
    ['relative-consensus-voting', 'routing=random'],
    ['ricart-agrawala', 'increment=random'],
  ])('the replay finds the random numbers that %s drew with %s', (id, option) => {
    const algorithm = find(id);
    const choices = { nodes: 4, options: [option] };
    const { world, trace } = simulated(algorithm, choices, { delay, entries: 20, seed: 2 });
    expect(replay(algorithm, world, trace).divergence).toBeNull();
  });
});

describe('traces of the checker are replayed', () => {
  test.each([
    ['lamport', [], { links: 'any' }, 'mutual-exclusion'],
    ['suzuki-kasami', [], { losses: 1 }, 'deadlock-freedom'],
    ['central', [], { crashes: 1 }, 'deadlock-freedom'],
    ['central', [], { duplications: 1 }, 'entry-on-request'],
    [
      'raymond',
      [],
      { duplications: 1 },
      'a REQUEST_Q names each neighbour, and self, at most once (section 3.1)',
    ],
    ['ricart-agrawala', ['broadcast'], { duplications: 1 }, 'mutual-exclusion'],
  ] as const)('%s %j %j: the violation of %s is confirmed', (id, options, settings, property) => {
    const algorithm = find(id);
    const { world, trace } = counterexample(algorithm, { nodes: 3, options }, settings);
    expect(trace.header.violation?.property).toBe(property);
    expect(replay(algorithm, world, trace)).toMatchObject({ divergence: null, confirmed: true });
  });
  test('a lasso returns to an earlier state while a site waits throughout', () => {
    const entries = Number.POSITIVE_INFINITY;
    const { world, trace } = counterexample(newestFirst, { nodes: 3 }, { entries });
    const { loop, ...header } = trace.header;
    const confirmed = (changed: Partial<Trace>) =>
      replay(newestFirst, world, { ...trace, ...changed }).confirmed;
    expect(header.violation?.property).toBe('starvation-freedom');
    expect(confirmed({})).toBe(true);
    expect(confirmed({ header })).toBe(true);
    expect(confirmed({ header: { ...header, loop: loop! + 1 } })).toBe(false);
    expect(confirmed({ header, steps: trace.steps.slice(0, -1) })).toBe(false);
  });
});

describe('a replay finds what differs', () => {
  const lamport = find('lamport');
  const { world, trace } = counterexample(lamport, { nodes: 2 }, { links: 'any' });
  const changed = (at: number, change: object): Trace => ({
    ...trace,
    steps: trace.steps.map((step) => (step.step === at ? { ...step, ...change } : step)),
  });
  const divergence = (changedTrace: Trace) => replay(lamport, world, changedTrace).divergence;

  test('a wrong state is reported with the step, the field and both values', () => {
    const state = { clock: 1, waiting: true, queue: [1, 7], later: [false, false] };
    expect(divergence(changed(1, { state }))).toEqual({
      step: 1,
      field: 'state.queue[1]',
      expected: 7,
      got: 0,
    });
  });
  test('wrong, additional and missing messages are reported', () => {
    const message = { type: 'REPLY', at: 9 };
    const sends = [{ id: 3, to: 1, message }];
    expect(divergence(changed(3, { sends }))).toEqual({
      step: 3,
      field: 'sends[0].message.at',
      expected: 9,
      got: 2,
    });
    expect(divergence(changed(3, { sends: [] }))).toMatchObject({ field: 'sends[0]', step: 3 });
    const more = [...trace.steps[2]!.sends, { id: 4, to: 1, message }];
    expect(divergence(changed(3, { sends: more }))).toMatchObject({
      field: 'sends[1]',
      got: undefined,
    });
  });
  test('an entry that does not happen is reported', () => {
    const expected = { step: 2, field: 'enters', expected: true, got: false };
    expect(divergence(changed(2, { enters: true }))).toEqual(expected);
  });
  test('an impossible event is reported', () => {
    const exit = divergence(changed(2, { event: 'exit' }));
    expect(exit).toMatchObject({ step: 2, field: 'event', expected: 'exit' });
    expect(exit?.got).toBe('site 1 is idle, and exit takes one that is inside');
    expect(divergence(changed(2, { mode: 'shared' }))?.got).toBe('lamport has no shared mode');
    const timer = divergence(changed(2, { event: 'timer', timer: 'wait' }));
    expect(timer?.got).toBe('the timer wait of site 1 is not set');
  });
  test('over ordered links a message that overtakes is impossible', () => {
    const fifo: Trace = { ...trace, header: { ...trace.header, links: 'fifo' } };
    expect(divergence(fifo)).toMatchObject({
      step: 4,
      got: 'message 3 overtakes message 1, and links keep the order',
    });
  });
  test('a trace of another algorithm diverges', () => {
    const request: AnyAlgorithm['request'] = (my, site, mode) => {
      my.clock++;
      lamport.request(my, site, mode);
    };
    const { steps, divergence: at } = replay({ ...lamport, request }, world, trace);
    expect({ steps, at }).toEqual({
      steps: 0,
      at: { step: 1, field: 'sends[0].message.at', expected: 1, got: 2 },
    });
  });
  test('a violation that is not there at the end is not confirmed', () => {
    const early: Trace = { ...trace, steps: trace.steps.slice(0, 3) };
    expect(replay(lamport, world, early)).toMatchObject({ divergence: null, confirmed: false });
    const violation = { property: 'deadlock-freedom', why: 'so they say' };
    const other: Trace = { ...trace, header: { ...trace.header, violation } };
    const { confirmed, found } = replay(lamport, world, other);
    expect(confirmed).toBe(false);
    expect(found).toEqual({
      step: 4,
      property: 'mutual-exclusion',
      why: '0 and 1 are inside at once',
    });
  });
});

describe('the command latchkey replay', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const latchkey = (...args: string[]) => {
    const env = { ...process.env, NO_COLOR: '1' };
    return spawnSync('node', ['bin/latchkey.js', ...args], { encoding: 'utf8', env });
  };
  const recorded = join(FOLDER, 'lamport/overtaken-request.jsonl');
  const tampered = (): string => {
    const path = join(folder, 'tampered.jsonl');
    const text = readFileSync(recorded, 'utf8').replace('"clock":2', '"clock":3');
    writeFileSync(path, text);
    return path;
  };

  test('it prints the subject of the trace, a diagram and the verdict', () => {
    const { status, stdout, stderr } = latchkey('replay', recorded);
    expect(stdout).toMatch(/^lamport, 2 sites, links that may reorder: 4 steps of check\n/);
    expect(stdout).toMatch(/ 3 {2}█◀─REQUEST at=1─ ┊/);
    expect(stdout).toMatch(
      /all 4 steps go as they are written\nmutual-exclusion at step 4: 0 and 1 are inside at once\n$/,
    );
    expect([status, stderr]).toEqual([0, '']);
  });
  test('it exits with 1 where the trace diverges, and names the step, the field and both values', () => {
    const { status, stdout } = latchkey('replay', tampered());
    expect(stdout).toMatch(/diverges at step 3: state.clock is 3 in the trace, and now 2\n$/);
    expect(status).toBe(1);
  });
  test('with --json it prints one value', () => {
    expect(JSON.parse(latchkey('replay', recorded, '--json').stdout)).toMatchObject({
      algorithm: 'lamport',
      nodes: 2,
      length: 4,
      verdict: 'confirmed',
      steps: 4,
      divergence: null,
    });
    const { status, stdout } = latchkey('replay', tampered(), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'diverged', divergence: { step: 3 } });
    expect(status).toBe(1);
  });
  test('it replays a run of the simulator with crashes and partitions', () => {
    const trace = join(folder, 'run.jsonl');
    const faults = join(folder, 'faults.json');
    const list = [
      { at: 5, partition: [[0], [1, 2]] },
      { at: 25, heal: true },
      { at: 30, crash: 2 },
    ];
    writeFileSync(faults, JSON.stringify(list));
    const run = 'simulate ricart-agrawala --nodes 3 --workload once --faults';
    latchkey(...run.split(' '), faults, '--trace', trace);
    const { status, stdout } = latchkey('replay', trace);
    expect(stdout).toMatch(/^ +\d+ {2}~~ partition 0 \| 1 2 ~~$/m);
    expect(stdout).toMatch(/◆ crashes/);
    expect(stdout).toMatch(/steps go as they are written\n/);
    expect(status).toBe(0);
  });
  test.each([
    [['--step'], '--step is for a terminal: leave it out, and --json too if it is there'],
    [
      ['--steps'],
      "unknown option '--steps' (Did you mean --step?): latchkey help replay has what it takes",
    ],
  ])('%j: a wrong call exits with 2', (flags, message) => {
    const { status, stdout, stderr } = latchkey('replay', recorded, ...flags);
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `latchkey: ${message}\n`,
    });
  });
  test('an unknown algorithm in a trace is refused', () => {
    const path = join(folder, 'unknown.jsonl');
    writeFileSync(path, readFileSync(recorded, 'utf8').replace('"lamport"', '"lambort"'));
    const { status, stderr } = latchkey('replay', path);
    expect(stderr).toMatch(
      /^latchkey: there is no algorithm "lambort" \(did you mean "lamport"\?\)/,
    );
    expect(status).toBe(2);
  });
});
