/**
 * Raymond's recovery as section 8 of the paper prints it.
 *
 * - Section 8 numbers nothing: X waits until what it sent before the crash has arrived, and asks its
 *   neighbours then. Section 8.6 lets "REQUEST and PRIVILEGE messages … overtake ADVISE messages" and
 *   shows that to be harmless; but an ADVISE may as well overtake the PRIVILEGE sent before it. X
 *   learns from it that it holds the privilege, passes it on, and then the PRIVILEGE arrives.
 * - Section 8.1 has ASKED the wrong way round in its cases 3 and 4: X in the queue of its holder means
 *   that X has asked, as section 8.3 says. An X that takes the contrary for granted never asks.
 */
import type { Printed } from '../../core/algorithm.ts';
import { askNeighbours, forget } from '../raymond/recovery.ts';
import { raymond } from '../raymond.ts';

const { ADVISE, PRIVILEGE } = raymond.on;

const shows = { nodes: 2, topology: 'line', options: ['recovery'], crashes: 1 } as const;

const unnumbered: typeof raymond = {
  ...raymond,
  // Nobody counts lives: all are the first, and every message passes for one of the present.
  restart(my, site) {
    forget(my);
    site.timer('delay', 100);
  },
  timers: { delay: { fires: 'settled', expired: askNeighbours } },
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
  about:
    'a PRIVILEGE that is overtaken by the ADVISE sent after it arrives at a site that already takes ' +
    'itself for the holder: two sites inside',
  correction:
    'each life of a site has a number, and messages carry those of both ends: what was sent to or ' +
    'from an earlier life is dropped, so that the ADVISEs alone say where the privilege is',
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
  about:
    'a recovering site that is not in the queue of its holder takes it that it has asked, and so ' +
    'never asks: deadlock',
  correction:
    'it takes it that it has asked exactly if it is in the queue of its holder, as section 8.3 says',
  algorithm: swapped,
  shows: { ...shows, entries: [1, 1], violates: 'deadlock-freedom' },
};
