/** Ricart and Agrawala 1981, sections 1 to 5: the algorithm, what it costs and how long it takes. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
    title: 'Abstract',
    sentences: [
      {
        quote:
          'The algorithm sends only 2*(N - 1) messages, where N is the number of nodes in the network per critical section invocation.',
        see: ['ricart-agrawala/messages'],
      },
      {
        quote:
          'This number of messages is at a minimum if parallel, distributed, symmetric control is used',
        see: ['ricart-agrawala/optimal'],
      },
      {
        quote:
          'The time needed to achieve mutual exclusion is also minimal under some general assumptions.',
        see: ['ricart-agrawala/light-delay', 'ricart-agrawala/bound-3-achieved'],
      },
      {
        quote:
          'It is shown that the number can be contained in a fixed amount of memory by storing it as the residue of a modulus.',
        see: ['ricart-agrawala/modulus'],
      },
      {
        quote:
          'The "readers and writers" problem is solved by a simple modification of the algorithm',
        see: ['ricart-agrawala/readers-writers'],
      },
    ],
  },
  {
    title: '1 Introduction',
    sentences: [
      {
        quote:
          'It requires approximately 3*(N - 1) messages to be exchanged per critical section invocation.',
        printed: ['lamport'],
      },
      {
        quote: 'is insensitive to the relative speeds of nodes and communication links.',
        notRun: 'No number: the checker explores every relative speed (docs/checked.md).',
      },
    ],
  },
  {
    title: '2.2 Specification',
    sentences: [
      {
        quote: 'A semaphore is used to serialize access to the common variables when necessary.',
        printed: ['processes-as-printed'],
      },
      {
        quote: 'Our_Sequence_Number := Highest_Sequence_Number + 1;',
        printed: ['modulus-as-printed', 'insertion-as-printed'],
      },
    ],
  },
  {
    title: '2.3 Example',
    sentences: [
      {
        quote: 'In Figure 1(a), node 3 is the first to attempt to invoke mutual exclusion.',
        printed: ['figure-1-steps'],
      },
      {
        quote:
          'It uses sequence number 2 since it has received a REQUEST message with a sequence number of 1',
        printed: ['figure-1-number'],
      },
      {
        quote: 'Finally in Figure 1(j), node 1 begins critical section processing.',
        printed: ['figure-1-order'],
      },
      {
        quote:
          'node 1 does nothing since it knows of no other node wishing to invoke mutual exclusion.',
        printed: ['figure-1-messages'],
      },
    ],
  },
  {
    title: '2.4 Discussion',
    sentences: [
      {
        quote:
          'Once node A’s REQUEST messages have been processed by all other nodes, no other node may enter ' +
          'its critical section twice before node A has entered its critical section.',
        printed: ['once-processed'],
      },
      {
        quote:
          'Yet the system as a whole defines a unique virtual ordering based on a first-come-first-served discipline.',
        printed: ['first-come'],
      },
    ],
  },
  {
    title: '3 Assertions',
    sentences: [
      {
        quote: 'ASSERTION. Mutual exclusion is achieved.',
        see: ['ricart-agrawala/first-come', 'survey/starvation-ricart-agrawala'],
      },
      {
        quote: 'ASSERTION. Deadlock is impossible.',
        see: ['ricart-agrawala/first-come', 'survey/starvation-ricart-agrawala'],
      },
      {
        quote: 'ASSERTION. Starvation is impossible.',
        see: ['ricart-agrawala/first-come', 'survey/starvation-ricart-agrawala'],
      },
    ],
  },
  {
    title: '4 Message traffic',
    sentences: [
      {
        quote: 'If the network consists of N nodes, 2*(N - 1) messages are exchanged.',
        printed: ['messages'],
      },
    ],
  },
  {
    title: '4.1 Concurrent processing',
    sentences: [
      {
        quote: 'This number must be a minimum for any parallel, symmetric, distributed algorithm.',
        ours: ['optimal'],
      },
    ],
  },
  {
    title: '4.2 Serial processing',
    sentences: [
      {
        quote:
          'If the algorithm presented here is modified so that messages are sent from node to node ' +
          'sequentially, it achieves the theoretical minimum number of messages in this case also.',
        printed: ['ring'],
      },
    ],
  },
  {
    title: '5 Delay in granting critical sections',
    sentences: [
      {
        quote: 'Therefore, no request can be serviced in less than one round-trip time.',
        printed: ['bound-1'],
      },
      {
        quote:
          'half of the time a critical section grant cannot be made until after the node making the later ' +
          'request has received its round-trip replies.',
        printed: ['bound-2'],
      },
      {
        quote:
          'Once a node has released the critical section resource, no other node can enter its critical ' +
          'section in less than a one-way trip transmission time.',
        printed: ['bound-3'],
      },
      {
        quote:
          'This final reply will reach the next node in a one-way trip time satisfying Bound 3.',
        printed: ['bound-3-achieved'],
      },
      {
        quote: 'The algorithm achieves Bound 1 or Bound 2 depending upon interference.',
        printed: ['bound-1-achieved', 'bound-2-achieved'],
      },
      {
        quote: 'The algorithm therefore has minimal delay times under assumptions 1, 2, and 3.',
        printed: ['light-delay'],
      },
      {
        quote:
          'The delay time envelope when plotted against arrival rate is discussed further in [12].',
        notRun: 'It is in another report, which is not among the five papers.',
      },
      {
        quote: 'this timing information can be used to reduce delay times still further [13].',
        notRun: 'It is in another paper, which is not among the five.',
      },
    ],
  },
];
