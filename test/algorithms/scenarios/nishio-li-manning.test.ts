import { describe, expect, test } from 'vitest';
import { nishioLiManning } from '../../../src/algorithms/nishio-li-manning.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number) => makeWorld(nishioLiManning, { nodes });
const run = (settings: { script?: string; faults?: string; maxEvents?: number }) => {
  const order: number[] = [];
  const result = simulate(nishioLiManning, world(5), {
    ...{ delay: 'constant:1', cs: 10, ...settings },
    workload: settings.script === undefined ? 'once' : 'script',
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { ...result, order };
};

// "The number of messages exchanged for a critical section entry is N." (survey)
test('of five, one that lacks the token pays five messages, the holder none', () => {
  expect(run({ script: '0 request 1' }).byType).toEqual({ REQUEST: 4, TOKEN: 1 });
  expect(run({ script: '0 request 0' }).messages).toBe(0);
});

// "The token is granted to the nearest node, in a logical circular list, whose last request has not
// been granted yet" (survey)
test('waiting sites are served in the order of the ring, not of asking', () => {
  const script = '0 request 2 stay 50\n10 request 1\n11 request 4\n12 request 3';
  expect(run({ script }).order).toEqual([2, 3, 4, 1]);
});

// In the survey's one round, those who agree before the holder disagrees refuse its token afterwards.
test('a stay longer than the time-out leaves no trace', () => {
  const { order, byType } = run({ script: '0 request 0 stay 2500\n10 request 1' });
  expect(order).toEqual([0, 1]);
  // Two time-outs; each time three agree, one does not, and the request is sent again.
  expect(byType).toEqual({ REQUEST: 12, TOKEN: 1, TOKEN_MISSING: 8, ACK: 6, NACK: 2 });
});

// "The algorithm can recover from processor failures, controller failures and communication link
// failures." (survey) All at any moment, and in any order.
describe('survives', () => {
  test.each([
    ['a crash', 3, 1, { crashes: 1 }, 109_156],
    ['two crashes', 2, 2, { crashes: 2 }, 34_825],
    ['a loss', 3, 1, { losses: 1 }, 61_161],
    ['two losses', 2, 2, { losses: 2 }, 10_704],
    ['a message that comes twice', 3, 1, { duplications: 1 }, 78_029],
    ['one of each', 2, 1, { crashes: 1, losses: 1, duplications: 1 }, 10_577],
  ])('%s: %i sites, %i entries each', (_, nodes, entries, faults, states) => {
    const report = check(nishioLiManning, world(nodes), { entries, ...faults });
    expect([report.violation, report.verdict, report.states]).toEqual([null, 'proved', states]);
  });

  // "The information stored at the controller is assumed not to be lost in case the controller fails."
  test('the holder crashes inside: the token is there when it is back, and passes on', () => {
    const faults = '[{ "at": 5, "crash": 0 }, { "at": 600, "restart": 0 }]';
    const { order, byType, violations } = run({ faults });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(byType).toEqual({ REQUEST: 16, TOKEN: 4 });
  });

  test('the token is lost on its way: the first site that misses it makes another', () => {
    const { order, byType, violations } = run({
      faults: '[{ "until": 30, "lose": 1, "types": ["TOKEN"] }]',
    });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(byType['TOKEN']).toBe(4); // one of them lost
  });

  test('losses, copies and crashes, again and again', () => {
    for (let seed = 1; seed <= 15; seed++) {
      const faults = [
        { until: 4000, lose: 0.05 },
        { duplicate: 0.1 },
        ...[0, 1, 2, 3, 4].flatMap((site) => [
          { at: 50 * site + seed, crash: site },
          { at: 50 * site + seed + 120, restart: site },
        ]),
      ];
      const result = simulate(nishioLiManning, world(5), {
        ...{ workload: 'saturated', entries: 100, delay: 'exponential:5', seed },
        faults: JSON.stringify(faults),
      });
      expect(result.violations).toEqual([]);
    }
  });

  // Safe whatever is suspected: agreement must be unanimous, and is a promise.
  test('time-outs that are far too short, with faults of every kind, in random schedules', () => {
    const missing = { ...nishioLiManning.timers!['missing']!, fires: 'anytime' } as const;
    const hasty: typeof nishioLiManning = { ...nishioLiManning, timers: { missing } };
    const random = { schedules: 60, seed: 1 };
    const faults = { crashes: 2, losses: 2, duplications: 2 };
    const report = check(hasty, world(3), { entries: 2, ...faults, random });
    expect(report.violation).toBeNull();
  });
});

describe('does not survive', () => {
  // "If one of them does not respond, the procedure starts again." (survey)
  test('a site that is down for good, once the token is lost: the others ask for ever', () => {
    const faults = [
      { at: 5, crash: 4 },
      { until: 30, lose: 1, types: ['TOKEN'] },
    ];
    const { order, violations } = run({ faults: JSON.stringify(faults), maxEvents: 2000 });
    expect(order).toEqual([0]);
    expect(violations).toMatchObject([{ property: 'livelock-freedom' }]);
  });

  // "Since this is difficult to keep and might not be recoverable in a catastrophic controller
  // failure" (survey)
  test('a controller that forgets: site 0 has the token of its youth again, and two are inside', () => {
    const { invariants: _, ...rest } = nishioLiManning; // which would say so before anyone goes in
    const forgetful: typeof nishioLiManning = { ...rest, stable: [] };
    const report = check(forgetful, world(2), { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });

  test('without the promise, a token under way is accepted after it was replaced', () => {
    const { TOKEN } = nishioLiManning.on;
    const { invariants: _, ...rest } = nishioLiManning;
    const careless: typeof nishioLiManning = {
      ...rest,
      on: {
        ...nishioLiManning.on,
        TOKEN: (my, site, from, token) => TOKEN(my, site, from, { ...token, age: 1_000_000 }),
      },
      timers: { missing: { ...nishioLiManning.timers!['missing']!, fires: 'anytime' } },
    };
    const report = check(careless, world(3), { entries: 1, maxStates: 1_000_000 });
    expect(report.violation?.property).toBe('mutual-exclusion');
  });
});

// "Since this is difficult to keep and might not be recoverable in a catastrophic controller failure, a mechanism
// that uses information propagation is described for the recovery from these failures." (survey)
describe('propagation: a controller that loses its memory', () => {
  const volatile = (nodes: number) =>
    makeWorld(nishioLiManning, { nodes, options: ['propagation'] });
  const settings = { delay: 'constant:1', cs: 10, workload: 'script' } as const;
  const crash = (site: number, at: number, back: number) =>
    JSON.stringify([
      { at, crash: site },
      { at: back, restart: site },
    ]);

  test('the holder crashes with the token: it learns from the others, and a new token is made', () => {
    const result = simulate(nishioLiManning, volatile(5), {
      ...{ ...settings, script: '0 request 0 stay 500\n10 request 1', faults: crash(0, 20, 40) },
    });
    expect(result.violations).toEqual([]);
    // Site 0 was inside when it crashed; site 1 goes in with a new token.
    expect(result.byType).toMatchObject({ RECOVER: 4, KNOWLEDGE: 4 });
    expect(result.fairness.entriesByNode[1]).toBe(1);
  });
  test('a new node, which knows nothing, joins: it asks all, and then goes in', () => {
    const result = simulate(nishioLiManning, volatile(5), {
      ...{ ...settings, script: '10 request 1\n3000 request 4', faults: crash(4, 0, 1000) },
    });
    expect(result.violations).toEqual([]);
    expect(result.fairness.entriesByNode).toEqual([0, 1, 0, 0, 1]);
  });
  test.each([
    [2, [2, 2]],
    [3, [1, 1, 0]],
  ])('any one of %i sites crashes at any moment, entries %j: proved', (nodes, entries) => {
    const report = check(nishioLiManning, volatile(nodes), { entries, crashes: 1 });
    expect(report.violation).toBeNull();
    expect(report.verdict).toBe('proved');
  });
  test('three sites, one crash, in random schedules', () => {
    const report = check(nishioLiManning, volatile(3), {
      ...{ entries: 2, crashes: 1, random: { schedules: 1000, seed: 1 } },
    });
    expect(report.violation).toBeNull();
  });
});
