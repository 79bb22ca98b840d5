/**
 * Mishra–Srimani as the survey tells it: a site that tries to make a new token goes on as soon as all
 * but one have answered. But the last one may be alive, inside, and its answer on the way.
 */
import type { Printed } from '../../core/printed.ts';
import { conclude, silent } from '../mishra-srimani/creation.ts';
import { mishraSrimani } from '../mishra-srimani.ts';
import { retold } from './published.ts';

// On its way to two inside at once it has two tokens, or drops one: that is not counted here.
const { tokens, ...uncounted } = mishraSrimani;
const { NO_CRIT, UPDATE } = mishraSrimani.on;

const algorithm: typeof mishraSrimani = {
  ...uncounted,
  on: {
    ...mishraSrimani.on,
    NO_CRIT(my, site, from, message) {
      NO_CRIT(my, site, from, message);
      if (my.trying === 'checking' && silent(my, site) <= 1) conclude(my, site);
    },
    UPDATE(my, site, from, message) {
      UPDATE(my, site, from, message);
      if (my.trying === 'creating' && silent(my, site) <= 1) conclude(my, site);
    },
  },
};

export const allButOne: Printed = {
  name: 'survey',
  quote: {
    where: 'the survey, section 4, on Mishra and Srimani',
    text:
      'A process k that has started the regeneration of the token will know that the token is lost … ' +
      'when it receives no REP_CRITICAL messages and N-2 NO_CRIT messages (at most one node could have ' +
      'failed and did not respond).',
  },
  reading: 'The process goes on as soon as it has N−2 NO_CRIT messages.',
  about:
    'All but one have said that they do not have the token. The last one is inside, and its answer is on ' +
    'the way. A second token is made, and two sites are inside, though no site has failed.',
  charitable: {
    reading:
      'The process waits for a time-out before it takes the node that has not answered for one that has ' +
      'failed, and the time-out is long enough for an answer.',
    algorithm: mishraSrimani,
  },
  published: retold,
  correction:
    'A site that has not answered has failed only when a time-out says so. The time-out outlasts a ' +
    'question, a token that travels meanwhile, and the answer.',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 0], violates: 'mutual-exclusion' },
};
