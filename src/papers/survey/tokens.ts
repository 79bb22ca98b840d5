/** Table 1: algorithms with a token. */
import type { Tree } from '../../core/topology.ts';
import type { Experiment } from '../experiment.ts';
import { farthest, least, most } from '../extremes.ts';
import { growsLike } from '../growth.ts';
import { about, between, exactly } from '../judge.ts';
import { eachAlone, heavy, inTurn, light, perEntry, steady, total } from './trials.ts';

const N = 13;
const TABLE = 'table 1';
const TREES = [7, 15, 31, 63, 127, 255, 511];

export const tokens: Experiment = {
  id: 'survey/tokens',
  paper: 'survey',
  measure: (using) => {
    const of = (algorithm: string, nodes = N, topology?: string, ...options: string[]) => ({
      ...{ algorithm, nodes, topology, options },
    });
    /** N, or 0 for the holder: three of the table's lines say so. */
    const nOrNothing = (algorithm: string, section: string) => {
      const [busy, holder] = [heavy(using, of(algorithm)), inTurn(using, of(algorithm), 0)];
      return {
        ...{ id: algorithm, where: `${TABLE}, ${section}`, from: [busy, holder] },
        claim: `${algorithm}: N messages per entry, or none if the node holds the idle token.`,
        judged: exactly('N and 0', [N, 0], [steady(busy), total(holder)]),
      };
    };
    const L = 4;
    const turns = Array.from({ length: 2 * L }, (_, i) => 1 + (i % 2));
    const bounded = inTurn(using, of('suzuki-kasami', N, undefined, `bounded=${L}`), ...turns);
    const mishra = inTurn(using, of('mishra-srimani'), 1);
    const mishraBounded = inTurn(
      using,
      of('mishra-srimani', N, undefined, `bounded=${L}`),
      ...turns,
    );

    const line = eachAlone(using, of('neilsen-mizuno', N, 'line'));
    const star = inTurn(using, of('neilsen-mizuno', N, 'star'), 1, 2);
    const randoms = [1, 2, 3, 4, 5].map((seed) => {
      const subject = { ...of('neilsen-mizuno', 30, 'random'), seed };
      const { from, to, hops } = farthest(using.world(subject).topology as Tree);
      const both = inTurn(using, subject, from, to);
      return { both, bound: hops + 1, paid: total(both) - total(inTurn(using, subject, from)) };
    });
    const fromTo = (from: number, to: number, binary: string) => {
      const subject = of('helary-plouzeau-raynal', 15, binary);
      return total(inTurn(using, subject, from, to)) - total(inTurn(using, subject, from));
    };
    const hpr = (topology: string) =>
      eachAlone(using, of('helary-plouzeau-raynal', N, topology)).slice(1);
    const [hprLine, hprRing, hprComplete] = ['line', 'ring', 'complete'].map(hpr) as [
      ReturnType<typeof hpr>,
      ReturnType<typeof hpr>,
      ReturnType<typeof hpr>,
    ];
    const hprTree = [fromTo(7, 14, 'binary'), fromTo(7, 3, 'binary'), fromTo(7, 0, 'binary')];
    const hprTreeRun = inTurn(using, of('helary-plouzeau-raynal', 15, 'binary'), 7, 14);
    const raymond = TREES.map((n) => light(using, of('raymond', n, 'binary'), 200));
    const naimi = TREES.map((n) => light(using, of('naimi-trehel', n), 4 * n));
    const path = inTurn(using, of('naimi-trehel', 5), 1, 2, 3, 4);
    const singhal = [
      light(using, of('singhal-heuristic', 25), 2000),
      heavy(using, of('singhal-heuristic')),
    ];
    const curve = (trials: readonly ReturnType<typeof light>[]) =>
      trials.map((runs, i) => ({ x: TREES[i]!, y: perEntry(runs) }));
    return {
      claims: [
        nOrNothing('ricart-agrawala-token', 'section 4'),
        nOrNothing('suzuki-kasami', 'section 4'),
        nOrNothing('nishio-li-manning', 'section 4'),
        {
          ...{ id: 'suzuki-kasami-bounded', where: `${TABLE}, section 4`, from: [bounded] },
          claim:
            'Suzuki–Kasami with bounded numbers: L·N+(N−1) messages for L entries of a node, L = 4.',
          judged: exactly('two nodes, L entries each', 2 * (L * N + N - 1), total(bounded)),
        },
        {
          ...{ id: 'mishra-srimani', where: `${TABLE}, section 4`, from: [mishra, mishraBounded] },
          claim: 'Mishra–Srimani: L·N+(N−1) messages for an entry, if nothing fails.',
          judged: exactly('L·N+(N−1), L = 4', L * N + N - 1, total(mishra)),
          only: {
            condition: 'for L entries of a node, with bounded numbers',
            judged: exactly('two nodes, L entries each', 2 * (L * N + N - 1), total(mishraBounded)),
          },
          because: 'An entry takes N: while nothing fails it is Suzuki and Kasami’s algorithm.',
        },
        {
          ...{ id: 'neilsen-mizuno-line', where: `${TABLE}, section 4`, from: line },
          claim: 'Neilsen–Mizuno on a line: at most N messages.',
          judged: between('0 to N', [0, N], line.map(total), true),
        },
        {
          ...{ id: 'neilsen-mizuno-star', where: `${TABLE}, section 4`, from: [star] },
          claim: 'Neilsen–Mizuno on a star: at most 3.',
          judged: exactly('a leaf after another: 2 + 3', 5, total(star)),
        },
        {
          ...{
            id: 'neilsen-mizuno-any',
            where: `${TABLE}, section 4`,
            from: randoms.map(({ both }) => both),
          },
          claim: 'Neilsen–Mizuno on any tree: D+1 between two nodes farthest apart.',
          judged: exactly(
            'D+1 of five random trees',
            randoms.map(({ bound }) => bound),
            randoms.map(({ paid }) => paid),
          ),
        },
        {
          ...{ id: 'helary-tree', where: TABLE, from: [hprTreeRun] },
          claim: 'Helary–Plouzeau–Raynal on a tree: N to N−1+D messages.',
          judged: between('binary tree of 15, D = 6', [15, 20], hprTree, true),
        },
        {
          ...{ id: 'helary-line', where: TABLE, from: hprLine },
          claim: 'Helary–Plouzeau–Raynal on a line: N to 2(N−1).',
          judged: between('', [N, 2 * (N - 1)], hprLine.map(total), true),
        },
        {
          ...{ id: 'helary-ring', where: TABLE, from: hprRing },
          claim: 'Helary–Plouzeau–Raynal on a ring: N to 2N.',
          judged: between('', [N, 2 * N], hprRing.map(total), true),
          only: {
            condition: 'as bounds that no request of a quiet ring meets',
            judged: between('', [N, 2 * N], hprRing.map(total)),
          },
          because:
            'The two waves of a request meet and cross: N+1 messages. The token takes the shorter way ' +
            'round, one hop to half the ring.',
        },
        {
          ...{ id: 'helary-complete', where: TABLE, from: hprComplete },
          claim: 'Helary–Plouzeau–Raynal on a complete graph: N.',
          judged: exactly(
            '',
            [N, N],
            [least(hprComplete.map(total)), most(hprComplete.map(total))],
          ),
        },
        {
          ...{ id: 'raymond', where: TABLE, from: raymond },
          claim: 'Raymond: log N on average.',
          judged: growsLike('log N', curve(raymond)),
          note: 'On binary trees.',
        },
        {
          ...{ id: 'singhal-light', where: 'section 4', from: singhal.slice(0, 1) },
          claim: 'Singhal’s heuristic: (N+1)/2 messages in light traffic.',
          judged: about(
            '(N+1)/2, N = 25',
            13,
            singhal[0]!.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'singhal-heavy', where: `${TABLE}, section 4`, from: singhal.slice(1) },
          claim: 'Singhal’s heuristic: N in heavy traffic.',
          judged: exactly('N', N, steady(singhal[1]!)),
        },
        {
          ...{ id: 'naimi-trehel-path', where: 'section 4', from: [path] },
          claim:
            'Naimi–Trehel: a request goes along LAST to the root, and the token straight to the node that asked.',
          judged: exactly('1, 2, 3 and 4 of five in turn: 2 + 3 + 3 + 3', 11, total(path)),
        },
        {
          ...{ id: 'naimi-trehel', where: `${TABLE}, section 4`, from: naimi },
          claim: 'Naimi–Trehel: on the order of log N on average.',
          judged: growsLike('log N', curve(naimi)),
        },
      ],
    };
  },
};
