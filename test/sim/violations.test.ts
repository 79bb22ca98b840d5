/** What must not happen is noticed when it does: each of these algorithms is broken in one place. */
import { describe, expect, test } from 'vitest';
import { central as typedCentral } from '../../src/algorithms/central.ts';
import { raymond as typedRaymond } from '../../src/algorithms/raymond.ts';
import { ricartAgrawala as typedRicartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import { suzukiKasami as typedSuzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { assert } from '../../src/core/assert.ts';
import type { Messages } from '../../src/core/message.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { claimsMissed, replicate, type Settings, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

function run(algorithm: AnyAlgorithm, settings: Settings = {}, nodes = 4) {
  return simulate(algorithm, makeWorld(algorithm, { nodes }), settings);
}

// Of any type, so that one handler can be replaced by a wrong one.
const central: AnyAlgorithm = typedCentral;
const raymond: AnyAlgorithm = typedRaymond;
const ricartAgrawala: AnyAlgorithm = typedRicartAgrawala;
const suzukiKasami: AnyAlgorithm = typedSuzukiKasami;
const { on } = ricartAgrawala;

describe('violations', () => {
  test('mutual exclusion', () => {
    const polite: AnyAlgorithm = {
      ...ricartAgrawala,
      on: { ...on, REQUEST: (_my, site, from) => site.send(from, { type: 'REPLY' }) },
    };
    const result = run(polite, { workload: 'saturated', links: 'any' });
    expect(result.violations).toEqual([
      { property: 'mutual-exclusion', time: 10, site: 1, why: '0 and 1 are inside at once' },
    ]);
    expect(result.entries).toBe(2);
  });

  test('mutual exclusion of readers and writers', () => {
    const readersOnly: AnyAlgorithm = {
      ...central,
      modes: ['exclusive', 'shared'],
      request: (_my, site) => site.enter(),
      release: () => {},
    };
    const readers = '0 request 0 shared\n1 request 1 shared';
    const script = `${readers}\n2 request 2`;
    const { violations } = run(readersOnly, { workload: 'script', script });
    expect(violations).toMatchObject([
      { time: 2, site: 2, why: '0 (reading), 1 (reading) and 2 (writing) are inside at once' },
    ]);
    const alone = run(readersOnly, { workload: 'script', script: readers });
    expect(alone).toMatchObject({ entries: 2, violations: [] });
  });

  test('mutual exclusion with k', () => {
    const open: AnyAlgorithm = {
      ...central,
      k: true,
      request: (_my, site) => site.enter(),
      release: () => {},
    };
    const world = { ...makeWorld(central, { nodes: 4 }), k: 2 };
    expect(simulate(open, world, { workload: 'once' }).violations).toEqual([
      {
        property: 'mutual-exclusion',
        time: 0,
        site: 2,
        why: '0, 1 and 2 are inside at once, and k is 2',
      },
    ]);
  });

  test('two tokens', () => {
    const generous: AnyAlgorithm = {
      ...raymond,
      on: {
        ...raymond.on,
        REQUEST(my, site, from) {
          raymond.on['REQUEST']!(my, site, from, {});
          my.holder = site.me;
        },
      },
    };
    expect(run(generous, { workload: 'solo' }).violations).toMatchObject([
      { property: 'token-uniqueness', why: 'there are 2 tokens' },
    ]);
  });

  test('no token', () => {
    const careless: AnyAlgorithm = {
      ...raymond,
      on: { ...raymond.on, PRIVILEGE: () => {} },
    };
    expect(run(careless, { workload: 'solo' }).violations).toMatchObject([
      { property: 'token-uniqueness', why: 'there is no token any more' },
    ]);
    const never: AnyAlgorithm = {
      ...raymond,
      init: (site) => ({ ...raymond.init(site), holder: 9 }),
    };
    expect(run(never).violations).toEqual([
      { property: 'token-uniqueness', time: 0, site: 0, why: 'there is no token any more' },
    ]);
  });

  test('deadlock', () => {
    const silent: AnyAlgorithm = { ...ricartAgrawala, on: { ...on, REQUEST: () => {} } };
    const { violations, entries } = run(silent, { workload: 'solo' });
    expect(entries).toBe(0);
    expect(violations).toMatchObject([{ property: 'deadlock-freedom', time: 5 }]);
    expect(violations[0]!.why).toMatch(/^\d waits for ever: /);
  });

  test('a deadlock counts even if the request of another site would end it', () => {
    // The REQUEST is remembered, and answered only when the site has been inside itself.
    const lazy: AnyAlgorithm = {
      ...ricartAgrawala,
      on: { ...on, REQUEST: (my, _site, from) => (my.deferred[from] = true) },
    };
    const script = '0 request 1\n1000 request 0\n1000 request 2\n1000 request 3';
    const { violations } = run(lazy, { workload: 'script', script });
    expect(violations).toMatchObject([{ property: 'deadlock-freedom', time: 5, site: 1 }]);
  });

  test('the message names what a site waits for', () => {
    const stuck: AnyAlgorithm = {
      ...raymond,
      on: { ...raymond.on, REQUEST: (my, _site, from) => my.queue.push(from) },
    };
    const script = '0 request 3\n0 request 2\n1 request 1';
    const { violations } = run(stuck, { workload: 'script', script });
    expect(violations).toEqual([
      {
        property: 'deadlock-freedom',
        time: 6,
        site: 1,
        why: '1, 2 and 3 wait for ever: 1 lacks the answer of 0',
      },
    ]);
  });

  test('many waiting sites are given as a number', () => {
    const silent: AnyAlgorithm = { ...ricartAgrawala, on: { ...on, REQUEST: () => {} } };
    const { violations } = run(silent, { workload: 'once' }, 30);
    expect(violations[0]!.why).toMatch(/^0, 1, 2, 3, 4 and 25 others wait for ever/);
  });

  test('an entry without a request', () => {
    const eager: AnyAlgorithm = { ...ricartAgrawala, on: { ...on, REQUEST: (_, s) => s.enter() } };
    expect(run(eager, { workload: 'script', script: '0 request 2' }).violations).toEqual([
      {
        property: 'entry-on-request',
        time: 5,
        site: 0,
        why: 'site 0 goes in without having asked',
      },
    ]);
  });

  test('an assertion, and the trace ends with the step that failed', () => {
    const doubtful: AnyAlgorithm = {
      ...ricartAgrawala,
      on: {
        ...on,
        REPLY(_my, site) {
          site.send(0, { type: 'REPLY' });
          assert(site.me !== 2, 'two is never answered');
        },
      },
    };
    const steps: TraceStep[] = [];
    const settings: Settings = {
      workload: 'script',
      script: '0 request 2',
      trace: (step) => steps.push(step),
    };
    expect(run(doubtful, settings).violations).toEqual([
      {
        property: 'assertion',
        time: 10,
        site: 2,
        why: 'site 2 finds it untrue that two is never answered',
      },
    ]);
    expect(steps.at(-1)).toMatchObject({ event: 'deliver', site: 2, sends: [] });
  });

  test('livelock', () => {
    const chatty: AnyAlgorithm = {
      ...ricartAgrawala,
      on: { ...on, REQUEST: (_, site, from) => site.send(from, { type: 'REQUEST' }) },
    };
    const { violations } = run(chatty, { workload: 'once', maxEvents: 5000 });
    expect(violations).toMatchObject([
      {
        property: 'livelock-freedom',
        site: 0,
        why: '5000 events passed with 0 waiting and no site going in',
      },
    ]);
  });

  test('a fence that does not grow', () => {
    // The turn passes to another site after a while. That is exclusive only if all sites keep the same time.
    const messages = { NEVER: {} } as const satisfies Messages;
    const { tokens: _tokens, awaits: _awaits, ...rest } = central;
    const algorithm: AnyAlgorithm = {
      ...rest,
      messages,
      init: () => ({ turns: 0 }),
      request: (_, site) => site.timer('turn', 1 + 100 * site.me),
      release() {},
      on: { NEVER() {} },
      timers: { turn: { fires: 'anytime', expired: (_, site) => site.enter() } },
    };
    expect(run(algorithm, { workload: 'once' }).violations).toEqual([
      {
        property: 'fence',
        time: 101,
        site: 1,
        why: 'site 1 goes in with fence 2, and one before it had 2',
      },
    ]);
    // One that promises to outlast all messages is trusted.
    const timers = { turn: { ...algorithm.timers!['turn']!, fires: 'quiet' as const } };
    expect(run({ ...algorithm, timers }, { workload: 'once' }).violations).toEqual([]);
  });
});

describe('claims', () => {
  const claiming = (claims: Partial<AnyAlgorithm['claims']>): AnyAlgorithm => ({
    ...suzukiKasami,
    claims: { ...suzukiKasami.claims, ...claims },
  });
  const exactly = (formula: string, cost: number) => ({
    formula,
    bounds: () => ({ least: cost, most: cost }),
  });
  const missed = (algorithm: AnyAlgorithm, settings: Settings) => {
    const world = makeWorld(algorithm, { nodes: 5 });
    return claimsMissed(algorithm, world, settings, simulate(algorithm, world, settings));
  };

  test('that hold are not spoken of', () => {
    for (const workload of ['once', 'saturated', 'poisson', 'solo'] as const) {
      expect(missed(suzukiKasami, { workload })).toEqual([]);
    }
  });

  test('that do not are, each in its own workload', () => {
    const wrong = claiming({
      messages: exactly('N²', 25),
      light: exactly('N', 5),
      heavy: exactly('N+1', 6),
    });
    const measured = run(suzukiKasami, { workload: 'solo' }, 5).messagesPerEntry;
    expect(missed(wrong, { workload: 'solo' })).toEqual([
      `suzuki-kasami claims N² messages per entry, here 25; the run took ${measured}`,
      `suzuki-kasami claims N messages per entry when one site asks at a time, here 5; the run took ${measured}`,
    ]);
    expect(missed(wrong, { workload: 'saturated' })[1]).toBe(
      'suzuki-kasami claims N+1 messages per entry when all ask all the time, here 6; the run took 5',
    );
    expect(missed(wrong, { workload: 'poisson' })).toHaveLength(1);
  });

  test('heavy holds of whole rounds, whatever the start costs', () => {
    const right = claiming({ heavy: exactly('N', 5) });
    expect(missed(right, { workload: 'saturated', entries: 100 })).toEqual([]);
    // The first entry is free: the run as a whole took less.
    const settings: Settings = { workload: 'saturated', entries: 100 };
    expect(run(right, settings, 5).messagesPerEntry).toBeLessThan(5);
    // Two rounds are all start and end.
    const wrong = claiming({ heavy: exactly('N+1', 6) });
    expect(missed(wrong, { workload: 'saturated', entries: 10 })).toEqual([]);
  });

  test('nothing is claimed of runs in which something failed', () => {
    const wrong = claiming({ messages: exactly('N²', 25) });
    const faults = '[{ "from": 1e9, "lose": 1 }]';
    expect(missed(wrong, { faults })).toEqual([]);
    expect(missed(wrong, { faults: ' [] ' })).toHaveLength(1);
  });
});

describe('replications', () => {
  test('are the runs with the seeds that follow', () => {
    const world = makeWorld(raymond, { nodes: 7 });
    const settings: Settings = { seed: 5, entries: 200 };
    const runs = [5, 6, 7].map((seed) => simulate(raymond, world, { ...settings, seed }));
    const seen: number[] = [];
    const all = replicate(raymond, world, settings, 3, ({ seed }) => seen.push(seed));
    expect(seen).toEqual([5, 6, 7]);
    const mean = runs.reduce((sum, r) => sum + r.messagesPerEntry, 0) / 3;
    expect(all.messagesPerEntry.mean).toBeCloseTo(mean, 12);
    expect(all.messagesPerEntry.ci95).toBeGreaterThan(0);
    expect(all.entries).toBe(600);
    expect(all.messages).toBe(runs.reduce((sum, r) => sum + r.messages, 0));
    expect(all.responseTime.max).toBe(Math.max(...runs.map((r) => r.responseTime.max)));
    expect(all.fairness.entriesByNode.reduce((a, b) => a + b)).toBe(600);
    expect(all.violations).toEqual([]);
  });

  test('show the seed of each violation', () => {
    const silent: AnyAlgorithm = { ...ricartAgrawala, on: { ...on, REQUEST: () => {} } };
    const world = makeWorld(silent, { nodes: 3 });
    const { violations } = replicate(silent, world, { seed: 8, workload: 'once' }, 2);
    expect(violations.map(({ seed, property }) => `${seed} ${property}`)).toEqual([
      '8 deadlock-freedom',
      '9 deadlock-freedom',
    ]);
  });

  test('one is none', () => {
    const world = makeWorld(raymond, { nodes: 3 });
    expect(() => replicate(raymond, world, {}, 1)).toThrow(
      'replications takes a whole number of 2 or more, got 1: one run has no spread',
    );
  });
});
