/** Section 5.1: "improved performance under heavy demand". */
import type { Experiment } from '../experiment.ts';
import type { LineFigure } from '../figure.ts';
import type { Watched } from '../instruments.ts';
import { about, atMost, exactly } from '../judge.ts';
import { pointsOf } from '../points.ts';
import { figure7 } from './cost.ts';

const NODES = 63;
const RATES = [0.000_01, 0.000_03, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1];
const unit = { delay: 'constant:1', cs: 10 } as const;

/** How often the privilege went along each edge in whole rounds, per round. */
function crossings({ steps, world }: Watched, rounds: number): number[] {
  const counts = new Map<string, number>();
  let entries = 0;
  for (const { site, enters, sends } of steps) {
    const isCounted = entries >= world.n && entries < (rounds + 1) * world.n;
    for (const { to, message } of sends) {
      if (message.type !== 'PRIVILEGE' || !isCounted) continue;
      const edge = [site, to].sort((a, b) => a - b).join();
      counts.set(edge, (counts.get(edge) ?? 0) + 1);
    }
    if (enters) entries++;
  }
  return [...counts.values()].map((count) => count / rounds);
}

export const demand: Experiment = {
  id: 'raymond/demand',
  paper: 'raymond',
  measure: (using) => {
    const shapes = ['line', 'star', 'binary', 'random', 'radiating:4'];
    const saturated = shapes.map((topology) =>
      using.run(
        { algorithm: 'raymond', nodes: 20, topology },
        { ...unit, workload: 'saturated', entries: 1000 },
      ),
    );
    const path = using.watch(figure7(), { ...unit, workload: 'saturated', entries: 140 });
    const curve = RATES.map((rate) =>
      using.runs(
        { algorithm: 'raymond', nodes: NODES },
        { ...unit, workload: 'poisson', rate, entries: using.pick(1000, 10_000) },
        using.pick(5, 20),
      ),
    );
    const points = pointsOf(RATES, curve, (r) => r.messagesPerEntry);
    const steps = points.slice(1).map(({ y }, i) => y / points[i]!.y);
    const each = (value: number) => shapes.map(() => value);
    return {
      claims: [
        {
          ...{ id: 'saturation', where: 'section 5.1', from: saturated },
          claim: 'In a saturated system 4(N−1)/N messages are sent per entry, whatever the tree.',
          judged: exactly(
            '4(N−1)/N on five trees',
            each(3.8),
            saturated.map(({ results }) => results[0]!.steady!.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'traversal', where: 'section 5.1, figure 7', from: [path] },
          claim: 'In a round the privilege travels along each of the N−1 edges exactly twice.',
          judged: exactly('', Array(9).fill(2), crossings(path, 10)),
        },
        {
          ...{ id: 'falls-with-demand', where: 'section 5.1', from: curve },
          claim: 'As demand increases, the number of messages per entry decreases.',
          judged: atMost('each value / the one before, over nine rates', 1.02, steps),
        },
        {
          ...{ id: 'falls-to-four', where: 'section 5.1', from: curve },
          claim: 'The cost reduces to approximately four messages under saturated demand.',
          judged: about('4(N−1)/N', (4 * (NODES - 1)) / NODES, points.at(-1)!.y),
        },
      ],
      figures: [
        {
          ...{ id: 'raymond-demand', kind: 'lines', paper: 'raymond' },
          title: 'Messages per entry against demand, a binary tree of 63 nodes',
          caption:
            'The “curious (but delightful) property” of section 5.1: the more nodes want the ' +
            'privilege, the less each entry costs, down to 4(N−1)/N, dashed.',
          x: { label: 'requests per node and time unit', scale: 'log' },
          y: { label: 'messages per entry' },
          series: [
            { name: 'Raymond', points },
            {
              ...{ name: '4(N−1)/N', formulaOf: 'Raymond' },
              points: [RATES[0]!, RATES.at(-1)!].map((x) => ({ x, y: (4 * (NODES - 1)) / NODES })),
            },
          ],
        },
      ] satisfies LineFigure[],
    };
  },
};
