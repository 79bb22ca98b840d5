/** Section 5: what an entry costs under light demand, on lines and radiating stars. */
import { ln } from '../../core/arithmetic.ts';
import type { Tree } from '../../core/topology.ts';
import { diameter, distance, radiatingStar } from '../../topologies/tree.ts';
import type { Experiment } from '../experiment.ts';
import { farthest, most } from '../extremes.ts';
import { about, atMost, between, exactly, same } from '../judge.ts';
import { shown, shownAll } from '../text.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const raymond = (nodes: number, topology: string, seed = 1) => ({
  ...{ algorithm: 'raymond', nodes, topology, seed },
});

/** The tree of figure 7: ten sites, each that is no leaf with three neighbours. */
export const figure7 = (...options: string[]) => ({
  ...{ algorithm: 'raymond', nodes: 10, topology: 'radiating:3', options },
});

/** How many sites a radiating star has whose leaves are all `radius` hops from its centre. */
export function completeSize(valency: number, radius: number): number {
  let [size, rim] = [1, valency];
  for (let r = 0; r < radius; r++) {
    size += rim;
    rim *= valency - 1;
  }
  return size;
}

/** Section 5: 2⌈log of (N−1)(K−2)/K + 1 to the base K−1⌉. */
function claimedDiameter(n: number, valency: number): number {
  const inside = ((n - 1) * (valency - 2)) / valency + 1;
  // A logarithm that is whole may come out a hair above it.
  return 2 * Math.ceil(ln(inside) / ln(valency - 1) - 1e-9);
}

export const cost: Experiment = {
  id: 'raymond/cost',
  paper: 'raymond',
  measure: (using) => {
    const ends = [6, 20, 50].map((n) =>
      using.run(raymond(n, 'line'), { ...unit, workload: 'script', script: `0 request ${n - 1}` }),
    );
    const random = Array.from({ length: 10 }, (_, i) => {
      const subject = raymond(40, 'random', i + 1);
      const tree = using.world(subject).topology as Tree;
      const { from, to, hops } = farthest(tree);
      const script = `0 request ${from}\n10000 request ${to}`;
      const trial = using.run(subject, { ...unit, workload: 'script', script });
      const paid = trial.results[0]!.messages - 2 * distance(tree, 0, from);
      return { ...trial, paid, bound: 2 * hops };
    });
    const runs = using.pick(5, 20);
    const solo = { ...unit, workload: 'solo', entries: using.pick(2000, 10_000) } as const;
    const line = using.runs(raymond(30, 'line'), solo, runs);
    const suzuki = using.run({ algorithm: 'suzuki-kasami', nodes: 30 }, solo);
    const complete = [3, 4, 5].flatMap((k) =>
      [2, 4, 6].map((r) => ({ k, r, n: completeSize(k, r) })),
    );
    const differences = [3, 4, 5, 8].flatMap((k) =>
      Array.from({ length: 997 }, (_, i) => i + 4).map(
        (n) => claimedDiameter(n, k) - diameter(radiatingStar(n, k)),
      ),
    );
    const radii = [2, 3, 4, 5, 6];
    const stars = radii.map((r) =>
      using.runs(
        raymond(completeSize(3, r), 'radiating:3'),
        { ...unit, workload: 'solo', entries: 1000 },
        runs,
      ),
    );
    const share = stars.map((s, i) => s.of((x) => x.messagesPerEntry).mean / (4 * radii[i]!));
    const messages = ends.map(({ results }) => results[0]!.messages);
    return {
      claims: [
        {
          ...{ id: 'worst-line', where: 'section 5, figure 5', from: ends },
          claim: 'Between the ends of a line an entry takes 2D = 2(N−1) messages.',
          judged: exactly('2(N−1)', [10, 38, 98], messages),
        },
        {
          ...{ id: 'worst-any-tree', where: 'section 5', from: random },
          claim: 'On any tree the worst case is 2D messages, between two nodes farthest apart.',
          judged: exactly(
            '2D of ten random trees',
            random.map(({ bound }) => bound),
            random.map(({ paid }) => paid),
          ),
        },
        {
          ...{ id: 'line-average', where: 'section 5', from: [line] },
          claim: 'If all nodes of a line are equally likely to ask, 2N/3 messages are sent.',
          judged: about(
            '2N/3',
            20,
            line.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'line-beats-suzuki-kasami', where: 'section 5', from: [line, suzuki] },
          claim: 'Even on a line it is an improvement over the N messages of Suzuki and Kasami.',
          judged: atMost('Raymond / Suzuki–Kasami', 0.75, [
            line.of((r) => r.messagesPerEntry).mean / suzuki.results[0]!.messagesPerEntry,
          ]),
        },
        {
          ...{
            id: 'star-diameter',
            where: 'section 5, figure 6',
            from: [geometry('complete radiating stars, K = 3, 4, 5')],
          },
          claim: 'A radiating star of valency K has the diameter 2⌈log_{K−1}((N−1)(K−2)/K + 1)⌉.',
          judged: exactly(
            '',
            complete.map(({ n, k }) => claimedDiameter(n, k)),
            complete.map(({ n, k }) => diameter(radiatingStar(n, k))),
          ),
        },
        {
          ...{
            id: 'star-diameter-any-n',
            where: 'section 5',
            from: [geometry('radiating stars of 4 to 1,000 sites, K = 3, 4, 5, 8')],
          },
          claim: 'The formula for the diameter of a radiating star holds for every N.',
          judged: exactly('claimed − true', 0, most(differences)),
          only: {
            condition: 'to within one, and never too low',
            judged: between('claimed − true', [0, 1], differences),
          },
          because:
            'While the outermost level is in one branch only, the longest path is one hop shorter.',
        },
        {
          ...{ id: 'star-unreached', where: 'section 5', from: stars },
          claim:
            'On a radiating star the average approaches 2D as N increases, and does not reach it.',
          judged: same('rises with N, below 2D', trend(share)),
          note: `Messages per entry / 2D, for N = ${stars.map(({ world }) => shown(world.n)).join(', ')}: ${shownAll(share)}.`,
        },
      ],
    };
  },
};

/** What is computed from the tree alone: nothing runs, nothing is random. */
const geometry = (how: string) => ({ how, seeds: [] });

/** How shares of a bound develop, in words. */
function trend(share: readonly number[]): string {
  const rises = share.every((s, i) => i === 0 || s > share[i - 1]!);
  return `${rises ? 'rises' : 'does not rise'} with N, ${share.every((s) => s < 1) ? 'below' : 'up to'} 2D`;
}
