/** Section 5: "extensive empirical measurements on randomly constructed trees". */
import { Random } from '../../core/random.ts';
import type { Tree } from '../../core/topology.ts';
import { diameter, randomTree, treeFromEdges } from '../../topologies/tree.ts';
import type { Experiment } from '../experiment.ts';
import type { LineFigure, Series } from '../figure.ts';
import { growsLike } from '../growth.ts';
import { pointsOf } from '../points.ts';

const SIZES = [10, 30, 100, 300, 1000, 3000, 10_000];
const WHERE = 'section 5';

/** A tree that grows: each new node is hung on one that is there, any of them. */
function grownEdges(n: number, seed: number): [number, number][] {
  const random = new Random(seed, 'grown tree');
  return Array.from({ length: n - 1 }, (_, i) => [random.below(i + 1), i + 1]);
}

export const trees: Experiment = {
  id: 'raymond/trees',
  paper: 'raymond',
  measure: (using) => {
    const count = using.pick(8, 40);
    const seeds = Array.from({ length: count }, (_, i) => i + 1);
    const average = (of: (seed: number) => number) =>
      seeds.reduce((sum, seed) => sum + of(seed), 0) / count;
    const diameters = (tree: (n: number, seed: number) => Tree) =>
      SIZES.map((n) => ({ x: n, y: average((seed) => diameter(tree(n, seed))) }));
    const grown = diameters((n, seed) => treeFromEdges(n, grownEdges(n, seed)));
    const drawn = diameters(randomTree);
    const messages = SIZES.map((n) => {
      const file = grownEdges(n, 1)
        .map((edge) => edge.join(' '))
        .join('\n');
      return using.runs(
        { algorithm: 'raymond', nodes: n, topology: 'file:a grown tree', file },
        { delay: 'constant:1', workload: 'solo', entries: 300 },
        using.pick(3, 10),
      );
    });
    const costs = pointsOf(SIZES, messages, (r) => r.messagesPerEntry);
    const how = `${count} random trees each of ${SIZES.join(', ')} sites`;
    const series: Series[] = [
      { name: 'diameter, drawn trees', points: drawn },
      { name: 'diameter, grown trees', points: grown },
      { name: 'messages, grown trees', points: costs },
    ];
    return {
      claims: [
        {
          ...{ id: 'random-tree-diameter', where: WHERE, from: [{ how, seeds }] },
          claim: 'The diameter of randomly constructed trees is typically O(log N).',
          judged: growsLike('log N', grown),
          note:
            'On trees that are constructed node by node, each new node hung on any that is there. The ' +
            `paper does not say how its trees were made. Drawn from all labelled trees, a tree has a diameter that grows like √N: ${growsLike('√N', drawn).measured}.`,
        },
        {
          ...{ id: 'random-tree-messages', where: WHERE, from: messages },
          claim: 'The number of messages per entry is typically O(log N).',
          judged: growsLike('log N', costs),
          note: 'On trees that grow.',
        },
      ],
      figures: [
        {
          ...{ id: 'raymond-random-trees', kind: 'lines', paper: 'raymond' },
          title: 'Random trees: how diameter and messages grow',
          caption:
            'Grown node by node, a tree has the diameter that the paper reports, O(log N), and ' +
            'messages follow. Drawn from all labelled trees, its diameter grows like √N.',
          x: { label: 'nodes', scale: 'log' },
          y: { label: 'hops; messages per entry', scale: 'log' },
          series,
        },
      ] satisfies LineFigure[],
    };
  },
};
