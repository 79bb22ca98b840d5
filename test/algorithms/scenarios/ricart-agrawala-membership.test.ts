/** Ricart and Agrawala 1981, section 7: sites that join, leave and fail. */
import { describe, expect, test } from 'vitest';
import { ricartAgrawala } from '../../../src/algorithms/ricart-agrawala.ts';
import { check } from '../../../src/check/check.ts';
import { assert } from '../../../src/core/assert.ts';
import { type Settings, simulate } from '../../../src/sim/index.ts';
import { makeWorld } from '../../../src/topologies/world.ts';

type Algorithm = typeof ricartAgrawala;
const WAYS = ['ask-all', 'request-from-each', 'observed', 'quiet', 'fourth-request'] as const;
const world = (nodes: number, way: (typeof WAYS)[number] = 'ask-all') =>
  makeWorld(ricartAgrawala, { nodes, options: [`membership=${way}`] });
const run = (nodes: number, way: (typeof WAYS)[number], settings: Settings) =>
  simulate(ricartAgrawala, world(nodes, way), { delay: 'constant:1', ...settings });
const inOrder = (way: string) => (way === 'fourth-request' ? { links: 'fifo' as const } : {});
/** Who has crashed stays away. */
const forGood: Algorithm = { ...ricartAgrawala, restarts: () => false };
const unordered = { ...ricartAgrawala, claims: { messages: ricartAgrawala.claims.messages } };

// Of three sites the first two are in the group, the third is outside; of five, the first three.
describe('joining and leaving (sections 7.2 and 7.3)', () => {
  test('members of the group ask only one another: 2 messages for two of three, 4 for three of five', () => {
    expect(run(3, 'ask-all', { workload: 'script', script: '0 request 1' }).messages).toBe(2);
    expect(run(5, 'ask-all', { workload: 'script', script: '0 request 2' }).messages).toBe(4);
    expect(run(2, 'ask-all', { workload: 'script', script: '0 request 0' }).messages).toBe(0);
  });
  test.each([
    ['ask-all', 2],
    ['quiet', 1],
    ['request-from-each', 1],
    ['observed', 1],
    ['fourth-request', 1],
  ] as const)('a newcomer joins, finds its number, enters and leaves: %s', (way, asked) => {
    const settings = { workload: 'script', script: '0 request 2' } as const;
    expect(run(3, way, settings).byType).toEqual({
      ...{ JOIN: 2, WELCOME: 2, ASK: asked, TELL: asked },
      ...{ NUMBERED_REQUEST: 2, NUMBERED_REPLY: 2, LEAVE: 2, ACKNOWLEDGE: 2 },
    });
  });
  test('a newcomer that asks again before it has left need not join again', () => {
    const script = '0 request 2\n50 request 2\n5000 request 2';
    const { byType } = run(3, 'ask-all', { workload: 'script', script });
    expect([byType['NUMBERED_REQUEST'], byType['JOIN'], byType['LEAVE']]).toEqual([6, 4, 4]);
  });
  // 7.2.3 (2), (3), (5): in a busy group, the numbers of others tell the newcomer enough.
  test.each(['request-from-each', 'observed', 'fourth-request'] as const)(
    'when others ask, a newcomer need not: %s',
    (way) => {
      const { byType, violations } = run(5, way, {
        ...{ workload: 'saturated', entries: 300, links: 'fifo', delay: 'uniform:1,9' },
      });
      expect(violations).toEqual([]);
      expect(byType['JOIN']).toBeGreaterThan(0);
      expect(byType['ASK']).toBeUndefined();
    },
  );
  // "must not be set to any value lower than the sequence number of any REQUEST message which would
  // already have been received had the new node been continuously active" (7.2.3)
  test('a newcomer that takes any number gets in beside a site that does not know it', () => {
    const { WELCOME } = ricartAgrawala.on;
    const rash: Algorithm = {
      ...unordered,
      on: {
        ...ricartAgrawala.on,
        WELCOME: (my, site, from) => WELCOME(my, site, from, { synced: false }),
      },
    };
    const { violation } = check(rash, world(3, 'quiet'), { entries: 1 });
    expect(violation?.property).toBe('mutual-exclusion');
  });
  // The paper's code leaves it out. Site 3 has joined and asked, but nobody has heard of that when 2
  // joins: so 2 gets the same number, wins the tie, and 3 does not know that it must wait.
  test('ask-all: a site that tells its highest number must count its own', () => {
    const modest: Algorithm = {
      ...unordered,
      on: {
        ...ricartAgrawala.on,
        ASK: (my, site, from) => {
          if (!('awaiting' in my)) return;
          const isOurs = my.requesting && my.ours === my.highest;
          site.send(from, { type: 'TELL', highest: my.highest - (isOurs ? 1 : 0) });
        },
      },
    };
    const settings = { entries: [0, 0, 1, 1] };
    expect(check(modest, world(4), settings).violation?.property).toBe('mutual-exclusion');
    expect(check(ricartAgrawala, world(4), settings).verdict).toBe('proved');
  });
  test('fourth-request, on links that keep the order: four REQUESTs of one site', () => {
    const settings = { entries: [4, 1, 1], links: 'fifo' } as const;
    expect(check(ricartAgrawala, world(3, 'fourth-request'), settings)).toMatchObject({
      verdict: 'proved',
      states: 506_042,
    });
  });
});

describe('failures (section 7.4)', () => {
  test.each([1, 2])(
    'two sites of the group, %i of which may crash: each site that is left gets in',
    (crashes) => {
      const { verdict } = check(forGood, world(3), { entries: [2, 2, 0], crashes });
      expect(verdict).toBe('proved');
    },
  );
  test.each(WAYS)('any of three sites may crash, also a newcomer: %s', (way) => {
    const settings = { entries: 1, crashes: 1, ...inOrder(way) };
    expect(check(forGood, world(3, way), settings).verdict).toBe('proved');
  });
  test('crashes at any moment, also of newcomers: random schedules find nothing', () => {
    for (const way of WAYS) {
      const report = check(ricartAgrawala, world(4, way), {
        ...{ entries: [2, 1, 1, 1], crashes: 2, random: { schedules: 1000, seed: 11 } },
        ...inOrder(way),
      });
      expect(report.violation).toBeNull();
    }
  });
  test('a site crashes inside: the others ask whether it is there, and go on without it', () => {
    const order: string[] = [];
    const { byType, violations } = run(3, 'ask-all', {
      ...{ workload: 'script', script: '0 request 0 stay 50\n5 request 1\n2000 request 1' },
      faults: '[{ "at": 20, "crash": 0 }]',
      trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
    });
    expect(violations).toEqual([]);
    // 300 ticks without a REPLY, then 20 without an answer. Alone then, 1 asks nobody any more.
    expect(order).toEqual(['0 at 2', '1 at 325', '1 at 2000']);
    expect(byType).toMatchObject({ ARE_YOU_THERE: 1, NUMBERED_REQUEST: 2 });
  });
  // "The timeout does not impose an upper limit on the duration of a critical section."
  test('a long stay is no failure', () => {
    const { byType, entries } = run(3, 'ask-all', {
      ...{ workload: 'script', script: '0 request 0 stay 1000\n5 request 1' },
    });
    expect(entries).toBe(2);
    expect(byType).toMatchObject({ ARE_YOU_THERE: 3, YES_I_AM_HERE: 3 });
    expect(byType['FAILED']).toBeUndefined();
  });
  // "it must be that the REQUEST was not received, the REPLY was lost": 300 ticks later, a probe.
  test.each([
    ['NUMBERED_REQUEST', '20 request 0', ['0 at 322']],
    ['NUMBERED_REPLY', '20 request 0', ['0 at 322']],
    // Lost on the way to one that is inside: the probe is deferred, as the REQUEST would have been.
    ['NUMBERED_REQUEST', '0 request 1 stay 500\n20 request 0', ['1 at 2', '0 at 503']],
  ])('a lost %s is made good by the probe: %j', (type, script, expected) => {
    const order: string[] = [];
    const { violations } = run(3, 'ask-all', {
      ...{ workload: 'script', script },
      faults: JSON.stringify([{ from: 10, until: 50, lose: 1, types: [type] }]),
      trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
    });
    expect(violations).toEqual([]);
    expect(order).toEqual(expected);
  });
  test('messages may arrive twice', () => {
    const settings = { entries: [1, 0, 1], duplications: 1 };
    expect(check(ricartAgrawala, world(3), settings).verdict).toBe('proved');
  });
  test('a probe that is lost passes for a failure, and two are inside', () => {
    const { violation, trace } = check(unordered, world(3), { entries: [1, 1, 0], losses: 1 });
    expect(violation?.property).toBe('mutual-exclusion');
    expect(trace?.find(({ event }) => event === 'lose')).toMatchObject({
      message: { type: 'ARE_YOU_THERE' },
    });
  });
  test('a probe that comes too soon does no harm: 73,445 states', () => {
    const { timers } = ricartAgrawala;
    const hasty: Algorithm = {
      ...ricartAgrawala,
      timers: { ...timers, reply: { ...timers!['reply']!, fires: 'anytime' } },
    };
    expect(check(hasty, world(3), { entries: [2, 2, 0] })).toMatchObject({
      verdict: 'proved',
      states: 73_445,
    });
  });
});

describe('return after a failure (sections 7.2.1 and 7.4)', () => {
  test.each(WAYS)(
    'a site that crashes and comes back gets in, and so does a newcomer: %s',
    (way) => {
      const settings = { entries: [1, 0, 1], crashes: 1, ...inOrder(way) };
      expect(check(ricartAgrawala, world(3, way), settings).verdict).toBe('proved');
    },
  );
  test('all of the group crash and come back: 24,273 states', () => {
    expect(check(ricartAgrawala, world(3), { entries: [0, 0, 1], crashes: 2 })).toMatchObject({
      verdict: 'proved',
      states: 24_273,
    });
  });
  test('a site crashes while it waits, comes back after 20 ticks of silence, joins and gets in', () => {
    const order: string[] = [];
    const { byType, violations } = run(3, 'ask-all', {
      ...{ workload: 'script', script: '0 request 0 stay 50\n5 request 1\n100 request 1' },
      faults: '[{ "at": 10, "crash": 1 }, { "at": 90, "restart": 1 }]',
      trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
    });
    expect(violations).toEqual([]);
    // Back at 90, outside at 110; then three round trips: to join, for a number, for permission.
    expect(order).toEqual(['0 at 2', '1 at 116']);
    expect(byType).toMatchObject({ FAILED: 2, JOIN: 2, ABSENT: 1, WELCOME: 1, ASK: 1 });
  });
  // "If this step was not followed, the failure may be detected at approximately the same time as the
  // node rejoins the group. This would result in conflicting bookkeeping at different nodes."
  test('a site that does not wait until its past is over is struck off after it has joined: two are inside', () => {
    const { timers } = ricartAgrawala;
    const interval = timers!['restart interval']!;
    const hasty: Algorithm = {
      ...unordered,
      timers: { ...timers, 'restart interval': { ...interval, fires: 'anytime' } },
    };
    const settings = { entries: [1, 2, 0], crashes: 1 };
    expect(check(hasty, world(3), settings).violation?.property).toBe('mutual-exclusion');
    expect(check(ricartAgrawala, world(3), settings).verdict).toBe('proved');
  });
  // "any node which receives the REQUEST message and does not find the node's name in its NAMES array
  // may return a special message notifying the node that it should restart itself" (7.4)
  test('a living site that was taken for failed is told so when it asks, and joins anew', () => {
    const order: string[] = [];
    const { byType, violations } = run(3, 'ask-all', {
      ...{ workload: 'script', script: '0 request 0\n1000 request 1\n2000 request 0' },
      faults: '[{ "until": 900, "lose": 1 }]',
      trace: ({ site, enters, time }) => enters && order.push(`${site} at ${time}`),
    });
    expect(violations).toEqual([]);
    expect(order).toEqual(['0 at 320', '1 at 1028', '0 at 2002']);
    expect(byType).toMatchObject({ RESTART_YOURSELF: 1, FAILED: 2, JOIN: 2, NUMBERED_REPLY: 2 });
  });
  test('where no site fails, none is told to restart', () => {
    const { RESTART_YOURSELF } = ricartAgrawala.on;
    const watched: Algorithm = {
      ...ricartAgrawala,
      on: {
        ...ricartAgrawala.on,
        RESTART_YOURSELF(my, site, from, message) {
          const before = 'role' in my && my.role;
          RESTART_YOURSELF(my, site, from, message);
          assert('role' in my && my.role === before, 'nobody restarts without cause');
        },
      },
    };
    expect(check(watched, world(3), { entries: [2, 0, 2] }).verdict).toBe('proved');
  });
});

describe('insertion by a sponsor (section 7.2.2)', () => {
  const sponsored = (nodes: number, way: (typeof WAYS)[number] = 'ask-all') =>
    makeWorld(ricartAgrawala, {
      nodes,
      options: way === 'ask-all' ? ['sponsor'] : ['sponsor', `membership=${way}`],
    });

  test('site 0 invokes mutual exclusion, tells all, and gives the newcomer its list', () => {
    const script = { workload: 'script', script: '0 request 4', delay: 'constant:1' } as const;
    // Of five, three are in the group: REQUEST, REPLY, ADD and its answer twice each. Then the
    // newcomer asks the three for their numbers, for permission, and takes its leave.
    expect(simulate(ricartAgrawala, sponsored(5), script).byType).toEqual({
      ...{ SPONSOR_ME: 1, I_WILL: 1, ADD: 2, LIST: 1, ASK: 3, TELL: 3 },
      ...{ NUMBERED_REQUEST: 2 + 3, NUMBERED_REPLY: 2 + 3, LEAVE: 3, ACKNOWLEDGE: 2 + 3 },
    });
  });
  test('two newcomers at once are introduced one after the other, and know each other', () => {
    const result = simulate(ricartAgrawala, sponsored(5), {
      ...{ workload: 'script', script: '0 request 3\n0 request 4', delay: 'constant:1' },
    });
    expect(result.violations).toEqual([]);
    expect(result.byType).toMatchObject({ SPONSOR_ME: 2, LIST: 2, LEAVE: 4 + 3 });
  });
  test.each(WAYS)('a newcomer, two of the group: %s', (way) => {
    const settings = { entries: [1, 0, 1], ...inOrder(way) };
    expect(check(ricartAgrawala, sponsored(3, way), settings).verdict).toBe('proved');
  });
  test('the sponsor fails, at any moment: the newcomer turns to another', () => {
    const settings = { entries: [0, 0, 1], crashes: 1 };
    expect(check(forGood, sponsored(3), settings).verdict).toBe('proved');
    expect(
      check(ricartAgrawala, sponsored(3, 'fourth-request'), { ...settings, links: 'fifo' }).verdict,
    ).toBe('proved');
  });
  test('all of the group fail: no site is left to introduce another', () => {
    const { violation } = check(forGood, sponsored(3), { entries: [0, 0, 1], crashes: 2 });
    expect(violation?.property).toBe('starvation-freedom');
  });
  test('four sites, two of them newcomers, and a crash: random schedules find nothing', () => {
    for (const way of WAYS) {
      const report = check(ricartAgrawala, sponsored(4, way), {
        ...{ entries: [2, 1, 2, 2], crashes: 1, random: { schedules: 500, seed: 11 } },
        ...inOrder(way),
      });
      expect(report.violation).toBeNull();
    }
  });
});
