/**
 * Ricart–Agrawala where it is printed otherwise than it must be: two of the modifications in section 6 of
 * the paper itself, and the algorithm as Lodha and Kshemkalyani restate it in their Figure 1.
 */
import type { Printed } from '../../core/algorithm.ts';
import { ricartAgrawala as ours } from '../ricart-agrawala.ts';

// The errors show without readers, and what is out of turn is not yet an error.
const { messages } = ours.claims;
const writers: typeof ours = { ...ours, modes: ['exclusive'], claims: { messages } };

/** Section 2.2: `Our_Sequence_Number := Highest_Sequence_Number + 1`, and the latter stays. */
const request: typeof ours.request = (my, site, mode) => {
  const before = 'highest' in my ? my.highest : 0;
  ours.request(my, site, mode);
  if ('highest' in my) my.highest = before;
};

export const bounded: Printed = {
  name: 'bounded',
  about:
    'a site’s own number does not count as seen, so that it falls behind the others’ by more than ' +
    'N−1, and compares wrongly modulo 2N−1: two are inside',
  correction: 'our own number counts as seen, as the comment on the paper’s variable says',
  algorithm: { ...writers, request },
  shows: { nodes: 2, entries: [1, 2], options: ['bounded'], violates: 'mutual-exclusion' },
};

export const ringMarked: Printed = {
  name: 'ring-marked',
  about:
    'the count of REPLYs is set when the REQUEST comes home, and a REPLY that came before is never ' +
    'counted: deadlock',
  correction: 'the marks are added to the count, which early REPLYs have taken below zero',
  algorithm: {
    ...writers,
    on: {
      ...ours.on,
      MARKED_ROUND: (my, site, from, message) => {
        if (message.origin === site.me && 'missing' in my) my.missing = 0;
        ours.on.MARKED_ROUND(my, site, from, message);
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [1, 1], options: ['ring-marked'], violates: 'deadlock-freedom' },
};

export const lkFig1: Printed = {
  name: 'lk-fig1',
  about:
    'the highest number seen is kept up to date only by REQUESTs that are deferred, so that a later ' +
    'request gets an earlier number: two are inside',
  correction: 'every REQUEST counts as seen, as in the paper of Ricart and Agrawala',
  algorithm: {
    ...writers,
    request,
    on: {
      ...ours.on,
      REQUEST: (my, site, from, message) => {
        const before = 'highest' in my ? my.highest : 0;
        ours.on.REQUEST(my, site, from, message);
        if ('missing' in my && !my.deferred[from]) my.highest = before;
      },
    },
  } satisfies typeof ours,
  shows: { nodes: 2, entries: [1, 1], violates: 'mutual-exclusion' },
};
