/** Raymond 1989, abstract and sections 1 to 4. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
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
  },
  {
    title: '1 Introduction',
    sentences: [
      {
        quote: 'the algorithm of Suzuki and Kasami [4] requires at most N messages.',
        printed: ['suzuki-kasami'],
      },
      {
        quote:
          'Maekawa [2] further reduces the number of messages per critical section entry to O(√N).',
        printed: ['maekawa'],
      },
    ],
  },
  {
    title: '2 An informal description of our algorithm',
    sentences: [
      {
        quote:
          'All messages used in our algorithm are sent along the (undirected) edges of this tree.',
        printed: ['figure-1'],
      },
      {
        quote:
          'the combined HOLDER information of all nodes represents a single directed path from each node to the privileged node, as shown in Figure 2.',
        printed: ['figure-2'],
      },
      {
        quote:
          'Thus a series of REQUEST messages travels along the path between the requesting node A and the privileged node E.',
        printed: ['figure-2-steps'],
      },
      {
        quote: 'the directed path tree of Figure 2 has become the tree shown in Figure 3',
        printed: ['figure-3'],
      },
      {
        quote:
          'the HOLDER variables collectively maintain directed paths from each node to the privileged node.',
        printed: ['holders'],
      },
    ],
  },
  {
    title: '3.1 Information held by each node',
    sentences: [
      {
        quote: 'the maximum size of a REQUEST_Q is number of neighbors + 1 (for self).',
        printed: ['queue'],
      },
      {
        quote: 'USING indicates if X is currently executing the critical section.',
        printed: ['using'],
      },
      {
        quote: 'there is at most one occurrence of each name in a REQUEST_Q',
        printed: ['queue-once'],
      },
    ],
  },
  {
    title: '3.3 Sending a REQUEST message',
    sentences: [
      {
        quote:
          'The variable ASKED is true when “self” is in the REQUEST_Q of a neighboring HOLDER (or will be after the arrival of the REQUEST message), and false otherwise.',
        printed: ['asked'],
      },
    ],
  },
  {
    title: '3.5 Message overtaking',
    sentences: [
      {
        quote:
          'Message traffic between a pair of neighboring nodes must conform to a logical pattern, and ' +
          'hence there is no need for message sequence numbers to enforce the physical order of arrival.',
        printed: ['overtaking'],
      },
      {
        quote:
          'Consider the sequence of messages between a pair of neighboring nodes X and Y, shown in Figure 4.',
        printed: ['figure-4'],
      },
      {
        quote:
          'The only message overtaking that may occur is when a PRIVILEGE message is sent from node X to node Y, say, closely followed by a REQUEST message from node X to node Y.',
        printed: ['figure-4-overtaking'],
      },
      {
        quote:
          'However it is not necessary to do so, as the algorithm (as presented) is insensitive to such overtaking.',
        printed: ['overtaking-deferred', 'overtaking-deferred-messages'],
      },
      {
        quote:
          'either Y will enter the critical section or Y will send the PRIVILEGE message to the neighbor at the head of REQUEST_Q_Y (which will not be X).',
        printed: ['overtaken-privilege'],
      },
    ],
  },
  {
    title: '4.1 Mutual exclusion is assured',
    sentences: [
      {
        quote:
          'Provided only one node is privileged initially, there will continue to be either only one privileged node, or else there is no privileged node (during the finite time it takes to transmit the PRIVILEGE message).',
        printed: ['one-privilege'],
      },
    ],
  },
  {
    title: '4.2 Deadlock is impossible',
    sentences: [
      {
        quote: 'In summary, our algorithm is deadlock-free',
        printed: ['deadlock'],
      },
    ],
  },
  {
    title: '4.3 Starvation is impossible',
    sentences: [
      {
        quote:
          'As the queues are held in FIFO order, the position of a particular element cannot increase.',
        printed: ['vector-increases-never'],
      },
      {
        quote:
          'Each of the possible actions of the privileged node Y (described below) reduces the value of the vector',
        printed: ['vector-decreases'],
      },
      {
        quote:
          'Once X’s REQUEST message has propagated to either the privileged node or another requesting node, X is guaranteed to enter the critical section eventually.',
        printed: ['starvation'],
      },
    ],
  },
];
