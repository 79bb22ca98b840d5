/** Table 3: k nodes at a time. */
import type { Experiment } from '../experiment.ts';
import type { Watched } from '../instruments.ts';
import { between, exactly, same } from '../judge.ts';
import { mostInside } from '../steps.ts';
import { eachAlone, heavy, inTurn, light, perEntry, steady, total } from './trials.ts';

const N = 9;
const K = 3;
const TABLE = 'table 3, section 6';

export const several: Experiment = {
  id: 'survey/several',
  paper: 'survey',
  measure: (using) => {
    const of = (algorithm: string) => ({ algorithm, nodes: N, k: K });
    const ids = ['raymond-k', 'srimani-reddy', 'kakugawa'];
    const crowded = ids.map((id) =>
      using.watch(of(id), { workload: 'saturated', entries: 300, delay: 'exponential:5' }),
    );
    const raymond = [light(using, of('raymond-k'), 50), heavy(using, of('raymond-k'))];
    const four = { algorithm: 'srimani-reddy', nodes: 4, k: 2 };
    const srimani = [inTurn(using, four, 0), inTurn(using, four, 2), inTurn(using, four, 1, 2)];
    const [none, one, two] = srimani.map(total) as [number, number, number];
    const last = two - total(inTurn(using, four, 1));
    const kakugawa = [light(using, of('kakugawa'), 50), heavy(using, of('kakugawa'))];
    // Three parts of three sites, of which two agree: s = 2.
    const perMember = (self: number) => kakugawa.map((runs) => (steady(runs) + self) / 2);
    const square = { algorithm: 'kakugawa', nodes: 4, k: 2, topology: 'square' };
    const example = using.watch(square, {
      ...{ workload: 'script', script: '0 request 1 stay 100\n0 request 3 stay 100' },
    });
    const alone = eachAlone(using, square);
    const waits = using.watch(square, {
      ...{ workload: 'script', script: '0 request 0 stay 1000\n50 request 2 stay 1' },
    });
    const reselects = using.watch(
      { ...square, options: ['reselect'] },
      { workload: 'script', script: '0 request 0 stay 1000\n50 request 2 stay 1' },
    );
    const together = (trial: Watched) => (mostInside(trial.steps) === 2 ? 'enters' : 'waits');
    return {
      claims: [
        {
          ...{ id: 'k-at-once', where: 'section 6', from: crowded },
          claim: 'All three let k nodes be inside at once, and never more.',
          judged: exactly(
            'most inside, k = 3',
            [K, K, K],
            crowded.map(({ steps }) => mostInside(steps)),
          ),
        },
        {
          ...{ id: 'raymond-k', where: TABLE, from: raymond },
          claim: 'Raymond’s k-entry algorithm: 2(N−1) messages at most.',
          judged: between(
            '2N−k−1 to 2(N−1)',
            [2 * N - K - 1, 2 * (N - 1)],
            [perEntry(raymond[0]!), steady(raymond[1]!)],
          ),
        },
        {
          ...{ id: 'srimani-reddy', where: TABLE, from: srimani },
          claim: 'Srimani–Reddy: 0 or N+K−1 messages.',
          judged: exactly('0, N+K−1, N+K−1 of four sites, K = 2', [0, 5, 5], [none, one, last]),
          only: {
            condition: 'as an upper bound: N, and one for each token too many that is sent',
            judged: between('0 to N+K−1', [0, 5], [none, one, last], true),
          },
          because: 'If one node has all idle tokens, it sends one of them: N messages.',
        },
        {
          ...{ id: 'kakugawa', where: TABLE, from: kakugawa },
          claim: 'Kakugawa et al.: 3·s to 5·s messages, s being the size of a quorum.',
          judged: between('messages / s, light and heavy', [3, 5], perMember(0)),
          only: {
            condition: 'if the three messages count that a node sends to itself',
            judged: between('messages / s', [3, 5], perMember(3)),
          },
          because: 'A node is in its own quorum and sends nothing to itself: 3(s−1) alone.',
        },
        {
          ...{ id: 'k-coterie-example', where: 'section 6', from: [example] },
          claim:
            'With k = 2, node 2 that chooses q1 = {1,2} and node 4 that chooses q4 = {3,4} enter together.',
          judged: exactly('inside at once', 2, mostInside(example.steps)),
        },
        {
          ...{ id: 'k-coterie-cost', where: 'section 6', from: alone },
          claim:
            'In the k-coterie example an entry takes 3·s messages, with those that a node sends to itself.',
          judged: exactly('3·2 − 3', Array(4).fill(3), alone.map(total)),
        },
        {
          ...{ id: 'k-coterie-choice', where: 'section 6', from: [waits, reselects] },
          claim:
            'Kakugawa et al.: if fewer than k are inside, a node can enter by selecting an ' +
            'appropriate quorum.',
          judged: same('enters', together(waits)),
          only: {
            condition: 'if it selects again when its first choice is taken (option reselect)',
            judged: same('enters', together(reselects)),
          },
          because:
            'A node cannot know which quorum is free: one that has asked a quorum in use ' +
            'waits, though another is free.',
        },
      ],
    };
  },
};
