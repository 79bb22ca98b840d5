/** Raymond 1989, sections 7 to 9. */
import type { Section } from '../sentences.ts';

export const sections: readonly Section[] = [
  {
    title: '7 Initialization',
    sentences: [
      {
        quote:
          'A assigns HOLDER_A to B, and then sends an INITIALIZE message to all of its neighbors (other than B).',
        printed: ['initialize'],
      },
      {
        quote:
          'Once a node has received the INITIALIZE message, it may request the privilege (even though ' +
          'other parts of the tree may not yet be initialized).',
        printed: ['initialize-early'],
      },
    ],
  },
  {
    title: '8 Node failure',
    sentences: [
      {
        quote:
          'In the event of a node failing and losing the information required for this algorithm, it is ' +
          'possible to reconstruct that information from the node’s neighbors when the node restarts.',
        corrected: ['recovery'],
      },
      {
        quote:
          'Node X then sends RESTART messages to each of its neighbors, and awaits the ADVISE messages ' +
          'that each neighbor will send in reply.',
        corrected: ['recovery-messages'],
      },
    ],
  },
  {
    title: '8.1 The ADVISE message',
    sentences: [
      {
        quote:
          'Hence X is not the privileged node (it is node Y or beyond), and ASKED_X must be false.',
        printed: ['recovery-asked'],
      },
    ],
  },
  {
    title: '8.4 Reconstructing REQUEST_Q',
    sentences: [
      {
        quote:
          'Using these time-stamps, the order of X’s reconstructed REQUEST_Q would more closely resemble the original, subject to the extent to which such time-stamps can be compared [1].',
        ours: ['rebuild-timestamps'],
      },
      {
        quote:
          'Consequently if each failure of X happens before Y receives the privilege, … node Y will be starved.',
        corrected: ['rebuild-starvation'],
      },
      {
        quote: 'However, such a situation is extremely improbable in real life.',
        notRun: 'It depends on how often nodes fail in real life.',
      },
      {
        quote: 'it will prevent starvation, in the improbable scenario previously described.',
        corrected: ['rebuild-privileges'],
      },
    ],
  },
  {
    title: '8.6 Assistance from neighboring nodes',
    sentences: [
      {
        quote:
          'While this eliminates the need for complex resynchronization among X and its neighbors, it ' +
          'allows REQUEST and PRIVILEGE messages to overtake ADVISE messages.',
        printed: ['recovery-overtaken'],
      },
      {
        quote:
          'Therefore there is the possibility that Y will be placed in X’s REQUEST_Q twice, once in response to the ADVISE message and once in response to the REQUEST message.',
        printed: ['duplicates-occur'],
      },
      {
        quote:
          'To avoid this, one could check for such duplication during the recovery phase (or at the end of the recovery phase).',
        ours: ['duplicates-avoided'],
      },
      {
        quote:
          'However, the presence of such duplicates does not endanger the correctness of the algorithm',
        printed: ['duplicates-safe'],
      },
      {
        quote: '(at most two occurrences of each neighbor or self)',
        printed: ['duplicates-two'],
      },
      {
        quote:
          'If REQUEST_Q_X contains two entries for node Y, then at some future time Y will receive the privilege when it is not expecting it.',
        printed: ['duplicates-unexpected'],
      },
      {
        quote: 'Since Y was not expecting the PRIVILEGE, REQUEST_Q_Y must be empty.',
        printed: ['duplicates-idle'],
      },
    ],
  },
  {
    title: '8.7 Failure during recovery',
    sentences: [
      {
        quote:
          'If the time of the delay at the start of the recovery phase is carefully chosen, it should be possible to ensure that all outdated ASSIST messages will have arrived before the second set of RESTART messages is sent.',
        printed: ['again-delay'],
      },
      {
        quote:
          'A second method is to have some unique identifier on each RESTART message, which must be quoted in the replying ASSIST message.',
        printed: ['again-identifier'],
      },
      {
        quote:
          'Possible sources for these unique identifiers are the real-time clock, nonvolatile storage, or an external agent (e.g., a server or a user).',
        notRun:
          'Ours takes nonvolatile storage; where a number comes from makes no difference to the algorithm.',
      },
    ],
  },
  {
    title: '8.8 Extent of survivable failures',
    sentences: [
      {
        quote:
          'The recovery mechanism will work even in the event of concurrent node failures, provided that ' +
          'the failures do not occur in adjacent nodes.',
        corrected: ['recovery-apart'],
      },
      {
        quote:
          'further research is needed to determine the ability of this group recovery mechanism to ' +
          'survive the subsequent failure of either recovering or neighboring nodes.',
        notRun: 'The paper leaves the mechanism to further research.',
      },
      {
        quote:
          'In the preceding description of failure recovery, it is assumed that other nodes are operating normally, that is, are neither failed nor recovering.',
        corrected: ['recovery-adjacent'],
      },
      {
        quote:
          'When two or more adjacent nodes fail, it may be possible to determine the collective status of these nodes from the ASSIST messages received from their surviving neighbors.',
        notRun: 'The paper does not say how the recovering nodes negotiate.',
      },
    ],
  },
  {
    title: '9 Conclusions',
    sentences: [
      {
        quote:
          'each message requires only sufficient bits to indicate … the type of the message (e.g., ' +
          'REQUEST, PRIVILEGE, INITIALIZE)',
        printed: ['message-size'],
      },
      {
        quote:
          'it will be possible to multiplex this small number of bits onto other outgoing messages to ' +
          'further reduce the bandwidth required.',
        notRun: 'It depends on other traffic, which is not in the model.',
      },
    ],
  },
];
