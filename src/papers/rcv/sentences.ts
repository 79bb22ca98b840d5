/** Cao, Zhou, Chen and Wu 2004, by section. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
    title: 'Abstract',
    sentences: [
      {
        quote: 'The synchronization delay is minimal.',
        see: ['rcv/hand-over'],
      },
      {
        quote:
          'on average, the algorithm needs less number of messages and has less response time than most of those existing algorithms which do not require a logical topology imposed on the nodes.',
        see: ['beyond/rcv-place-messages', 'beyond/rcv-place-response'],
      },
      {
        quote:
          'Another feature of the proposed algorithm is that it does not require the FIFO property of the ' +
          'underlying message passing mechanism.',
        corrected: ['any-order'],
      },
    ],
  },
  {
    title: '1 Introduction',
    sentences: [
      {
        quote:
          'Raymond’s tree-based algorithm [12] requires only 4 messages exchanged per CS execution at heavy loads.',
        printed: ['raymond-heavy'],
      },
      {
        quote:
          'Since the correct operation of the algorithm does not depend on any specific node, crash of ' +
          'nodes will not affect the algorithm’s execution.',
        corrected: ['crash'],
      },
      {
        quote:
          'the organization and maintenance of the specified topology also lead to a large overload.',
        notRun: 'The text does not say how a topology is maintained, and gives no number.',
      },
      {
        quote:
          'Furthermore, most structured algorithms work well only under their specified topologies, and may be inefficient in some other environments [20].',
        notRun: 'A remark without detail: it names no algorithm and no environment.',
      },
      {
        quote:
          'We argue that performance of distributed mutual exclusion algorithms under light load is not as critical as under the heavy loads',
        notRun: 'An argument about what matters, not a claim that a run could decide.',
      },
    ],
  },
  {
    title: '2 Background and related works',
    sentences: [
      {
        quote:
          'the number of messages exchanged per CS execution can be reduced from N to N/2 on the average ' +
          'at light loads',
        corrected: ['singhal-heuristic'],
      },
      {
        quote:
          'a requesting node sends token requests to all other nodes and the token holder then passes the ' +
          'token to the requesting node',
        printed: ['fig-4-broadcast'],
      },
      {
        quote: 'the response time keeps 2Tn at light loads and N*(Tn+Tc) at heavy loads.',
        printed: ['light-response-2tn'],
      },
      {
        quote:
          'The response time is 2Tn and N*(Tn+Tc) under light load and heavy load, respectively.',
        printed: ['heavy-response-all'],
      },
      {
        quote: 'the number of messages exchanged per CS execution is a constant of 2*(N-1)',
        printed: ['fig-4-ricart'],
      },
      {
        quote:
          'Under light load, the average number of messages can be reduced to N-1 by using a dynamic algorithm [15].',
        printed: ['singhal-dynamic'],
      },
      {
        quote: 'in the Rangarajan-Setia-Tripathi algorithm [11], the size is reduced to',
        ours: ['rst-quorum'],
      },
      {
        quote:
          'it is comparatively high under heavy load in Maekawa’s algorithm because the synchronization ' +
          'delay is 2Tn.',
        corrected: ['maekawa-hand-over'],
      },
      {
        quote:
          'the overhead of generating quorum for each node must be taken into account especially when the ' +
          'number of network nodes tends to change dynamically.',
        notRun: 'No algorithm is told that generates quorums anew while nodes come and go.',
      },
      {
        quote: 'The messages needed to exchange per CS execution is 3-2/N at heavy load.',
        ours: ['arbiter-heavy', 'arbiter-safe'],
      },
      {
        quote:
          'But when calculating the response time, an extra “request collect time” must be considered.',
        ours: ['arbiter-collect'],
      },
      {
        quote:
          'Although some efforts have been made to tackle this problem [2, 6, 10], solutions always induce extra high overloads.',
        notRun: 'The text tells none of these solutions, and gives no number.',
      },
      {
        quote:
          'reduces message traffic of the Ricart-Agrawala type algorithms to somewhere between N-1 and 2(N-1)',
        corrected: ['lodha-kshemkalyani'],
      },
      {
        quote:
          'However, the algorithm will degenerate to a centralized algorithm because the root node is included in all quorums when it is always available.',
        printed: ['tree-root'],
      },
      {
        quote:
          'Some improvements have been made to the Maekawa type algorithms [4, 19] by introducing more types of messages and exchanging a few more messages so that the synchronization delay can be reduced to Tn.',
        notRun:
          'The text names neither these messages nor the rules by which they are sent, and [4, 19] are not among ' +
          'the five papers. A run would be a run of another text.',
      },
      {
        quote:
          'when conflicts occur frequently, more than N messages may need to be exchanged [5].',
        corrected: ['maekawa-more-than-n'],
      },
    ],
  },
  {
    title: '5 Correctness proof',
    sentences: [
      {
        quote:
          'A node Ni’s rank to enter the CS can be determined after its corresponding RM message has been ' +
          'forwarded at most N-1 times.',
        corrected: ['worst-journey', 'every-schedule', 'lemma-3'],
        printed: ['lemma-3-as-printed'],
      },
      {
        quote: 'Theorem 1. Mutual exclusion is achieved.',
        printed: ['exclusion-as-printed'],
        corrected: ['theorem-1'],
      },
      {
        quote: '∀i ∀j, |Si.NSIT[j].MNL| < N',
        corrected: ['lemma-1'],
        printed: ['lemma-1-as-printed'],
      },
      {
        quote:
          'When every MNL in NSIT is nonempty, at least one node can be ordered after the execution of the Order procedure.',
        corrected: ['lemma-2'],
        printed: ['lemma-2-as-printed'],
      },
      {
        quote:
          'is ordered and is appended to the NONL at certain node, the tuple for the nodes which precede Ni in NONL and haven’t finished executing the CS, if any, must still exist in that NONL.',
        corrected: ['lemma-4'],
        printed: ['lemma-4-as-printed'],
      },
      {
        quote: 'Two different tuples cannot achieve the same rank.',
        corrected: ['lemma-5'],
        printed: ['lemma-5-as-printed'],
      },
      {
        quote:
          'In the Exchange procedure, after outdated tuples are deleted, either MONL⊆NONL or MONL⊇ NONL and tuples on the top of the two lists are the same if both are nonempty.',
        corrected: ['lemma-6'],
        printed: ['lemma-6-as-printed'],
      },
      {
        quote: 'Tuples in any NONLs are ranked in the same order.',
        corrected: ['lemma-7'],
        printed: ['lemma-7-as-printed'],
      },
      {
        quote: 'When a node Ni is executing the CS, tuple <i, t> must stand on the top of NONLi.',
        corrected: ['lemma-8'],
        printed: ['lemma-8-as-printed'],
      },
      {
        quote: 'Theorem 2. Deadlock is impossible.',
        printed: ['deadlock-as-printed'],
        corrected: ['theorem-2'],
      },
      {
        quote: 'Theorem 3. Starvation is impossible.',
        corrected: ['theorem-3'],
      },
    ],
  },
  {
    title: '6.1.1 Message complexity',
    sentences: [
      {
        quote:
          'after being forwarded [N/2]+1 times (the RM will be updated on each forwarding), the currently ' +
          'processing MPM will find that the RM’s host ID has been ordered',
        corrected: ['light-messages'],
      },
      {
        quote:
          'if the outdated information can be deleted within [N/2]+1 forwarding times, the message ' +
          'complexity will be [N/2]+2 all the same.',
        corrected: ['light-outdated'],
      },
      {
        quote: 'The minimum times the RM message is forwarded is [N/m]+2.',
        corrected: ['heavy-journey'],
      },
    ],
  },
  {
    title: '6.1.2 Synchronization delay',
    sentences: [
      {
        quote:
          'the synchronization delay of our algorithm is T where T is average message propagation delay',
        corrected: ['hand-over'],
      },
    ],
  },
  {
    title: '6.1.3 Response time',
    sentences: [
      {
        quote: 'So the response time will be ([N/2]+2)*Tn to (N-1)*Tn.',
        corrected: ['light-response'],
      },
      {
        quote: 'the response time is sure to be N*(Tn+Tc) under heavy load condition',
        corrected: ['heavy-response'],
      },
    ],
  },
  {
    title: '6.2 Simulation results',
    sentences: [
      {
        quote:
          'It is shown that when the number of nodes increases, the messages exchanged and time delay both increase.',
        corrected: ['fig-4-5-grow'],
      },
      {
        quote: 'our algorithm has the least messages exchanged of the four algorithms',
        corrected: ['fig-4-least', 'fig-4-order'],
      },
      {
        quote: 'its average response time is similar to the other three’s.',
        corrected: ['fig-5-similar'],
      },
      {
        quote:
          'As the load increases, messages needed for per mutual exclusion decreases in our algorithm.',
        corrected: ['fig-6-falls'],
      },
      {
        quote:
          'the heaver the system load is, the better our algorithm outperforms the Maekawa in average NME.',
        corrected: ['fig-6-maekawa'],
      },
      {
        quote:
          'Although the average response time of our algorithm is a little higher than that of the ' +
          'Broadcast and the Ricart',
        corrected: ['fig-7-broadcast', 'fig-7-same'],
      },
      { quote: 'it is much lower than the Maekawa’s.', corrected: ['fig-7-maekawa'] },
    ],
  },
];
