/** Lodha and Kshemkalyani 2000, by section. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
    title: 'Abstract',
    sentences: [
      {
        quote:
          'The algorithm requires between N - 1 and 2(N - 1) messages per critical section access',
        corrected: ['range', 'range-every-schedule'],
      },
      {
        quote:
          'The algorithm does not introduce any other overheads over Lamport’s and Ricart-Agrawala’s ' +
          'algorithms',
        corrected: ['no-overhead'],
      },
    ],
  },
  {
    title: '1 Introduction',
    sentences: [
      {
        quote: "Raymond's tree-based algorithm [6] (log(N) messages)",
        see: ['survey/raymond'],
      },
      {
        quote: "Naimi et al.'s algorithm [5] (O(log(N)) messages).",
        see: ['survey/naimi-trehel'],
      },
      {
        quote:
          "Carvalho-Roucairol's variant of the Ricart-Agrawala algorithm [1] ([0, 2(N - 1)] messages), Maekawa's algorithm [4] ([3√{N}, 5√{N}] messages)",
        see: ['survey/carvalho-roucairol', 'survey/maekawa'],
      },
      {
        quote: 'Suzuki-Kasami’s algorithm [12] (N messages)',
        printed: ['suzuki-kasami'],
      },
      {
        quote: 'Singhal’s heuristic algorithm [11] ([N/2, N] messages)',
        corrected: ['singhal-heuristic'],
      },
      {
        quote:
          'Lamport’s algorithm [3] (3(N - 1) messages), Ricart-Agrawala’s algorithm [7] (2(N - 1) messages)',
        printed: ['fair-ones'],
      },
      {
        quote:
          'Singhal’s dynamic information structure algorithm [10] ([N - 1, 3(N - 1)/2] messages).',
        printed: ['singhal-dynamic-light'],
        ours: ['singhal-dynamic-heavy'],
      },
      {
        quote:
          'only the nontoken-based algorithms of Lamport [3] and Ricart-Agrawala [7] (RA) are fair in the ' +
          'sense described above.',
        printed: ['others-unfair'],
      },
      {
        quote:
          'The proposed algorithm in this paper uses the fairness criteria given by Lamport and improves ' +
          'on RA, which is the best known algorithm that guarantees fairness in the same sense.',
        corrected: ['order-of-ricart-agrawala'],
      },
      {
        quote:
          'The exact number of messages for any CS access is 2(N - 1) - x, where x is the number of ' +
          'other requests that are made concurrently with this request.',
        corrected: ['exact-number'],
      },
      {
        quote: 'Yan et al.’s algorithm [13] (O(N) messages)',
        notRun: 'None of the five papers tells that algorithm.',
      },
    ],
  },
  {
    title: '2.1 System model',
    sentences: [
      {
        quote:
          'Unlike the RA algorithm but similar to Lamport’s algorithm, we assume FIFO channels in the ' +
          'communication network.',
        corrected: ['ordered-links'],
      },
    ],
  },
  {
    title: '2.2 Review of Ricart-Agrawala algorithm',
    sentences: [
      {
        quote: 'The RA algorithm is outlined in Fig. 1.',
        printed: ['ricart-agrawala-restated'],
      },
    ],
  },
  {
    title: '3.4.1 An example to compare with RA',
    sentences: [
      {
        quote: 'Time instant t_3: All the processes have received REQUESTs from other processes.',
        printed: ['figure-3-queues'],
      },
      {
        quote:
          'For the three requests in Fig. 3, the RA algorithm needs 3 · (2 · (N - 1)) = 12 ' +
          'messages to enforce mutual exclusion. In the proposed algorithm, only eight messages are required',
        printed: ['figure-3'],
      },
      { quote: 'thus saving 33 percent over the RA algorithm.', printed: ['figure-3-saving'] },
    ],
  },
  {
    title: '3.4.2 Some example scenarios',
    sentences: [
      {
        quote: 'After getting these REPLY messages, P_i can execute CS.',
        printed: ['figure-5-1'],
      },
      {
        quote: 'P_j executes CS on getting the FLUSH from P_i.',
        printed: ['figure-5-2a'],
      },
      {
        quote:
          'As RV_i[j] = 1, this REQUEST of P_j is deferred and later processed after P_i finishes executing CS.',
        printed: ['figure-5-2b'],
      },
      {
        quote:
          'After P_j finishes executing CS, it processes the deferred REQUEST by sending a REPLY to it.',
        printed: ['figure-5-2c'],
      },
      {
        quote:
          'Fig. 6 illustrates a scenario where a REPLY message acts as a logical reply from all higher ' +
          'priority requesting processes.',
        printed: ['figure-6'],
      },
      {
        quote:
          'P_k receives two FLUSH messages, the first from P_j and the second from P_i before it can execute CS.',
        printed: ['figure-7'],
      },
    ],
  },
  {
    title: '4.1 Message complexity',
    sentences: [
      {
        quote:
          'In this case, the total number of messages for CS access is 2N - |CSet_i|. When all REQUESTs ' +
          'are concurrent, this is N messages.',
        corrected: ['all-concurrent', 'each-concurrent'],
      },
      {
        quote: 'In this case, the total number of messages for CS access is 2N - 1 - |CSet_i|.',
        corrected: ['section-4-1'],
      },
      {
        quote: 'In this case, the total number of messages for CS access is 2(N - 1) messages.',
        corrected: ['all-serial'],
      },
    ],
  },
  {
    title: '4.3 Safety and fairness',
    sentences: [
      {
        quote:
          'Theorem 1 (Safety and Fairness). The algorithm in Fig. 2 provides fair mutual exclusion as ' +
          'defined in Definition 7.',
        corrected: ['order-of-timestamps'],
      },
    ],
  },
  {
    title: '4.4 Liveness',
    sentences: [
      {
        quote: 'Theorem 2 (Liveness). The algorithm in Fig. 2 achieves liveness.',
        printed: ['theorems-as-printed'],
      },
    ],
  },
  {
    title: '5 Discussion and concluding remarks',
    sentences: [
      {
        quote:
          'improves upon the Ricart-Agrawala algorithm, which is the best known fair algorithm, without ' +
          'introducing any additional overhead.',
        corrected: ['improves-at-every-load'],
      },
      {
        quote:
          'P_i can send REPLY just to P_k, apprising P_k of all the information P_i has gathered.',
        ours: ['improvement-1', 'improvement-1-saturated'],
      },
      {
        quote:
          'A second way to save on the number of REPLY messages is by treating deferred REQUESTs as ' +
          'concurrent to the next REQUEST of this process',
        ours: ['improvement-2'],
      },
      {
        quote: 'The algorithm as presented here is not resilient to node or link failures.',
        notRun: 'A statement of what the algorithm does not claim.',
      },
    ],
  },
];
