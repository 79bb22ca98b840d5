/** Who asks when, how often, for how long, and for what; and settings that cannot be. */
import { describe, expect, test } from 'vitest';
import { raymond } from '../../src/algorithms/raymond.ts';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import { ringToken } from '../../src/algorithms/ring-token.ts';
import { suzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { UsageError } from '../../src/core/errors.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { type Settings, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

function run(algorithm: AnyAlgorithm, nodes: number, settings: Settings) {
  const steps: TraceStep[] = [];
  const trace: Settings['trace'] = (step) => steps.push(step);
  const world = makeWorld(algorithm, { nodes, k: algorithm.k ? nodes : 1 });
  const result = simulate(algorithm, world, { ...settings, trace });
  expect(result.violations).toEqual([]);
  return { result, steps };
}

/** A site at a time, or as many readers: permission is free. Only for workloads to be seen by. */
const open: AnyAlgorithm = {
  id: 'open',
  title: 'Open door',
  year: 2026,
  paper: 'none',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages: {},
  claims: { messages: { formula: '0', bounds: () => ({ least: 0, most: 0 }) } },
  recovers: [],
  init: () => ({}),
  request: (_, site) => site.enter(),
  release() {},
  on: {},
};

describe('once', () => {
  test('all ask at time 0, once', () => {
    const { result, steps } = run(suzukiKasami, 5, { workload: 'once' });
    expect(result.entries).toBe(5);
    expect(steps.slice(0, 5).map(({ event, site, time }) => [event, site, time])).toEqual(
      [0, 1, 2, 3, 4].map((site) => ['request', site, 0]),
    );
    // 16 REQUESTs and 4 PRIVILEGEs, in the order of the sites.
    expect(result.messages).toBe(20);
    expect(steps.filter(({ enters }) => enters).map(({ site }) => site)).toEqual([0, 1, 2, 3, 4]);
  });

  test('or fewer, and never more', () => {
    const entries = (entries: number) =>
      run(suzukiKasami, 5, { workload: 'once', entries }).result.fairness.entriesByNode;
    expect(entries(2)).toEqual([1, 1, 0, 0, 0]);
    expect(entries(1000)).toEqual([1, 1, 1, 1, 1]);
  });
});

test('saturated: all ask at once after leaving, and exactly so many', () => {
  const { result, steps } = run(ricartAgrawala, 4, { workload: 'saturated', entries: 102 });
  expect(result.entries).toBe(102);
  const exits = new Map<number, number>();
  for (const { event, site, time } of steps) {
    if (event === 'exit') exits.set(site, time);
    if (event === 'request') expect(time).toBe(exits.get(site) ?? 0);
  }
  // A hand-over takes 5, a stay 10.
  expect(result.throughput).toBeCloseTo(1 / 15, 3);
  expect(result.fairness.maxBypass).toBe(3);
});

test('poisson: think times are exponential, of mean 1/rate', () => {
  const { result, steps } = run(ricartAgrawala, 3, { rate: 0.005, entries: 5000 });
  expect(result.entries).toBe(5000);
  const left = [0, 0, 0];
  const thoughts: number[] = [];
  for (const { event, site, time } of steps) {
    if (event === 'exit') left[site] = time;
    if (event === 'request') thoughts.push(time - left[site]!);
  }
  const mean = thoughts.reduce((a, b) => a + b) / thoughts.length;
  expect(mean).toBeGreaterThan(190);
  expect(mean).toBeLessThan(210);
  // Memoryless: e⁻¹ of them are longer than the mean.
  const longer = thoughts.filter((t) => t > 200).length / thoughts.length;
  expect(longer).toBeCloseTo(Math.exp(-1), 1);
});

describe('solo', () => {
  test('asks only when all is quiet, and costs are exact', () => {
    const { result, steps } = run(raymond, 15, { workload: 'solo', entries: 500 });
    const underWay = new Set<number>();
    let busy = 0;
    for (const step of steps) {
      if (step.event === 'request') {
        expect(underWay.size + busy).toBe(0);
        busy++;
      }
      if (step.event === 'exit') busy--;
      if (step.event === 'deliver') underWay.delete(step.id);
      for (const { id } of step.sends) underWay.add(id);
    }
    expect(result.entries).toBe(500);
    expect(new Set(steps.map(({ site }) => site)).size).toBe(15);
    // Each edge to the privilege is crossed twice.
    expect(result.messages % 2).toBe(0);
  });

  test('does not count what an algorithm sends that never rests', () => {
    const { result } = run(ringToken, 6, { workload: 'solo', entries: 600 });
    expect(result.entries).toBe(600);
    // From anywhere to anywhere on the ring it is half way round on average, and one message on exit.
    expect(result.messagesPerEntry).toBeGreaterThan(3);
    expect(result.messagesPerEntry).toBeLessThan(4);
  });
});

test('an algorithm that never rests is measured up to its last exit', () => {
  const { result } = run(ringToken, 5, { workload: 'saturated', entries: 1000 });
  expect(result.steady!.messagesPerEntry).toBe(1);
  // Before the very first entry, a site had to be woken.
  expect(result.messages).toBeLessThan(1010);
});

describe('start', () => {
  /** It greets all sites when the group begins. A site that asks goes in. */
  const greeting: AnyAlgorithm = {
    ...open,
    messages: { HELLO: {} },
    start: (_, site) => site.broadcast({ type: 'HELLO' }),
    on: { HELLO() {} },
  };
  const events = (settings: Settings) =>
    run(greeting, 3, settings).steps.map(({ time, site, event }) => `${time}: ${site} ${event}`);

  test('is called once at every site, after the requests at time 0', () => {
    const story = events({ workload: 'once', entries: 1 });
    expect(story.slice(0, 4)).toEqual(['0: 0 request', '0: 0 start', '0: 1 start', '0: 2 start']);
    expect(story.filter((line) => line.includes('start'))).toHaveLength(3);
    expect(story.filter((line) => line.startsWith('5: '))).toHaveLength(6);
  });

  test('is over before a site asks alone', () => {
    const story = events({ workload: 'solo', entries: 1 });
    expect(story.findIndex((line) => line.includes('request'))).toBe(9);
  });

  test('is not called at sites that crashed before', () => {
    const faults = '[{ "at": 0, "crash": 1 }]';
    const story = events({ workload: 'script', script: '9 request 0', faults });
    expect(story.filter((line) => line.includes('start'))).toEqual(['0: 0 start', '0: 2 start']);
  });

  test('may set something going that never rests', () => {
    const circling: AnyAlgorithm = {
      ...greeting,
      start: (_, site) => site.me === 0 && site.send(1, { type: 'HELLO' }),
      on: { HELLO: (_my, site) => site.send((site.me + 1) % site.n, { type: 'HELLO' }) },
    };
    const { result } = run(circling, 3, { workload: 'solo', entries: 20, cs: 12 });
    // Two hops in each stay of 12, and none for the time when nobody wanted anything.
    expect(result).toMatchObject({ entries: 20, messagesPerEntry: 2 });
  });
});

describe('script', () => {
  const script = `
    # both forms, in any order
    30 request 1 shared stay 2.5
    {"at": 0, "request": 2, "mode": "exclusive"}
    1e2 REQUEST 0   # and a comment
    {"at": 110, "request": 0, "mode": "shared", "stay": 0}
  `;

  test('is followed to the letter', () => {
    const { steps } = run(open, 3, { workload: 'script', script });
    const told = steps.map((s) => `${s.time} ${s.event} ${s.site} ${'mode' in s ? s.mode : ''}`);
    expect(told.map((line) => line.trim())).toEqual([
      '0 request 2 exclusive',
      '10 exit 2',
      '30 request 1 shared',
      '32.5 exit 1',
      '100 request 0 exclusive',
      '110 exit 0',
      '110 request 0 shared',
      '110 exit 0',
    ]);
  });

  test('a busy site asks when it has left, and the number of entries may be cut', () => {
    const busy = '0 request 1\n3 request 1\n4 request 1 stay 1\n12 request 0';
    const { result, steps } = run(open, 2, {
      workload: 'script',
      script: busy.replace('12', '50'),
    });
    const times = steps.filter(({ event }) => event === 'request').map(({ time }) => time);
    expect(times).toEqual([0, 10, 20, 50]);
    expect(result.responseTime.max).toBe(10);
    expect(run(open, 2, { workload: 'script', script: busy, entries: 2 }).result.entries).toBe(2);
  });

  const wrong: [script: string, message: string][] = [
    [
      '# nothing',
      'the script has no request; write TIME request SITE [shared] [stay TIME], as in "12.5 request 0 shared"',
    ],
    [
      '0 request 1\n0 ask 2',
      'line 2 of the script, "0 ask 2": a line is TIME request SITE [shared] [stay TIME], as in "12.5 request 0 shared"',
    ],
    ['0 request 3', 'line 1 of the script, "0 request 3": a site is a whole number from 0 to 2'],
    [
      '{"at": 0}',
      'line 1 of the script, "{"at": 0}": in JSON a line is {"at": TIME, "request": SITE, "mode": MODE, "stay": TIME}',
    ],
    [
      '{"at": 0, "request": 1.5}',
      'line 1 of the script, "{"at": 0, "request": 1.5}": a site is a whole number from 0 to 2',
    ],
    [
      '{"at": -1, "request": 1}',
      'line 1 of the script, "{"at": -1, "request": 1}": a time is 0 or more',
    ],
    [
      '{"at": 1, "request": 1, "stay": -1}',
      'line 1 of the script, "{"at": 1, "request": 1, "stay": -1}": a stay is 0 or more',
    ],
    [
      '{"at": 1, "request": 1, "mode": "x"}',
      'line 1 of the script, "{"at": 1, "request": 1, "mode": "x"}": "mode" is "exclusive" or "shared"',
    ],
    [
      '{"at": 1, "site": 1}',
      'line 1 of the script, "{"at": 1, "site": 1}": in JSON a line is {"at": TIME, "request": SITE, "mode": MODE, "stay": TIME}, without "site"',
    ],
    ['{at: 1}', 'line 1 of the script, "{at: 1}": it begins like JSON, and is not'],
    [
      '0 request 1 shared',
      'line 1 of the script, "0 request 1 shared": raymond has no shared mode; leave "shared" out',
    ],
  ];
  for (const [text, message] of wrong) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      const world = makeWorld(raymond, { nodes: 3 });
      const attempt = () => simulate(raymond, world, { workload: 'script', script: text });
      expect(attempt).toThrow(new UsageError(message));
    });
  }
});

describe('readers and k', () => {
  test('so many of the requests are for sharing', () => {
    const world = { ...makeWorld(open, { nodes: 1 }) };
    let shared = 0;
    const trace: Settings['trace'] = (s) => {
      if (s.event === 'request' && s.mode === 'shared') shared++;
    };
    simulate(open, world, { readers: 0.8, entries: 5000, trace });
    expect(shared / 5000).toBeCloseTo(0.8, 1);
    shared = 0;
    simulate(open, world, { readers: 1, entries: 50, trace });
    expect(shared).toBe(50);
  });

  test('with k a hand-over begins at an exit from a full house', () => {
    // Two may be inside. 2 asks while 0 and 1 are, and gets in when 0 has left and a while has passed.
    const late: AnyAlgorithm = {
      ...open,
      request: (_, site) => (site.me < 2 ? site.enter() : site.timer('late', 14)),
      timers: { late: { fires: 'anytime', expired: (_, site) => site.enter() } },
    };
    const world = makeWorld(late, { nodes: 4, k: 2 });
    const script = '0 request 0\n2 request 1\n1 request 2\n1 request 3 stay 1';
    const result = simulate(late, world, { workload: 'script', script });
    expect(result.violations).toEqual([]);
    // Left at 10 (full: two inside) and at 12 (only one was). In at 15, and at 15.
    expect(result.synchronizationDelay).toEqual({ mean: 5, max: 5, count: 1 });
  });

  test('readers keep out writers only', () => {
    const late: AnyAlgorithm = {
      ...open,
      k: false,
      request: (_, site, mode) =>
        mode === 'shared' && site.me < 2 ? site.enter() : site.timer('late', 14),
      timers: { late: { fires: 'quiet', expired: (_, site) => site.enter() } },
    };
    const world = makeWorld(late, { nodes: 4 });
    // Readers 0 and 1 leave at 10 and 12; writer 2 waits since 1 and enters at 15; reader 3 enters at 34.
    const script = '0 request 0 shared\n2 request 1 shared\n1 request 2\n20 request 3 shared';
    const result = simulate(late, world, { workload: 'script', script });
    expect(result.violations).toEqual([]);
    // From the last reader to the writer, 3; from the writer at 25 to the reader at 34, 9.
    expect(result.synchronizationDelay).toEqual({ mean: 6, max: 9, count: 2 });
  });
});

describe('settings that cannot be', () => {
  const wrong: [settings: object, message: string][] = [
    [
      { workload: 'saturate' },
      'there is no workload "saturate": take one of once, saturated, poisson, solo, script (did you mean "saturated"?)',
    ],
    [{ links: 'lossy' }, 'links are "any" or "fifo", got "lossy"'],
    [{ readers: 1.5 }, 'readers takes a fraction from 0 to 1, as in 0.8; got 1.5'],
    [
      { readers: 0.5 },
      'raymond has no shared mode: leave readers at 0, or take an algorithm with modes exclusive and shared',
    ],
    [{ workload: 'script' }, 'the workload "script" needs a script, as in script: "0 request 2"'],
    [{ script: '0 request 2' }, 'a script goes with the workload "script", got "poisson"'],
    [{ seed: -1 }, 'seed takes a whole number of 0 or more, got -1'],
    [{ seed: 0.5 }, 'seed takes a whole number of 0 or more, got 0.5'],
    [{ entries: 0 }, 'entries takes a whole number of 1 or more, got 0'],
    [
      { entries: Number.POSITIVE_INFINITY },
      'entries takes a whole number of 1 or more, got Infinity',
    ],
    [{ rate: 0 }, 'rate takes a number above 0, got 0'],
    [{ cs: -1 }, 'cs takes a number of 0 or more, got -1'],
    [{ cs: Number.NaN }, 'cs takes a number of 0 or more, got NaN'],
    [{ maxEvents: 0 }, 'maxEvents takes a whole number of 1 or more, got 0'],
  ];
  for (const [settings, message] of wrong) {
    test(message, () => {
      const world = makeWorld(raymond, { nodes: 3 });
      expect(() => simulate(raymond, world, settings)).toThrow(new UsageError(message));
    });
  }
});

test('a hundred thousand sites', () => {
  const world = makeWorld(raymond, { nodes: 100_000 });
  const once = simulate(raymond, world, { workload: 'once' });
  expect(once).toMatchObject({ entries: 100_000, violations: [], fairness: { jain: 1 } });
  const few = simulate(raymond, world, {
    rate: 1e-7,
    entries: 200,
    links: 'fifo',
    delay: 'uniform:1,9',
  });
  expect(few).toMatchObject({ entries: 200, violations: [] });
});
