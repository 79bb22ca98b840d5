/** Velazquez 1993, section 5: algorithms that ask all others for permission. */
import type { Section, Sentence } from '../sentences.ts';

const permissionIntroduction: readonly Sentence[] = [
  {
    quote:
      'Any possible group must have one node in common with any other group to ensure mutual exclusion.',
    see: ['survey/majority-meet'],
  },
  {
    quote:
      "The grid protocol is used to form a square grid of quorums as the ones described in Maekawa's algorithm [9].",
    see: ['survey/minimal-grid', 'survey/degrades-grid'],
  },
  {
    quote:
      'The concept of obtaining permission from a group of nodes, which are not necessarily a majority, was formalized by Gifford [5].',
    notRun: 'History; `gifford` is in the catalogue.',
  },
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
      'This indefinite permission reduces the number of messages substantially when only a few nodes are frequently invoking mutual exclusion.',
    see: ['survey/carvalho-roucairol'],
  },
  {
    quote: 'The last node entering its CS can reenter it if no other node requests it.',
    see: ['survey/carvalho-roucairol'],
  },
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
    quote: 'The permission to enter the CS rotates around a logical ring of nodes.',
    see: ['survey/raynal-turn'],
  },
  {
    quote:
      'Transmission delays are unpredictable, but finite, and message order preservation is not required.',
    see: ['survey/starvation-raynal-primes'],
  },
  {
    quote:
      'prime numbers and their properties can be a useful tool in the design of distributed algorithms.',
    ours: ['raynal-parity'],
  },
  {
    quote: 'These attributes are natural integers, different from 1, and pairwise prime.',
    notRun:
      'A definition: sites have the primes 2, 3, 5, … (option `primes`), and X become fractions.',
  },
  {
    quote: 'If T equals Q/Ai, then node i can proceed to enter its CS.',
    corrected: ['raynal-turn'],
  },
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

export const sections: readonly Section[] = [
  { title: '5 Permission-based algorithms', sentences: permissionIntroduction },
  { title: '5 Lamport', sentences: lamport },
  { title: '5 Ricart-Agrawala', sentences: ricartAgrawala },
  { title: '5 Carvalho-Roucairol', sentences: carvalho },
  { title: '5 Raynal', sentences: raynal },
];
