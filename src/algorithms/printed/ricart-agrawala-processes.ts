/**
 * Ricart–Agrawala, line by line as section 2.2 of the paper prints it, with the three processes of a node
 * that "run asynchronously but operate on a set of common variables".
 *
 * The process that receives a REQUEST works in two halves. The first computes `Defer_it` under the
 * semaphore. The second, after the semaphore is given back, sets `Reply_Deferred[j]` or sends the REPLY.
 * The process that releases the critical section takes no semaphore at all, and may run between the two
 * halves: it finds `Reply_Deferred[j]` false, and no process looks at it again before the node's next release.
 *
 * Example: site 0 is inside and receives the REQUEST of site 1. It computes that it must defer the REPLY.
 * Before it writes that down it leaves, finds no deferred REPLY, and sends none. Then it writes it down.
 * Site 1 waits for ever if site 0 does not ask again.
 */
import type { Algorithm, NodeId, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { each } from '../../core/plain.ts';
import type { Printed } from '../../core/printed.ts';
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';
import { writers } from './ricart-agrawala-numbers.ts';

const messages = { REQUEST: { k: 'int' }, REPLY: {} } as const satisfies Messages;

type State = {
  requesting: boolean; //    Requesting_Critical_Section
  ours: number; //           Our_Sequence_Number
  highest: number; //        Highest_Sequence_Number
  missing: number; //        Outstanding_Reply_Count
  deferred: boolean[]; //    Reply_Deferred
  halfway: NodeId | null; // j, from `Defer_it := TRUE` to `Reply_Deferred[j] := TRUE`
  received: { j: NodeId; k: number }[]; // REQUESTs that wait until the process is free
};

const { id, title, year, paper, family, k, topology, defaultTopology, links } = ours;
const { names: _, awaiting: __, ...fields } = ours.fields!;

const algorithm: Algorithm<State, typeof messages> = {
  ...{ id, title, year, paper, family, k, topology, defaultTopology, links },
  modes: ['exclusive'],
  options: {},
  messages,
  claims: {
    messages: {
      formula: '2(N−1)',
      bounds: ({ n }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
    },
  },
  recovers: [],

  fields: { ...fields, halfway: 'j, while Defer_it is true', received: 'REQUESTs that wait' },

  init: ({ n }) => ({
    ...{ requesting: false, ours: 0, highest: 0, missing: 0, deferred: each(n, false) },
    ...{ halfway: null, received: [] },
  }),

  // The process which invokes mutual exclusion for this node.
  request(my, site) {
    my.requesting = true;
    my.ours = my.highest + 1;
    my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST', k: my.ours });
    if (my.missing === 0) site.enter();
  },
  release(my, site) {
    my.requesting = false;
    for (const j of site.others) {
      if (!my.deferred[j]) continue;
      my.deferred[j] = false;
      site.send(j, { type: 'REPLY' });
    }
  },

  on: {
    // The process which receives REQUEST (k, j) messages, one after the other.
    REQUEST(my, site, j, { k: number }) {
      my.received.push({ j, k: number });
      if (my.halfway === null) firstHalf(my, site);
    },

    // The process which receives REPLY messages.
    REPLY(my, site) {
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },

  timers: { 'second half': { fires: 'anytime', expired: secondHalf } },

  awaits: (my, { others }) => (my.missing > 0 ? others : []),
};

/** Up to `V (Shared_vars)`; and the second half, where that sends a REPLY: to wait is what links do. */
function firstHalf(my: State, site: Site<typeof messages>): void {
  for (let next = my.received.shift(); next !== undefined; next = my.received.shift()) {
    const { j, k: number } = next;
    my.highest = Math.max(my.highest, number);
    const deferIt = my.requesting && (number > my.ours || (number === my.ours && j > site.me));
    if (deferIt) {
      my.halfway = j;
      site.timer('second half', 1);
      return;
    }
    site.send(j, { type: 'REPLY' });
  }
}

/** After `V (Shared_vars)`, if `Defer_it`. */
function secondHalf(my: State, site: Site<typeof messages>): void {
  my.deferred[my.halfway!] = true;
  my.halfway = null;
  firstHalf(my, site);
}

export const processes: Printed = {
  name: 'section-2.2',
  quote: {
    where: 'section 2.2',
    text:
      'The three processes run asynchronously but operate on a set of common variables. A semaphore is ' +
      'used to serialize access to the common variables when necessary. … V (Shared_vars); … IF ' +
      'Defer_it THEN Reply_Deferred[j] := TRUE ELSE Send_Message (REPLY, j);',
  },
  reading:
    'The code is run as it stands: the semaphore is given back before Reply_Deferred[j] is set, and the ' +
    'process that releases the critical section does not take it.',
  about:
    'A node computes Defer_it while it is inside. It leaves before it sets Reply_Deferred[j], finds no ' +
    'deferred REPLY, and sends none. Node j waits for a REPLY that is sent only if the node asks and ' +
    'leaves once more: deadlock.',
  charitable: {
    reading:
      'Access is serialized “when necessary”, and here it is necessary: each message is handled as a ' +
      'whole. It is enough that V (Shared_vars) comes after the last statement and not before it.',
    algorithm: writers,
  },
  published:
    'A correction of this paper may have been published in the same journal later in 1981. We have not ' +
    'seen it, and do not know whether it is about this.',
  correction: 'Each message is handled as a whole before the next event.',
  algorithm,
  shows: { nodes: 2, entries: [1, 1], violates: 'deadlock-freedom' },
};
