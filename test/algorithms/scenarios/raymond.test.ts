import { describe, expect, test } from 'vitest';
import { section8, section81 } from '../../../src/algorithms/printed/raymond.ts';
import { raymond } from '../../../src/algorithms/raymond.ts';
import { check } from '../../../src/check/check.ts';
import { simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

// Ten sites, each that is no leaf with three neighbours: the tree of figure 7.
const figure7 = (...options: string[]) =>
  makeWorld(raymond, { nodes: 10, topology: 'radiating:3', options });
const line6 = (...options: string[]) => makeWorld(raymond, { nodes: 6, topology: 'line', options });
const unit = { delay: 'constant:1', cs: 10 } as const;

describe('figure 7, saturated', () => {
  const saturated = (...options: string[]) =>
    simulate(raymond, figure7(...options), { ...unit, workload: 'saturated', entries: 1000 });

  // "approximately four messages are sent per critical section entry" (5.1): exactly 4(N−1)/N
  test.each([[[]], [['recovery']], [['initialize']]])('%s 3.6 messages per entry', (options) => {
    expect(saturated(...options).steady?.messagesPerEntry).toBe(3.6);
  });

  // Section 6.1: of the 18 REQUESTs of a round, 12 ride on a PRIVILEGE.
  test('piggyback: 2.4', () => {
    expect(saturated('piggyback').steady?.messagesPerEntry).toBe(2.4);
  });

  // "each nonleaf will obtain the privilege three times more often than a leaf node" (6.2)
  test('greedy: 2.0, and three entries of a site within for one of a leaf', () => {
    const { steady, fairness } = saturated('greedy');
    expect(steady?.messagesPerEntry).toBe(2);
    const [within, leaf] = [fairness.entriesByNode[0]!, fairness.entriesByNode[9]!];
    expect(within / leaf).toBeCloseTo(3, 1);
  });
});

test('figure 7, all ten at once: 32 messages, 25 with piggyback', () => {
  const once = (...options: string[]) =>
    simulate(raymond, figure7(...options), { ...unit, workload: 'once' }).byType;
  expect(once()).toEqual({ REQUEST: 16, PRIVILEGE: 16 });
  expect(once('piggyback')).toEqual({ REQUEST: 9, PRIVILEGE: 9, PRIVILEGE_REQUEST: 7 });
});

test('a line of six: the far end pays ten, the neighbour two, the holder none', () => {
  const ask = (site: number) =>
    simulate(raymond, line6(), { ...unit, workload: 'script', script: `0 request ${site}` })
      .messages;
  expect([ask(5), ask(1), ask(0)]).toEqual([10, 2, 0]);
});

// "Once a node has received the INITIALIZE message, it may request the privilege (even though other
// parts of the tree may not yet be initialized)." (section 7)
describe('initialize', () => {
  const ask = (script: string) =>
    simulate(raymond, line6('initialize'), { ...unit, workload: 'script', script }).byType;

  test('a line of six: the chosen site tells every site, once', () => {
    const once = { INITIALIZE: 5 };
    expect(ask('0 request 5')).toEqual({ REQUEST: 5, PRIVILEGE: 5, ...once });
    expect(ask('0 request 5\n100 request 0')).toEqual({ REQUEST: 10, PRIVILEGE: 10, ...once });
  });
  test('the chosen site need not wait for that', () => {
    expect(ask('0 request 0')).toEqual({ INITIALIZE: 5 });
  });
  test('and does not go with recovery', () => {
    expect(() => figure7('initialize', 'recovery')).toThrow('raymond takes initialize or recovery');
  });
});

// Any crash, then a restart that remembers only how many there have been; links may reorder.
describe('recovery survives', () => {
  const world = (nodes: number, topology: string, options: string[] = []) =>
    makeWorld(raymond, { nodes, topology, options: ['recovery', ...options] });

  test.each([
    ['line', 69_739],
    ['star', 67_539],
  ])('one crash at any moment: three sites on a %s, two entries each', (topology, states) => {
    const report = check(raymond, world(3, topology), { entries: 2, crashes: 1 });
    expect(report.violation).toBeNull();
    expect([report.verdict, report.states]).toEqual(['proved', states]);
  });

  test('the crash of the only site there is', () => {
    expect(check(raymond, world(1, 'line'), { entries: 2, crashes: 2 }).verdict).toBe('proved');
  });

  test('the same with piggyback and greedy', () => {
    const three = world(3, 'line', ['piggyback', 'greedy']);
    expect(check(raymond, three, { entries: 2, crashes: 1 }).verdict).toBe('proved');
  });

  test('one crash among five sites, in 2000 random schedules', () => {
    const random = { schedules: 2000, seed: 5 };
    const report = check(raymond, world(5, 'binary'), { entries: 2, crashes: 1, random });
    expect(report.violation).toBeNull();
  });

  // "The recovery mechanism will work even in the event of concurrent node failures, provided that the
  // failures do not occur in adjacent nodes." (8.8) "It is possible for the node X to fail during the
  // recovery phase of an earlier failure." (8.7)
  test('crashes of sites that are no neighbours at the same time, and while they recover', () => {
    for (const [i, delay] of ['constant:5', 'uniform:1,50', 'exponential:5'].entries()) {
      for (let seed = 1; seed <= 60; seed++) {
        const at = 20 + ((seed * 7) % 90);
        const crashAndRestart = (site: number, from: number, until: number) => [
          { at: from, crash: site },
          { at: until, restart: site },
        ];
        const faults = [
          ...[0, 3, 5, 6].flatMap((site) => crashAndRestart(site, at + i, at + 40 + site)),
          // Sites 1 and 2 hang on 0, which is up again by then, also when delays are long.
          ...[1, 2].flatMap((site) => crashAndRestart(site, at + 600, at + 630)),
          ...[1, 2].flatMap((site) => crashAndRestart(site, at + 631, at + 660)), // still recovering
        ];
        const result = simulate(raymond, world(7, 'binary'), {
          ...{ workload: 'saturated', entries: 150, cs: 10 },
          ...{ seed, delay, faults: JSON.stringify(faults) },
        });
        expect(result.violations).toEqual([]);
        expect(result.entries).toBe(150);
      }
    }
  });

  test('the holder: its neighbours all point at it, so it finds that it holds the privilege', () => {
    const result = simulate(raymond, line6('recovery'), {
      ...{ ...unit, workload: 'script', script: '0 request 0 stay 50\n60 request 5' },
      faults: '[{ "at": 20, "crash": 0 }, { "at": 30, "restart": 0 }]',
    });
    expect(result.violations).toEqual([]);
    const recovered = { RESTART: 1, ADVISE: 1 };
    expect(result.byType).toEqual({ STAMPED_REQUEST: 5, STAMPED_PRIVILEGE: 5, ...recovered });
  });
});

describe('recovery does not survive', () => {
  const faults = (...sites: number[]) =>
    JSON.stringify(
      sites.flatMap((site) => [
        { at: 20, crash: site },
        { at: 30 + site, restart: site },
      ]),
    );

  // "When two or more adjacent nodes fail … further research is needed" (8.8)
  test('two neighbours down at once: each waits for the advice of the other', () => {
    const result = simulate(raymond, line6('recovery'), {
      ...{ ...unit, workload: 'script', script: '60 request 5', faults: faults(2, 3) },
    });
    expect(result.violations).toMatchObject([{ property: 'deadlock-freedom' }]);
  });

  test('the holder and all its neighbours: the privilege is lost', () => {
    const result = simulate(raymond, line6('recovery'), {
      ...{ ...unit, workload: 'script', script: '60 request 5', faults: faults(0, 1) },
    });
    expect(result.violations).toMatchObject([{ property: 'deadlock-freedom' }]);
  });

  test('but whatever two sites crash, no site goes in wrongly', () => {
    // A timer that never rests takes the place of the deadlock, so that the search goes on to the end.
    const restless: typeof raymond = {
      ...raymond,
      timers: { tick: { fires: 'anytime', expired: (_, site) => site.timer('tick', 1) } },
      request(my, site, mode) {
        raymond.request(my, site, mode);
        site.timer('tick', 1);
      },
    };
    const world = makeWorld(raymond, { nodes: 3, topology: 'line', options: ['recovery'] });
    const { violation, properties } = check(restless, world, { entries: 1, crashes: 2 });
    expect(violation?.property).toBe('starvation-freedom');
    expect(properties).toContainEqual({ name: 'mutual-exclusion', verdict: 'proved' });
  });

  test('a message that is lost, or comes twice', () => {
    const three = makeWorld(raymond, { nodes: 3, topology: 'line', options: ['recovery'] });
    const lossy = check(raymond, three, { entries: 1, losses: 1 });
    expect(lossy.violation?.property).toBe('deadlock-freedom');
    const twice = check(raymond, three, { entries: 1, duplications: 1 });
    expect(twice.violation?.property).toBe('assertion');
  });

  test('anything, without the option: there is no restart, and a site that needs it waits', () => {
    const run = (faults: string) =>
      simulate(raymond, line6(), { ...unit, workload: 'script', script: '60 request 5', faults });
    expect(() => run(faults(2))).toThrow('raymond cannot restart');
    const { violations } = run('[{ "at": 20, "crash": 2 }]');
    expect(violations).toMatchObject([{ property: 'deadlock-freedom' }]);
  });
});

// "node Y could be programmed to recognize that overtaking has occurred … and defer the processing of the
// REQUEST message until after the receipt and processing of the overtaken PRIVILEGE message" (3.5)
describe('defer', () => {
  test('three sites on a line: the overtaking REQUEST waits, and nothing else changes', () => {
    const line = (...options: string[]) =>
      makeWorld(raymond, { nodes: 3, topology: 'line', options });
    const states = [[], ['defer']].map((options) => {
      const report = check(raymond, line(...options), { entries: 2, reportMessages: true });
      expect(report.verdict).toBe('proved');
      return [report.states, report.totalMessages!.at(-1)];
    });
    expect(states).toEqual([
      [1471, 18],
      [1451, 18],
    ]);
  });
  test('does not go with recovery', () => {
    expect(() => figure7('defer', 'recovery')).toThrow('raymond takes defer or recovery');
  });
});

// "if each failure of X happens before Y receives the privilege, and the subsequent reconstruction of
// REQUEST_Q_X allows Y's REQUEST to be overtaken, then node Y will be starved" (8.4)
describe('a node that crashes whenever the privilege is on its way to it', () => {
  /** Site 1 is the crashing one, site 0 asks all the time, site 2 once: how many go in before it. */
  const passedBy = (crashes: number, option: string) => {
    const faults = Array.from({ length: crashes }, (_, i) => [
      { at: 10.5 + 15 * i, crash: 1 },
      { at: 12 + 15 * i, restart: 1 },
    ]).flat();
    const entered: number[] = [];
    const world = makeWorld(raymond, { nodes: 3, topology: 'line', options: [option] });
    const { violations } = simulate(raymond, world, {
      ...{ ...unit, workload: 'script', faults: JSON.stringify(faults) },
      script: ['0 request 2', ...Array(crashes + 3).fill('0 request 0')].join('\n'),
      trace: ({ enters, site }) => enters && entered.push(site),
    });
    expect(violations).toEqual([]);
    return entered.indexOf(2);
  };
  test.each([
    ['recovery', [2, 6, 21]],
    ['rebuild=privileges', [2, 2, 2]],
    ['rebuild=timestamps', [1, 1, 1]],
  ])('%s: 1, 5, 20 crashes let %j entries pass the neighbour that waits', (option, passes) => {
    expect([1, 5, 20].map((crashes) => passedBy(crashes, option))).toEqual(passes);
  });
});

describe('rebuild and unnumbered survive', () => {
  const report = (option: string, nodes: number, settings: object, invariants = {}) => {
    const observed = { ...raymond, invariants: { ...raymond.invariants, ...invariants } };
    const world = makeWorld(raymond, { nodes, topology: 'line', options: [option] });
    const { violation, verdict, states, depth } = check(observed, world, settings);
    return [violation?.property ?? verdict, violation === null ? states : depth];
  };
  test.each([
    ['rebuild=timestamps', 1, 8615],
    ['rebuild=privileges', 1, 6868],
  ])('one crash at any moment, three sites: %s, %i entries each', (option, entries, states) => {
    expect(report(option, 3, { entries, crashes: 1 })).toEqual(['proved', states]);
  });
  test('one crash at any moment over ordered links, with nothing numbered (8.6)', () => {
    const settings = { entries: 2, crashes: 1, links: 'fifo' };
    expect(report('unnumbered', 3, settings)).toEqual(['proved', 38_213]);
  });
  test('but not over links that reorder: an ADVISE overtakes a PRIVILEGE', () => {
    const settings = { entries: 2, crashes: 1, links: 'any' };
    expect(report('unnumbered', 2, settings)).toEqual(['mutual-exclusion', 13]);
  });
  // "at most two occurrences of each neighbor or self" (8.6)
  test('a neighbour is in the queue twice, and never three times', () => {
    const most = (times: number) => ({
      most: ({ sites }: { sites: readonly { queue: readonly number[] }[] }) =>
        sites.every(({ queue }) =>
          queue.every((name) => queue.filter((other) => other === name).length <= times),
        ),
    });
    const settings = { entries: 2, crashes: 1, links: 'fifo' };
    expect(report('unnumbered', 3, settings, most(1))[0]).toBe('most');
    expect(report('unnumbered', 3, settings, most(2))[0]).toBe('proved');
  });
});

describe('as printed', () => {
  const two = makeWorld(raymond, { nodes: 2, topology: 'line', options: ['recovery'] });

  // "If the PRIVILEGE message was sent before the ADVISE message, then the ADVISE message will
  // correctly state that HOLDER_Y = X." (8.6) And then it may arrive first.
  test('section 8: an ADVISE overtakes a PRIVILEGE, and two sites are inside', () => {
    const report = check(section8.algorithm, two, { entries: 2, crashes: 1 });
    expect(report.violation?.property).toBe(section8.shows.violates);
    expect(report.depth).toBe(13);
    expect(check(raymond, two, { entries: 2, crashes: 1 }).verdict).toBe('proved');
  });
  test('section 8: where links keep order it does not happen', () => {
    const report = check(section8.algorithm, two, { entries: 2, crashes: 1, links: 'fifo' });
    expect(report.verdict).toBe('proved');
  });

  // "(4) HOLDER_Y ≠ X and X ∉ REQUEST_Q_Y. Again X is not the privileged node, and it has requested
  // the privilege so ASKED_X must be true." (8.1)
  test('section 8.1: a site that has not asked takes it that it has, and waits for ever', () => {
    const report = check(section81.algorithm, two, { entries: 1, crashes: 1 });
    expect(report.violation?.property).toBe(section81.shows.violates);
    expect(report.depth).toBe(5);
  });
});
