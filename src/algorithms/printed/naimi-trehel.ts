/**
 * Naimi–Trehel as the survey tells it.
 *
 * - Of the end of the queue it says what becomes of a REQUEST if that site is inside, or holds the idle
 *   token. A site that still waits is "non-privileged": it forwards the REQUEST to its LAST, which is the
 *   site itself, and points at the origin from then on. So no site will ever send the token there.
 * - Of recovery it says that a node which hears that the token exists "goes back to the waiting state". But
 *   it inquired because its REQUEST may have died with a site on the way, and then it waits for ever.
 */
import type { Printed } from '../../core/printed.ts';
import { naimiTrehel } from '../naimi-trehel.ts';
import { retold } from './published.ts';

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
  quote: {
    where: 'the survey, section 4, on Naimi and Trehel',
    text:
      'When the request from node i arrives at the privileged node, say node k, and k is the root node ' +
      'of the tree (LASTk :=k) and it is in its critical section, then node k sets NEXTk:=i and LASTk:=i.',
  },
  reading:
    'A root that still waits for the token is not privileged. The text has it forward the request to ' +
    'LAST, which is the root itself, and set LAST.',
  about:
    'The end of the queue remembers its successor only if it is inside. One that still waits for the ' +
    'token forgets the request that arrives: deadlock.',
  charitable: {
    reading:
      'A root that waits for the token does with a request what it would do in its critical section.',
    algorithm: naimiTrehel,
  },
  published: retold,
  correction: 'The end of the queue remembers its successor as soon as it has asked itself.',
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
  quote: {
    where: 'the survey, section 4, on Naimi and Trehel',
    text:
      'During the interval delays at the consulting and query phases, the token or an answer from another ' +
      'node may arrive, and the inquiring node goes back to the waiting state.',
  },
  reading:
    'To go back to the waiting state is to wait for the token as before, and to inquire again.',
  about:
    'A site that hears that the token exists waits on. Its REQUEST may have died with a site on the ' +
    'way: then it waits and inquires for ever.',
  charitable: {
    reading:
      'We know of none: the text has no way in which a lost request is sent again. Table 1 says “The ' +
      'state is not reconstructed.”',
  },
  published: retold,
  correction:
    'The holder of the token becomes the root of a new tree, and every site that waits asks it again.',
  algorithm: waitsOn,
  shows: {
    nodes: 3,
    entries: [0, 1, 1],
    options: ['recovery'],
    crashes: 1,
    violates: 'starvation-freedom',
  },
};
