/** The checker itself: it sees every state, finds violations, and never claims more than it saw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted } from '../../src/algorithms/catalogue.ts';
import { type CheckSettings, check } from '../../src/check/check.ts';
import { PairTable, StateStore } from '../../src/check/tables.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { UsageError } from '../../src/core/errors.ts';
import { list } from '../../src/core/message.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { newestFirst, oldestFirst } from '../support/broken.ts';
import { count } from '../support/dumb.ts';

const run = (algorithm: AnyAlgorithm, nodes: number, settings: CheckSettings = {}) =>
  check(algorithm, makeWorld(algorithm, { nodes }), settings);
const ricartAgrawala = find('ricart-agrawala');

describe('the search sees every state', () => {
  const simple = catalogue.filter((a) => !a.timers && !a.peer && !a.start);
  for (const algorithm of simple) {
    const links = algorithm.links === 'any' ? (['any', 'fifo'] as const) : (['fifo'] as const);
    test.each(links)(
      `${algorithm.id}, %s links: the checker finds as many states as a naive search`,
      (kind) => {
        const entries = [1, 1, 0];
        const dumb = count(algorithm, makeWorld(algorithm, { nodes: 3 }), kind, entries);
        const settings = { entries, links: kind };
        const { verdict, states, transitions } = run(algorithm, 3, settings);
        expect({ verdict, states, transitions }).toEqual({ verdict: 'proved', ...dumb });
      },
    );
  }

  test('Ricart–Agrawala has 45,401 states with three sites and two entries each', () => {
    const { verdict, states, transitions, depth } = run(ricartAgrawala, 3, {
      modes: ['exclusive'],
    });
    expect({ verdict, states, transitions, depth }).toEqual({
      verdict: 'proved',
      states: 45_401,
      transitions: 147_460,
      depth: 36,
    });
  });

  test('the search tries every value of a random draw', () => {
    const roll: AnyAlgorithm = {
      ...oldestFirst,
      request: (_: unknown, site: { random(below: number): number; enter(): void }) => {
        site.random(3);
        if (site.random(4) === 2) site.enter();
      },
    };
    // 12 ways to draw, one wrong in four: the others wait for nothing.
    const report = run(roll, 1, { entries: 1 });
    expect(report.violation?.property).toBe('deadlock-freedom');
    expect(run(roll, 1, { entries: 0 }).transitions).toBe(0);
  });
});

describe('a search that reaches a limit never reports a proof', () => {
  test('a limit on states gives the verdict bounded', () => {
    const { verdict, properties } = run(ricartAgrawala, 3, { maxStates: 1000 });
    expect(verdict).toBe('bounded');
    expect(properties.map((p) => p.name)).toContain('mutual-exclusion');
    expect(properties.find((p) => p.name === 'mutual-exclusion')?.verdict).toBe('bounded');
  });
  test('a sentence returned by onProgress ends the search', () => {
    const { verdict, limit } = run(ricartAgrawala, 3, { onProgress: () => 'memory is short' });
    expect({ verdict, limit }).toEqual({ verdict: 'bounded', limit: 'memory is short' });
  });
  test('random schedules search deeper than breadth first before the verdict is bounded', () => {
    // The shortest violation is far deeper than 300 states reach.
    const { verdict, violation } = run(find('lamport'), 5, { links: 'any', maxStates: 300 });
    expect(verdict).toBe('violated');
    expect(['mutual-exclusion', 'fcfs']).toContain(violation?.property);
  });
  test('a search with random schedules is bounded', () => {
    const { verdict, schedules } = run(ricartAgrawala, 4, { random: { schedules: 50, seed: 7 } });
    expect({ verdict, schedules }).toEqual({ verdict: 'bounded', schedules: 50 });
  });
  test('a check in which nothing happens is violated, not proved', () => {
    const deaf: AnyAlgorithm = { ...oldestFirst, request: () => {}, timers: {} };
    const { verdict } = run(deaf, 2, { entries: 1 });
    expect(verdict).toBe('violated');
  });
});

describe('violations are found', () => {
  test('over reordering links Lamport lets two sites in after four steps', () => {
    const { verdict, violation, depth, trace } = run(find('lamport'), 2, {
      entries: 1,
      links: 'any',
    });
    expect({ verdict, violation, depth }).toEqual({
      verdict: 'violated',
      violation: { property: 'mutual-exclusion', why: '0 and 1 are inside at once' },
      depth: 4,
    });
    expect(trace?.map(({ site, event }) => `${site} ${event}`)).toEqual([
      '0 request',
      '1 request',
      '0 deliver', // 1's REQUEST, and 0's REPLY …
      '1 deliver', // … overtakes 0's own REQUEST
    ]);
  });

  test('every delivery in a trace is of a message that was sent to that site before', () => {
    const { trace } = run(find('lamport'), 3, { entries: 1, links: 'any' });
    const sent = new Map<number, string>();
    for (const step of trace!) {
      if (step.event === 'deliver') {
        expect(sent.get(step.id)).toBe(`${step.from}→${step.site} ${JSON.stringify(step.message)}`);
        sent.delete(step.id);
      }
      for (const { id, to, message } of step.sends) {
        sent.set(id, `${step.site}→${to} ${JSON.stringify(message)}`);
      }
    }
  });

  test('a wait that only the request of another site would end is a deadlock', () => {
    // The second request is answered only when a third site requests: "no step is possible" would miss it.
    const forgetful: AnyAlgorithm = {
      ...oldestFirst,
      on: {
        ...oldestFirst.on,
        RELEASE: (my: { busy: boolean }) => {
          my.busy = false;
        },
      },
    };
    const { violation } = run(forgetful, 3, { entries: [0, 2, 1] });
    expect(violation?.property).toBe('deadlock-freedom');
    expect(violation?.why).toMatch(/^\d waits; no site is inside and nothing is under way$/);
  });

  test('an entry without a request is a violation', () => {
    const pushy: AnyAlgorithm = {
      ...oldestFirst,
      release: (_: unknown, site: { send(to: number, m: object): void }) => {
        site.send(0, { type: 'RELEASE' });
        site.send(1, { type: 'GRANT' });
      },
    };
    expect(run(pushy, 2).violation?.property).toBe('entry-on-request');
  });

  test('an assertion of the algorithm that fails is a violation', () => {
    const { violation } = run(ricartAgrawala, 2, { duplications: 1 });
    expect(violation?.property).toBe('assertion');
  });

  test('a random search finds violations, the same ones for the same seed', () => {
    const search = () =>
      run(find('lamport'), 4, { links: 'any', random: { schedules: 5000, seed: 3 } });
    const { violation, depth } = search();
    expect(['mutual-exclusion', 'fcfs']).toContain(violation?.property);
    expect(search().depth).toBe(depth);
  });
});

describe('a counterexample of a random search is shrunk', () => {
  const printed = findPrinted('maekawa').algorithm;
  const report = check(printed, makeWorld(printed, { nodes: 7, topology: 'fpp' }), {
    entries: 2,
    random: { schedules: 3000, seed: 1 },
  });
  test('it keeps only the requests of the few sites that wait for each other', () => {
    expect(report.violation?.property).toBe('deadlock-freedom');
    expect(report.depth).toBeLessThan(report.found!);
    expect(report.trace!.filter(({ event }) => event === 'request').length).toBeLessThan(7);
    expect(report.trace).toHaveLength(report.depth);
  });
  test('no step of it can be left out', () => {
    // Every site that takes part waits at the end: no request is served and released in vain.
    expect(report.trace!.filter(({ event }) => event === 'exit')).toEqual([]);
  });
  test('random priorities that change find errors that need few orderings', () => {
    const random = { schedules: 2000, seed: 1, pct: 3 };
    expect(run(find('lamport'), 3, { links: 'any', random }).verdict).toBe('violated');
    expect(run(ricartAgrawala, 3, { random: { ...random, schedules: 100 } }).verdict).toBe(
      'bounded',
    );
  });
});

describe('the symmetry reduction', () => {
  const central = find('central');
  const alike = {
    alike: ({ n }: { n: number }) => Array.from({ length: n - 1 }, (_, i) => i + 1),
    state: { waiting: list('node') },
  };
  test.each([
    [3, [0, 1, 1]],
    [4, [1, 1, 1, 1]],
    [5, [0, 1, 1, 1, 1]],
    [4, [1, 2, 1, 1]],
  ])(
    'central, %i sites, entries %j: it gives the same verdict from fewer states',
    (nodes, entries) => {
      const whole = run(central, nodes, { entries });
      const reduced = run(central, nodes, { entries, symmetry: true });
      expect(reduced.verdict).toBe(whole.verdict);
      expect(reduced.properties).toEqual(whole.properties);
      expect(reduced.states).toBeLessThan(whole.states);
      expect(reduced.depth).toBe(whole.depth);
    },
  );
  test('it finds a violation at the same depth, with a trace of real steps', () => {
    const eager: AnyAlgorithm = {
      ...oldestFirst,
      symmetry: alike,
      on: {
        ...oldestFirst.on,
        REQUEST: (_: unknown, site: { send(to: number, m: object): void }, from: number) =>
          site.send(from, { type: 'GRANT' }),
      },
    };
    const whole = run(eager, 4, { entries: 1 });
    const reduced = run(eager, 4, { entries: 1, symmetry: true });
    expect(reduced.violation?.property).toBe('mutual-exclusion');
    expect(reduced.depth).toBe(whole.depth);
    expect(reduced.states).toBeLessThan(whole.states);
    expect(reduced.trace!.filter(({ enters }) => enters)).toHaveLength(2);
  });
  test('it leaves starvation open where the graph has cycles', () => {
    const settings = { entries: Number.POSITIVE_INFINITY, symmetry: true };
    const report = run({ ...newestFirst, symmetry: alike }, 3, settings);
    expect(report.verdict).toBe('bounded');
    const verdict = (name: string) => report.properties.find((p) => p.name === name)?.verdict;
    expect([verdict('starvation-freedom'), verdict('mutual-exclusion')]).toEqual([
      'bounded',
      'proved',
    ]);
  });
  test('it is refused where no two sites are interchangeable', () => {
    expect(() => run(ricartAgrawala, 3, { symmetry: true })).toThrow(
      'ricart-agrawala has no sites that are alike in this world: leave symmetry out',
    );
  });
});

describe('the partial-order reduction', () => {
  const plain = catalogue.filter(
    ({ timers = {}, peer }) => peer === undefined && Object.keys(timers).length === 0,
  );
  test.each(plain.map((a) => [a.id, a] as const))(
    '%s: it finds the same states by fewer transitions',
    (_, a) => {
      const settings = { entries: [1, 1, 1] };
      const whole = run(a, 3, settings);
      const reduced = run(a, 3, { ...settings, partialOrder: true });
      expect(reduced.states).toBe(whole.states);
      expect(reduced.depth).toBe(whole.depth);
      expect(reduced.transitions).toBeLessThan(whole.transitions);
      const safety = ({ properties }: typeof whole) =>
        properties.filter(({ name }) => name !== 'starvation-freedom');
      expect(safety(reduced)).toEqual(safety(whole));
    },
  );
  test('it finds violations at the same depth', () => {
    for (const links of ['any', 'fifo'] as const) {
      const { algorithm } = findPrinted('lodha-kshemkalyani');
      const whole = run(algorithm, 3, { entries: 1, links });
      const reduced = run(algorithm, 3, { entries: 1, links, partialOrder: true });
      expect(reduced.violation?.property).toBe(whole.violation?.property);
      expect(reduced.depth).toBe(whole.depth);
    }
  });
  test('it is refused where steps do not commute', () => {
    const wrong = (settings: CheckSettings) => () =>
      run(ricartAgrawala, 2, { ...settings, partialOrder: true });
    expect(wrong({ reportBypass: true })).toThrow('partial order does not go with');
    expect(() => run(find('central'), 3, { crashes: 1, partialOrder: true })).toThrow(
      'partial order does not go with faults: leave one of them out',
    );
  });
});

describe('starvation is found', () => {
  test('a coordinator that serves the newest request first starves the oldest, and the trace is a lasso', () => {
    const entries = Number.POSITIVE_INFINITY;
    const { verdict, violation, trace, loop, properties } = run(newestFirst, 3, { entries });
    expect(verdict).toBe('violated');
    expect(violation?.property).toBe('starvation-freedom');
    expect(properties.find((p) => p.name === 'mutual-exclusion')?.verdict).toBe('proved');
    const [, starved] = /^(\d) waits/.exec(violation!.why)!;
    const cycle = trace!.slice(loop! - 1);
    // The site waits before the cycle; others enter on the cycle, and it does not.
    const before = trace!.slice(0, loop! - 1).filter(({ site }) => site === Number(starved));
    expect(before.some(({ event }) => event === 'request')).toBe(true);
    const enters = cycle.filter((step) => step.enters).map(({ site }) => site);
    expect(enters.length).toBeGreaterThan(0);
    expect(enters).not.toContain(Number(starved));
    // The cycle ends where it began: it delivers the same messages that it sends.
    const letters = (kind: 'sent' | 'delivered') =>
      cycle
        .flatMap((step) => {
          if (kind === 'sent')
            return step.sends.map((s) => `${step.site}→${s.to} ${s.message.type}`);
          return step.event === 'deliver' ? [`${step.from}→${step.site} ${step.message.type}`] : [];
        })
        .filter((message) => !/^0→0/.test(message))
        .sort();
    expect(letters('sent')).toEqual(letters('delivered'));
  });
  test('a coordinator that serves the oldest request first starves no site', () => {
    const { verdict } = run(oldestFirst, 3, { entries: Number.POSITIVE_INFINITY });
    expect(verdict).toBe('proved');
  });
});

describe('the report of bypasses', () => {
  // The paper's appendix: 2(N−1) entries where links keep order, N(N+1)/2 − 1 where they do not.
  test.each([
    ['fifo', 4],
    ['any', 5],
  ] as const)(
    'Ricart–Agrawala, three sites, %s links: at most %i other entries overtake a request',
    (links, most) => {
      const entries = [4, 4, 1];
      const report = run(ricartAgrawala, 3, {
        entries,
        links,
        modes: ['exclusive'],
        reportBypass: true,
      });
      expect(report.verdict).toBe('proved');
      // Of the site with the highest id, which loses every tie.
      expect(report.bypass!.bySite[2]!.length - 1).toBe(most);
    },
  );
  test('only the requests ahead of it in a queue enter before a request', () => {
    const { bypass } = run(oldestFirst, 3, { entries: [0, 2, 2], reportBypass: true });
    expect(bypass!.max).toBe(2);
  });
  test('a re-request that is granted in the step of the release counts as an entry', () => {
    const step = (_: unknown, site: { enter(): void }) => site.enter();
    const alone: AnyAlgorithm = { ...oldestFirst, request: step, release: () => {} };
    const eager: AnyAlgorithm = { ...alone, rerequest: { saves: () => true, step } };
    const settings = { entries: 2, reportBypass: true };
    expect(run(alone, 1, settings).bypass!.bySite[0]).toEqual([2]);
    expect(run(eager, 1, settings).bypass!.bySite[0]).toEqual([3]);
  });
});

describe('faults are explored', () => {
  test('a coordinator that crashes leaves the others in deadlock', () => {
    const { violation, trace } = run(oldestFirst, 3, { entries: 1, crashes: 1 });
    expect(violation?.property).toBe('deadlock-freedom');
    expect(trace?.filter(({ event }) => event === 'crash')).toHaveLength(1);
  });
  test('a lost message leaves the others in deadlock', () => {
    const { violation, trace } = run(oldestFirst, 2, { entries: 1, losses: 1 });
    expect(violation?.property).toBe('deadlock-freedom');
    expect(trace?.at(-1)?.event).toBe('lose');
  });
  test('faults are allowed, not required: schedules without any are explored too', () => {
    expect(run(oldestFirst, 2, { entries: 1 }).verdict).toBe('proved');
  });
});

describe('wrong calls are refused', () => {
  test('more than 30 sites are refused', () => {
    expect(() => run(ricartAgrawala, 40)).toThrow(
      new UsageError(
        '40 nodes are too many to check: the most is 30; latchkey simulate takes any number',
      ),
    );
  });
  test('a list of entries of the wrong length is refused', () => {
    expect(() => run(ricartAgrawala, 3, { entries: [1, 2] })).toThrow(
      new UsageError('entries 1,2 is for 2 sites, and there are 3: give one number, or 3'),
    );
  });
});

describe('the tables of the checker', () => {
  test('a pair table is a map of pairs', () => {
    const pairs = fc.uniqueArray(fc.tuple(fc.nat(5000), fc.nat(5000)), {
      selector: String,
      maxLength: 3000,
    });
    fc.assert(
      fc.property(pairs, (keys) => {
        const table = new PairTable();
        for (const [i, [a, b]] of keys.entries()) table.add(a, b, i);
        for (const [i, [a, b]] of keys.entries()) expect(table.get(a, b)).toBe(i);
        expect(table.get(5001, 0)).toBe(-1);
      }),
      { numRuns: 20 },
    );
  });
  test('a state store is a set that keeps order and parents', () => {
    const store = new StateStore(3);
    const known = new Map<string, number>();
    const state = new Int32Array(3);
    for (let i = 0; i < 200_000; i++) {
      state.set([i % 77, (i * 31) % 101, (i * 17) % 53]);
      const at = known.get(state.join());
      const expected = at === undefined ? known.size : ~at;
      if (at === undefined) known.set(state.join(), known.size);
      if (store.insert(state, i % 5) !== expected) expect.fail(`wrong place for ${state}`);
    }
    expect(store.size).toBe(known.size);
    const loaded = new Int32Array(3);
    for (const [text, index] of known) {
      store.load(index, loaded);
      const found = loaded.join() === text && store.indexOf(loaded) === index;
      if (!found) expect.fail(`${text} is not at ${index}`);
    }
  });
  test('a state takes far less than 100 bytes', () => {
    const { bytesPerState } = run(ricartAgrawala, 3, {});
    expect(bytesPerState).toBeLessThan(60);
  });
});
