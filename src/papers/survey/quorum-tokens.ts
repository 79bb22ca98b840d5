/** Table 1, Mizuno–Neilsen–Rao: one algorithm, as many costs as there are quorum agreements. */
import type { Experiment } from '../experiment.ts';
import { most } from '../extremes.ts';
import { growsLike } from '../growth.ts';
import { atMost, exactly } from '../judge.ts';
import { eachAlone, heavy, light, perEntry, steady, total } from './trials.ts';

const PLANES = [13, 31, 57];
const TRIANGLES = [10, 28, 55];
const TREES = [7, 15, 31, 63, 127, 255, 511];
const WHERE = 'table 1, section 4';

export const quorumTokens: Experiment = {
  id: 'survey/quorum-tokens',
  paper: 'survey',
  measure: (using) => {
    const on = (topology: string, nodes: number) => ({
      algorithm: 'mizuno-neilsen-rao',
      nodes,
      topology,
    });
    const seven = eachAlone(using, on('fpp', 7));
    const { request } = seven[0]!.world.topology as { request: number[][] };
    const planes = PLANES.map((n) => eachAlone(using, on('fpp', n)));
    const busy = PLANES.map((n) => heavy(using, on('fpp', n)));
    const triangles = TRIANGLES.map((n) => eachAlone(using, on('triangle', n)));
    const trees = TREES.map((n) => light(using, on('tree', n), 200));
    const everyone = { workload: 'saturated', entries: 200, delay: 'exponential:5' } as const;
    const all = using.runs(on('all', 9), everyone, 3);
    const suzuki = using.runs({ algorithm: 'suzuki-kasami', nodes: 9 }, everyone, 3);
    const largest = (trials: readonly (readonly Parameters<typeof total>[0][])[]) =>
      trials.map((each) => most(each.map(total)));
    const asked = triangles.map((each) =>
      most(
        each.map(({ results }) => {
          const { REQUEST = 0, ACQUIRED = 0 } = results[0]!.byType;
          return REQUEST + ACQUIRED;
        }),
      ),
    );
    const claimed = (n: number) => 2 * Math.SQRT2 * Math.sqrt(n) - 2;
    const over = (
      values: readonly number[],
      sizes: readonly number[],
      bound: (n: number) => number,
    ) => values.map((value, i) => value / bound(sizes[i]!));
    return {
      claims: [
        {
          ...{ id: 'mizuno-locating', where: 'section 4', from: seven.slice(1) },
          claim:
            'Mizuno–Neilsen–Rao: if the holder is in the request set, it is found at once; ' +
            'else a go-between tells it.',
          judged: exactly(
            '2(K−1)+1, or one more, each of six alone',
            seven.slice(1).map((_, i) => (request[i + 1]!.includes(0) ? 5 : 6)),
            seven.slice(1).map(total),
          ),
        },
        {
          ...{ id: 'mizuno-plane', where: WHERE, from: planes.flat() },
          claim: 'Mizuno–Neilsen–Rao on finite projective planes: at most about 3√N messages.',
          judged: atMost(
            'most / 3√N for one alone, N = 13, 31, 57',
            1,
            over(largest(planes), PLANES, (n) => 3 * Math.sqrt(n)),
          ),
        },
        {
          ...{ id: 'mizuno-plane-heavy', where: WHERE, from: busy },
          claim: 'Mizuno–Neilsen–Rao on planes, when all ask all the time: at most about 3√N.',
          judged: atMost(
            'mean / 3√N',
            1,
            over(busy.map(steady), PLANES, (n) => 3 * Math.sqrt(n)),
          ),
          because:
            'Every member of the holder’s set that knows of a waiting request sends a RELAY, ' +
            'so that there are up to K−1 of them, not one.',
        },
        {
          ...{ id: 'mizuno-grid', where: 'section 4', from: triangles.flat() },
          claim: 'Mizuno–Neilsen–Rao on modified grid sets: at most 2√2·√N − 2 messages.',
          judged: atMost(
            'most / (2√2·√N − 2), N = 10, 28, 55',
            1,
            over(largest(triangles), TRIANGLES, claimed),
          ),
          only: {
            condition: 'if neither the token nor the message that finds it is counted',
            judged: atMost(
              'REQUEST and ACQUIRED / (2√2·√N − 2)',
              1.05,
              over(asked, TRIANGLES, claimed),
            ),
          },
          because:
            'That is two quorums of √(2N) without oneself. The RELAY of a go-between and the ' +
            'token come on top.',
        },
        {
          ...{ id: 'mizuno-tree', where: WHERE, from: trees },
          claim: 'Mizuno–Neilsen–Rao on binary trees: log N messages on average.',
          judged: growsLike(
            'log N',
            trees.map((runs, i) => ({ x: TREES[i]!, y: perEntry(runs) })),
          ),
        },
        {
          ...{ id: 'mizuno-suzuki-kasami', where: 'section 4', from: [all, suzuki] },
          claim:
            'Suzuki and Kasami’s is the special case in which all nodes are asked and none is told.',
          judged: exactly(
            'messages of the same three runs',
            suzuki.each((r) => r.messages),
            all.each((r) => r.messages),
          ),
        },
      ],
    };
  },
};
