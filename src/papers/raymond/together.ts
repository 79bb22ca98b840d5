/** Sections 5 and 6: the average distance on a line, and the two strategies together. */
import { distance, lineTree } from '../../topologies/tree.ts';
import type { Experiment } from '../experiment.ts';
import { atMost, exactly } from '../judge.ts';
import { isProved } from '../report.ts';
import { shown } from '../text.ts';
import { figure7 } from './cost.ts';

const SIZES = [6, 20, 50];

/** Between the nodes of a line; `distinct` leaves out a node that is both the asking and the privileged one. */
function meanDistance(n: number, distinct: boolean): number {
  const tree = lineTree(n);
  const all = [...tree.parent.keys()];
  const pairs = all.flatMap((a) => all.filter((b) => !distinct || a !== b).map((b) => [a, b]));
  return pairs.reduce((sum, [a, b]) => sum + distance(tree, a!, b!), 0) / pairs.length;
}

export const together: Experiment = {
  id: 'raymond/together',
  paper: 'raymond',
  measure: (using) => {
    const saturated = {
      delay: 'constant:1',
      cs: 10,
      workload: 'saturated',
      entries: 2000,
    } as const;
    const strategies = [['piggyback'], ['greedy'], ['piggyback', 'greedy']];
    const runs = strategies.map((options) => using.run(figure7(...options), saturated));
    const [piggyback, greedy, both] = runs.map((r) => r.results[0]!.steady!.messagesPerEntry) as [
      number,
      number,
      number,
    ];
    const proof = using.check(
      { algorithm: 'raymond', nodes: 3, topology: 'line', options: ['piggyback', 'greedy'] },
      { entries: Number.POSITIVE_INFINITY },
    );
    const from = [{ how: 'all pairs of nodes of lines of 6, 20 and 50', seeds: [] }];
    const expected = SIZES.map((n) => (n + 1) / 3);
    return {
      claims: [
        {
          ...{ id: 'line-distance', where: 'section 5', from },
          claim:
            'On a line, if all nodes are equally likely to ask, the asking node is (N+1)/3 from the privileged one on average.',
          judged: exactly(
            '(N+1)/3',
            expected,
            SIZES.map((n) => meanDistance(n, false)),
          ),
          only: {
            condition: 'of nodes that do not hold the privilege already',
            judged: exactly(
              '(N+1)/3',
              expected,
              SIZES.map((n) => meanDistance(n, true)),
            ),
          },
          because: 'With the privileged node among the nodes that ask it is (N²−1)/3N.',
        },
        {
          ...{ id: 'together', where: 'section 6', from: [proof] },
          claim: 'The two variations can be applied together.',
          judged: isProved(proof),
        },
        {
          ...{ id: 'together-messages', where: 'section 6', from: runs },
          claim: 'Applied together, the two variations send no more messages than either alone.',
          judged: atMost('messages / those of either alone, figure 7, saturated', 1, [
            both / piggyback,
            both / greedy,
          ]),
          note: `Per entry: piggyback ${shown(piggyback)}, greedy ${shown(greedy)}, both ${shown(both)}.`,
        },
      ],
    };
  },
};
