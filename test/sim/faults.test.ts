/** Crashes, restarts, partitions, losses, duplications; the failure detector; timers. */
import { describe, expect, test } from 'vitest';
import { raymond } from '../../src/algorithms/raymond.ts';
import { ricartAgrawala } from '../../src/algorithms/ricart-agrawala.ts';
import type { Algorithm, AnyAlgorithm, Site } from '../../src/core/algorithm.ts';
import { assert } from '../../src/core/assert.ts';
import { UsageError } from '../../src/core/errors.ts';
import type { Messages } from '../../src/core/message.ts';
import type { TraceStep } from '../../src/core/trace.ts';
import { type Settings, simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const messages = { ASK: {}, GRANT: {}, BACK: {} } as const satisfies Messages;
type State = { queue: number[]; holder: number; lives: number; told: string[] };
type WardenSite = Site<typeof messages>;

/** Site 0 lets one in at a time, and takes back what the dead held. It must not die itself. */
const warden: Algorithm<State, typeof messages> = {
  id: 'warden',
  title: 'Warden',
  year: 2026,
  paper: 'none',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo',
  options: {},
  messages,
  claims: { messages: { formula: '3', bounds: () => ({ least: 0, most: 3 }) } },
  recovers: ['any site but 0 crashes'],
  init: () => ({ queue: [], holder: -1, lives: 1, told: [] }),
  request: (_, site) => site.send(0, { type: 'ASK' }),
  release: (_, site) => site.send(0, { type: 'BACK' }),
  on: {
    ASK(my, site, from) {
      my.queue.push(from);
      grant(my, site);
    },
    GRANT: (_, site) => site.enter(),
    BACK(my, site) {
      my.holder = -1;
      grant(my, site);
    },
  },
  peer(my, site, peer, alive) {
    my.told.push(`${peer} is ${alive ? 'up' : 'down'}`);
    if (alive) return;
    my.queue = my.queue.filter((waiting) => waiting !== peer);
    if (my.holder === peer) my.holder = -1;
    grant(my, site);
  },
  stable: ['lives'],
  restart(my) {
    my.lives += 1;
  },
};

function grant(my: State, site: WardenSite): void {
  if (site.me !== 0 || my.holder !== -1 || my.queue.length === 0) return;
  my.holder = my.queue.shift()!;
  site.send(my.holder, { type: 'GRANT' });
}

const words = { SAY: {}, HUM: {} } as const satisfies Messages;

/** Everyone says and hums something to everyone, and goes in. It is about messages, not about locking. */
const gossip: AnyAlgorithm = {
  id: 'gossip',
  title: 'Gossip',
  year: 2026,
  paper: 'none',
  family: 'permission',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages: words,
  claims: { messages: { formula: '2(N−1)', bounds: () => ({ least: 0, most: 9 }) } },
  recovers: [],
  init: () => ({ answers: 0 }),
  request(_, site) {
    for (const j of site.others) site.send(j, { type: 'SAY' });
    for (const j of site.others) site.send(j, { type: 'HUM' });
    site.enter();
  },
  release() {},
  on: { SAY() {}, HUM() {} },
};

const makeGossipWorld = () => makeWorld(gossip, { nodes: 3, k: 3 });

function run(algorithm: AnyAlgorithm, n: number, faults: unknown, settings: Settings = {}) {
  const steps: TraceStep[] = [];
  const world = makeWorld(algorithm, { nodes: n, k: algorithm.k ? n : 1 });
  const result = simulate(algorithm, world, {
    ...settings,
    faults: JSON.stringify(faults),
    trace: (step) => steps.push(step),
  });
  const story = steps.map(({ time, site, event }) => `${time}: ${site} ${event}`);
  return { result, steps, story };
}

describe('crashes', () => {
  test('a crash of the holder takes the token with it', () => {
    const script = '0 request 0 stay 50\n10 request 3';
    const crash = { at: 5, crash: 0 };
    const { result } = run(raymond, 4, [crash], { workload: 'script', script });
    expect(result.violations).toEqual([
      {
        property: 'deadlock-freedom',
        time: 20,
        site: 3,
        why: '3 waits for ever: 0 crashed holding the token',
      },
    ]);
    // It went in, and never came out.
    expect(result).toMatchObject({ entries: 1, responseTime: { max: 0 } });
  });

  test('a crash of the receiver loses a token that is on its way to it', () => {
    // 1 asks 0, which sends the privilege at 5; it arrives at 10.
    const script = '0 request 1\n20 request 2';
    const crash = { at: 7, crash: 1 };
    const { result } = run(raymond, 3, [crash], { workload: 'script', script });
    expect(result.violations[0]!.why).toBe(
      '2 waits for ever: the token was lost on its way from 0 to 1',
    );
  });

  test('a crash of a site whose answer is needed makes the others wait for ever', () => {
    const script = '10 request 0';
    const { result } = run(ricartAgrawala, 3, [{ at: 5, crash: 2 }], {
      workload: 'script',
      script,
    });
    expect(result.violations[0]!.why).toMatch(
      /^0 waits for ever: .*2 crashed; 1 message was lost$/,
    );
  });

  test('what arrives at a crashed site is lost, and what it sent before arrives', () => {
    const script = '0 request 1\n0 request 2';
    const { steps, result } = run(warden, 3, [{ at: 3, crash: 1 }], { workload: 'script', script });
    const fates = steps.flatMap((step) =>
      step.event === 'lose' || step.event === 'deliver'
        ? [`${step.time}: ${step.event} ${step.message.type} of ${step.from} at ${step.site}`]
        : [],
    );
    expect(fates.slice(0, 3)).toEqual([
      '5: deliver ASK of 1 at 0',
      '5: deliver ASK of 2 at 0',
      '10: lose GRANT of 0 at 1',
    ]);
    // The dead are out of the way as soon as they are known to be.
    expect(result).toMatchObject({ entries: 1, violations: [] });
  });

  test('a site that crashes is neither inside nor waiting any more', () => {
    const script = '0 request 1 stay 1000\n0 request 2\n0 request 3';
    const faults = [
      { at: 20, crash: 1 },
      { at: 20, crash: 3 },
    ];
    const { result } = run(warden, 4, faults, { workload: 'script', script });
    expect(result).toMatchObject({ violations: [], entries: 2, time: expect.closeTo(45) });
    expect(result.fairness.entriesByNode).toEqual([0, 1, 1, 0]);
    // 3 was down when 2 left: nobody waited.
    expect(result.synchronizationDelay.count).toBe(0);
  });

  test('requests that died with their site are made by other sites', () => {
    for (const workload of ['saturated', 'poisson', 'solo'] as const) {
      const faults = [40, 41, 42].map((at, i) => ({ at, crash: i + 1 }));
      const settings = { workload, entries: 100 };
      const { result } = run(warden, 5, faults, settings);
      expect(result.violations).toEqual([]);
      const gone = result.fairness.entriesByNode.slice(1, 4);
      expect(Math.max(...gone)).toBeLessThan(5);
      expect(result.entries).toBe(100);
    }
  });

  test('after the last request was made, others go on', () => {
    const settings: Settings = { workload: 'saturated', entries: 4 };
    const { result } = run(warden, 4, [{ at: 1, crash: 3 }], settings);
    expect(result.fairness.entriesByNode).toEqual([2, 1, 1, 0]);
  });
});

describe('restarts', () => {
  test('begin afresh, with what is stable', () => {
    const faults = [
      { at: 100, crash: 2 },
      { at: 200, restart: 2 },
      { at: 300, crash: 2 },
      { at: 400, restart: 2 },
    ];
    const settings = { workload: 'script', script: '0 request 2\n500 request 2' } as const;
    const { steps, result } = run(warden, 3, faults, settings);
    expect(result).toMatchObject({ entries: 2, violations: [] });
    const own = steps.filter(({ site, event }) => site === 2 && /crash|restart/.test(event));
    expect(own.map(({ time, event, state }) => [time, event, (state as State)?.lives])).toEqual([
      [100, 'crash', undefined],
      [200, 'restart', 2],
      [300, 'crash', undefined],
      [400, 'restart', 3],
    ]);
  });

  test('go on asking', () => {
    const faults = [
      { at: 100, crash: 2 },
      { at: 200, restart: 2 },
    ];
    const { result } = run(warden, 3, faults, { workload: 'saturated', entries: 100 });
    expect(result).toMatchObject({ entries: 100, violations: [] });
    expect(result.fairness.entriesByNode[2]).toBeGreaterThan(20);
  });

  test('are refused where an algorithm cannot', () => {
    const { restart: _restart, ...mortal } = warden;
    const faults = [
      { at: 100, crash: 2 },
      { at: 200, restart: 2 },
    ];
    expect(() => run(mortal as AnyAlgorithm, 3, faults)).toThrow(
      new UsageError(
        'warden cannot restart: it keeps nothing stable; leave the restart of 2 at 200 out of the faults',
      ),
    );
  });
});

describe('the failure detector', () => {
  const told = (steps: readonly TraceStep[], site: number) =>
    steps.filter((s) => s.site === site && s.event === 'peer').map((s) => `${s.time}`);

  test('tells of a crash after all that was sent before it has arrived', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const settings: Settings = {
        workload: 'saturated',
        delay: 'exponential:5',
        seed,
        entries: 50,
      };
      const { steps, result } = run(warden, 5, [{ at: 60, crash: 3 }], settings);
      expect(result.violations).toEqual([]);
      const news = steps.findIndex(({ event }) => event === 'peer');
      const last = steps.findLastIndex((s) => s.event === 'deliver' && s.from === 3);
      expect(last).toBeLessThan(news);
      const { told: heard } = steps.findLast(({ site }) => site === 1)!.state as State;
      expect(heard).toEqual(['3 is down']);
    }
  });

  test('tells of a crash first, and then of the restart', () => {
    const faults = [
      { at: 10, crash: 1 },
      { at: 11, restart: 1 },
      { at: 40, crash: 2 },
      { at: 50, restart: 2 },
    ];
    const settings: Settings = { workload: 'script', script: '0 request 0\n100 request 1' };
    const { steps } = run(warden, 3, faults, settings);
    const last = (site: number) => (steps.findLast((s) => s.site === site)!.state as State).told;
    expect(last(0)).toEqual(['1 is down', '1 is up', '2 is down', '2 is up']);
    expect(last(1)).toEqual(['2 is down', '2 is up']);
    // It would have been back at 11, but nobody knew yet that it was gone.
    expect(steps.find(({ event }) => event === 'restart')!.time).toBe(15);
    expect(told(steps, 0)).toEqual(['15', '15', '45', '50']);
  });

  test('tells a site that comes back which sites are down', () => {
    const faults = [
      { at: 10, crash: 1 },
      { at: 20, crash: 2 },
      { at: 50, restart: 1 },
    ];
    const settings: Settings = { workload: 'script', script: '0 request 0' };
    const { steps } = run(warden, 3, faults, settings);
    expect((steps.findLast((s) => s.site === 1)!.state as State).told).toEqual(['2 is down']);
  });

  test('is silenced by a partition', () => {
    const faults = [
      { at: 5, partition: [[0], [1, 2]] },
      { at: 10, crash: 1 },
      { at: 80, heal: true },
    ];
    const settings: Settings = { workload: 'script', script: '0 request 0\n100 request 2' };
    const { steps, result } = run(warden, 3, faults, settings);
    expect(told(steps, 0)).toEqual(['80']);
    expect(told(steps, 2)).toEqual(['15']);
    expect(result).toMatchObject({ entries: 2, violations: [] });
  });
});

describe('partitions', () => {
  const cut = { at: 0, partition: [[0], [1, 2]] };

  test('hold back what would cross, until they heal', () => {
    const settings: Settings = { workload: 'script', script: '1 request 1' };
    const { result, story } = run(ricartAgrawala, 3, [cut, { at: 100, heal: true }], settings);
    // Asked at 1; the REQUEST reaches 0 at 100, the REPLY is back at 105.
    expect(result).toMatchObject({ entries: 1, waitingTime: { max: 104 }, violations: [] });
    expect(story.slice(0, 2)).toEqual(['0: -1 partition', '1: 1 request']);
    expect(story).toContain('100: -1 heal');
  });

  test('that never heal make others wait for ever', () => {
    const settings: Settings = { workload: 'script', script: '1 request 1' };
    const { result } = run(ricartAgrawala, 3, [cut], settings);
    expect(result.violations[0]!.why).toMatch(
      /^1 waits for ever: .*1 message is held back by a partition$/,
    );
  });

  test('may be replaced, and all sites that are not named are on one side', () => {
    const faults = [
      { at: 0, partition: [[0]] },
      { at: 50, partition: [[2]] },
      { at: 100, heal: true },
    ];
    const settings: Settings = { workload: 'script', script: '1 request 1' };
    const { steps } = run(ricartAgrawala, 3, faults, settings);
    const replies = steps.flatMap((s) =>
      s.event === 'deliver' && s.site === 1 ? [[s.from, s.time]] : [],
    );
    expect(replies).toEqual([
      [2, 11],
      [0, 55],
    ]);
  });

  test('keep the order of each channel', () => {
    const settings: Settings = { workload: 'saturated', entries: 200, links: 'fifo' };
    const faults = Array.from({ length: 20 }, (_, i) => [
      { at: 40 * i + 10, partition: [[0, 1]] },
      { at: 40 * i + 27, heal: true },
    ]).flat();
    for (const delay of ['constant:5', 'uniform:1,20']) {
      for (const seed of [1, 2, 3]) {
        const { steps, result } = run(ricartAgrawala, 4, faults, { ...settings, delay, seed });
        expect(result.violations).toEqual([]);
        const last = new Map<string, number>();
        for (const s of steps) {
          if (s.event !== 'deliver') continue;
          const channel = `${s.from} ${s.site}`;
          expect(s.id).toBeGreaterThan(last.get(channel) ?? 0);
          last.set(channel, s.id);
        }
      }
    }
  });
});

describe('losses and duplications', () => {
  test('of a token', () => {
    const script = '0 request 2';
    const faults = [{ lose: 1, types: ['PRIVILEGE'] }];
    const { result, story } = run(raymond, 3, faults, { workload: 'script', script });
    expect(result.violations).toEqual([
      {
        property: 'deadlock-freedom',
        time: 5,
        site: 2,
        why: '2 waits for ever: the token was lost on its way from 0 to 2',
      },
    ]);
    expect(story).toEqual(['0: 2 request', '5: 0 deliver', '5: 2 lose']);
  });

  test('happen in their time, on their link, to their types, and that often', () => {
    const faults = [{ from: 1000, until: 3000, lose: 0.25, between: [0, 1], types: ['SAY'] }];
    const { steps } = run(gossip, 3, faults, { workload: 'saturated', entries: 12_000, cs: 1 });
    const lost = steps.filter(({ event }) => event === 'lose');
    const sent = steps.filter(
      (s) => s.event === 'request' && s.site < 2 && s.time >= 1000 && s.time < 3000,
    );
    expect(lost.length / sent.length).toBeGreaterThan(0.22);
    expect(lost.length / sent.length).toBeLessThan(0.28);
    for (const loss of lost) {
      expect(loss.event === 'lose' && loss.from + loss.site).toBe(1);
      expect(loss.event === 'lose' && loss.message.type).toBe('SAY');
      expect(loss.time).toBeGreaterThanOrEqual(1000);
      expect(loss.time).toBeLessThan(3000);
    }
  });

  test('a message that arrives twice is found out', () => {
    const faults = [{ duplicate: 1, types: ['REPLY'] }];
    const { result, steps } = run(ricartAgrawala, 3, faults, { workload: 'saturated' });
    expect(result.violations).toHaveLength(1);
    const twice = steps.find(({ event }) => event === 'duplicate')!;
    expect(twice.event === 'duplicate' && twice.message.type).toBe('REPLY');
  });

  test('a token that arrives twice', () => {
    const script = '0 request 2\n0 request 1';
    const faults = [{ duplicate: 1, types: ['PRIVILEGE'] }];
    const { result } = run(raymond, 3, faults, { workload: 'script', script });
    expect(result.violations).toMatchObject([{ property: 'assertion' }]);
  });
});

describe('timers', () => {
  const asking = (fires: 'anytime' | 'drained' | 'quiet', ticks: number): AnyAlgorithm => ({
    ...gossip,
    request(my, site) {
      my.answers = 0;
      for (const j of site.others) site.send(j, { type: 'SAY' });
      site.timer('answers', ticks);
    },
    on: {
      SAY: (_my, site, from) => site.send(from, { type: 'HUM' }),
      HUM(my) {
        my.answers += 1;
      },
    },
    timers: {
      answers: {
        fires,
        expired(my, site) {
          assert(my.answers === 2, 'all have answered');
          site.enter();
        },
      },
    },
  });

  test('anytime: it may be too early', () => {
    const settings: Settings = { delay: 'exponential:5' };
    const { violations } = simulate(asking('anytime', 12), makeGossipWorld(), settings);
    expect(violations).toMatchObject([{ property: 'assertion' }]);
    expect(simulate(asking('anytime', 10.5), makeGossipWorld()).violations).toEqual([]);
  });

  for (const fires of ['drained', 'quiet'] as const) {
    test(`${fires}: it outlasts what is under way, there and back`, () => {
      for (const delay of ['constant:5', 'exponential:5', 'lognormal:5,20']) {
        const settings: Settings = { delay, entries: 300 };
        const result = simulate(asking(fires, 1), makeGossipWorld(), settings);
        expect(result).toMatchObject({ violations: [], entries: 300 });
      }
    });
  }

  test('drained: it outlasts even what a partition holds back', () => {
    const settings: Settings = { workload: 'script', script: '0 request 0' };
    const faults = [
      { at: 3, partition: [[0]] },
      { at: 500, heal: true },
    ];
    const { result, story } = run(asking('drained', 1), 3, faults, settings);
    expect(result).toMatchObject({ violations: [], entries: 1 });
    expect(story).toContain('505: 0 timer');
  });

  test('set again it is replaced, set to 0 it is cancelled, and a crash cancels it', () => {
    const fidget = (ticks: number): AnyAlgorithm => ({
      ...gossip,
      request(_, site) {
        site.timer('a', 50);
        site.timer('b', 10);
        site.timer('a', ticks);
      },
      timers: {
        a: { fires: 'anytime', expired: (_, site) => site.enter() },
        b: { fires: 'anytime', expired() {} },
      },
    });
    const settings: Settings = { workload: 'script', script: '0 request 1' };
    const fired = (algorithm: AnyAlgorithm, faults: unknown[] = []) =>
      run(algorithm, 2, faults, settings).story.filter((line) => line.includes('timer'));
    expect(fired(fidget(30))).toEqual(['10: 1 timer', '30: 1 timer']);
    expect(fired(fidget(70))).toEqual(['10: 1 timer', '70: 1 timer']);
    expect(fired(fidget(0))).toEqual(['10: 1 timer']);
    expect(fired(fidget(30), [{ at: 20, crash: 1 }])).toEqual(['10: 1 timer']);
    expect(run(fidget(0), 2, [], settings).result.violations).toMatchObject([
      { property: 'deadlock-freedom' },
    ]);
  });
});

describe('faults that cannot be', () => {
  const wrong: [faults: string, message: string][] = [
    ['{', 'the faults are not JSON: '],
    ['{}', 'the faults are a list, as in [{ "at": 100, "crash": 2 }]'],
    ['[5]', 'entry 1 of the faults, 5: each entry is an object, as in { "at": 100, "crash": 2 }'],
    [
      '[{"at":1,"heal":true},{"at":1}]',
      'entry 2 of the faults, {"at":1}: it has exactly one of crash, restart, partition, cut, heal, lose, duplicate',
    ],
    [
      '[{"at":1,"crash":1,"heal":true}]',
      'entry 1 of the faults, {"at":1,"crash":1,"heal":true}: it has exactly one of crash, restart, partition, cut, heal, lose, duplicate',
    ],
    [
      '[{"crash":1}]',
      'entry 1 of the faults, {"crash":1}: "at" is a time of 0 or more, as in "at": 100',
    ],
    [
      '[{"at":-1,"crash":1}]',
      'entry 1 of the faults, {"at":-1,"crash":1}: "at" is a time of 0 or more, as in "at": 100',
    ],
    [
      '[{"at":1,"crash":3}]',
      'entry 1 of the faults, {"at":1,"crash":3}: a site is a whole number from 0 to 2, got 3',
    ],
    [
      '[{"at":1,"crash":"1"}]',
      'entry 1 of the faults, {"at":1,"crash":"1"}: a site is a whole number from 0 to 2, got "1"',
    ],
    [
      '[{"at":1,"crash":1,"untill":5}]',
      'entry 1 of the faults, {"at":1,"crash":1,"untill":5}: crash has no "untill"',
    ],
    [
      '[{"untill":5,"lose":1}]',
      'entry 1 of the faults, {"untill":5,"lose":1}: lose has no "untill" (did you mean "until"?)',
    ],
    [
      '[{"at":1,"heal":false}]',
      'entry 1 of the faults, {"at":1,"heal":false}: heal is true, or a link as in [0, 3]',
    ],
    [
      '[{"at":1,"partition":[0,1]}]',
      'entry 1 of the faults, {"at":1,"partition":[0,1]}: a partition lists the sites on each side, as in [[0, 1], [2, 3, 4]]',
    ],
    [
      '[{"at":1,"partition":[[0],[1,0]]}]',
      'entry 1 of the faults, {"at":1,"partition":[[0],[1,0]]}: site 0 is on one side only',
    ],
    [
      '[{"lose":2}]',
      'entry 1 of the faults, {"lose":2}: lose is a probability from 0 to 1, as in "lose": 0.1',
    ],
    [
      '[{"from":9,"until":9,"duplicate":1}]',
      'entry 1 of the faults, {"from":9,"until":9,"duplicate":1}: "until" is later than "from"',
    ],
    [
      '[{"lose":1,"between":[1]}]',
      'entry 1 of the faults, {"lose":1,"between":[1]}: "between" names the two ends of a link, as in [0, 3]',
    ],
    [
      '[{"lose":1,"types":"ASK"}]',
      'entry 1 of the faults, {"lose":1,"types":"ASK"}: "types" is a list of ASK, GRANT, BACK',
    ],
    [
      '[{"lose":1,"types":["GRAND"]}]',
      'entry 1 of the faults, {"lose":1,"types":["GRAND"]}: the messages of warden are ASK, GRANT, BACK, not "GRAND" (did you mean "GRANT"?)',
    ],
    [
      '[{"at":1,"crash":1},{"at":2,"crash":1}]',
      'site 1 cannot crash at 2: it is down already; restart it first',
    ],
    ['[{"at":1,"restart":1}]', 'site 1 cannot restart at 1: it is up; let it crash first'],
  ];
  for (const [faults, message] of wrong) {
    test(faults, () => {
      const world = makeWorld(warden, { nodes: 3 });
      const attempt = () => simulate(warden, world, { faults });
      expect(attempt).toThrow(UsageError);
      expect(attempt).toThrow(message);
    });
  }
});

test('a timer that waits for the network outlasts a partition, and does not stop time', () => {
  const world = makeWorld(ricartAgrawala, { nodes: 4, options: ['implicit-reply'] });
  const faults = '[{"at":20,"crash":1},{"at":30,"partition":[[0,1]]},{"at":45,"heal":true}]';
  const { events } = simulate(ricartAgrawala, world, {
    links: 'fifo',
    delay: 'exponential:5',
    entries: 30,
    rate: 0.05,
    seed: 2,
    faults,
  });
  expect(events).toBeGreaterThan(30);
});
