/** Raymond 1989, by section. */
import type { Section } from '../sentences.ts';
import { abstract, proofs } from './sentences-proofs.ts';

export const sections: readonly Section[] = [
  abstract,
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
    title: '3.1 Information held by each node',
    sentences: [
      {
        quote: 'the maximum size of a REQUEST_Q is number of neighbors + 1 (for self).',
        printed: ['queue'],
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
    ],
  },
  proofs,
  {
    title: '5 Cost of the algorithm',
    sentences: [
      {
        quote:
          'This worst case occurs when the privilege is passed from node A to node B, where nodes A and ' +
          'B have the greatest possible distance between them.',
        printed: ['worst-any-tree'],
      },
      {
        quote:
          'The diameter, D, of such a topology is N - 1, and thus the number of messages sent (i.e., ' +
          '2*(N - 1)) is comparable with Ricart and Agrawala’s algorithm',
        printed: ['worst-line'],
      },
      {
        quote:
          'the average distance between the requesting node and the privileged node is (N + 1)/3, and ' +
          'thus the number of messages sent is … 2N/3',
        printed: ['line-average'],
      },
      {
        quote: 'an improvement over the N messages required by Suzuki and Kasami’s algorithm.',
        printed: ['line-beats-suzuki-kasami'],
      },
      {
        quote:
          'If the valency of each nonleaf node of the star is K, then the diameter of the tree is',
        printed: ['star-diameter', 'star-diameter-any-n'],
      },
      {
        quote:
          'Thus the worst case for this topology is O(log_{K-1} N), which is better than Maekawa’s ' +
          'O(√N) algorithm.',
        printed: ['star-beats-maekawa'],
      },
      {
        quote:
          'Thus as N increases, the average distance between a pair of nodes approaches (but does not ' +
          'reach) the diameter of the tree.',
        printed: ['star-unreached'],
      },
      {
        quote:
          'extensive empirical measurements on randomly constructed trees show that the diameter of such ' +
          'trees is typically O(log N).',
        ours: ['random-tree-diameter'],
      },
      {
        quote:
          'Thus we make the claim that the number of messages exchanged by our algorithm is typically ' +
          'O(log N), which is supported by the results of extensive simulations.',
        ours: ['random-tree-messages'],
      },
    ],
  },
  {
    title: '5.1 Performance under heavy demand',
    sentences: [
      {
        quote:
          'As the number of nodes wishing to enter the critical section increases, the number of messages ' +
          'sent per entry to the critical section decreases.',
        printed: ['falls-with-demand'],
      },
      {
        quote:
          'When the system is saturated (all nodes but the privileged node are waiting to enter the ' +
          'critical section), approximately four messages are sent per critical section entry.',
        printed: ['falls-to-four'],
      },
      {
        quote:
          'the path of the PRIVILEGE messages travels along each of the N - 1 edges exactly twice in ' +
          'order to bring the privilege to all N nodes.',
        printed: ['traversal'],
      },
      {
        quote:
          'Hence a total of 4(N - 1) messages are sent among the N nodes when the system is saturated',
        printed: ['saturation'],
      },
    ],
  },
  {
    title: '6.1 The piggyback strategy',
    sentences: [
      {
        quote:
          'The number of REQUEST messages eliminated by piggybacking is almost zero in a low demand system',
        printed: ['piggyback-light'],
      },
      {
        quote:
          'Thus for the tree shown in Figure 7, approximately 2/3 of the REQUEST messages could ' +
          'be piggybacked when the system is saturated.',
        printed: ['piggyback-figure-7', 'piggyback-messages'],
      },
      {
        quote:
          'For large complete trees of valency K, piggybacking eliminates approximately K/2(K - 1) of ' +
          'the REQUEST messages when the system is saturated.',
        printed: [
          'piggyback-valency-3',
          'piggyback-valency-4',
          'piggyback-valency-5',
          'piggyback-valency-10',
        ],
      },
      {
        quote:
          'For a straight line topology (a complete tree of valency 2), almost all REQUEST messages will ' +
          'be piggybacked in a saturated system.',
        printed: ['piggyback-line'],
      },
      {
        quote: 'piggybacking has no other impact on the algorithm or its performance.',
        printed: ['piggyback-only'],
      },
    ],
  },
  {
    title: '6.2 The greedy strategy',
    sentences: [
      {
        quote:
          'the Greedy Strategy has little effect in a system with light demand for the privilege',
        printed: ['greedy-light'],
      },
      {
        quote:
          'the Greedy Strategy reduces the average delay between a node requiring the privilege and ' +
          'receiving it.',
        printed: ['greedy-average'],
      },
      {
        quote:
          'This, in turn, increases the number of entries to the critical section that can be achieved in ' +
          'a given time.',
        printed: ['greedy-throughput'],
      },
      {
        quote:
          'In the standard algorithm, the delay times for all nodes, leaf or nonleaf, are almost equal',
        printed: ['standard-fair'],
      },
      {
        quote: 'each nonleaf will obtain the privilege three times more often than a leaf node',
        printed: ['greedy-entries'],
      },
      {
        quote: 'the delay time for a leaf node will be three times longer than for a nonleaf node.',
        printed: ['greedy-delay'],
      },
      {
        quote: 'The Greedy Strategy preserves the starvation-free nature of the algorithm',
        printed: ['greedy-starvation'],
      },
    ],
  },
  {
    title: '7 Initialization',
    sentences: [
      {
        quote:
          'A assigns HOLDER_A to B, and then sends an INITIALIZE message to all of its neighbors (other than B).',
        printed: ['initialize'],
      },
      {
        quote:
          'Once a node has received the INITIALIZE message, it may request the privilege (even though ' +
          'other parts of the tree may not yet be initialized).',
        printed: ['initialize-early'],
      },
    ],
  },
  {
    title: '8 Node failure',
    sentences: [
      {
        quote:
          'In the event of a node failing and losing the information required for this algorithm, it is ' +
          'possible to reconstruct that information from the node’s neighbors when the node restarts.',
        corrected: ['recovery'],
      },
      {
        quote:
          'Node X then sends RESTART messages to each of its neighbors, and awaits the ADVISE messages ' +
          'that each neighbor will send in reply.',
        corrected: ['recovery-messages'],
      },
    ],
  },
  {
    title: '8.1 The ADVISE message',
    sentences: [
      {
        quote:
          'Hence X is not the privileged node (it is node Y or beyond), and ASKED_X must be false.',
        printed: ['recovery-asked'],
      },
    ],
  },
  {
    title: '8.6 Assistance from neighboring nodes',
    sentences: [
      {
        quote:
          'While this eliminates the need for complex resynchronization among X and its neighbors, it ' +
          'allows REQUEST and PRIVILEGE messages to overtake ADVISE messages.',
        printed: ['recovery-overtaken'],
      },
    ],
  },
  {
    title: '8.8 Extent of survivable failures',
    sentences: [
      {
        quote:
          'The recovery mechanism will work even in the event of concurrent node failures, provided that ' +
          'the failures do not occur in adjacent nodes.',
        corrected: ['recovery-apart'],
      },
      {
        quote:
          'further research is needed to determine the ability of this group recovery mechanism to ' +
          'survive the subsequent failure of either recovering or neighboring nodes.',
        notRun: 'The paper leaves the mechanism to further research.',
      },
    ],
  },
  {
    title: '9 Conclusions',
    sentences: [
      {
        quote:
          'each message requires only sufficient bits to indicate … the type of the message (e.g., ' +
          'REQUEST, PRIVILEGE, INITIALIZE)',
        printed: ['message-size'],
      },
      {
        quote:
          'it will be possible to multiplex this small number of bits onto other outgoing messages to ' +
          'further reduce the bandwidth required.',
        notRun: 'It depends on other traffic, which is not in the model.',
      },
    ],
  },
];
