/** Sections 1 and 5: what the paper says of its predecessors. */
import type { Experiment } from '../experiment.ts';
import { growsLike } from '../growth.ts';
import { atMost, exactly } from '../judge.ts';
import { completeSize } from './cost.ts';

const PLANES = [7, 13, 31, 57, 133, 307, 553];
const solo = { delay: 'constant:1', workload: 'solo', entries: 200 } as const;

export const others: Experiment = {
  id: 'raymond/others',
  paper: 'raymond',
  measure: (using) => {
    const maekawa = PLANES.map((nodes) =>
      using.run({ algorithm: 'maekawa', nodes, topology: 'fpp' }, solo),
    );
    const suzuki = using.run(
      { algorithm: 'suzuki-kasami', nodes: 20 },
      { ...solo, workload: 'saturated', entries: 400 },
    );
    const [radius, valency] = [4, 5];
    const nodes = completeSize(valency, radius);
    const star = using.runs(
      { algorithm: 'raymond', nodes, topology: `radiating:${valency}` },
      solo,
      5,
    );
    const perEntry = ({ results }: typeof suzuki) => results[0]!.messagesPerEntry;
    return {
      claims: [
        {
          ...{ id: 'suzuki-kasami', where: 'section 1', from: [suzuki] },
          claim: 'The algorithm of Suzuki and Kasami requires at most N messages.',
          judged: exactly('N', 20, suzuki.results[0]!.steady!.messagesPerEntry),
        },
        {
          ...{ id: 'maekawa', where: 'section 1', from: maekawa },
          claim: 'Maekawa’s algorithm takes O(√N) messages.',
          judged: growsLike(
            '√N',
            maekawa.map((runs, i) => ({ x: PLANES[i]!, y: perEntry(runs) })),
          ),
          note: 'Under light load, on projective planes.',
        },
        {
          ...{ id: 'star-beats-maekawa', where: 'section 5', from: [star, ...maekawa] },
          claim: 'The worst case of a radiating star, O(log N), is better than Maekawa’s O(√N).',
          judged: atMost(`2D of a star of ${nodes} / Maekawa’s, light load, 553 nodes`, 1, [
            (4 * radius) / perEntry(maekawa.at(-1)!),
          ]),
        },
      ],
    };
  },
};
