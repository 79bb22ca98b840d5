/** Velazquez 1993, sections 5 to 7: algorithms that ask permission, and several at a time. */
import type { Section, Sentence } from '../sentences.ts';

const permissionIntroduction: readonly Sentence[] = [
  {
    quote: 'requires a requesting node to obtain permission from only a majority (N+1)/2 of nodes.',
    printed: ['majority'],
  },
  {
    quote: 'The intersection of any two majorities has at least one node in common.',
    printed: ['majority-meet'],
  },
  {
    quote: 'no quorum is a subset of any other one (minimality property).',
    printed: ['minimal-majority', 'minimal-grid', 'minimal-fpp', 'minimal-triangle'],
  },
  {
    quote:
      'All the algorithms presented in this section claim to satisfy the mutual exclusion requirement, ' +
      'be deadlock free and starvation free. The first four algorithms',
    printed: [
      ...['starvation-lamport', 'starvation-ricart-agrawala', 'starvation-carvalho-roucairol'],
      ...['starvation-sanders', 'starvation-agrawal-el-abbadi', 'starvation-singhal-dynamic'],
    ],
    corrected: ['starvation-raynal-primes', 'starvation-maekawa'],
  },
];

const lamport: readonly Sentence[] = [
  {
    quote: 'Requests are served in a first-come-first-served manner. The algorithm assumes',
    printed: ['served-lamport'],
  },
  { quote: 'Message-order preservation is required', printed: ['links-lamport'] },
  {
    quote:
      'the total number of messages exchanged for an entry to a critical section is 3 * (N-1).',
    printed: ['lamport'],
  },
];

const ricartAgrawala: readonly Sentence[] = [
  {
    quote: 'The algorithm requires 2 * (N-1) messages for an entry to the CS to take effect.',
    printed: ['ricart-agrawala'],
  },
  {
    quote:
      'It assumes the existence of an error-free underlying communications network. Message transfer ' +
      'delays are finite, but unpredictable, and message-order preservation is not required. Requests are serviced',
    printed: ['links-ricart-agrawala'],
  },
  {
    quote: 'Requests are serviced in a first-come-first-served manner.',
    printed: ['served-ricart-agrawala'],
  },
];

const carvalho: readonly Sentence[] = [
  {
    quote:
      'The algorithm requires from 0 to 2 * (N-1) messages for an entry to the CS to take effect.',
    printed: ['carvalho-roucairol'],
  },
  {
    quote:
      'It assumes there is a reliable underlying communications network. Message transfer delays are ' +
      'finite, but unpredictable, and message-order preservation is not required.',
    printed: ['links-carvalho-roucairol'],
  },
];

const raynal: readonly Sentence[] = [
  {
    quote:
      'sends a request message of the form REQUEST(i) to all other N-1 nodes and waits to receive a ' +
      'reply message from all other nodes.',
    corrected: ['raynal-poll'],
  },
  {
    quote: 'node i computes T, the total product of all values Xj received.',
    printed: ['raynal-product'],
  },
  {
    quote:
      'The algorithm can suffer from deadlock if the next node in the logical ring does not want to enter the CS',
    corrected: ['raynal-deadlock'],
  },
  {
    quote: 'The number of messages exchanged has an upper bound of 2(N-1)2.',
    corrected: ['raynal-bound'],
  },
  {
    quote:
      'It updates its variable Xi to give the permission to another node. This avoids deadlocks.',
    corrected: ['raynal-modified'],
  },
  {
    quote:
      'The total number of messages exchanged for a CS entry has an upper bound of (N-1)2 in the worst ' +
      'case, when the next node wishing to enter the CS is the farthest node in the circular ring from ' +
      'the node currently owning the permission.',
    corrected: ['raynal-modified-bound'],
  },
];

const maekawa: readonly Sentence[] = [
  {
    quote:
      'If the request from node i has the lowest sequence number, then an inquire message is sent to the ' +
      'node to which permission was granted',
    printed: ['maekawa-told'],
  },
  {
    quote:
      "If any request in the queue has a lower sequence number than that of i's, a failed message is sent to node i.",
    printed: ['as-told-maekawa'],
  },
  {
    quote:
      'The total number of messages exchanged in a mutual exclusion invocation is C * SQRT(N), where C ' +
      'is a constant between 3 and 5.',
    corrected: ['maekawa'],
  },
  {
    quote:
      'The algorithm assumes the existence of an error-free underlying communications network. Message ' +
      'transfer delays are finite, but unpredictable, and message-order preservation is required. Sanders',
    printed: ['links-maekawa'],
  },
];

const sanders: readonly Sentence[] = [
  {
    quote:
      'Sanders introduces the concept of an information structure as a unifying principle behind several ' +
      'algorithms that have been proposed [9, 20, 3].',
    ours: ['sanders-carvalho-roucairol'],
  },
  {
    quote: 'When constructing the sets, two conditions must be satisfied',
    ours: ['sanders-carvalho-roucairol-safe'],
  },
  {
    quote:
      'The total number of messages required for an entry to the CS to take effect is |Ii-{i}| + 2(|Ri-{i}|).',
    printed: ['sanders'],
  },
  {
    quote:
      'Message transfer delays are finite, but unpredictable, and message-order preservation is ' +
      'required. Agrawal-El Abbadi',
    printed: ['links-sanders'],
  },
];

const agrawal: readonly Sentence[] = [
  {
    quote: 'none of the tree quorums is a superset of any other one.',
    printed: ['minimal-tree'],
  },
  {
    quote:
      'All nodes in the binary tree that form a path from the root to a leaf define a tree quorum.',
    printed: ['agrawal-el-abbadi-path'],
  },
  {
    quote:
      'Under the absence of failures the algorithm requires O(log N) messages exchanged for an entry to ' +
      'the CS to take effect',
    printed: ['agrawal-el-abbadi'],
  },
  {
    quote: 'and it requires (N+1)/2 messages when some failures occur.',
    printed: ['agrawal-el-abbadi-failures'],
  },
  {
    quote:
      'The algorithm may not be able to form a tree quorum in some cases after the failure of log N nodes.',
    printed: ['agrawal-el-abbadi-fatal'],
  },
  {
    quote:
      'The algorithm is resilient to both node and communication failures and can be generalized to ' +
      'arbitrary trees.',
    ours: ['agrawal-el-abbadi-trees', 'agrawal-el-abbadi-trees-cost'],
  },
];

const singhalDynamic: readonly Sentence[] = [
  {
    quote:
      'Under light load, the algorithm requires an average of (N - 1) messages exchanged for an entry to ' +
      'the CS to take effect.',
    printed: ['singhal-dynamic-light'],
  },
  {
    quote: 'Under heavy load, it requires 3 * (N - 1)/2.',
    ours: ['singhal-dynamic-heavy'],
  },
  {
    quote:
      'The algorithm assumes that message transmission delay is finite, but unpredictable, and that ' +
      'messages are delivered in the order they were sent.',
    ours: ['links-singhal-dynamic'],
  },
  {
    quote:
      'The impact of message loss and site failures is discussed and methods to tolerate these failures ' +
      'are proposed.',
    notRun: 'The survey does not tell these methods.',
  },
];

const permissionTable: readonly Sentence[] = [
  {
    quote:
      'Algorithms based on quorums provide more tolerance to faults than other algorithms [2, 1]',
    printed: ['quorums-tolerate'],
  },
  {
    quote:
      'The cost, in messages, of forming a quorum increases as failures increase, and the probability of ' +
      'forming a quorum decreases.',
    printed: [
      ...['degrades-majority', 'degrades-grid', 'degrades-fpp', 'degrades-tree'],
      'degrades-triangle',
    ],
  },
];

const several: readonly Sentence[] = [
  {
    quote: 'To construct a k-coterie, three conditions must hold.',
    printed: ['k-coterie-laws'],
  },
  {
    quote:
      'three algorithms that allow multiple nodes to execute the CS simultaneously are presented.',
    printed: ['k-at-once'],
  },
  {
    quote:
      'The algorithm requires at most 2 * (N - 1) messages exchanged for an entry to the CS to take effect.',
    printed: ['raymond-k'],
  },
  {
    quote:
      'Message transfer delays are finite, but unpredictable, and the order of reception of messages is unpredictable.',
    printed: ['links-raymond-k'],
  },
  {
    quote: 'The algorithm requires N + K - 1 messages exchanged (L is a very large integer)',
    corrected: ['srimani-reddy'],
  },
  {
    quote:
      'Message transfer delay are finite, but unpredictable, and message-order preservation is not ' +
      'required. Note:',
    corrected: ['links-srimani-reddy'],
  },
  {
    quote:
      'In their algorithm, the condition if RN[i]:=1 in procedure P1, should be equal to 2 rather than to 1.',
    notRun:
      'The survey tells procedure P1 in words only: where its condition stands cannot be known.',
  },
  {
    quote:
      'if less than k processes are in the CS, then a requesting process can enter the CS by selecting ' +
      'an appropriate quorum.',
    printed: ['k-coterie-choice'],
  },
  {
    quote:
      'As a simplistic example, assume k=2, N=4 and the quorums in the kcoterie are q1 = {1,2}, q2 = ' +
      '{1,3}, q3 = {2,4}, and q4 = {3,4}. Two nodes can execute the CS simultaneously.',
    printed: ['k-coterie-example'],
  },
  {
    quote: 'The total number of messages required is C * s, where C is a constant between 3 and 5.',
    printed: ['kakugawa'],
    ours: ['k-coterie-cost'],
  },
];

export const sections: readonly Section[] = [
  { title: '5 Permission-based algorithms', sentences: permissionIntroduction },
  { title: '5 Lamport', sentences: lamport },
  { title: '5 Ricart-Agrawala', sentences: ricartAgrawala },
  { title: '5 Carvalho-Roucairol', sentences: carvalho },
  { title: '5 Raynal', sentences: raynal },
  { title: '5 Maekawa', sentences: maekawa },
  { title: '5 Sanders', sentences: sanders },
  { title: '5 Agrawal-El Abbadi', sentences: agrawal },
  { title: '5 Singhal, dynamic structure', sentences: singhalDynamic },
  { title: '5.1 Table 2', sentences: permissionTable },
  { title: '6 Several at a time', sentences: several },
];
