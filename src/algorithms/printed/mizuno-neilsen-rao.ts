/**
 * Mizuno–Neilsen–Rao as the survey tells it: an ACQUIRED says which site holds the token, and nothing
 * says which of two ACQUIREDs is the later one.
 *
 * They come from different sites, so that links which keep order do not help. An old ACQUIRED may
 * replace a newer one, and then the go-between sends requests to a site that has lost the token.
 */
import type { Printed } from '../../core/printed.ts';
import { learn, mizunoNeilsenRao } from '../mizuno-neilsen-rao.ts';
import { retold } from './published.ts';

const algorithm: typeof mizunoNeilsenRao = {
  ...mizunoNeilsenRao,
  on: {
    ...mizunoNeilsenRao.on,
    ACQUIRED: (my, site, from, { granted }) => learn(my, site, from, granted, 0),
  },
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

/** LN grows with every entry, so that of two ACQUIREDs the one with the greater sum is the later. */
const byLN: typeof mizunoNeilsenRao = {
  ...mizunoNeilsenRao,
  on: {
    ...mizunoNeilsenRao.on,
    ACQUIRED: (my, site, from, { granted }) => {
      const isOld = my.holder !== null && sum(granted) < sum(my.holder.granted);
      if (!isOld) learn(my, site, from, granted, 0);
    },
  },
};

export const unordered: Printed = {
  name: 'survey',
  quote: {
    where: 'the survey, section 4, on Mizuno, Neilsen and Rao',
    text:
      'Node j has sent an ACQUIRED(j, LNj) message to all other nodes in Aj. This message indicates that ' +
      'j has received the token. Upon receiving the acquired message from j, all other nodes k in Aj ' +
      'check if they have requests that have not been granted yet.',
  },
  reading: 'The ACQUIRED that arrives last counts: the text says nothing of an order.',
  about:
    'An ACQUIRED that arrives late may be the older of two. It replaces what the newer one said, and ' +
    'requests are passed on to a site that has lost the token: deadlock.',
  charitable: {
    reading:
      'The message carries LN, the numbers of the requests that were granted, which only grow. A node can ' +
      'tell by them that an ACQUIRED is older than what it knows, and ignore it.',
    algorithm: byLN,
  },
  published: retold,
  correction:
    'The token counts how often it was acquired. An ACQUIRED with a smaller count is ignored.',
  algorithm,
  shows: {
    nodes: 3,
    entries: [1, 2, 1],
    links: 'fifo',
    topology: 'tree',
    violates: 'deadlock-freedom',
  },
};
