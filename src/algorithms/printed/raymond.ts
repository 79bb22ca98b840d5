/**
 * Raymond's recovery as section 8 of the paper prints it.
 *
 * - Section 8 numbers nothing: X waits until what it sent before the crash has arrived, and asks its
 *   neighbours then. Section 8.6 looks at REQUESTs and PRIVILEGEs that overtake an ADVISE, and shows that
 *   they do no harm. But an ADVISE may as well overtake the PRIVILEGE sent before it, over links that
 *   reorder. X learns from it that it holds the privilege, passes it on, and then the PRIVILEGE arrives.
 * - Section 8.1 has ASKED the wrong way round in its cases 3 and 4: X in the queue of its holder means
 *   that X has asked, as section 8.3 says. An X that takes the contrary for granted never asks.
 */
import type { Printed } from '../../core/printed.ts';
import { askNeighbours, forget } from '../raymond/recovery.ts';
import { raymond } from '../raymond.ts';
import { unknown } from './published.ts';

const { ADVISE, PRIVILEGE } = raymond.on;

const shows = { nodes: 2, topology: 'line', options: ['recovery'], crashes: 1 } as const;

const unnumbered: typeof raymond = {
  ...raymond,
  // No site counts lives: all are the first, and every message passes for one of the present.
  restart(my, site) {
    forget(my);
    site.timer('delay', 100);
  },
  timers: { delay: { fires: 'drained', expired: askNeighbours } },
  on: {
    ...raymond.on,
    // HOLDER := self, wherever it pointed.
    STAMPED_PRIVILEGE(my, site, from) {
      my.holder = from;
      PRIVILEGE(my, site, from, {});
    },
  },
};

export const section8: Printed = {
  name: 'section-8',
  quote: {
    where: 'sections 8.2 and 8.6',
    text:
      'If HOLDER_Y = X for all of X’s neighbors Y, then X is the privileged node, and HOLDER_X = self. … ' +
      'If the PRIVILEGE message was sent before the ADVISE message, then the ADVISE message will correctly ' +
      'state that HOLDER_Y = X.',
  },
  reading:
    'Links may reorder, as they may for the rest of the algorithm: section 9 says that “Message ' +
    'overtaking does not present a problem”.',
  about:
    'An ADVISE overtakes the PRIVILEGE that was sent before it. X learns from the ADVISE that it is the ' +
    'privileged node, ends its recovery, and passes the privilege on. Then the PRIVILEGE arrives, and X ' +
    'is privileged a second time: two sites are inside.',
  charitable: {
    reading:
      'Section 8.6 speaks of messages that overtake an ADVISE, and of none that an ADVISE overtakes. If ' +
      'links keep the order of messages while a node recovers, the printed text is right.',
    algorithm: unnumbered,
    links: 'fifo',
  },
  published: unknown,
  correction:
    'Each life of a site has a number, and messages carry those of both ends. What was sent to or from an ' +
    'earlier life is dropped, so that the ADVISEs alone say where the privilege is.',
  algorithm: unnumbered,
  shows: { ...shows, entries: [2, 2], violates: 'mutual-exclusion' },
};

const swapped: typeof raymond = {
  ...raymond,
  on: {
    ...raymond.on,
    ADVISE: (my, site, from, advice) =>
      ADVISE(my, site, from, { ...advice, queued: !advice.queued }),
  },
};

export const section81: Printed = {
  name: 'section-8.1',
  quote: {
    where: 'section 8.1, cases 3 and 4',
    text:
      'HOLDER_Y ≠ X and X ∈ REQUEST_Q_Y Hence X is not the privileged node (it is node Y or beyond), and ' +
      'ASKED_X must be false. … HOLDER_Y ≠ X and X ∉ REQUEST_Q_Y Again X is not the privileged node, ' +
      'and it has requested the privilege so ASKED_X must be true.',
  },
  reading: 'The two cases are run as they stand.',
  about:
    'A recovering site that is not in the queue of its holder takes it that it has asked. It never ' +
    'asks: deadlock.',
  charitable: {
    reading:
      'The ends of the two cases are exchanged in print. Section 8.3 has them right: “ASKED_X is true if X ∈ ' +
      'REQUEST_Q_Z.”',
    algorithm: raymond,
  },
  published: unknown,
  correction:
    'A recovering site takes it that it has asked exactly if it is in the queue of its holder, as section ' +
    '8.3 says.',
  algorithm: swapped,
  shows: { ...shows, entries: [0, 1], violates: 'deadlock-freedom' },
};
