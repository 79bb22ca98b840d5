/**
 * Ricart–Agrawala in a group that changes, where section 7 is printed otherwise than it must be.
 *
 * - 7.3 has a node that awaits a REPLY of a departing node "pretend the REPLY was received", if messages
 *   may overtake each other. But that REPLY is still under way, and Outstanding_Reply_Count counts it too.
 * - 7.4 has a node answer a probe with a REPLY if it defers none. The REPLY that it did defer may have
 *   been sent a moment before: then there are two, and the second one counts for the next request.
 */
import type { Printed } from '../../core/printed.ts';
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';
import { unknown } from './published.ts';
import { writers } from './ricart-agrawala-numbers.ts';

/** A REPLY has no number in print: it counts for the request of the moment. */
const unnumbered: Pick<typeof ours.on, 'NUMBERED_REPLY'> = {
  NUMBERED_REPLY: (my, site, from) => {
    const seq = 'ours' in my ? my.ours : 0;
    ours.on.NUMBERED_REPLY(my, site, from, { seq });
  },
};

export const removal: Printed = {
  name: 'removal',
  quote: {
    where: 'section 7.3',
    text:
      'If messages may be delivered out of order, a node awaiting a REPLY message from a departing node ' +
      'should pretend the REPLY was received.',
  },
  reading:
    'REPLYs are counted by Outstanding_Reply_Count, as in section 2.2. To pretend that one was received is ' +
    'to count it.',
  about:
    'The LEAVE of a departing node overtakes its REPLY. The REPLY is pretended to be there, and when it ' +
    'arrives it is counted again, in the place of another node’s: two sites are inside.',
  charitable: {
    reading:
      'Section 7.4 introduces a bit map, Awaiting_Reply, “to identify which nodes have not yet sent a ' +
      'REPLY message”. With it, a REPLY that was pretended counts once only.',
    algorithm: { ...writers, on: { ...ours.on, ...unnumbered } } satisfies typeof ours,
  },
  published: unknown,
  correction:
    'The nodes that are awaited are a set, and a REPLY names the REQUEST that it answers. None counts twice.',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      NUMBERED_REPLY: (my, site, from, message) => {
        const isPretended = 'names' in my && my.requesting && !my.names[from];
        // One less to wait for, from whichever node.
        const counted = isPretended ? my.awaiting.indexOf(true) : from;
        if (counted !== -1) ours.on.NUMBERED_REPLY(my, site, counted, message);
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 3, entries: [1, 1, 1], options: ['membership'], violates: 'mutual-exclusion' },
};

export const probe: Printed = {
  name: 'probe',
  quote: {
    where: 'section 7.4',
    text:
      'When an ARE_YOU_THERE(j) message is received, Reply_Deferred[j] should be examined. If it is FALSE, ' +
      'it must be that the REQUEST was not received, the REPLY was lost, or the node has restarted; the ' +
      'correct response is REPLY(me).',
  },
  reading:
    'A REPLY has no number, as in section 2.2, and Awaiting_Reply is the bit map of section 7.4. The ' +
    'probe arrives when the node has just sent the REPLY that it had deferred.',
  about:
    'The text forgets a fourth case: the REPLY is on its way. A node leaves and sends the REPLY that it ' +
    'had deferred. Then a probe arrives that was sent before, and the node sends a second REPLY. The ' +
    'asker enters and leaves, asks again, and takes the second REPLY for the answer to its new REQUEST: ' +
    'two sites are inside.',
  charitable: {
    reading:
      'We know of none. The bit map does not help, for the second REPLY clears the bit of the next request. ' +
      'Nor does the time-out: the text itself says that a critical section may exceed it.',
  },
  published: unknown,
  correction:
    'A probe carries its request and is handled as a REQUEST, so that it can arrive early, late or ' +
    'twice. A REPLY names the REQUEST that it answers.',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      ARE_YOU_THERE: (my, site, from, { seq }) => {
        const isDeferred = 'awaiting' in my && my.deferred[from] !== 0;
        site.send(from, { type: isDeferred ? 'YES_I_AM_HERE' : 'NUMBERED_REPLY', seq });
      },
      ...unnumbered,
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [2, 2], options: ['membership'], violates: 'mutual-exclusion' },
};
