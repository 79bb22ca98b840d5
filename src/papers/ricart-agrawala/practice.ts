/** Sections 6.6 and 7: readers and writers; nodes that come, go and fail. */
import { findPrinted } from '../../algorithms/catalogue.ts';
import type { Experiment } from '../experiment.ts';
import { exactly, same } from '../judge.ts';
import { isProved } from '../report.ts';
import { mostInside } from '../steps.ts';

const unit = { delay: 'constant:1', cs: 10 } as const;
const WAYS = ['ask-all', 'request-from-each', 'observed', 'quiet', 'fourth-request'];

export const practice: Experiment = {
  id: 'ricart-agrawala/practice',
  paper: 'ricart-agrawala',
  measure: (using) => {
    const ra = (nodes: number, ...options: string[]) => ({
      algorithm: 'ricart-agrawala',
      nodes,
      options,
    });
    const script = (text: string) =>
      using.watch(ra(4), { ...unit, workload: 'script', script: text });
    const readers = using.watch(ra(8), { ...unit, workload: 'once', readers: 1 });
    const both = using.check(ra(3), { entries: [2, 1, 1], modes: ['exclusive', 'shared'] });
    // Site 3 writes; then a reader and a writer ask, in either order.
    const readerFirst = script('0 request 3 stay 30\n5 request 0 shared\n10 request 1');
    const writerFirst = script('0 request 3 stay 30\n5 request 1\n10 request 0 shared');
    const joins = WAYS.map((way) =>
      using.check(ra(3, `membership=${way}`), {
        ...{ entries: 1, links: way === 'fourth-request' ? 'fifo' : 'any' },
      }),
    );
    const left = using.run(ra(3, 'membership'), {
      ...unit,
      workload: 'script',
      script: '0 request 2',
    });
    const { LEAVE = 0, ACKNOWLEDGE = 0 } = left.results[0]!.byType;
    const crash = using.check(ra(2, 'membership'), { entries: 1, crashes: 1 });
    const printed = (name: string) => using.checkPrinted('ricart-agrawala', name);
    const [removal, probe] = [printed('removal'), printed('probe')];
    const { also } = findPrinted('ricart-agrawala', 'bounded');
    const askAll = using.checkPrinted('ricart-agrawala', 'bounded', also!.shows);
    const told = using.check(ra(2, 'membership=ask-all'), { entries: 1, crashes: 1 });
    const bitmap = using.checkCharitably('ricart-agrawala', 'removal');
    const first = ({ order }: typeof readers) => (order[1] === 1 ? 'the writer' : 'the reader');
    return {
      claims: [
        {
          ...{ id: 'readers', where: 'section 6.6', from: [readers] },
          claim: 'Readers never defer a REQUEST of another reader.',
          judged: exactly('inside at once, of eight readers', 8, mostInside(readers.steps)),
        },
        {
          ...{ id: 'readers-writers', where: 'section 6.6', from: [both] },
          claim: 'The modification solves the readers and writers problem.',
          judged: isProved(both),
        },
        {
          ...{ id: 'writers-priority', where: 'section 6.6', from: [readerFirst, writerFirst] },
          claim: 'Writers are given priority.',
          judged: same('the writer', first(readerFirst)),
          only: {
            condition: 'over readers that ask after them',
            judged: same('the writer', first(writerFirst)),
          },
          because:
            'A reader that has asked before a writer goes before it: requests are served by their numbers.',
        },
        {
          ...{ id: 'insertion', where: 'section 7.2.3', from: joins },
          claim: 'Each of five ways gives a new node a number that is high enough.',
          judged: isProved(...joins),
          note:
            'As corrected: a node’s own number counts as seen. Two of three nodes are in the group, and ' +
            'the third joins at any moment; the fifth way over ordered links, as the paper asks.',
        },
        {
          ...{ id: 'insertion-as-printed', where: 'sections 2.2 and 7.2.3', from: [askAll, told] },
          claim:
            'A new node may ask all other nodes for their Highest_Sequence_Number and use the largest.',
          judged: isProved(askAll),
          only: {
            condition: 'if a node’s own number counts as seen, as the comment on the variable says',
            judged: isProved(told),
          },
          because:
            'The code of section 2.2 lacks that assignment, and leaves out the number with which a node ' +
            `is inside: two are inside after ${askAll.depth} steps.`,
        },
        {
          ...{ id: 'removal', where: 'section 7.3', from: [left] },
          claim: 'A node that leaves notifies all others, and they acknowledge.',
          judged: exactly('N−1 and N−1', [2, 2], [LEAVE, ACKNOWLEDGE]),
        },
        {
          ...{ id: 'removal-as-printed', where: 'section 7.3', from: [removal, bitmap] },
          claim:
            'A node that awaits a REPLY of a departing node should pretend that it was received.',
          judged: isProved(removal),
          only: {
            condition:
              'with the bit map of section 7.4, which says from which nodes a REPLY is missing',
            judged: isProved(bitmap),
          },
          because:
            'With the count of section 2.2 a REPLY that is still under way is counted in the place of ' +
            `another: two are inside after ${removal.depth} steps.`,
        },
        {
          ...{ id: 'failure', where: 'section 7.4', from: [crash] },
          claim: 'With time-outs and probes, the failure of a node stops no other.',
          judged: isProved(crash),
          note: 'As corrected, two sites, one crash at any moment.',
        },
        {
          ...{ id: 'failure-as-printed', where: 'section 7.4', from: [probe] },
          claim: 'If Reply_Deferred is false, the correct response to ARE_YOU_THERE is a REPLY.',
          judged: isProved(probe),
          because:
            'Not if the REPLY is on its way: the node has left meanwhile, and sends a second one. A REPLY ' +
            `has no number, and the second counts for the next request: two are inside after ${probe.depth} steps.`,
        },
      ],
    };
  },
};
