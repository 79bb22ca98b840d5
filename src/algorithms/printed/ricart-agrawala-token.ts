/**
 * Ricart–Agrawala with a token as the survey tells it: whoever holds the token and is not inside
 * sends it to whoever asks.
 *
 * A REQUEST may come when it has been granted already, for links may reorder. Then the token goes to
 * a site that does not want it, and nothing makes that site look for those who do.
 */
import type { Printed } from '../../core/algorithm.ts';
import { pass, ricartAgrawalaToken } from '../ricart-agrawala-token.ts';

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
  about:
    'an idle token is sent to whoever asks, even if that request was granted long ago, and so may ' +
    'end with a site that does not want it: deadlock',
  correction:
    'an idle token goes only to a site whose request is newer than the last one granted to it',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 1], violates: 'deadlock-freedom' },
};
