import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { simulate } from '../../src/sim/index.ts';
import { makeWorld } from '../../src/topologies/world.ts';

/** One request after the other, each when all is quiet (`2 shared`, say): what each of them costs. */
export function costs(algorithm: AnyAlgorithm, nodes: number, ...requests: string[]): number[] {
  const script = requests.map((who, i) => `${100 * i} request ${who}`).join('\n');
  const cost = requests.map(() => 0);
  simulate(algorithm, makeWorld(algorithm, { nodes }), {
    ...{ workload: 'script', script, delay: 'constant:1', cs: 10 },
    trace: ({ time, sends }) => {
      cost[Math.floor(time / 100)]! += sends.length;
    },
  });
  return cost;
}
