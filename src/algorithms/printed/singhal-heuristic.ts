/**
 * Singhal's heuristic as the survey and textbooks tell it: what the token knows is taken over only when
 * it goes, and a REQUEST that is not new is discarded.
 *
 * The token may bring the news that a request was satisfied before the REQUEST itself arrives. It is
 * discarded then, and with it the only reason for these two sites to ask each other.
 */
import type { Printed } from '../../core/printed.ts';
import { hear, take } from '../singhal-heuristic/guesses.ts';
import { singhalHeuristic } from '../singhal-heuristic.ts';
import { retold } from './published.ts';

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
  quote: {
    where: 'the survey, section 4, on Singhal’s heuristic',
    text:
      'When node j receives a request from i, it checks the request sequence number against its sequence ' +
      'number vector to discard out-dated requests.',
  },
  reading:
    'A REQUEST is out-dated if its number is not above the one in the vector. The vector also takes in ' +
    'what the token knows, when the node leaves its critical section.',
  about:
    'A REQUEST arrives after the token has reported it satisfied, and is discarded. Then neither of two ' +
    'sites asks the other: deadlock, until a third site asks.',
  charitable: {
    reading:
      'We know of none: the rule to discard and the rule to take in the vectors of the token are both told ' +
      'in so many words.',
  },
  published: retold,
  correction:
    'What the token reports is taken in when it arrives. A holder that goes idle tells the sites whose ' +
    'late REQUESTs it has seen. So of any two sites one still asks the other.',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 2], links: 'fifo', violates: 'deadlock-freedom' },
};
