/** Reductions change no verdict: each is compared with the full search, over the whole catalogue. */
import { describe, expect, test } from 'vitest';
import { catalogue, find, printed } from '../../src/algorithms/catalogue.ts';
import { suzukiKasami } from '../../src/algorithms/suzuki-kasami.ts';
import { type CheckReport, type CheckSettings, check } from '../../src/check/check.ts';
import { replay } from '../../src/check/replay.ts';
import type { AnyAlgorithm, Links } from '../../src/core/algorithm.ts';
import type { TraceHeader } from '../../src/core/trace.ts';
import { makeWorld } from '../../src/topologies/world.ts';

const run = (algorithm: AnyAlgorithm, settings: CheckSettings, nodes = 3) =>
  check(algorithm, makeWorld(algorithm, { nodes }), settings);

/** A reduced search may leave starvation open; it decides everything else as the full search does. */
function expectAgreement(reduced: CheckReport, whole: CheckReport): void {
  const leavesOpen = (name: string | undefined): boolean =>
    name === 'starvation-freedom' &&
    reduced.properties.some((p) => p.name === name && p.verdict === 'bounded');
  if (!leavesOpen(whole.violation?.property)) {
    expect(reduced.violation?.property).toBe(whole.violation?.property);
  }
  for (const { name, verdict } of reduced.properties.filter((p) => !leavesOpen(p.name))) {
    const inWhole = whole.properties.find((p) => p.name === name)?.verdict;
    expect([name, verdict]).toEqual([name, inWhole]);
  }
}

describe('the reduction for finished sites', () => {
  const plain = catalogue.filter(({ invariants }) => invariants === undefined);
  describe.each(plain.map((a) => [a.id, a] as const))('%s', (_, algorithm) => {
    const links: Links[] = algorithm.links === 'any' ? ['any', 'fifo'] : ['fifo'];
    test.each(links)('%s links: the verdicts are the same', (kind) => {
      for (const entries of [
        [1, 1, 1],
        [2, 1, 0],
      ]) {
        const settings = { entries, links: kind };
        const whole = run(algorithm, settings);
        const reduced = run(algorithm, { ...settings, rest: true });
        expectAgreement(reduced, whole);
        expect(reduced.states).toBeLessThanOrEqual(whole.states);
      }
    });
  });

  test.each([
    ['suzuki-kasami', 126_799, 61_313],
    ['ricart-agrawala-token', 89_839, 47_009],
  ])('%s, four sites: %i states, or %i with the reduction, and all is proved', (id, all, some) => {
    const whole = run(find(id), { entries: 1 }, 4);
    const reduced = run(find(id), { entries: 1, rest: true }, 4);
    expect([whole.states, whole.verdict]).toEqual([all, 'proved']);
    expect([reduced.states, reduced.verdict, reduced.reduction]).toEqual([some, 'proved', 'rest']);
    expect(reduced.properties).toEqual(whole.properties);
    expect(reduced.depth).toBe(whole.depth);
  });

  test('a site that answers is not finished, and the reduction is dropped', () => {
    const whole = run(find('ricart-agrawala'), { entries: 1 });
    const reduced = run(find('ricart-agrawala'), { entries: 1, rest: true });
    expect(reduced.reduction).toBeUndefined();
    expect([reduced.verdict, reduced.states]).toEqual([whole.verdict, whole.states]);
  });

  test('a finished site that acts later than the reduction assumes is detected', () => {
    // What it takes note of when it has finished makes it forge a token: late, and not at once.
    const REQUEST: typeof suzukiKasami.on.REQUEST = (my, site, from, message) => {
      suzukiKasami.on.REQUEST(my, site, from, message);
      const knowsAll = my.asked.every((n, j) => n > 0 || j === site.me);
      if (knowsAll && my.token === null && !my.requesting) {
        my.token = { queue: [], granted: my.asked.slice() };
      }
    };
    const forger = { ...suzukiKasami, on: { ...suzukiKasami.on, REQUEST } };
    const whole = run(forger, { entries: 1 });
    const reduced = run(forger, { entries: 1, rest: true });
    expect(whole.violation?.property).toBe('token-uniqueness');
    expectAgreement(reduced, whole);
  });

  test('a site at which deliveries do not commute is not finished', () => {
    const REQUEST: typeof suzukiKasami.on.REQUEST = (my, site, from, message) => {
      suzukiKasami.on.REQUEST(my, site, from, message);
      my.missing = my.token === null ? -from : 0; // the last one to ask
    };
    const keepsLast = { ...suzukiKasami, on: { ...suzukiKasami.on, REQUEST } };
    expect(run(keepsLast, { entries: 1, rest: true }).reduction).toBeUndefined();
  });

  test('a site that counts deliveries without end is not finished', () => {
    const REQUEST: typeof suzukiKasami.on.REQUEST = (my, site, from, message) => {
      suzukiKasami.on.REQUEST(my, site, from, message);
      if (my.token === null) my.asked[site.me]! += my.requesting ? 0 : 1;
    };
    const counts = { ...suzukiKasami, on: { ...suzukiKasami.on, REQUEST } };
    expect(run(counts, { entries: [1, 1, 0], rest: true }).reduction).toBeUndefined();
  });

  test('the path to a violation consists of real steps', () => {
    // The holder passes the token on and keeps it as well, so that there are two.
    const release: typeof suzukiKasami.release = (my, site) => {
      const kept = { queue: [], granted: my.token!.granted.slice() };
      suzukiKasami.release(my, site);
      if (site.me === 2) my.token = kept;
    };
    const keeps = { ...suzukiKasami, release };
    const { violation, trace, links } = run(keeps, { entries: 1, rest: true });
    expect(violation?.property).toBe('token-uniqueness');
    const header: TraceHeader = {
      ...{ latchkey: 'trace', version: 1, source: 'check', algorithm: keeps.id, nodes: 3 },
      ...{ k: 1, links, topology: 'complete', options: [], violation: violation! },
    };
    const replayed = replay(keeps, makeWorld(keeps, { nodes: 3 }), { header, steps: trace! });
    expect(replayed).toMatchObject({ divergence: null, confirmed: true });
  });

  test('the reduction is refused where a report or a property looks at every state', () => {
    const wrong = (settings: CheckSettings) => () =>
      run(find('central'), { ...settings, rest: true });
    expect(wrong({ crashes: 1 })).toThrow('rest does not go with faults: leave one of them out');
    expect(wrong({ reportBypass: true })).toThrow('rest does not go with a report of bypasses');
  });
});

describe('a printed form has the same verdict with and without the reduction', () => {
  const forms = Object.entries(printed).flatMap(([id, all]) => all.map((form) => ({ id, form })));
  const small = forms.filter(
    ({ form: { algorithm, shows } }) =>
      shows.violates !== 'starvation-freedom' && !shows.crashes && !algorithm.invariants,
  );
  test.each(small.map(({ id, form }) => [`${id} ${form.name}`, form] as const))('%s', (_, form) => {
    const { algorithm, shows } = form;
    const { nodes, topology, options, entries, links } = shows;
    const world = makeWorld(algorithm, { nodes, topology, options });
    const settings = { entries, ...(links && { links }), maxStates: 1_500_000 };
    const reduced = check(algorithm, world, { ...settings, rest: true });
    expect(reduced.violation?.property).toBe(shows.violates);
  });
});

describe('the partial-order reduction keeps verdicts', () => {
  const commuting = catalogue.filter(({ timers, peer }) => {
    const all: { fires: string }[] = Object.values(timers ?? {});
    return peer === undefined && all.every(({ fires }) => fires === 'anytime');
  });
  test.each(commuting.map((a) => [a.id, a] as const))(
    '%s: the verdicts are the same',
    (_, algorithm) => {
      for (const links of algorithm.links === 'any'
        ? (['any', 'fifo'] as const)
        : ['fifo' as const]) {
        const settings = { entries: [1, 1, 1], links };
        const whole = run(algorithm, settings);
        expectAgreement(run(algorithm, { ...settings, partialOrder: true }), whole);
      }
    },
  );
  test('starvation is decided where the graph has no cycles', () => {
    const whole = run(find('suzuki-kasami'), { entries: 1 });
    const reduced = run(find('suzuki-kasami'), { entries: 1, partialOrder: true });
    expect(reduced.properties).toEqual(whole.properties);
    expect([reduced.verdict, reduced.reduction]).toEqual(['proved', 'partial-order']);
  });
  test('starvation is left open where the graph has cycles', () => {
    const reduced = run(find('maekawa'), { entries: 1, partialOrder: true });
    expect(reduced.verdict).toBe('bounded');
    expect(reduced.properties.filter(({ verdict }) => verdict !== 'proved')).toEqual([
      { name: 'starvation-freedom', verdict: 'bounded' },
    ]);
  });
});
