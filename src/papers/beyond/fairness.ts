/** Who gets how much, and who is passed over. */
import type { Experiment } from '../experiment.ts';
import { most } from '../extremes.ts';
import type { BarFigure } from '../figure.ts';
import { about, atLeast, atMost } from '../judge.ts';
import { figure7 } from '../raymond/cost.ts';
import { everyone } from './everyone.ts';

const N = 10;

export const fairness: Experiment = {
  id: 'beyond/fairness',
  paper: 'beyond',
  measure: (using) => {
    const trials = everyone(N).map((subject) => ({
      id: subject.algorithm,
      runs: using.runs(
        subject,
        { workload: 'saturated', entries: using.pick(40, 200) * N, delay: 'exponential:5' },
        using.pick(3, 5),
      ),
    }));
    const greedy = using.run(figure7('greedy'), {
      delay: 'constant:1',
      workload: 'saturated',
      entries: 4000,
    });
    const jain = trials.map(({ runs }) => runs.of((r) => r.fairness.jain).mean);
    const bypass = trials.map(({ runs }) => most(runs.each((r) => r.fairness.maxBypass)));
    const unfair = trials.filter((_, i) => jain[i]! < 0.98).map(({ id }) => id);
    const from = trials.map(({ runs }) => runs);
    const served = ['lamport', 'ricart-agrawala', 'lodha-kshemkalyani'];
    const ofServed = trials.flatMap(({ id }, i) => (served.includes(id) ? [bypass[i]!] : []));
    const where = 'saturated, ten nodes';
    return {
      claims: [
        {
          ...{ id: 'equal-shares', where, from },
          claim: 'Whatever the algorithm, all nodes get the same share when all ask all the time.',
          judged: atLeast('Jain’s index of entries, the whole catalogue', 0.98, jain),
          because:
            `Not in ${unfair.join(', ')}: a request bears a number above those its node has ` +
            'heard of, and a leaf of the tree, whom few ask, hears of few. Its numbers stay ' +
            'low, and it goes first.',
        },
        {
          ...{ id: 'greedy-share', where: 'raymond, figure 7', from: [greedy] },
          claim: 'Raymond’s greedy strategy trades fairness for efficiency, three entries to one.',
          judged: about(
            'Jain’s index of 3 : 1, four against six',
            324 / 420,
            greedy.results[0]!.fairness.jain,
          ),
        },
        {
          ...{ id: 'passed-over', where, from },
          claim:
            'Nobody is passed over for long: at most N(N+1)/2 − 1 others, as in Ricart and Agrawala’s.',
          judged: atMost(
            'others between a request and its entry, the whole catalogue',
            (N * (N + 1)) / 2 - 1,
            bypass,
          ),
        },
        {
          ...{ id: 'passed-over-by-timestamp', where, from },
          claim: 'By timestamp nobody is passed over by more than 2(N−1).',
          judged: atMost('Lamport, Ricart–Agrawala, Lodha–Kshemkalyani', 2 * (N - 1), ofServed),
        },
      ],
      figures: [
        {
          ...{ id: 'passed-over', kind: 'bars', paper: 'beyond' },
          title: 'Passed over: most entries of others between a request and its own',
          caption:
            'Ten nodes that ask all the time, delays exponential. With a fair turn for ' +
            'everyone it is N−1 = 9; with k = 2 (raymond-k, srimani-reddy, lending-coordinator, ' +
            'kakugawa) more get in meanwhile.',
          x: { label: 'entries of others' },
          groups: ['most'],
          bars: trials.map(({ id }, i) => ({ name: id, values: [bypass[i]!], marks: [N - 1] })),
        },
      ] satisfies BarFigure[],
    };
  },
};
