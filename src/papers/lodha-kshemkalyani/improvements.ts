/** Section 5: what the improvements save, against the load. */
import { againstLoad, RATES, seriesOf, xOfLoad } from '../against-load.ts';
import type { Experiment } from '../experiment.ts';
import { atMost } from '../judge.ts';

const N = 10;
const form = (name: string, algorithm: string, ...options: string[]) => ({
  ...{ name, subject: { algorithm, nodes: N, options } },
});
const FORMS = [
  form('Ricart–Agrawala', 'ricart-agrawala'),
  form('Lodha–Kshemkalyani', 'lodha-kshemkalyani'),
  form('delegate', 'lodha-kshemkalyani', 'delegate'),
  form('linger', 'lodha-kshemkalyani', 'linger'),
];

export const improvements: Experiment = {
  id: 'lodha-kshemkalyani/improvements',
  paper: 'lodha-kshemkalyani',
  measure: (using) => {
    const loaded = againstLoad(using, FORMS, { delay: 'constant:1', cs: 10 });
    const [ricart, lodha] = loaded.map(({ trials }) => trials);
    const ratio = RATES.map(
      (_, i) =>
        lodha![i]!.of((r) => r.messagesPerEntry).mean /
        ricart![i]!.of((r) => r.messagesPerEntry).mean,
    );
    return {
      claims: [
        {
          ...{ id: 'improves-at-every-load', where: 'section 5', from: [...ricart!, ...lodha!] },
          claim: 'It improves upon Ricart and Agrawala’s algorithm, or is as good, at every load.',
          judged: atMost('messages, Lodha–Kshemkalyani / Ricart–Agrawala, seven loads', 1, ratio),
        },
      ],
      figures: [
        {
          ...{ id: 'lk-improvements', kind: 'lines', paper: 'lodha-kshemkalyani' },
          title: 'The improvements of section 5, ten nodes: messages per entry',
          caption:
            'The algorithm saves where requests are concurrent; delegating and lingering save where ' +
            'requests were deferred, which is where the load is high.',
          x: xOfLoad,
          y: { label: 'messages per entry' },
          series: seriesOf(loaded, (r) => r.messagesPerEntry),
        },
      ],
    };
  },
};
