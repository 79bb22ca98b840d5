/**
 * Singhal's heuristic as the textbooks have it: what the token knows is taken over only when it goes,
 * and a REQUEST that is not new is discarded.
 *
 * The token may bring the news that a request was satisfied before the REQUEST itself arrives. It is
 * discarded then, and with it the only reason for these two sites to ask each other.
 */
import type { Printed } from '../../core/algorithm.ts';
import { hear, take } from '../singhal-heuristic/guesses.ts';
import { singhalHeuristic } from '../singhal-heuristic.ts';

const algorithm: typeof singhalHeuristic = {
  ...singhalHeuristic,
  on: {
    ...singhalHeuristic.on,
    REQUEST(my, site, from, { n }) {
      if (n > my.asked[from]!) hear(my, site, from, n);
    },

    TOKEN(my, site, _, { requests, asked }) {
      take(my, site, requests, asked);
    },
  },
  invariants: {}, // ours is what it breaks on its way into the deadlock
};

export const textbook: Printed = {
  name: 'textbook',
  about:
    'a REQUEST that arrives after the token has reported it satisfied is discarded, and then ' +
    'neither of two sites asks the other: deadlock until a third one asks',
  correction:
    'what the token reports is taken in when it arrives; a holder that goes idle tells those ' +
    'whose late REQUESTs it has seen, so that of any two sites one still asks the other',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 2], links: 'fifo', violates: 'deadlock-freedom' },
};
