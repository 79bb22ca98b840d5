/**
 * Ricart–Agrawala with a token as the survey tells it: a site that holds the token and is not inside
 * sends it to every site that asks.
 *
 * A REQUEST may arrive when it has been granted already, for links may reorder. Then the token goes to
 * a site that does not want it, and nothing makes that site look for those that do.
 */
import type { Printed } from '../../core/printed.ts';
import { pass, ricartAgrawalaToken } from '../ricart-agrawala-token.ts';
import { retold } from './published.ts';

const algorithm: typeof ricartAgrawalaToken = {
  ...ricartAgrawalaToken,
  on: {
    REQUEST(my, site, from, { n }) {
      my.asked[from] = Math.max(my.asked[from]!, n);
      if (my.token !== null && !my.requesting) pass(my, site, from);
    },

    TOKEN(my, site, _, { granted }) {
      my.token = granted.slice();
      if (my.requesting) site.enter();
    },
  },
};

export const unguarded: Printed = {
  name: 'survey',
  quote: {
    where: 'the survey, section 4, on Ricart and Agrawala’s token',
    text: 'If node k is holding the token and is not in its critical section, then k sends the token to node j.',
  },
  reading: 'The holder sends the token for every REQUEST, one that was granted before included.',
  about:
    'An idle token is sent for a request that was granted long ago. It may end with a site that does ' +
    'not want it: deadlock.',
  charitable: {
    reading:
      'The sentences before it say that the update of request_data “takes care of out-of-order request ' +
      'messages and old requests already granted”. So an old REQUEST moves no token.',
    algorithm: ricartAgrawalaToken,
  },
  published: retold,
  correction:
    'An idle token goes only to a site whose request is newer than the last one granted to it.',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 1], violates: 'deadlock-freedom' },
};
