/** Section 6.1: messages, hand-over and response time, as the paper works them out. */
import type { TraceStep } from '../../core/trace.ts';
import type { Experiment } from '../experiment.ts';
import { about, atLeast, atMost, exactly } from '../judge.ts';
import { rcv, setting, TC, TN } from './contenders.ts';

const SIZES = [4, 5, 8, 9, 16, 17, 30, 31];

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
    const busy = using.watch(rcv.subject(30), { ...setting, workload: 'saturated', entries: 300 });
    const heavy = using.runs(
      rcv.subject(30),
      { ...setting, workload: 'saturated', entries: using.pick(300, 3000) },
      using.pick(3, 5),
    );
    const travelled = journeys(busy.steps);
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
          ...{ id: 'heavy-journey', where: 'section 6.1.1', from: [busy] },
          claim: 'When m nodes compete, a request is forwarded [N/m]+2 times at least; here m = N.',
          judged: atLeast('[N/N]+2', 3, travelled),
          because:
            'A request that another one’s journey has put in order meets that news at the ' +
            'first node it visits, and goes no farther.',
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
          ...{ id: 'heavy-response', where: 'section 6.1.3', from: [heavy] },
          claim: 'Under high load the response time is N(Tn+Tc).',
          judged: about(
            'N(Tn+Tc)',
            30 * (TN + TC),
            heavy.of((r) => r.responseTime.p50),
          ),
          note: 'The median: the first round, in which nobody waits for all the others, is shorter.',
        },
      ],
    };
  },
};
