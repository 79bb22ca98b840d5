/** Velazquez 1993, section 4 from Raymond on: algorithms with a token that say what a failure does. */
import type { Section, Sentence } from '../sentences.ts';

const raymond: readonly Sentence[] = [
  {
    quote: 'A piggyback strategy could be used to reduce the number of messages.',
    see: ['raymond/piggyback-messages', 'raymond/piggyback-light'],
  },
  {
    quote: 'a single directed path could be deduced from each node to the token holder.',
    see: ['survey/raymond-example'],
  },
  {
    quote:
      'If node E wants to enter its critical section, it needs to send a request to D after placing ' +
      'itself in its own request queue.',
    printed: ['raymond-example'],
  },
  {
    quote: 'Node A receives only one request from node D.',
    printed: ['raymond-example-requests'],
  },
  {
    quote:
      'When node D receives the token, it finds that node E’s request is the oldest one in its request queue.',
    printed: ['raymond-example-order'],
  },
  {
    quote:
      'The algorithm assumes a reliable communications network and finite but unpredictable transfer ' +
      'delays. It does not require message order preservation.',
    printed: ['links-raymond'],
  },
  {
    quote:
      'Messages do not need sequence numbers to enforce the order of events and requests are granted ' +
      'in a first-come-first-served manner.',
    printed: ['served-raymond'],
  },
  {
    quote:
      'The total number of messages exchanged for an entry to a critical section is typically in the ' +
      'order of magnitude of log N.',
    printed: ['raymond'],
  },
  {
    quote:
      'The system can recover from a failed node, providing that not all of its neighbors also fail.',
    corrected: ['raymond-recovers'],
  },
  {
    quote:
      'it cannot recover from the failure of the node holding the token and all of its neighbors.',
    corrected: ['raymond-lost'],
  },
];

const singhal: readonly Sentence[] = [
  {
    quote:
      'and prevents a node from obtaining the token twice while some other node is waiting for it.',
    corrected: ['singhal-heuristic-twice'],
  },
  {
    quote:
      'In light traffic a node holding an idle token does not need to send a request message if it wants to enter its critical section.',
    see: ['beyond/cost-singhal-heuristic'],
  },
  {
    quote:
      'it checks the request sequence number against its sequence number vector to discard out-dated requests.',
    printed: ['as-told-singhal-heuristic'],
  },
  {
    quote:
      'The number of messages exchanged for an entry to a critical section is (N+1)/2 in case of light traffic',
    corrected: ['singhal-light'],
  },
  { quote: 'and N in the case of heavy traffic.', corrected: ['singhal-heavy'] },
  {
    quote:
      'Singhal discusses the impact of node and communication link failures, and presents recovery ' +
      'procedures that could be incorporated into the algorithm.',
    notRun: 'The survey does not tell these procedures.',
  },
];

const naimiTrehel: readonly Sentence[] = [
  {
    quote:
      'When the request from node i arrives at the privileged node, say node k, and k is the root node of ' +
      'the tree (LASTk :=k) and it is in its critical section, then node k sets NEXTk:=i and LASTk:=i.',
    printed: ['as-told-naimi-trehel'],
  },
  {
    quote:
      'the token or an answer from another node may arrive, and the inquiring node goes back to the ' +
      'waiting state.',
    printed: ['as-told-naimi-trehel-recovery'],
  },
  {
    quote:
      'A node holding an idle token does not need to send a request to enter its critical section again. The algorithm assumes the existence of a fully reliable',
    see: ['beyond/cost-naimi-trehel'],
  },
  {
    quote:
      'It does not consider what happens when a failed node recovers and is incorporated to the system.',
    notRun: 'A statement of what the algorithm does not do.',
  },
  {
    quote: 'Failures in the communications network are not considered in the algorithm.',
    notRun: 'A statement of what the algorithm does not do.',
  },
  {
    quote:
      'As a request from node i travels along the path from node i to the root node, node i becomes the ' +
      'new parent of each node on the path, except for itself.',
    printed: ['naimi-trehel-path'],
  },
  {
    quote:
      'The average number of messages exchanged for an entry to the critical section is in the order of log N.',
    printed: ['naimi-trehel'],
    ours: ['naimi-trehel-harmonic'],
  },
  {
    quote:
      'Transmission delays are finite and messages need not be delivered in the order they are sent.',
    printed: ['links-naimi-trehel'],
  },
  {
    quote:
      'The algorithm incorporates a mechanism for the detection of and recovery of the system from node failures.',
    corrected: ['naimi-trehel-recovers'],
  },
];

const mishraSrimani: readonly Sentence[] = [
  {
    quote:
      'when it receives no REP_CRITICAL messages and N-2 NO_CRIT messages (at most one node could have ' +
      'failed and did not respond).',
    printed: ['as-told-mishra-srimani'],
  },
  {
    quote:
      'The algorithm behaves very much the same as the original [27] under the condition that no node fails and the requesting process receives the token within the time-out.',
    see: ['beyond/cost-mishra-srimani'],
  },
  {
    quote: 'The algorithm ensures the elimination of duplicated tokens in the system.',
    see: ['survey/mishra-srimani-recovers'],
  },
  {
    quote:
      'incorporated a fault tolerance mechanism to recover the system from a single node failure [11].',
    ours: ['mishra-srimani-recovers'],
  },
  {
    quote:
      'The algorithm assumes that transfer delays are finite but unpredictable and that messages might ' +
      'not arrive in the order they are sent.',
    ours: ['links-mishra-srimani'],
  },
  {
    quote:
      'The total number of messages exchanged for a critical section entry is L*N+(N-1) under the ' +
      'absence of failures.',
    printed: ['mishra-srimani'],
    ours: ['mishra-srimani-bounded'],
  },
  {
    quote: 'At any given time, there exists only one central coordinator in the system.',
    ours: ['mishra-srimani-moving'],
  },
];

const nishio: readonly Sentence[] = [
  {
    quote:
      'The token is granted to the nearest node, in a logical circular list, whose last request has not been granted yet, as in [21].',
    see: ['survey/nishio-li-manning', 'survey/served-ricart-agrawala-token'],
  },
  {
    quote:
      'The algorithm can recover from processor failures, controller failures and communication link ' +
      'failures. A lost token can be regenerated and duplicated tokens are eliminated from the system.',
    ours: ['nishio-li-manning-recovers', 'nishio-processor'],
  },
  {
    quote:
      'The algorithm assumes finite transfer delays and does not require message-order preservation.',
    ours: ['links-nishio-li-manning'],
  },
  {
    quote: 'The number of messages exchanged for a critical section entry is N. The resiliency',
    ours: ['nishio-li-manning'],
  },
  {
    quote:
      'a mechanism that uses information propagation is described for the recovery from these failures.',
    ours: ['nishio-propagation'],
  },
  {
    quote:
      'The resiliency mechanism presented can be easily modified to include the recovery from a node ' +
      'insertion, or removal.',
    ours: ['nishio-insertion', 'nishio-removal'],
  },
  {
    quote: 'Channel insertion/removal can be treated in the same way as their failure/recovery.',
    ours: ['nishio-channel'],
  },
];

const tokenTable: readonly Sentence[] = [
  {
    quote:
      'A drawback of the algorithms that use sequence numbers to order the events in the system, is that the sequence numbers are not bounded.',
    see: ['survey/suzuki-kasami-bounded', 'ricart-agrawala/modulus'],
  },
  {
    quote:
      'this increments the total number of messages in their algorithm to L*N + (N1) for L mutual exclusion invocations by a single node.',
    see: ['survey/suzuki-kasami-bounded'],
  },
  { quote: 'tree toplogy … N to (N-1+D)', corrected: ['helary-tree'] },
  {
    quote:
      'It is difficult to analyze their performance under failure conditions because of the ' +
      'probability that a failure will occur',
    notRun: 'A remark on an analysis that the survey does not make.',
  },
];

export const sections: readonly Section[] = [
  { title: '4 Raymond', sentences: raymond },
  { title: '4 Singhal, heuristic', sentences: singhal },
  { title: '4 Naimi-Trehel', sentences: naimiTrehel },
  { title: '4 Mishra-Srimani', sentences: mishraSrimani },
  { title: '4 Nishio-Li-Manning', sentences: nishio },
  { title: '4.1 Table 1', sentences: tokenTable },
];
