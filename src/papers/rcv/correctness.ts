/** Section 5 and what the abstract promises besides: exclusion, no deadlock, any order of messages, crashes. */
import type { CheckReport } from '../../check/check.ts';
import type { Experiment } from '../experiment.ts';
import type { Trial } from '../instruments.ts';
import { atMost } from '../judge.ts';
import { isProved } from '../report.ts';

export const correctness: Experiment = {
  id: 'rcv/correctness',
  paper: 'rcv',
  measure: (using) => {
    const subject = { algorithm: 'relative-consensus-voting', nodes: 3 };
    const deadlock = using.checkPrinted(subject.algorithm, 'section-4');
    const printed = using.checkPrinted(subject.algorithm, 'theorem-1');
    const kindly = ['theorem-1', 'section-4'].map((name) =>
      using.checkCharitably(subject.algorithm, name),
    ) as [CheckReport & Trial, CheckReport & Trial];
    const asTold =
      'if Exchange deletes all outdated tuples before it copies rows, as section 4.3 tells it';
    const ours = using.check(subject, { entries: 1, links: 'any' });
    const totals = using.check(subject, { entries: 1, reportMessages: true });
    const crash = using.check(subject, { entries: 1, crashes: 1 });
    const { totalMessages = [] } = totals;
    return {
      claims: [
        {
          ...{ id: 'exclusion-as-printed', where: 'theorem 1', from: [printed, kindly[0]] },
          claim: 'Mutual exclusion is achieved by the procedures of section 4.',
          judged: isProved(printed),
          only: { condition: asTold, judged: isProved(kindly[0]) },
          because:
            'As the loop of Exchange is printed, it copies a row before it has come to the row that shows ' +
            `what is outdated in it. In ${printed.depth} steps two are inside; docs/errata.md shows them.`,
        },
        {
          ...{ id: 'deadlock-as-printed', where: 'theorem 2', from: [deadlock, kindly[1]] },
          claim: 'The procedures of section 4 do not deadlock.',
          judged: isProved(deadlock),
          only: { condition: asTold, judged: isProved(kindly[1]) },
          because:
            `As printed, ${deadlock.depth} steps lead to two sites that have ordered two requests ` +
            'oppositely (against lemma 7), and wait for each other; docs/errata.md shows them.',
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
            'sends no node in. Section 3 says that faults are not considered.',
        },
      ],
    };
  },
};
