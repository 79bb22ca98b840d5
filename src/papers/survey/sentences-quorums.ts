/** Velazquez 1993, section 5 from Maekawa on, and sections 6 and 7: quorums, several at a time. */
import type { Section, Sentence } from '../sentences.ts';

const maekawa: readonly Sentence[] = [
  {
    quote: 'The size of these sets is square root of N.',
    see: ['survey/maekawa', 'survey/minimal-fpp'],
  },
  {
    quote:
      'Since the set intersects with every other set of other nodes, mutual exclusion is guaranteed.',
    see: ['survey/starvation-maekawa'],
  },
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
    quote:
      'If some node on the path fails, it is replaced by two paths starting from the children of the failed node and terminating with the leaves.',
    see: ['survey/agrawal-el-abbadi-failures'],
  },
  {
    quote: 'If a leaf node on a path has failed, then a quorum cannot be formed.',
    see: ['survey/agrawal-el-abbadi-fatal'],
  },
  {
    quote:
      'The algorithm incorporates fault-tolerance by providing several alternative tree quorums to a requesting node.',
    see: ['survey/degrades-tree'],
  },
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
      'The total number of messages exchanged for an entry to the CS to take effect can be reduced considerably if the nodes are logically organized [1].',
    see: ['survey/maekawa', 'survey/agrawal-el-abbadi'],
  },
  {
    quote: 'These algorithms exhibit the property of graceful degradation [2].',
    see: ['survey/degrades-tree', 'survey/degrades-grid', 'survey/degrades-fpp'],
  },
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
    quote:
      'A node is allowed to enter the CS when at least N - (k - 1) nodes are not executing within the CS.',
    see: ['survey/k-at-once'],
  },
  {
    quote: 'By the intersection property, at most k nodes can enter the CS simultaneously.',
    see: ['survey/k-at-once', 'survey/k-coterie-laws'],
  },
  {
    quote:
      'If a node holds at least one idle token, it can enter the CS without the need to send a request.',
    see: ['survey/srimani-reddy'],
  },
  {
    quote:
      "A major task in Kakugawa's et al algorithm [7] is to construct the quorums for the k-coterie. It is not a trivial task.",
    notRun: 'A remark: the survey gives no construction.',
  },
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
      'When it leaves the CS, it updates the information in the token with its current request serviced.',
    printed: ['srimani-reddy-as-told', 'srimani-reddy-as-told-safe'],
  },
  {
    quote:
      'In their algorithm, the condition if RN[i]:=1 in procedure P1, should be equal to 2 rather than to 1.',
    notRun:
      'This one condition of procedure P1 is printed, and nothing around it: neither what the branch does, nor ' +
      'what RN[i] counts in a bounded round. A run of it would be a run of our guess.',
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

const conclusions: readonly Sentence[] = [
  {
    quote: 'In this survey, 21 distributed mutual exclusion algorithms have been presented.',
    notRun: 'A count; the catalogue has all of them (docs/algorithms.md).',
  },
  {
    quote: 'Coteries provide for a high level of faulttolerance as well.',
    see: ['survey/quorums-tolerate'],
  },
  {
    quote:
      'The number of messages can be reduced considerably if the nodes are logically strutured.',
    see: ['survey/raymond', 'survey/agrawal-el-abbadi'],
  },
];

export const sections: readonly Section[] = [
  { title: '5 Maekawa', sentences: maekawa },
  { title: '5 Sanders', sentences: sanders },
  { title: '5 Agrawal-El Abbadi', sentences: agrawal },
  { title: '5 Singhal, dynamic structure', sentences: singhalDynamic },
  { title: '5.1 Table 2', sentences: permissionTable },
  { title: '6 Several at a time', sentences: several },
  { title: '7 Conclusions', sentences: conclusions },
];
