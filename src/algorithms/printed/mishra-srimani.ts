/**
 * Mishra–Srimani as the survey tells it: who tries to make a new token goes on "when it receives no
 * REP_CRITICAL messages and N−2 NO_CRIT messages (at most one node could have failed and did not
 * respond)". But the last may be alive, inside, and about to say so.
 */
import type { Printed } from '../../core/algorithm.ts';
import { conclude, silent } from '../mishra-srimani/creation.ts';
import { mishraSrimani } from '../mishra-srimani.ts';

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
  about:
    'a new token is made as soon as all but one have said that they have none, though the last may ' +
    'be inside and its answer on the way: two sites inside, and nobody has failed',
  correction:
    'who has not answered has failed only when a time-out says so, which outlasts a question, a token ' +
    'that is under way meanwhile, and the answer',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 0], violates: 'mutual-exclusion' },
};
