/** The untimed stepper: everything that can happen, and nothing else. */
import { describe, expect, test } from 'vitest';
import { catalogue, find, findPrinted } from '../../src/algorithms/catalogue.ts';
import { check, makeWorld, Stepper } from '../../src/check/index.ts';
import { key } from '../../src/core/plain.ts';
import { Random } from '../../src/core/random.ts';

test('what is enabled are the transitions that the checker counts', () => {
  for (const id of ['raymond', 'ricart-agrawala', 'maekawa', 'suzuki-kasami', 'naimi-trehel']) {
    const algorithm = find(id);
    const world = makeWorld(algorithm, { nodes: 2 });
    const { states, verdict } = check(algorithm, world, { entries: 1 });
    expect(verdict).toBe('proved');
    // Every state by every path, each entered once, told apart as the checker tells them apart.
    const seen = new Set<string>();
    const todo: { readonly [field: string]: unknown }[][] = [[]];
    for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
      const stepper = new Stepper(algorithm, world);
      for (const choice of path) stepper.take(choice as never);
      const letters = stepper.underWay().map(({ from, to, message }) => key([from, to, message]));
      const asked = [0, 1].map((site) =>
        path.some((c) => c['event'] === 'request' && c['site'] === site),
      );
      const name = key([stepper.states, stepper.phases, letters.sort(), asked]);
      if (seen.has(name)) continue;
      seen.add(name);
      for (const choice of stepper.enabled()) {
        if (choice.event === 'request' && (asked[choice.site] || choice.mode === 'shared'))
          continue;
        todo.push([...path, choice as never]);
      }
    }
    expect(seen.size, id).toBe(states);
  }
});

test('a counterexample is stepped, shows what is wrong, and can go on otherwise', () => {
  const { algorithm, shows } = findPrinted('maekawa');
  const { nodes, topology, links } = shows;
  const world = makeWorld(algorithm, { nodes, topology });
  const { trace } = check(algorithm, world, { entries: [...shows.entries], links: links! });
  const stepper = new Stepper(algorithm, world, { links });
  stepper.follow(trace!);
  expect(stepper.wrong).toMatchObject({ property: shows.violates, step: trace!.length });
  const waiting = stepper.phases.flatMap((phase, site) => (phase === 'waiting' ? [site] : []));
  for (const site of waiting) {
    expect(stepper.waits(site)).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'vote' })]),
    );
  }
  const fork = new Stepper(algorithm, world, { links });
  fork.follow(trace!, 5);
  expect(fork.steps).toEqual(trace!.slice(0, 5));
  const other = fork.enabled().find((choice) => choice.site !== trace![5]!.site)!;
  expect(fork.take(other).step).toBe(6);
});

describe('walking at random, a waiting site always has a reason', () => {
  test.each(catalogue.map((a) => [a.id, a] as const))('%s', (_, algorithm) => {
    const world = makeWorld(algorithm, { nodes: 4, ...(algorithm.k && { k: 2 }) });
    const stepper = new Stepper(algorithm, world);
    const random = new Random(4, algorithm.id);
    let waits = 0;
    for (let i = 0; i < 150; i++) {
      const enabled = stepper.enabled();
      expect(enabled.length).toBeGreaterThan(0);
      stepper.take(enabled[random.below(enabled.length)]!);
      for (const [site, phase] of stepper.phases.entries()) {
        const reasons = stepper.waits(site);
        expect(reasons.length > 0).toBe(phase === 'waiting');
        expect(reasons.some(({ kind }) => kind === 'stuck' || kind === 'faults')).toBe(false);
        waits += reasons.length;
      }
    }
    expect(stepper.wrong).toBeUndefined();
    expect(waits).toBeGreaterThan(50);
  });
});

test('what cannot happen is refused, and says why', () => {
  const raymond = find('raymond');
  const stepper = new Stepper(raymond, makeWorld(raymond, { nodes: 3 }));
  expect(() => stepper.take({ event: 'exit', site: 1 })).toThrow(
    'step 1: site 1 is idle, and exit takes one that is inside',
  );
});
