/** Section 5 and what the abstract promises besides: exclusion, no deadlock, any order of messages, crashes. */
import type { Experiment } from '../experiment.ts';
import { atMost } from '../judge.ts';
import { isProved } from '../report.ts';

export const correctness: Experiment = {
  id: 'rcv/correctness',
  paper: 'rcv',
  measure: (using) => {
    const subject = { algorithm: 'relative-consensus-voting', nodes: 3 };
    const printed = using.checkPrinted(subject.algorithm, 'section-4');
    const ours = using.check(subject, { entries: 1, links: 'any' });
    const totals = using.check(subject, { entries: 1, reportMessages: true });
    const crash = using.check(subject, { entries: 1, crashes: 1 });
    const { totalMessages = [] } = totals;
    return {
      claims: [
        {
          ...{ id: 'exclusion-as-printed', where: 'theorem 1', from: [printed] },
          claim: 'Mutual exclusion is achieved by the procedures of section 4.',
          judged: isProved(printed),
          because:
            `In ${printed.depth} steps two are inside: a node that is ordered but has not ` +
            'heard of it passes for one that has left. docs/errata.md shows the run; ours ' +
            'carries what is finished.',
        },
        {
          ...{ id: 'any-order', where: 'abstract', from: [ours] },
          claim: 'It does not require that messages keep their order.',
          judged: isProved(ours),
          note: 'As corrected.',
        },
        {
          ...{ id: 'every-schedule', where: 'lemma 3, section 6.1.1', from: [totals] },
          claim: 'Whatever the schedule, a request takes at most N−1 forwards, an EM and an IM.',
          judged: atMost('N+1 each, three entries', 12, totalMessages),
        },
        {
          ...{ id: 'crash', where: 'section 1', from: [crash] },
          claim: 'The crash of nodes does not affect the algorithm’s execution.',
          judged: isProved(crash),
          because:
            'A roaming request dies with the node it visits, and a predecessor that is gone ' +
            'sends nobody in. Section 3 says that faults are not considered.',
        },
      ],
    };
  },
};
