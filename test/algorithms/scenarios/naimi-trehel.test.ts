import { describe, expect, test } from 'vitest';
import { naimiTrehel } from '../../../src/algorithms/naimi-trehel.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

const world = (nodes: number, ...options: string[]) => makeWorld(naimiTrehel, { nodes, options });
const run = (nodes: number, options: string[], settings: { script?: string; faults?: string }) => {
  const order: number[] = [];
  const result = simulate(naimiTrehel, world(nodes, ...options), {
    ...{ delay: 'constant:1', cs: 10, ...settings },
    workload: settings.script === undefined ? 'once' : 'script',
    trace: ({ site, enters }) => {
      if (enters) order.push(site);
    },
  });
  return { ...result, order };
};

/** The algorithm with a timer that may fire when nothing is certain. */
const withTimer = (name: string, fires: 'anytime'): typeof naimiTrehel => ({
  ...naimiTrehel,
  timers: { ...naimiTrehel.timers, [name]: { ...naimiTrehel.timers![name]!, fires } },
});

test('five sites, one after the other: 2 + 3 + 3 + 3 messages', () => {
  const script = (...sites: number[]) => ({
    script: sites.map((site, i) => `${100 * i} request ${site}`).join('\n'),
  });
  expect(run(5, [], script(1)).messages).toBe(2);
  expect(run(5, [], script(1, 2)).messages).toBe(5);
  expect(run(5, [], script(1, 2, 3, 4)).byType).toEqual({ REQUEST: 7, TOKEN: 4 });
  expect(run(5, [], script(0)).messages).toBe(0);
});

test('all five at once: eleven messages, in ascending order', () => {
  const { byType, order } = run(5, [], {});
  expect(byType).toEqual({ REQUEST: 7, TOKEN: 4 });
  expect(order).toEqual([0, 1, 2, 3, 4]);
});

test('recovery costs nothing while nothing fails', () => {
  expect(run(5, ['recovery'], {}).byType).toEqual({ EPOCH_REQUEST: 7, EPOCH_TOKEN: 4 });
});

describe('recovery survives', () => {
  test.each([
    ['three sites, two entries each, one crash', [2, 2, 2], 1, 133_228],
    ['three sites, one entry each, two crashes', [1, 1, 1], 2, 4_848],
  ])('%s, at any moment', (_, entries, crashes, states) => {
    const report = check(naimiTrehel, world(3, 'recovery'), { entries, crashes });
    expect([report.violation, report.verdict, report.states]).toEqual([null, 'proved', states]);
  });

  test('two crashes among five sites, in 1000 random schedules', () => {
    const random = { schedules: 1000, seed: 3 };
    const report = check(naimiTrehel, world(5, 'recovery'), { entries: 2, crashes: 2, random });
    expect(report.violation).toBeNull();
  });

  // More than the survey claims: what a lost message leads to is what a crash leads to.
  test('the loss of any one message, three sites, one entry each', () => {
    const report = check(naimiTrehel, world(3, 'recovery'), { entries: 1, losses: 1 });
    expect([report.verdict, report.states]).toEqual(['proved', 18_449]);
  });

  test('a Twait that is too short: a site inquires in vain, and no harm is done', () => {
    const hasty = withTimer('wait', 'anytime');
    const random = { schedules: 600, seed: 4 }; // there is no end to inquiries, nor to epochs
    const report = check(hasty, world(3, 'recovery'), { entries: 2, crashes: 1, random });
    expect(report.violation).toBeNull();
  });

  // "The elected node possesses the new token and becomes the root of the reorganized tree." (survey)
  test('the holder crashes inside: the first site that waits in vain makes a token', () => {
    const { order, byType, violations } = run(5, ['recovery'], {
      faults: '[{ "at": 5, "crash": 0 }]',
    });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(byType).toMatchObject({ CONSULT: 4, QUERY: 4, ELECTION: 4, ELECTED: 4 });
  });

  test('a waiting site crashes: the token that is sent to it is lost, and replaced', () => {
    const { order, violations } = run(5, ['recovery'], { faults: '[{ "at": 15, "crash": 2 }]' });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 1, 3, 4]);
  });

  // The survey lets the inquirer wait on if the token exists: for ever, as its request is lost.
  test('a site that passes a request on crashes: the holder builds the tree anew, without election', () => {
    // 2 knows only 0, and 0, which has passed the token on to 1, dies with the request of 2.
    const { order, byType, violations } = run(3, ['recovery'], {
      script: '0 request 1 stay 2000\n10 request 2',
      faults: '[{ "at": 5, "crash": 0 }]',
    });
    expect(violations).toEqual([]);
    expect(order).toEqual([1, 2]);
    expect(byType).toMatchObject({ QUERY: 2, ELECTED: 2 });
    expect(byType).not.toHaveProperty('ELECTION');
  });

  test('the inquiring site crashes as well, and then the next', () => {
    const faults = [
      { at: 5, crash: 0 },
      { at: 5, crash: 1 },
      { at: 1100, crash: 2 }, // it is a candidate by then, or nearly
    ];
    const { order, violations } = run(5, ['recovery'], { faults: JSON.stringify(faults) });
    expect(violations).toEqual([]);
    expect(order).toEqual([0, 3, 4]);
  });
});

describe('recovery does not survive', () => {
  // "Failures in the communications network are not considered in the algorithm." (survey)
  test('a delay longer than Telec: a slow site passes for dead, and two are inside', () => {
    const report = check(withTimer('elect', 'anytime'), world(2, 'recovery'), { entries: 1 });
    expect(report.violation?.property).toBe('mutual-exclusion');
    expect(report.depth).toBe(7);
  });

  test('a token that comes twice', () => {
    const report = check(naimiTrehel, world(3, 'recovery'), { entries: 1, duplications: 1 });
    expect(report.violation?.property).toBe('entry-on-request');
  });

  // "It does not consider what happens when a failed node recovers" (survey)
  test('a restart: there is none', () => {
    const faults = '[{ "at": 5, "crash": 0 }, { "at": 50, "restart": 0 }]';
    expect(() => run(5, ['recovery'], { faults })).toThrow('naimi-trehel cannot restart');
  });

  test('anything, without the option', () => {
    const { violations } = run(5, [], { faults: '[{ "at": 5, "crash": 0 }]' });
    expect(violations).toMatchObject([{ property: 'deadlock-freedom' }]);
  });

  test('as the survey tells it: a lost request is lost while the token exists', () => {
    const asTold: typeof naimiTrehel = {
      ...naimiTrehel,
      on: {
        ...naimiTrehel.on,
        QUERY(my, site, from, query) {
          if (my.token) site.send(from, { type: 'CONSULT_YES' });
          else naimiTrehel.on.QUERY(my, site, from, query);
        },
        // "an answer from another node may arrive, and the inquiring node goes back to the waiting state"
        CONSULT_YES(my, site, from, yes) {
          if (my.inquiry.stage > 0) my.inquiry.stage = 1;
          naimiTrehel.on.CONSULT_YES(my, site, from, yes);
        },
      },
    };
    const settings = { entries: [0, 1, 1], crashes: 1 };
    const report = check(asTold, world(3, 'recovery'), settings);
    expect(report.violation?.property).toBe('starvation-freedom');
    expect(check(naimiTrehel, world(3, 'recovery'), settings).verdict).toBe('proved');
  });
});
