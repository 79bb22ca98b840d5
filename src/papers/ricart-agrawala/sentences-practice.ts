/** Ricart and Agrawala 1981, sections 6 to 8 and appendix: modifications, networks in practice. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
    title: '6.1 Implicit reply',
    sentences: [
      {
        quote:
          'The number of messages required by the implicit reply scheme varies between 1*(N - 1) and ' +
          '3*(N - 1) depending on the number of DEFERRED messages sent.',
        printed: ['implicit-reply'],
      },
      {
        quote:
          'When there is little contention for the critical section resource, the number of messages ' +
          'approaches 1*(N - 1).',
        printed: ['implicit-reply-light'],
      },
      {
        quote:
          'a requesting node must usually wait for the maximum round-trip time before entering its critical section',
        printed: ['implicit-reply-wait'],
      },
    ],
  },
  {
    title: '6.2 Broadcast messages',
    sentences: [
      {
        quote:
          'The message traffic is reduced to N messages, one broadcast REQUEST and (N - 1) REPLYs.',
        printed: ['broadcast'],
      },
      {
        quote:
          'If combined with the implicit reply modification discussed above, the message count can be as low as one.',
        printed: ['broadcast-implicit'],
      },
      {
        quote:
          'The REPLY messages can also be broadcast, and only two messages per critical section ' +
          'invocation are required.',
        printed: ['broadcast-sequenced'],
      },
      {
        quote:
          'it is useful to broadcast the REPLY messages following critical section processing.',
        printed: ['broadcast-replies'],
      },
    ],
  },
  {
    title: '6.3 Ring structure',
    sentences: [
      {
        quote: 'This technique comes close to N messages',
        corrected: ['ring-marked'],
      },
      {
        quote: 'while eliminating the cumulative delays at each stop.',
        corrected: ['ring-marked-delay'],
      },
      {
        quote:
          'The Outstanding_Reply_Count is then set according to the notations when it arrives back at the ' +
          'initiating node.',
        printed: ['ring-marked-as-printed'],
      },
    ],
  },
  {
    title: '6.4 Bounding sequence numbers',
    sentences: [
      {
        quote: 'Therefore the numbers must fall within the range from x to x + N - 1.',
        printed: ['range'],
      },
      {
        quote: 'The sequence numbers can be stored modulo M where M ≥ 2N - 1.',
        corrected: ['modulus', 'modulus-tight'],
      },
      {
        quote:
          'Thus only log_2(2N - 1) bits of storage are needed regardless of the number of times the ' +
          'critical section is entered.',
        corrected: ['bits'],
      },
    ],
  },
  {
    title: '6.5 Sequence number incrementation',
    sentences: [
      {
        quote:
          'The algorithm tends to favor lower numbered nodes slightly, owing to the tie-breaking rule.',
        printed: ['favouritism'],
      },
      {
        quote: 'favoritism can be reduced by incrementing the sequence number by a random integer.',
        printed: ['random-increments'],
      },
      {
        quote:
          'Deliberate priority can be introduced by instructing high priority nodes to use small ' +
          'increments and low priority nodes to use large increments.',
        printed: ['priority'],
      },
    ],
  },
  {
    title: '6.6 Readers and writers',
    sentences: [
      {
        quote: 'where writers are given priority.',
        printed: ['writers-priority'],
      },
      {
        quote:
          'The modification is simply that "readers" never defer a REQUEST for another "reader"; instead ' +
          'they always REPLY immediately.',
        printed: ['readers', 'readers-writers'],
      },
    ],
  },
  {
    title: '7.2 Insertion of new nodes',
    sentences: [
      {
        quote:
          'A new node can determine that its Highest_Sequence_Number is high enough by several methods.',
        corrected: ['insertion'],
      },
      {
        quote:
          'Usually the network will already be aware of the node’s failure, but this cannot be assumed.',
        notRun: 'A remark on what the network knows; nothing follows that can be measured.',
      },
    ],
  },
  {
    title: '7.3 Removal of nodes',
    sentences: [
      {
        quote:
          'A node wishing to leave the group may do so by notifying all other nodes of its intention. The ' +
          'other nodes should acknowledge this message.',
        corrected: ['removal'],
      },
      {
        quote:
          'a node awaiting a REPLY message from a departing node should pretend the REPLY was received.',
        printed: ['removal-as-printed'],
      },
    ],
  },
  {
    title: '7.4 Node failures',
    sentences: [
      {
        quote:
          'To prevent this situation from stopping the proposed mutual exclusion algorithm, a ' +
          'timeout-recovery mechanism may be added.',
        corrected: ['failure'],
      },
      {
        quote:
          'If it is FALSE, it must be that the REQUEST was not received, the REPLY was lost, or the node ' +
          'has restarted; the correct response is REPLY(me).',
        printed: ['failure-as-printed'],
      },
    ],
  },
  {
    title: '8 Conclusion',
    sentences: [
      {
        quote:
          'The algorithm is safe and live and mechanisms exist to handle node insertion, removal, and failure.',
        see: [
          'ricart-agrawala/first-come',
          'ricart-agrawala/insertion',
          'ricart-agrawala/removal',
          'ricart-agrawala/failure',
        ],
      },
      {
        quote:
          'The sequence numbers can be stored in limited memory by keeping them as residues of a modulus that is at least twice as large as the number of nodes.',
        see: ['ricart-agrawala/modulus', 'ricart-agrawala/modulus-tight'],
      },
      {
        quote:
          'No algorithm uses fewer messages, operates faster, and exhibits concurrent, symmetric, and ' +
          'distributed control.',
        notRun:
          'A claim about every algorithm; section 4.1 has the row on what the catalogue shows.',
      },
    ],
  },
  {
    title: 'Appendix: the effect of message ordering',
    sentences: [
      {
        quote:
          'Without delivery in order of transmission, the worst case analysis shows that N(N + 1)/2 - 1 ' +
          'nodes can enter their critical section before Node A may.',
        printed: ['overtaking-any'],
      },
      {
        quote: 'No more than 2*(N - 1) critical sections are possible before A may enter.',
        printed: ['overtaking-fifo'],
      },
    ],
  },
];
