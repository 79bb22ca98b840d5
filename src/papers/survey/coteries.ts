/** Sections 5, 6 and 7: the laws of coteries, and what they are worth when sites fail. */
import { everyone, grid, plane, triangle } from '../../topologies/coterie.ts';
import { foursquare } from '../../topologies/k-coterie.ts';
import { binaryTree } from '../../topologies/tree.ts';
import { treeQuorum } from '../../topologies/tree-quorum.ts';
import type { Claim, Experiment } from '../experiment.ts';
import { least } from '../extremes.ts';
import type { Figure, Point } from '../figure.ts';
import { exactly, same } from '../judge.ts';
import {
  type Degradation,
  degradation,
  nested,
  ofCoterie,
  ofMajority,
  ofTree,
  type Smallest,
} from './availability.ts';

interface Kind {
  readonly id: string;
  readonly name: string;
  readonly n: number;
  readonly smallest: Smallest;
}

/** Of about fifteen sites each, as many as suit it. */
const KINDS: readonly Kind[] = [
  { id: 'majority', name: 'majority, 15', n: 15, smallest: ofMajority(15) },
  { id: 'grid', name: 'grid, 16', n: 16, smallest: ofCoterie(grid(16)) },
  { id: 'fpp', name: 'projective plane, 13', n: 13, smallest: ofCoterie(plane(13)) },
  { id: 'tree', name: 'tree, 15', n: 15, smallest: ofTree(binaryTree(15)) },
  { id: 'triangle', name: 'triangle, 15', n: 15, smallest: ofCoterie(triangle(15)) },
];

const subsets = (n: number): number[][] =>
  Array.from({ length: 2 ** n }, (_, set) =>
    Array.from({ length: n }, (__, i) => i).filter((i) => (set >> i) & 1),
  );
const majorities = (n: number) => subsets(n).filter((set) => 2 * set.length > n);
const smallestMajorities = (n: number) =>
  majorities(n).filter((set) => set.length === Math.floor(n / 2) + 1);
/** Every quorum that some set of failed sites leaves. */
const treeQuorums = (n: number) =>
  subsets(n).flatMap((down) => {
    const quorum = treeQuorum(n, 0, (i) => !down.includes(i));
    return quorum === undefined ? [] : [quorum];
  });

/** Sizes for which the construction fills its square, triangle or tree. */
const MINIMAL: { readonly [id: string]: readonly (readonly (readonly number[])[])[] } = {
  majority: [3, 5, 7].map(smallestMajorities),
  grid: [4, 9, 16, 25].map((n) => grid(n).quorum),
  fpp: [3, 7, 13, 21, 31].map((n) => plane(n).quorum),
  tree: [3, 7].map(treeQuorums),
  triangle: [3, 6, 10, 15].map((n) => triangle(n).quorum),
};

const course = (points: readonly Point[]): string => {
  const steps = points.slice(1).map(({ y }, i) => Math.sign(y - points[i]!.y));
  if (steps.every((step) => step === 0)) return 'stays';
  if (steps.every((step) => step >= 0)) return 'rises';
  return steps.every((step) => step <= 0) ? 'falls' : 'rises and falls';
};

export const coteries: Experiment = {
  id: 'survey/coteries',
  paper: 'survey',
  measure: () => {
    const every = (what: string) => [{ how: `${what}, every set of failed sites`, seeds: [] }];
    const results = KINDS.map((kind) => ({ ...kind, ...degradation(kind.n, kind.smallest) }));
    const minimal = Object.entries(MINIMAL).map(
      ([id, sizes]): Claim => ({
        ...{ id: `minimal-${id}`, where: 'section 5' },
        from: [{ how: `${id}, every pair of quorums, ${sizes.length} sizes`, seeds: [] }],
        claim: `${id}: no quorum is part of another.`,
        judged: exactly(
          'pairs',
          0,
          sizes.map(nested).reduce((sum, pairs) => sum + pairs),
        ),
      }),
    );
    const all = degradation(13, ofCoterie(everyone(13))).availability;
    return {
      claims: [
        {
          ...{ id: 'majority-meet', where: 'section 5' },
          from: [{ how: 'every pair of majorities of 7 sites', seeds: [] }],
          claim: 'Any two majorities have a node in common, and some have only one.',
          judged: exactly('the smallest intersection', 1, smallestIntersection(majorities(7))),
        },
        ...minimal,
        ...results.map(degrades),
        {
          ...{ id: 'quorums-tolerate', where: 'section 5.1', from: every('five coteries and all') },
          claim: 'Quorums tolerate failures that an algorithm which asks all nodes does not.',
          judged: exactly(
            'one site down: sets that leave a quorum; the same if all are asked',
            [1, 1, 1, 1, 1, 0],
            [...results.map(({ availability }) => availability[1]!.y), all[1]!.y],
          ),
        },
        {
          ...{ id: 'k-coterie-laws', where: 'section 6' },
          from: [{ how: 'the quorums of the example, every choice of them', seeds: [] }],
          claim: 'The example’s quorums are a 2-coterie by conditions a, b and c.',
          judged: exactly('a, b, c violated', [0, 0, 0], lawsBroken(foursquare(4, 2).quorums)),
        },
      ],
      figures: figures(results),
    };
  },
};

const smallestIntersection = (sets: readonly (readonly number[])[]): number =>
  least(sets.flatMap((a) => sets.map((b) => a.filter((i) => b.includes(i)).length)));

function degrades({ id, n, name, availability, cost }: Kind & Degradation): Claim {
  const probability = `the probability ${course(availability)}`;
  const both = (points: readonly Point[]) => `the cost ${course(points)}, ${probability}`;
  const expected = 'the cost rises, the probability falls';
  const ofTree = {
    only: {
      condition: 'while no more than six of fifteen sites have failed',
      judged: same(expected, both(cost.slice(0, 7))),
    },
    because: 'When more have failed, a quorum is left mostly where a short path is.',
  };
  const ofOneSize = {
    only: {
      condition: 'of the probability',
      judged: same('the probability falls', probability),
    },
    because: 'All quorums have the same size, and so the same cost.',
  };
  return {
    ...{ id: `degrades-${id}`, where: 'section 5.1' },
    from: [{ how: `${name} sites, all ${2 ** n} sets of failed sites`, seeds: [] }],
    claim: `${id}: as failures increase, a quorum costs more and is less likely.`,
    judged: same(expected, both(cost)),
    ...(id === 'tree' ? ofTree : ofOneSize),
  };
}

/** How often the conditions a, b and c of section 6 fail, for k = 2. */
function lawsBroken(quorums: readonly (readonly number[])[]): [number, number, number] {
  const meets = (a: readonly number[], b: readonly number[]) => a.some((i) => b.includes(i));
  const alone = quorums.filter((a) => quorums.every((b) => meets(a, b))).length;
  const triples = quorums.flatMap((a, i) =>
    quorums.slice(i + 1).flatMap((b, j) => quorums.slice(i + j + 2).map((c) => [a, b, c] as const)),
  );
  const apart = triples.filter(([a, b, c]) => !meets(a, b) && !meets(a, c) && !meets(b, c));
  return [alone, apart.length, nested(quorums)];
}

function figures(results: readonly (Kind & Degradation)[]): Figure[] {
  const base = { kind: 'lines', paper: 'survey', x: { label: 'failed sites' } } as const;
  return [
    {
      ...{ ...base, id: 'survey-availability', y: { label: 'probability of a quorum' } },
      title: 'The probability that a quorum is left, against failed sites',
      caption:
        'Graceful degradation, section 5.1: exact, over every set of failed sites. No seven of fifteen ' +
        'defeat a majority, and any eight do; four can defeat a projective plane of 13.',
      series: results.map(({ name, availability }) => ({ name, points: availability })),
    },
    {
      ...{ ...base, id: 'survey-quorum-cost', y: { label: 'sites of the smallest quorum' } },
      title: 'The mean size of the smallest quorum that is left, against failed sites',
      caption:
        'Of all sets of failed sites that leave a quorum. Only the quorums of a tree grow as sites fail, ' +
        'until few sets leave any; the others have one size.',
      series: results.map(({ name, cost }) => ({ name, points: cost })),
    },
  ];
}
