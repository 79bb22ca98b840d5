/**
 * Ricart–Agrawala: ask everyone, enter when everyone has said yes.
 *
 * G. Ricart and A. K. Agrawala. "An Optimal Algorithm for Mutual Exclusion in Computer Networks".
 * Communications of the ACM 24(1):9–17, January 1981.
 *
 * A site that wants in stamps a REQUEST with a sequence number and sends it to all others. They
 * answer at once, unless they want in too (or are in) and asked earlier: then they answer when they
 * leave. A REPLY is thus a permission, and the deferred ones are the queue.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { seq: 'int' }, // may I?
  REPLY: {}, //               you may, for my part
} as const satisfies Messages;

type State = {
  requesting: boolean; // Requesting_Critical_Section: from request to release, the stay included
  ours: number; //        Our_Sequence_Number
  highest: number; //     Highest_Sequence_Number seen in any REQUEST, our own included
  missing: number; //     Outstanding_Reply_Count
  deferred: boolean[]; // Reply_Deferred
};

export const ricartAgrawala: Algorithm<State, typeof messages> = {
  id: 'ricart-agrawala',
  title: 'Ricart & Agrawala 1981',
  year: 1981,
  paper: 'https://doi.org/10.1145/358527.358537',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '2(N−1)',
      bounds: ({ n }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
    },
    synchronizationDelay: 'T',
    ticket: ({ ours }, { me }) => [ours, me],
  },
  recovers: [],

  init: ({ n }) => ({
    requesting: false,
    ours: 0,
    highest: 0,
    missing: 0,
    deferred: each(n, false),
  }),

  request(my, site) {
    my.requesting = true;
    my.ours = ++my.highest;
    my.missing = site.n - 1;
    for (const j of site.others) site.send(j, { type: 'REQUEST', seq: my.ours });
    if (my.missing === 0) site.enter(); // alone in the world
  },

  release(my, site) {
    my.requesting = false;
    for (const j of site.others) {
      if (my.deferred[j]) site.send(j, { type: 'REPLY' });
      my.deferred[j] = false;
    }
  },

  on: {
    REQUEST(my, site, from, { seq }) {
      my.highest = Math.max(my.highest, seq);
      const oursIsOlder = my.ours < seq || (my.ours === seq && site.me < from);
      if (my.requesting && oursIsOlder) my.deferred[from] = true;
      else site.send(from, { type: 'REPLY' });
    },

    REPLY(my, site) {
      assert(my.missing > 0, 'a REPLY answers a REQUEST of ours');
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },
  },
};
