/** Starvation where timers matter: which timers must fire in the end, and which need not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { find } from '../../src/algorithms/catalogue.ts';
import { type CheckReport, check } from '../../src/check/check.ts';
import { Components } from '../../src/check/components.ts';
import { replay } from '../../src/check/replay.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { TraceHeader } from '../../src/core/trace.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { impatient, noPause, pauses, rarePause } from '../support/timers.ts';

const run = (algorithm: AnyAlgorithm, fires?: 'quiet') => {
  const { ping, enter } = algorithm.timers!;
  const timers = { ping: ping!, enter: { ...enter!, fires: fires ?? enter!.fires } };
  return check({ ...algorithm, timers }, makeWorld(algorithm, { nodes: 2 }), { entries: [0, 1] });
};

/** Replays the lasso by independent rules: does it close, and is it fair? */
function confirmed(algorithm: AnyAlgorithm, { trace, violation, loop }: CheckReport) {
  const { links, defaultTopology: topology } = algorithm;
  const header: TraceHeader = {
    ...{ latchkey: 'trace', version: 1, source: 'check', algorithm: algorithm.id },
    ...{ nodes: 2, k: 1, links, topology, options: [], violation: violation!, loop: loop! },
  };
  const world = makeWorld(algorithm, { nodes: 2 });
  return replay(algorithm, world, { header, steps: trace! }).confirmed;
}

describe('a timer that is set throughout a cycle', () => {
  test.each([undefined, 'quiet'] as const)(
    'it must fire if it can fire repeatedly (%s)',
    (fires) => {
      const { verdict, violation } = run(pauses, fires);
      expect({ verdict, violation }).toEqual({ verdict: 'proved', violation: null });
    },
  );

  test.each([
    ['never can', noPause],
    ['can only now and then, and that need not come', rarePause],
    ['is set anew before it does', impatient],
  ])('it need not fire if it %s', (_, algorithm) => {
    const report = run(algorithm);
    expect(report.violation?.property).toBe('starvation-freedom');
    expect(report.violation?.why).toMatch(/^1 waits for ever while steps \d+ to \d+ repeat$/);
    expect(confirmed(algorithm, report)).toBe(true);
  });

  test('the reported cycle avoids the states where the timer could fire, where another cycle has them', () => {
    const { trace, loop } = run(rarePause);
    const cycle = trace!.slice(loop! - 1).map(({ event }) => event);
    expect(cycle).toEqual(['deliver', 'deliver']);
  });

  test('a lasso on which the timer could fire, and does not, is not confirmed', () => {
    // Step by step the same as the impatient one's, but here nothing sets the timer anew.
    expect(confirmed(pauses, run(impatient))).toBe(false);
  });
});

describe('release and re-request in one step', () => {
  const central = find('central');
  const rerequesting = (step: NonNullable<AnyAlgorithm['rerequest']>['step']): AnyAlgorithm => ({
    ...central,
    rerequest: { saves: () => true, step },
  });
  const forEver = (algorithm: AnyAlgorithm) =>
    check(algorithm, makeWorld(algorithm, { nodes: 2 }), {
      ...{ entries: Number.POSITIVE_INFINITY, links: 'fifo' },
    });

  test('a site that re-enters without a message starves the others, although it leaves each time', () => {
    const selfish = rerequesting((_, site) => site.enter());
    const report = forEver(selfish);
    expect(report.violation?.property).toBe('starvation-freedom');
    const cycle = report.trace!.slice(report.loop! - 1);
    expect(cycle.map(({ event, enters }) => `${event} ${enters}`)).toContain('rerequest true');
    expect(confirmed({ ...selfish, links: 'fifo' }, report)).toBe(true);
  });

  test('a site that sends its request first starves no site', () => {
    const polite = rerequesting((my, site, mode) => {
      central.release(my, site);
      central.request(my, site, mode);
    });
    expect(forEver(polite).verdict).toBe('proved');
  });
});

describe('components', () => {
  test('components are found where states reach each other, or themselves, and nowhere else', () => {
    const size = 9;
    const nodes = fc.nat(size - 1);
    const graphs = fc.array(fc.tuple(nodes, nodes), { maxLength: 20 });
    fc.assert(
      fc.property(graphs, (pairs) => {
        const edges = pairs.map(([from, to]) => ({ from, to, site: 0, event: 0 }));
        const all = [...Array(size).keys()];
        // Reached by one step or more, as one would find it first.
        const reached = all.map((start) => {
          const seen = new Set<number>();
          const next = [start];
          for (let at = next.pop(); at !== undefined; at = next.pop()) {
            for (const { from, to } of edges) {
              if (from !== at || seen.has(to)) continue;
              seen.add(to);
              next.push(to);
            }
          }
          return seen;
        });
        const cyclic = all.filter((i) => reached[i]!.has(i));
        const expected = cyclic.map((i) => cyclic.filter((j) => together(reached, i, j)).join());
        const components = new Components(size);
        const found = () =>
          components
            .withCycles(all, (index) => edges.filter(({ from }) => from === index))
            .map((states) => states.sort((a, b) => a - b).join());
        expect(found().sort()).toEqual([...new Set(expected)].sort());
        // A search leaves no marks that would affect the next.
        expect(found().sort()).toEqual([...new Set(expected)].sort());
      }),
      { numRuns: 500 },
    );
  });
});

const together = (reached: readonly ReadonlySet<number>[], i: number, j: number): boolean =>
  reached[i]!.has(j) && reached[j]!.has(i);

describe('the catalogue is free of starvation', () => {
  test.each(['ask-all', 'observed', 'quiet'])(
    'Ricart–Agrawala, membership=%s: a crash is noticed in the end, however often others ask',
    (way) => {
      const algorithm = find('ricart-agrawala');
      const world = makeWorld(algorithm, { nodes: 3, options: [`membership=${way}`] });
      const { verdict, violation } = check(algorithm, world, { entries: [1, 0, 1], crashes: 1 });
      expect({ verdict, violation }).toEqual({ verdict: 'proved', violation: null });
    },
  );
});
