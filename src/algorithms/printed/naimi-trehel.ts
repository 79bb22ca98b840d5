/**
 * Naimi–Trehel as the survey tells it.
 *
 * - Of the end of the queue it says what becomes of a REQUEST if that site is inside, or holds the idle
 *   token. One that still waits is "non-privileged": it forwards the REQUEST to its LAST, which is itself,
 *   and points at the origin from then on. So nobody will ever send the token there.
 * - Of recovery it says that whoever hears that the token exists "goes back to the waiting state". But it
 *   inquired because its REQUEST may have died with a site on the way, and then it waits for ever.
 */
import type { Printed } from '../../core/algorithm.ts';
import { naimiTrehel } from '../naimi-trehel.ts';

const forgetful: typeof naimiTrehel = {
  ...naimiTrehel,
  on: {
    ...naimiTrehel.on,
    REQUEST(my, site, from, message) {
      const isEnd = my.last === site.me;
      if (isEnd && my.requesting && !my.token) my.last = message.origin;
      else naimiTrehel.on.REQUEST(my, site, from, message);
    },
  },
};

export const waitingEnd: Printed = {
  name: 'survey',
  about:
    'the end of the queue remembers its successor only if it is inside, and one that still waits ' +
    'forgets whoever asks it: deadlock',
  correction: 'the end of the queue remembers its successor as soon as it has asked itself',
  algorithm: forgetful,
  shows: { nodes: 2, entries: [1, 1], violates: 'deadlock-freedom' },
};

const { QUERY, CONSULT_YES } = naimiTrehel.on;

const waitsOn: typeof naimiTrehel = {
  ...naimiTrehel,
  on: {
    ...naimiTrehel.on,
    QUERY(my, site, from, message) {
      if (my.token) site.send(from, { type: 'CONSULT_YES' });
      else QUERY(my, site, from, message);
    },
    CONSULT_YES(my, site, from, message) {
      if (my.inquiry.stage > 0) my.inquiry.stage = 1; // "consulting or query", it makes no difference
      CONSULT_YES(my, site, from, message);
    },
    EPOCH_TOKEN(my, site, from, message) {
      const { queried } = my.inquiry;
      my.inquiry.queried = false;
      naimiTrehel.on.EPOCH_TOKEN(my, site, from, message);
      if (!queried) return;
      for (const j of site.others) site.send(j, { type: 'CONSULT_YES' });
    },
  },
};

export const lostRequest: Printed = {
  name: 'survey-recovery',
  about:
    'a site that hears that the token exists waits on, though its REQUEST may have died with a site ' +
    'on the way: it waits and inquires for ever',
  correction:
    'the holder of the token becomes the root of a new tree, and everyone who waits asks it again',
  algorithm: waitsOn,
  shows: {
    nodes: 3,
    entries: [1, 1, 1],
    options: ['recovery'],
    crashes: 1,
    violates: 'starvation-freedom',
  },
};
