/** Sections 5 and 6.1 to 6.3: what the forms cost and how long they make wait, against the load. */
import { againstLoad, seriesOf, xOfLoad } from '../against-load.ts';
import type { Experiment } from '../experiment.ts';
import { about } from '../judge.ts';

const N = 10;
const T = 1;
const form = (name: string, ...options: string[]) => ({
  ...{ name, subject: { algorithm: 'ricart-agrawala', nodes: N, options } },
});
const FORMS = [
  form('section 2'),
  form('implicit reply', 'implicit-reply'),
  form('broadcast', 'broadcast'),
  form('ring', 'ring'),
  form('ring, marked', 'ring-marked'),
];

export const forms: Experiment = {
  id: 'ricart-agrawala/forms',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const loaded = againstLoad(using, FORMS, { delay: `constant:${T}`, cs: 10 });
    const [plain, implicit] = loaded.map(({ trials }) => trials[0]!);
    const base = { kind: 'lines', paper: 'ricart-agrawala', x: xOfLoad } as const;
    return {
      claims: [
        {
          ...{ id: 'implicit-reply-light', where: 'section 6.1', from: [implicit!] },
          claim: 'With little contention, implicit replies take nearly N−1 messages.',
          judged: about(
            'N−1',
            N - 1,
            implicit!.of((r) => r.messagesPerEntry),
          ),
        },
        {
          ...{ id: 'implicit-reply-wait', where: 'section 6.1', from: [implicit!] },
          claim: 'With implicit replies a node usually waits for the maximum round trip.',
          note: 'Here the network promises 20, and delivers in 2T.',
          judged: about(
            'the promised round trip, median',
            20,
            implicit!.of((r) => r.waitingTime.p50),
          ),
        },
        {
          ...{ id: 'light-delay', where: 'section 5.4', from: [plain!] },
          claim: 'With little contention the delay is one round trip.',
          judged: about(
            '2T',
            2 * T,
            plain!.of((r) => r.waitingTime.p50),
          ),
        },
      ],
      figures: [
        {
          ...{ ...base, id: 'ra-forms-messages', y: { label: 'messages per entry' } },
          title: 'Ricart and Agrawala’s forms, ten nodes: messages per entry',
          caption:
            'Sections 6.1 to 6.3: implicit replies begin at N−1 and grow with contention, a broadcast and a ' +
            'ring take N whatever the load, a marked ring grows from N.',
          series: seriesOf(loaded, (r) => r.messagesPerEntry),
        },
        {
          ...{ ...base, id: 'ra-forms-wait', y: { label: 'mean wait, in hops', scale: 'log' } },
          title: 'Ricart and Agrawala’s forms, ten nodes: mean wait',
          caption:
            'Section 5: one round trip while there is no contention. A ring pays with N hops for its N ' +
            'messages, until all wait for each other anyway.',
          series: seriesOf(loaded, (r) => r.waitingTime.mean),
        },
      ],
    };
  },
};
