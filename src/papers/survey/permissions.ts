/** Table 2: algorithms that ask permission. */
import { treeQuorum } from '../../topologies/tree-quorum.ts';
import type { Experiment } from '../experiment.ts';
import { least } from '../extremes.ts';
import { growsLike } from '../growth.ts';
import { about, between, exactly } from '../judge.ts';
import { eachAlone, heavy, inTurn, light, perEntry, steady, total } from './trials.ts';

const N = 13;
const TABLE = 'table 2';
const TREES = [7, 15, 31, 63, 127, 255, 511];

export const permissions: Experiment = {
  id: 'survey/permissions',
  paper: 'survey',
  measure: (using) => {
    const of = (algorithm: string, nodes = N, topology?: string) => ({
      algorithm,
      nodes,
      topology,
    });
    const both = (algorithm: string) => [
      light(using, of(algorithm), 50),
      heavy(using, of(algorithm)),
    ];
    const constant = (algorithm: string, factor: number) => {
      const trials = both(algorithm);
      return {
        ...{ id: algorithm, where: `${TABLE}, section 5`, from: trials },
        claim: `${algorithm}: ${factor}(N−1) messages per entry.`,
        judged: exactly(
          `${factor}(N−1), light and heavy`,
          [factor * (N - 1), factor * (N - 1)],
          [perEntry(trials[0]!), steady(trials[1]!)],
        ),
      };
    };
    const carvalho = [
      inTurn(using, of('carvalho-roucairol'), 1),
      inTurn(using, of('carvalho-roucairol'), 1, 1),
    ];
    const kept = total(carvalho[1]!) - total(carvalho[0]!);
    const dynamic = [
      light(using, of('singhal-dynamic'), 2000),
      heavy(using, of('singhal-dynamic')),
    ];
    const planes = [31, 57, 133];
    const quiet = planes.map((n) => light(using, of('maekawa', n, 'fpp'), 50));
    const busy = planes.map((n) => heavy(using, of('maekawa', n, 'fpp')));
    const constants = (self: number) =>
      [...quiet, ...busy].map((runs) => {
        const n = runs.results[0]!.nodes;
        return (steady(runs) + self) / Math.sqrt(n);
      });
    const structures = ['ricart-agrawala', 'maekawa:fpp', 'central', 'mixed'];
    const sanders = structures.map((name) => eachAlone(using, of('sanders', 7, name)));
    const claimed = sanders.map((each) => {
      const { inform, request } = each[0]!.world.topology as {
        inform: number[][];
        request: number[][];
      };
      const others = (set: number[], i: number) => set.filter((j) => j !== i).length;
      return inform.reduce((sum, set, i) => sum + others(set, i) + 2 * others(request[i]!, i), 0);
    });
    const paths = eachAlone(using, of('agrawal-el-abbadi', 7));
    const trees = TREES.map((n) => light(using, of('agrawal-el-abbadi', n), 200));
    const failed = using.run(of('agrawal-el-abbadi', 7), {
      ...{ workload: 'script', script: '100 request 3' },
      faults: '[{ "at": 0, "crash": 0 }, { "at": 0, "crash": 1 }, { "at": 0, "crash": 2 }]',
    });
    const worst = treeQuorum(7, 3, (i) => i >= 3)!.length;
    const fatal = fewestFatal(7);
    const majority = light(using, of('majority'), 50);
    return {
      claims: [
        constant('lamport', 3),
        constant('ricart-agrawala', 2),
        {
          ...{ id: 'carvalho-roucairol', where: `${TABLE}, section 5`, from: carvalho },
          claim: 'Carvalho–Roucairol: from 0 to 2(N−1) messages.',
          judged: exactly(
            'the same node’s second entry and its first',
            [0, 2 * (N - 1)],
            [kept, total(carvalho[0]!)],
          ),
        },
        {
          ...{ id: 'maekawa', where: `${TABLE}, section 5`, from: [...quiet, ...busy] },
          claim: 'Maekawa: c·√N messages, c between 3 and 5.',
          judged: between('c, N = 31, 57, 133, light and heavy', [3, 5], constants(0)),
          only: {
            condition: 'if the three messages count that a node sends to itself',
            judged: between('c', [3, 5], constants(3)),
          },
          because:
            'A quorum has about √N + ½ members; without oneself, three messages each are a ' +
            'little less than 3√N.',
        },
        {
          ...{ id: 'sanders', where: `${TABLE}, section 5`, from: sanders.flat() },
          claim: 'Sanders: |I−{i}| + 2|R−{i}| messages.',
          judged: exactly(
            'sum over all sites alone, of four structures',
            claimed,
            sanders.map((each) => each.reduce((sum, runs) => sum + total(runs), 0)),
          ),
        },
        {
          ...{ id: 'agrawal-el-abbadi-path', where: 'section 5', from: paths },
          claim: 'Agrawal–El Abbadi: the nodes of a path from the root to a leaf are a quorum.',
          judged: exactly(
            '3(log₂(N+1)−1), each of seven alone',
            Array(7).fill(6),
            paths.map(total),
          ),
        },
        {
          ...{ id: 'agrawal-el-abbadi', where: `${TABLE}, section 5`, from: trees },
          claim: 'Agrawal–El Abbadi: O(log N) messages if nothing fails.',
          judged: growsLike(
            'log N',
            trees.map((runs, i) => ({ x: TREES[i]!, y: perEntry(runs) })),
          ),
        },
        {
          ...{ id: 'agrawal-el-abbadi-failures', where: 'section 5', from: [failed] },
          claim: 'Agrawal–El Abbadi: (N+1)/2 messages when some failures occur.',
          judged: exactly('(N+1)/2, seven sites, all but the leaves failed', 4, total(failed)),
          only: {
            condition: 'as the size of the largest quorum',
            judged: exactly('(N+1)/2', 4, worst),
          },
          because: 'A quorum of four takes three messages for each other member.',
        },
        {
          ...{
            id: 'agrawal-el-abbadi-fatal',
            where: 'section 5',
            from: [{ how: 'every set of failed sites, tree of 7', seeds: [] }],
          },
          claim: 'Agrawal–El Abbadi: there may be no quorum after the failure of log N nodes.',
          judged: exactly('⌈log₂ 7⌉', 3, fatal),
        },
        {
          ...{
            id: 'singhal-dynamic-light',
            where: `${TABLE}, section 5`,
            from: dynamic.slice(0, 1),
          },
          claim: 'Singhal’s dynamic structure: N−1 messages on average under light load.',
          judged: about(
            'N−1',
            N - 1,
            dynamic[0]!.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'singhal-dynamic-heavy', where: `${TABLE}, section 5`, from: dynamic.slice(1) },
          claim: 'Singhal’s dynamic structure: 3(N−1)/2 under heavy load.',
          judged: about('3(N−1)/2', (3 * (N - 1)) / 2, steady(dynamic[1]!)),
          because:
            'If all ask again as soon as they leave, every other node enters between two entries of a node. ' +
            'Each time the node says yes and must ask again: 2(N−1). The paper that is cited was not at hand.',
        },
        {
          ...{ id: 'majority', where: 'section 5', from: [majority] },
          claim: 'Thomas: a majority of (N+1)/2 nodes must agree.',
          // Three messages for each of them but oneself.
          judged: exactly('(N+1)/2', (N + 1) / 2, perEntry(majority) / 3 + 1),
        },
      ],
    };
  },
};

/** The least number of failed sites of a tree that leaves no quorum to some site that is up. */
function fewestFatal(n: number): number {
  const sites = Array.from({ length: n }, (_, i) => i);
  const sets = Array.from({ length: 2 ** n }, (_, set) => sites.filter((i) => (set >> i) & 1));
  const fatal = sets.filter((down) =>
    sites.some(
      (me) => !down.includes(me) && treeQuorum(n, me, (i) => !down.includes(i)) === undefined,
    ),
  );
  return least(fatal.map((down) => down.length));
}
