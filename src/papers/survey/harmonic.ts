/** Naimi and Trehel's average, which the survey gives as an order of magnitude, beside a formula. */
import type { Experiment } from '../experiment.ts';
import { between } from '../judge.ts';
import { pointsOf } from '../points.ts';

const SIZES = [7, 13, 25, 51, 101];

/** H(n) = 1 + 1/2 + … + 1/n, which is ln n + 0.577… */
const harmonic = (n: number): number =>
  Array.from({ length: n }, (_, i) => 1 / (i + 1)).reduce((sum, term) => sum + term, 0);

export const harmonicNumber: Experiment = {
  id: 'survey/harmonic',
  paper: 'survey',
  measure: (using) => {
    const trials = SIZES.map((nodes) =>
      using.runs(
        { algorithm: 'naimi-trehel', nodes },
        // Long enough that the first tree, a star, no longer counts.
        { delay: 'constant:1', cs: 10, workload: 'solo', entries: using.pick(40, 100) * nodes },
        using.pick(10, 20),
      ),
    );
    const ratios = trials.map((runs, i) =>
      runs.of((r) => r.messagesPerEntry / harmonic(SIZES[i]! - 1)),
    );
    return {
      claims: [
        {
          ...{ id: 'naimi-trehel-harmonic', where: 'section 4', from: trials },
          claim:
            'Naimi–Trehel: on average the (N−1)-th harmonic number, which is of the order of log N.',
          judged: between('messages / H(N−1), N = 7, 13, 25, 51, 101', [0.95, 1.05], ratios),
          note: 'One node at a time asks, each as likely as the other.',
        },
      ],
      figures: [
        {
          ...{ id: 'naimi-trehel-harmonic', kind: 'lines', paper: 'survey' },
          title: 'Naimi and Trehel’s messages per entry against the number of nodes',
          caption:
            'One node at a time asks, each as likely as the other: the measured average lies on the ' +
            'harmonic number H(N−1) = 1 + 1/2 + … + 1/(N−1), dashed.',
          x: { label: 'nodes', scale: 'log' },
          y: { label: 'messages per entry' },
          series: [
            {
              name: 'Naimi–Trehel',
              points: pointsOf(SIZES, trials, (r) => r.messagesPerEntry),
            },
            {
              ...{ name: 'H(N−1)', formulaOf: 'Naimi–Trehel' },
              points: SIZES.map((x) => ({ x, y: harmonic(x - 1) })),
            },
          ],
        },
      ],
    };
  },
};
