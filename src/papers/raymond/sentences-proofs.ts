/** Raymond 1989: the abstract, and the proofs of sections 4.1 and 4.2. */
import type { Section } from '../sentences.ts';

export const abstract: Section = {
  title: 'Abstract',
  sentences: [
    {
      quote:
        'typically the number of messages exchanged is O(log N) under light demand, and reduces to approximately four messages under saturated demand.',
      see: ['raymond/random-tree-messages', 'raymond/falls-to-four'],
    },
    {
      quote: 'failed nodes can recover necessary information from their neighbors.',
      see: ['raymond/recovery'],
    },
    {
      quote:
        'The algorithm does not require sequence numbers as it operates correctly despite message overtaking.',
      see: ['raymond/overtaking'],
    },
  ],
};

export const proofs: Section = {
  title: '4.1 and 4.2 Mutual exclusion, deadlock',
  sentences: [
    {
      quote:
        'Provided only one node is privileged initially, there will continue to be either only one privileged node, or else there is no privileged node',
      see: ['survey/starvation-raymond'],
    },
    {
      quote:
        'In summary, our algorithm is deadlock-free, mostly due to the acyclic nature of a tree',
      see: ['survey/starvation-raymond'],
    },
  ],
};
