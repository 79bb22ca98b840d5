/**
 * Relative consensus voting as section 4 prints it, but for MPM 25 to 32: an IM names the request that
 * `next` follows, and whoever gets it knows by itself whether that one is over. What is left is Exchange,
 * which takes the longer of two lists, and guesses from the timestamps of rows which tuples are outdated.
 */
import type { Algorithm, Printed } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import type { options } from '../relative-consensus-voting/routing.ts';
import {
  copy,
  type State as PrintedState,
  messages as printed,
  rcvRM,
  section4,
} from './relative-consensus-voting.ts';

const messages = { ...printed, IM: { next: 'node', after: 'int' } } as const satisfies Messages;

type State = PrintedState & { ours: number; finished: number }; // timestamps of our requests
type Mended = Algorithm<State, typeof messages, 'complete', typeof options>;
const asPrinted: Mended = section4.algorithm;

const algorithm: Mended = {
  ...asPrinted,
  messages,

  init: (site) => ({ ...asPrinted.init(site), ours: 0, finished: 0 }),

  request(my, site, mode) {
    asPrinted.request(my, site, mode);
    my.ours = my.nsit[site.me]!.ts;
  },

  release(my, site) {
    asPrinted.release(my, site);
    my.finished = my.ours;
  },

  on: {
    ...asPrinted.on,
    IM(my, site, _, { next, after }) {
      if (my.finished >= after) site.send(next, { type: 'EM', ...copy(my) });
      else my.next = next;
    },
    RM: (my, site, _, message) =>
      rcvRM(my, site, message, ({ node, ts }, next) =>
        site.send(node, { type: 'IM', next, after: ts }),
      ),
  },
};

export const exchange: Printed = {
  name: 'exchange',
  within: 'section-4',
  about:
    'of two lists the longer counts, though it may be the older, and timestamps have to tell what is ' +
    'outdated, so that sites order the same requests differently: two are inside, and among four ' +
    'sites all may wait for ever',
  correction:
    'every message says which requests are finished; both lists are rid of these before the longer is ' +
    'taken, and of two rows the newer',
  algorithm,
  shows: { nodes: 3, entries: [2, 2, 2], links: 'fifo', violates: 'mutual-exclusion' },
};
