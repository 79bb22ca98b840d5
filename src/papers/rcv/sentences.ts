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
    ],
  },
  {
    title: '5 Correctness proof',
    sentences: [
      {
        quote:
          'A node Ni’s rank to enter the CS can be determined after its corresponding RM message has been ' +
          'forwarded at most N-1 times.',
        corrected: ['worst-journey', 'every-schedule'],
      },
      { quote: 'Theorem 1. Mutual exclusion is achieved.', printed: ['exclusion-as-printed'] },
      { quote: 'Theorem 2. Deadlock is impossible.', printed: ['deadlock-as-printed'] },
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
