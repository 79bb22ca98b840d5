/**
 * Hélary–Plouzeau–Raynal as the survey tells it: the site that sends the token away enters its own time
 * for the request that is served, not for itself.
 *
 * The clock of the site that is served may be behind. Its next request then bears a time before the one
 * that was entered, and looks as if it were done.
 */
import type { Printed } from '../../core/printed.ts';
import { hear, helaryPlouzeauRaynal, transmit } from '../helary-plouzeau-raynal.ts';
import { retold } from './published.ts';

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
  quote: {
    where: 'the survey, section 4, on Helary, Plouzeau and Raynal',
    text:
      'node i finds the oldest request from its own set of pending ones, updates the time of that request ' +
      "in the token's array with its logical clock, and sends the token through the return path.",
  },
  reading:
    'The entry of the site that is served is set to the clock of the site that sends the token.',
  about:
    'The clock of the giver may be ahead of the clock of the site that it serves. The next request of ' +
    'that site then looks as if it were done, and the site waits for ever.',
  charitable: {
    reading:
      'The entry that is updated is that of node i itself, whose logical clock it is. The array then says ' +
      'of each site when it last gave the token away.',
    algorithm: helaryPlouzeauRaynal,
  },
  published: retold,
  correction:
    'The giver of the token records its own clock under its own name. All that it asked for before then ' +
    'is known to be done.',
  algorithm,
  shows: { nodes: 3, entries: [0, 2, 1], topology: 'line', violates: 'deadlock-freedom' },
};
