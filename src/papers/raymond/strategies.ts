/** Section 6: what piggybacking and greed do, from light demand to saturation. */
import { againstLoad, seriesOf, xOfLoad } from '../against-load.ts';
import type { Experiment } from '../experiment.ts';
import { between } from '../judge.ts';
import { figure7 } from './cost.ts';

const FORMS = [
  { name: 'standard', subject: figure7() },
  { name: 'piggyback', subject: figure7('piggyback') },
  { name: 'greedy', subject: figure7('greedy') },
  { name: 'both', subject: figure7('piggyback', 'greedy') },
];
/** Of the runs with equal seeds, so that chance is the same on both sides. */
const ratios = (a: readonly number[], b: readonly number[]) => a.map((value, i) => value / b[i]!);

export const strategies: Experiment = {
  id: 'raymond/strategies',
  paper: 'raymond',
  measure: (using) => {
    const loaded = againstLoad(using, FORMS, { delay: 'constant:1', cs: 10 });
    const [standard, piggyback, greedy] = loaded.map(({ trials }) => trials);
    const waits = (runs: (typeof loaded)[0]['trials'][0]) => runs.each((r) => r.waitingTime.mean);
    const light = [standard![0]!, greedy![0]!] as const;
    const base = { kind: 'lines', paper: 'raymond', x: xOfLoad } as const;
    return {
      claims: [
        {
          ...{ id: 'greedy-light', where: 'section 6.2', from: [...light] },
          claim: 'The greedy strategy has little effect in a system with light demand.',
          judged: between(
            'mean wait, greedy / standard, each seed',
            [0.95, 1.05],
            ratios(waits(light[1]), waits(light[0])),
          ),
        },
        {
          ...{ id: 'piggyback-only', where: 'section 6.1', from: [...standard!, ...piggyback!] },
          claim: 'Piggybacking has no other impact than fewer messages: waits are the same.',
          judged: between(
            'mean wait, piggyback / standard, seven loads and each seed',
            [0.95, 1.05],
            piggyback!.flatMap((runs, i) => ratios(waits(runs), waits(standard![i]!))),
          ),
        },
      ],
      figures: [
        {
          ...{ ...base, id: 'raymond-strategies-messages', y: { label: 'messages per entry' } },
          title: 'Raymond’s strategies on the tree of figure 7: messages per entry',
          caption:
            'Section 6: piggybacking saves nothing while demand is low and most at saturation; greed ' +
            'saves a little of the way.',
          series: seriesOf(loaded, (r) => r.messagesPerEntry),
        },
        {
          ...{ ...base, id: 'raymond-strategies-wait', y: { label: 'mean wait, in hops' } },
          title: 'Raymond’s strategies on the tree of figure 7: mean wait',
          caption:
            'Section 6.2: greed shortens the average wait under heavy demand, at the expense of the leaves.',
          series: seriesOf(loaded, (r) => r.waitingTime.mean),
        },
      ],
    };
  },
};
