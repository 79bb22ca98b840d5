/**
 * Mizuno–Neilsen–Rao as the survey tells it: an ACQUIRED says who holds the token, and nothing says
 * which of two is the later one.
 *
 * They come from different sites, so that links which keep order do not help: an old ACQUIRED may
 * replace a newer one, and then the go-between sends requests to a site that has lost the token.
 */
import type { Printed } from '../../core/algorithm.ts';
import { learn, mizunoNeilsenRao } from '../mizuno-neilsen-rao.ts';

const algorithm: typeof mizunoNeilsenRao = {
  ...mizunoNeilsenRao,
  on: {
    ...mizunoNeilsenRao.on,
    ACQUIRED: (my, site, from, { granted }) => learn(my, site, from, granted, 0),
  },
};

export const unordered: Printed = {
  name: 'survey',
  about:
    'the last ACQUIRED to arrive counts, though it may be the older one, and then requests are ' +
    'passed on to a site that has lost the token: deadlock',
  correction:
    'the token counts how often it was acquired, and an ACQUIRED with a smaller count is ' +
    'ignored',
  algorithm,
  shows: {
    nodes: 3,
    entries: [1, 2, 1],
    links: 'fifo',
    topology: 'tree',
    violates: 'deadlock-freedom',
  },
};
