/**
 * Ricart–Agrawala where it is printed otherwise than it must be: two of the modifications in section 6 of
 * the paper itself, and the algorithm as Lodha and Kshemkalyani restate it in their Figure 1.
 */
import type { Printed } from '../../core/printed.ts';
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';
import { unknown } from './published.ts';
import { request, unseen, writers } from './ricart-agrawala-numbers.ts';

export const bounded: Printed = {
  name: 'bounded',
  quote: {
    where: 'section 2.2, with section 6.4',
    text:
      'Our_Sequence_Number := Highest_Sequence_Number + 1; … The sequence numbers can be stored modulo M ' +
      'where M ≥ 2N − 1.',
  },
  reading:
    'The code is run as it stands: Highest_Sequence_Number is assigned only where a REQUEST is received. ' +
    'The node’s own number does not count as seen.',
  about:
    'A node falls behind the numbers of the others by more than N−1, because it does not count its own ' +
    'number as seen. It then compares wrongly modulo 2N−1, and two sites are inside.',
  charitable: {
    reading:
      'The comment on the variable is what is meant: “The highest sequence number seen in any REQUEST ' +
      'message sent or received”. The code lacks one assignment.',
    algorithm: writers,
  },
  published: unknown,
  correction: 'The own number counts as seen, as the comment on the paper’s variable says.',
  algorithm: unseen,
  shows: { nodes: 2, entries: [1, 2], options: ['bounded'], violates: 'mutual-exclusion' },
  also: {
    quote: {
      where: 'section 7.2.3, method 1',
      text: 'Ask all other nodes for their Highest_Sequence_Number and use the largest.',
    },
    about:
      'A new node is not told of the number with which one of the others is inside. It takes the same ' +
      'number, has the lower name, and enters: two sites are inside.',
    shows: {
      nodes: 2,
      entries: [1, 1],
      options: ['membership'],
      crashes: 1,
      violates: 'mutual-exclusion',
    },
  },
};

export const ringMarked: Printed = {
  name: 'ring-marked',
  quote: {
    where: 'section 6.3',
    text:
      'The Outstanding_Reply_Count is then set according to the notations when it arrives back at the ' +
      'initiating node.',
  },
  reading: 'The count becomes the number of notations, whatever it was before.',
  about:
    'A node that has marked the REQUEST may send its REPLY before the REQUEST is back. The count is set ' +
    'after that, and the REPLY is never counted: deadlock.',
  charitable: {
    reading:
      'The notations are added to the count, which REPLYs that came before have taken below zero.',
    algorithm: writers,
  },
  published: unknown,
  correction: 'The notations are added to the count, which early REPLYs have taken below zero.',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      MARKED_ROUND: (my, site, from, message) => {
        if (message.origin === site.me && 'missing' in my) my.missing = 0;
        ours.on.MARKED_ROUND(my, site, from, message);
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [1, 1], options: ['ring-marked'], violates: 'deadlock-freedom' },
};

export const lkFig1: Printed = {
  name: 'lk-fig1',
  quote: {
    where: 'Lodha and Kshemkalyani, figure 1, RcvReq 1',
    text:
      'Pi’s REQUEST has a higher priority than Pj’s REQUEST. In this case, Pi sets RDi[j] = 1 and ' +
      'Highest_Sequence_Number_Seeni = max(Highest_Sequence_Number_Seeni, SN).',
  },
  reading:
    'The figure is run as it stands: the highest number is updated in this case, and in no other. ' +
    'Figure 1 is inconsistent with section 2.1 of the same paper.',
  about:
    'The highest number seen is updated only by a REQUEST that is deferred. So a later request gets an ' +
    'earlier number, and two sites are inside.',
  charitable: {
    reading:
      'Section 2.1 has the rule right, and the figure abridges it: “When a REQUEST is received, ' +
      'Highest_Sequence_Number_Seen is updated”, whatever the answer is.',
    algorithm: { ...writers, request },
  },
  published: unknown,
  correction: 'Every REQUEST counts as seen, as in the paper of Ricart and Agrawala.',
  algorithm: {
    ...writers,
    request,
    on: {
      ...ours.on,
      REQUEST: (my, site, from, message) => {
        const before = 'highest' in my ? my.highest : 0;
        ours.on.REQUEST(my, site, from, message);
        if ('missing' in my && !my.deferred[from]) my.highest = before;
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [1, 1], violates: 'mutual-exclusion' },
};
