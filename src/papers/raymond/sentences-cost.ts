/** Raymond 1989, sections 5 and 6. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
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
        printed: ['line-average', 'line-distance'],
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
    title: '6 Two variations on the algorithm',
    sentences: [
      {
        quote: 'which can be applied either separately or together to improve its efficiency.',
        printed: ['together', 'together-messages'],
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
      {
        quote:
          'A neighboring node at the head of REQUEST-Q can be overtaken by "self" at most once.',
        printed: ['greedy-overtaken'],
      },
      {
        quote:
          'the Greedy Strategy has little effect in a system with light demand for the privilege',
        printed: ['greedy-light'],
      },
    ],
  },
];
