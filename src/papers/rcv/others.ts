/** What sections 1 and 2 say of the algorithms that others have made. */
import type { Experiment } from '../experiment.ts';
import { about, exactly } from '../judge.ts';
import { broadcast, maekawa, ricart, setting, TC, TN } from './contenders.ts';

const N = 30;

export const others: Experiment = {
  id: 'rcv/others',
  paper: 'rcv',
  measure: (using) => {
    const solo = { ...setting, workload: 'solo', entries: 300 } as const;
    const saturated = { ...setting, workload: 'saturated', entries: 40 * N } as const;
    const both = [broadcast, ricart];
    const quiet = both.map(({ subject }) => using.run(subject(N), solo));
    const busy = both.map(({ subject }) => using.run(subject(N), saturated));
    const crowded = using.runs(
      maekawa.subject(N),
      { ...setting, workload: 'poisson', rate: 0.1, entries: 1000 },
      5,
    );
    const raymond = using.run({ algorithm: 'raymond', nodes: N }, saturated);
    const heuristic = using.runs(
      { algorithm: 'singhal-heuristic', nodes: N },
      { ...solo, entries: using.pick(3000, 10_000) },
      10,
    );
    const dynamic = using.runs(
      { algorithm: 'singhal-dynamic', nodes: N },
      { ...solo, entries: using.pick(1000, 5000) },
      5,
    );
    // 91 groups of three, as the points of a plane: a quorum is a majority of each group on a line.
    const groups = using.run(
      { algorithm: 'rangarajan-setia-tripathi', nodes: 273, topology: 'fpp:3' },
      { ...setting, workload: 'solo', entries: 20 },
    );
    return {
      claims: [
        {
          ...{ id: 'raymond-heavy', where: 'section 1', from: [raymond] },
          claim: 'Raymond’s algorithm requires only 4 messages per entry at heavy loads.',
          judged: about('4', 4, raymond.results[0]!.steady!.messagesPerEntry),
        },
        {
          ...{ id: 'light-response-2tn', where: 'sections 1 and 2', from: quiet },
          claim: 'At light loads Broadcast and Ricart let a node in after 2·Tn.',
          judged: exactly(
            '2·Tn',
            [2 * TN, 2 * TN],
            quiet.map((r) => r.results[0]!.waitingTime.max),
          ),
        },
        {
          ...{ id: 'heavy-response-all', where: 'sections 1 and 2', from: busy },
          claim: 'At heavy loads the response time of Broadcast and Ricart is N(Tn+Tc).',
          judged: exactly(
            'N(Tn+Tc)',
            [N * (TN + TC), N * (TN + TC)],
            busy.map((r) => r.results[0]!.responseTime.p50),
          ),
        },
        {
          ...{ id: 'maekawa-hand-over', where: 'section 2', from: [crowded] },
          claim: 'In Maekawa’s algorithm the synchronization delay is 2·Tn.',
          judged: about(
            '2·Tn',
            2 * TN,
            crowded.of((r) => r.synchronizationDelay.mean),
          ),
          because:
            'It is less: Tn where the common arbiter is the site that leaves, or the site that enters.',
        },
        {
          ...{ id: 'singhal-heuristic', where: 'section 2', from: [heuristic] },
          claim: 'Sending only to likely holders takes N/2 messages on average at light loads.',
          judged: about(
            'N/2',
            N / 2,
            heuristic.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'singhal-dynamic', where: 'section 2', from: [dynamic] },
          claim: 'A dynamic information structure takes N−1 messages on average at light loads.',
          judged: about(
            'N−1',
            N - 1,
            dynamic.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'rst-quorum', where: 'section 2', from: [groups] },
          claim: 'Rangarajan, Setia and Tripathi’s quorums have (G+1)/2 · √(N/G) members.',
          // Three messages for each member but oneself.
          judged: about(
            '(G+1)/2 · √(N/G)',
            2 * Math.sqrt(91),
            groups.results[0]!.messagesPerEntry / 3 + 1,
          ),
          note:
            'The paper’s own formula is garbled in print; this is what it must mean. For ' +
            'groups of odd size G.',
        },
      ],
    };
  },
};
