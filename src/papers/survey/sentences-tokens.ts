/** Velazquez 1993, sections 1 to 4: what is asked for, and the first algorithms with a token. */
import type { Section, Sentence } from '../sentences.ts';

const requirements: readonly Sentence[] = [
  {
    quote: 'At most one process can execute its critical section at a given time.',
    notRun: 'A requirement; the checker judges it for every algorithm (docs/checked.md).',
  },
  {
    quote:
      'When competing processes concurrently request to enter their respective critical sections, the ' +
      'selection cannot be postponed indefinitely.',
    notRun: 'A requirement; the checker judges it for every algorithm (docs/checked.md).',
  },
  {
    quote: 'Nodes completely fail or behave maliciously.',
    notRun: 'No algorithm of the survey tells what it does against a malicious node.',
  },
  {
    quote: 'Network partitioning and system reconfiguration.',
    notRun: 'The survey names it as a kind of failure, and no algorithm that survives it.',
  },
];

const approaches: readonly Sentence[] = [
  {
    quote: 'The singular existence of the token implies the enforcement of mutual exclusion.',
    notRun:
      'The checker judges it as token-uniqueness, for every algorithm with a token (docs/checked.md).',
  },
  {
    quote:
      'Under light load this method has a high cost since the token message circulates even if no ' +
      'process wants to enter the CS',
    printed: ['ring-light'],
  },
  { quote: 'but it is very effective under high load.', printed: ['ring-heavy'] },
  {
    quote: 'If the ring is unidirectional, starvation freedom is ensured.',
    printed: ['starvation-ring-token'],
  },
];

const tokenClaims: readonly Sentence[] = [
  {
    quote:
      'All the algorithms presented in this section claim to satisfy the mutual exclusion requirement, ' +
      'be deadlock free and starvation free. Some of them do not consider fault-tolerance aspects',
    printed: [
      ...['starvation-suzuki-kasami', 'starvation-neilsen-mizuno', 'starvation-raymond'],
      'starvation-naimi-trehel',
    ],
    corrected: [
      ...['starvation-ricart-agrawala-token', 'starvation-mizuno-neilsen-rao'],
      ...['starvation-helary-plouzeau-raynal', 'starvation-singhal-heuristic'],
    ],
    ours: ['starvation-mishra-srimani', 'starvation-nishio-li-manning'],
  },
];

const ricartAgrawalaToken: readonly Sentence[] = [
  {
    quote:
      'The algorithm requires N messages exchanges for each critical section entry, or 0 messages if ' +
      'the requesting node is holding an idle token. The token moves in a logical circular ring',
    corrected: ['ricart-agrawala-token'],
  },
  {
    quote: 'Therefore, a first-come-first-served service is not guaranteed.',
    corrected: ['served-ricart-agrawala-token'],
  },
  {
    quote: 'delays are finite, but unpredictable, and message-order preservation is not required.',
    corrected: ['links-ricart-agrawala-token'],
  },
  {
    quote:
      'If node k is holding the token and is not in its critical section, then k sends the token to node j.',
    printed: ['as-told-ricart-agrawala-token'],
  },
];

const suzukiKasami: readonly Sentence[] = [
  {
    quote:
      'A node holding an idle token can enter its critical section without the need to send a request message. When a request from node j arrives',
    see: ['survey/suzuki-kasami'],
  },
  {
    quote: 'Nodes are inserted at the rear of the queue in an ascending node number order.',
    notRun: 'A rule of the algorithm, which ours follows (src/algorithms/suzuki-kasami/token.ts).',
  },
  {
    quote:
      'The algorithm requires N messages exchanges for each mutual exclusion invocation or 0 messages ' +
      'if the requesting node is holding an idle token.',
    printed: ['suzuki-kasami'],
  },
  {
    quote:
      'It is assumed that transfer delays are finite, but unpredictable. Message-order preservation is ' +
      'not required.',
    printed: ['links-suzuki-kasami'],
  },
  {
    quote:
      'if Q is empty and a request message arrives after line 20 and exactly before line 21 and ' +
      'procedure P2 is called, it could happen that this request would starve for some time (at least, ' +
      'until another node originates a request).',
    printed: ['suzuki-kasami-race'],
    corrected: ['suzuki-kasami-atomic'],
  },
  {
    quote:
      'The modified algorithm requires L*N + (N-1) message exchages for L mutual exclusion entries, ' +
      'where L is a fixed integer greater than or equal to 2.',
    ours: ['suzuki-kasami-bounded'],
  },
];

const mizuno: readonly Sentence[] = [
  {
    quote: "adopt the mechanism to move the token used in Suzuki and Kazami's algorithm [27].",
    see: ['survey/mizuno-suzuki-kasami'],
  },
  {
    quote:
      'The best case is when another member of Ri is holding the token, then the process of locating ' +
      'the token ends.',
    corrected: ['mizuno-locating'],
  },
  {
    quote: 'This message indicates that j has received the token.',
    printed: ['as-told-mizuno-neilsen-rao'],
  },
  {
    quote:
      'If it is based on the binary tree protocol, the upper bound is in the order of magnitude of log N.',
    corrected: ['mizuno-tree'],
  },
  {
    quote:
      'The upper bound using quorum agreements based on finite projective planes is approximately 3 * SQRT(N).',
    corrected: ['mizuno-plane', 'mizuno-plane-heavy'],
  },
  {
    quote:
      'A modified grid-set protocol may be used to generate the quorum agreements and the upper bound ' +
      'in this case would be (2 * SQRT(2) * SQRT(N) - 2).',
    corrected: ['mizuno-grid'],
  },
  {
    quote:
      'The algorithm from Suzuki and Kazami is a special case of this algorithm if all nodes except i ' +
      'are in Ri and i is the only node in Ai.',
    corrected: ['mizuno-suzuki-kasami'],
  },
];

const neilsenMizuno: readonly Sentence[] = [
  {
    quote:
      'A node holding an idle token does not need to send a request to enter its critical section again. The queue of pending requests can be deduced by following the state of NEXT in each node, starting at the node holding the token.',
    see: ['survey/neilsen-mizuno-line'],
  },
  {
    quote: 'Messages are very small, reducing the overhead in the communications network',
    notRun: 'The survey gives no size; `latchkey simulate --json` has bytesPerEntry.',
  },
  {
    quote:
      'has an upper bound equal to (D+1), where D is the length of the longest path in the network',
    printed: ['neilsen-mizuno-any'],
  },
  { quote: 'In a star topology the upper bound is 3.', printed: ['neilsen-mizuno-star'] },
  { quote: 'For a linear topology, the upper bound is N.', printed: ['neilsen-mizuno-line'] },
];

const helary: readonly Sentence[] = [
  {
    quote:
      'Whatever topology is considered, if the requesting node owns the token there is no need to send any request messages.',
    see: ['beyond/cost-helary-plouzeau-raynal'],
  },
  {
    quote: 'Nodes need not to have any prior knowledge of the network topology.',
    notRun:
      'A rule of the algorithm: a site sends to its neighbours only, and the simulator delivers along edges only.',
  },
  {
    quote: 'The algorithm does not require message-order preservation.',
    corrected: ['links-helary-plouzeau-raynal'],
  },
  {
    quote:
      "updates the time of that request in the token's array with its logical clock, and sends the " +
      'token through the return path.',
    printed: ['as-told-helary-plouzeau-raynal'],
  },
  {
    quote: 'For a linear topology, the total number bounds are N and 2(N-1).',
    corrected: ['helary-line'],
  },
  {
    quote: 'The total number of messages varies from N to 2N in a ring topology.',
    corrected: ['helary-ring'],
  },
  {
    quote: 'In a complete network the total message number is N.',
    corrected: ['helary-complete'],
  },
  {
    quote:
      'Requests are fully ordered by the use of logical clocks and are granted in a ' +
      'first-come-first-served manner.',
    corrected: ['served-helary-plouzeau-raynal'],
  },
];

export const sections: readonly Section[] = [
  { title: '2 Mutual exclusion in distributed computing systems', sentences: requirements },
  { title: '3.1 The token-based approach', sentences: approaches },
  { title: '4 Token-based algorithms', sentences: tokenClaims },
  { title: '4 Ricart-Agrawala, with a token', sentences: ricartAgrawalaToken },
  { title: '4 Suzuki-Kasami', sentences: suzukiKasami },
  { title: '4 Mizuno-Neilsen-Rao', sentences: mizuno },
  { title: '4 Neilsen-Mizuno', sentences: neilsenMizuno },
  { title: '4 Helary-Plouzeau-Raynal', sentences: helary },
];
