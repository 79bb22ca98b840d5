/** Section 6.1: messages, hand-over and response time, as the paper works them out. */
import type { TraceStep } from '../../core/trace.ts';
import { estimate } from '../../sim/samples.ts';
import type { Experiment } from '../experiment.ts';
import type { Watched } from '../instruments.ts';
import { about, atLeast, atMost, exactly } from '../judge.ts';
import { waits } from '../steps.ts';
import { rcv, setting, TC, TN } from './contenders.ts';

const SIZES = [4, 5, 8, 9, 16, 17, 30, 31];
const N = 30;

/** For each request, how often its RM was sent. */
function journeys(steps: readonly TraceStep[]): number[] {
  const sent = new Map<string, number>();
  for (const { message } of steps.flatMap(({ sends }) => sends)) {
    if (message.type !== 'RM') continue;
    const { node, ts } = (message as unknown as { host: { node: number; ts: number } }).host;
    sent.set(`${node} ${ts}`, (sent.get(`${node} ${ts}`) ?? 0) + 1);
  }
  return [...sent.values()];
}

export const analysis: Experiment = {
  id: 'rcv/analysis',
  paper: 'rcv',
  measure: (using) => {
    // Site 1: an even split goes to site 0, which therefore pays one message less where N is even.
    const first = SIZES.map((n) =>
      using.run(rcv.subject(n), { ...setting, workload: 'script', script: '0 request 1' }),
    );
    const solo = using.runs(
      rcv.subject(30),
      { ...setting, workload: 'solo', entries: using.pick(200, 1000) },
      using.pick(3, 10),
    );
    const heavy = using.runs(
      rcv.subject(30),
      { ...setting, workload: 'saturated', entries: using.pick(300, 3000) },
      using.pick(3, 5),
    );
    const rounds = [1, 2, 3].map((seed) =>
      using.watch(rcv.subject(N), { ...setting, workload: 'saturated', entries: 10 * N, seed }),
    );
    const [busy] = rounds as [Watched, ...Watched[]];
    const travelled = journeys(busy.steps);
    const competing = new Map(
      [2, 3, 10, 30].map((m) => {
        const script = Array.from({ length: m }, (_, i) => `0 request ${(i * N) / m}`).join('\n');
        const seeds = Array.from({ length: using.pick(5, 20) }, (_, i) => i + 1);
        return [
          m,
          seeds.map((seed) =>
            using.watch(rcv.subject(N), { ...setting, workload: 'script', script, seed }),
          ),
        ] as const;
      }),
    );
    /** By how much the forwards of each request exceed the claim, where so many or more compete. */
    const beyond = (fewest: number): number[] =>
      [...competing]
        .filter(([m]) => m >= fewest)
        .flatMap(([m, trials]) =>
          trials.flatMap(({ steps }) => journeys(steps).map((j) => j - (Math.floor(N / m) + 2))),
        );
    const half = (n: number) => Math.floor(n / 2);
    return {
      claims: [
        {
          ...{ id: 'light-messages', where: 'section 6.1.1', from: first },
          claim: 'Alone and with no outdated information, an entry takes [N/2]+2 messages.',
          judged: exactly(
            '[N/2]+2',
            SIZES.map((n) => half(n) + 2),
            first.map(({ results }) => results[0]!.messages),
          ),
          because:
            'A request has the vote of its home before it leaves, so that [N/2] votes more ' +
            'decide, not [N/2]+1: [N/2]+1 messages with the EM.',
        },
        {
          ...{ id: 'light-outdated', where: 'section 6.1.1', from: [solo] },
          claim:
            'With outdated information that can be deleted on the way it is [N/2]+2 all the same.',
          judged: about(
            '[N/2]+2',
            half(30) + 2,
            solo.of((r) => r.messagesPerEntry),
          ),
          note: 'With a node that has asked before, an IM is added to the [N/2]+1 of a fresh start.',
        },
        {
          ...{ id: 'worst-journey', where: 'lemma 3, section 6.1.1', from: [busy] },
          claim: 'A request is forwarded at most N−1 times.',
          judged: atMost('N−1', 29, travelled),
        },
        {
          ...{ id: 'heavy-journey', where: 'section 6.1.1', from: [...competing.values()].flat() },
          claim: 'When m nodes compete, a request is forwarded [N/m]+2 times at least.',
          judged: atLeast('forwards − ([N/m]+2), N = 30, m = 2, 3, 10, 30', 0, beyond(2)),
          only: {
            condition: 'where three or more compete',
            judged: atLeast('forwards − ([N/m]+2)', 0, beyond(3)),
          },
          because:
            'Two that compete need 16 votes of 30, and each has the vote of its home: 15 forwards, not 17.',
        },
        {
          ...{ id: 'hand-over', where: 'section 6.1.2', from: [heavy] },
          claim: 'The synchronization delay is T: one EM from an exit to the next entry.',
          judged: about(
            'T',
            TN,
            heavy.of((r) => r.synchronizationDelay.mean),
          ),
        },
        {
          ...{ id: 'light-response', where: 'section 6.1.3', from: first },
          claim: 'Alone, an entry takes ([N/2]+2)·Tn until it is granted.',
          judged: exactly(
            '([N/2]+2)·Tn',
            SIZES.map((n) => (half(n) + 2) * TN),
            first.map(({ results }) => results[0]!.waitingTime.mean),
          ),
          because: 'One hop less, as with the messages: ([N/2]+1)·Tn.',
        },
        {
          ...{ id: 'heavy-response', where: 'section 6.1.3', from: rounds },
          claim: 'Under high load the response time is N(Tn+Tc).',
          judged: about('N(Tn+Tc)', N * (TN + TC), estimate(rounds.map(meanResponse))),
          note: 'The mean, from request to exit, without the first round: its requests wait for fewer.',
        },
      ],
    };
  },
};

function meanResponse({ steps }: Watched): number {
  const later = waits(steps).slice(N);
  return TC + later.reduce((sum, wait) => sum + wait, 0) / later.length;
}
