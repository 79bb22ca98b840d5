/**
 * Hélary–Plouzeau–Raynal as the survey tells it: whoever sends the token away enters its own time for
 * the request that is served, not for itself.
 *
 * The clock of the site that is served may be behind, so that its next request, at an earlier time,
 * looks as if it were done.
 */
import type { Printed } from '../../core/algorithm.ts';
import { hear, helaryPlouzeauRaynal, transmit } from '../helary-plouzeau-raynal.ts';

const algorithm: typeof helaryPlouzeauRaynal = {
  ...helaryPlouzeauRaynal,
  release(my, site) {
    my.requesting = false;
    transmit(my, site, 'elected');
  },
  on: {
    ...helaryPlouzeauRaynal.on,
    REQUEST(my, site, from, request) {
      const isNew = hear(my, site, from, request);
      if (isNew && my.token !== null && !my.requesting) transmit(my, site, 'elected');
    },
  },
};

export const timeOfTheServed: Printed = {
  name: 'survey',
  about:
    'the token records when a request was served by the clock of the giver, which may be ahead of ' +
    'the one whose request it was: its next request looks done, and it waits for ever',
  correction:
    'the giver of the token records its own clock under its own name, as the original paper ' +
    'does: whatever it served before is then known to be older',
  algorithm,
  shows: { nodes: 3, entries: [1, 2, 1], topology: 'line', violates: 'deadlock-freedom' },
};
