/**
 * Srimani–Reddy: k tokens, each with what it knows of the requests that were granted.
 *
 * P. K. Srimani and R. L. N. Reddy. "Another Distributed Algorithm for Multiple Entries to a Critical
 * Section". Information Processing Letters 41(1):51–57, January 1992. A reconstruction from the survey.
 *
 * It is Suzuki and Kasami's algorithm with k tokens. A site without a token sends a numbered REQUEST to all
 * others, and enters with the first token that comes. A second token may come as well: the site keeps it until
 * another asks. No token knows what the others have granted. So each site remembers what all tokens that passed
 * it knew, and to which requests it has sent a token itself.
 *
 * Example with k = 2: site 0 of three has both tokens. Site 1 asks, and then site 2; each sends two REQUESTs and
 * gets a token from site 0. Both are inside. Site 0 asks both. Site 1 leaves first and sends it a token, with
 * which site 0 enters. Site 2 leaves. It does not know of that, and sends site 0 its token too, which site 0
 * keeps. That is ten messages for three entries.
 *
 * The survey does not say how the numbers can be bounded; `srimani-reddy/rounds.ts` has a way.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { each } from '../core/plain.ts';
import { isLast, step } from './srimani-reddy/numbers.ts';
import { arrive, close, count, open } from './srimani-reddy/rounds.ts';
import { goIn, messages, options, place, type State } from './srimani-reddy/tokens.ts';

export const srimaniReddy: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'srimani-reddy',
  title: 'Srimani & Reddy 1992',
  year: 1992,
  paper: 'Information Processing Letters 41(1):51–57, 1992',
  family: 'token',
  modes: ['exclusive'],
  k: true,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any', // a REQUEST that comes late is known by its number
  options,
  messages,
  claims: {
    messages: {
      formula: '0, or N to N+k−1; with `bounded` up to (N+k−1)/L more',
      bounds: ({ n, k, options: { bounded = Number.POSITIVE_INFINITY } }) => ({
        least: 0,
        most: (n + k - 1) * (1 + 1 / bounded),
      }),
    },
    synchronizationDelay: 'T',
  },
  recovers: [],

  init({ me, n, k, options: { bounded } }) {
    const token = (id: number) => ({
      queue: [],
      granted: each(n, 0),
      id: bounded === undefined ? 0 : id,
      rounds: bounded === undefined ? [] : each(n, 0),
    });
    return {
      waiting: false,
      asked: each(n, 0),
      granted: each(n, 0),
      sent: each(n, 0),
      using: null,
      spare: me === 0 ? Array.from({ length: k }, (_, id) => token(id)) : [],
      unacknowledged: 0,
      unrecorded: bounded === undefined ? [] : each(k, false),
    };
  },

  request(my, site) {
    const token = my.spare.pop();
    if (token !== undefined) return goIn(my, site, token);
    my.waiting = true;
    const n = step(my.asked[site.me]!, 1, site);
    my.asked[site.me] = n;
    if (isLast(n, site)) close(my, site);
    for (const j of site.others) site.send(j, { type: 'REQUEST', n });
  },

  release(my, site) {
    const token = my.using!;
    my.using = null;
    place(my, site, token);
  },

  on: {
    REQUEST(my, site, from, { n }) {
      if (site.options.bounded === undefined) my.asked[from] = Math.max(my.asked[from]!, n);
      else count(my, site, from);
      const token = my.spare.pop();
      if (token !== undefined) place(my, site, token);
    },

    PRIVILEGE(my, site, _, { queue, granted }) {
      const token = { queue: queue.slice(), granted: granted.slice(), id: 0, rounds: [] };
      for (const { who, n } of queue) my.asked[who] = Math.max(my.asked[who]!, n);
      if (my.waiting) goIn(my, site, token);
      else place(my, site, token);
    },

    ROUND_PRIVILEGE(my, site, _, { queue, granted, id, rounds }) {
      const token = { queue: queue.slice(), granted: granted.slice(), id, rounds: rounds.slice() };
      arrive(my, site, token);
      if (my.waiting) goIn(my, site, token);
      else place(my, site, token);
      open(my, site);
    },

    ACK(my, site, _, { recorded }) {
      my.unacknowledged -= 1;
      for (const id of recorded) my.unrecorded[id] = false;
      open(my, site);
    },

    RECORDED(my, site, _, { id }) {
      my.unrecorded[id] = false;
      open(my, site);
    },
  },

  tokens: {
    held: ({ using, spare }) => spare.length + (using === null ? 0 : 1),
    carriers: ['PRIVILEGE', 'ROUND_PRIVILEGE'],
  },
  fields: { asked: 'RN', granted: 'PLN', using: 'token in use (Q, LN)', spare: 'spare tokens' },
  awaits: ({ waiting }, { others }) => (waiting ? others : []), // any of them may have one
};
