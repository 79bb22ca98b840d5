/** Every algorithm in the catalogue, held to what every algorithm must do. */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Machine } from '../../src/core/machine.ts';
import type { OptionDeclarations } from '../../src/core/option.ts';
import { claimsMissed } from '../../src/sim/claims.ts';
import { simulate } from '../../src/sim/simulate.ts';
import { makeWorld } from '../../src/topologies/world.ts';
import { boundsFor, endsIn } from '../algorithms/bounds.ts';

/** Each option by itself, in every form it can take. */
export function variantsOf(algorithm: AnyAlgorithm): string[] {
  return Object.entries(algorithm.options as OptionDeclarations).flatMap(([name, option]) => {
    if (option.kind === 'flag') return [name];
    if (option.kind === 'choice') return option.values.map((value) => `${name}=${value}`);
    return [`${name}=${option.min}`, `${name}=${option.min + 1}`];
  });
}

export function holdToDemands(algorithms: readonly AnyAlgorithm[]): void {
  for (const algorithm of algorithms) describe(algorithm.id, () => demands(algorithm));
}

function demands(algorithm: AnyAlgorithm): void {
  const { id } = algorithm;
  const n = 5;

  test('state is plain data', () => {
    const world = makeWorld(algorithm, { nodes: n });
    const machine = new Machine(algorithm, world, () => 0);
    const states = Array.from({ length: n }, (_, me) => machine.init(me));
    machine.request(1, states[1], 'exclusive');
    for (const state of states) expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  for (const option of [undefined, ...variantsOf(algorithm)]) {
    const options = option === undefined ? [] : [option];
    const name = option ?? 'as it is';
    for (const bound of boundsFor(id, option)) {
      const { nodes, entries, topology, k, modes = algorithm.modes, states = 2_500_000 } = bound;
      const where = [topology, k && `k=${k}`, bound.modes?.join()].filter(Boolean).join(', ');
      const title = `${name}: safe and live in every schedule of ${nodes} sites × ${entries} ${where}`;
      test(title, { timeout: 240_000 }, () => {
        const world = makeWorld(algorithm, { nodes, options, k, topology });
        const report = check(algorithm, world, {
          entries,
          maxStates: states,
          modes,
        });
        expect(report.violation).toBeNull();
        expect(report.verdict).toBe('proved');
      });
    }

    const workloads = (['once', 'saturated', 'poisson', 'solo'] as const).filter((w) =>
      endsIn(w, id, option),
    );
    test(`${name}: keeps its claims, ${workloads.join(', ')}`, () => {
      const world = makeWorld(algorithm, { nodes: n, options });
      for (const workload of workloads) {
        for (const delay of ['constant:5', 'uniform:1,9', 'exponential:5']) {
          const settings = { seed: 7, workload, delay, entries: 400, freezeMessages: true };
          const result = simulate(algorithm, world, settings);
          expect(result.violations).toEqual([]);
          expect(claimsMissed(algorithm, world, settings, result)).toEqual([]);
        }
      }
    });
  }

  test('the same seed gives the same run', () => {
    const world = makeWorld(algorithm, { nodes: n });
    const run = (seed: number) => {
      const trace: string[] = [];
      const result = simulate(algorithm, world, {
        seed,
        entries: 50,
        workload: 'saturated',
        delay: 'exponential:5',
        trace: (step) => trace.push(JSON.stringify(step)),
      });
      return JSON.stringify(result) + trace.join('\n');
    };
    expect(run(42)).toBe(run(42));
    expect(run(42)).not.toBe(run(43));
  });
}
