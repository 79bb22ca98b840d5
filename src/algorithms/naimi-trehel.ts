/**
 * Naimi–Trehel: ask the site that asked last, and become the site that others ask.
 *
 * M. Naimi and M. Trehel. "An Improvement of the log(n) Distributed Algorithm for Mutual Exclusion".
 * 7th International Conference on Distributed Computing Systems, 371–375, 1987. Analysed in: M. Naimi,
 * M. Trehel and A. Arnold. "A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal".
 * Journal of Parallel and Distributed Computing 34(1):1–13, 1996.
 *
 * Each site points at the last site that it knows to have asked; followed from anywhere, the pointers lead to the
 * end of the queue. A REQUEST travels along them and turns each one to its origin, which thereby becomes the new
 * end. The old end remembers its successor and sends it the token when it leaves. No site has the whole queue: each
 * site that waits has one link of it.
 *
 * Example with three sites: all point at site 0, which is inside. Site 1 sends its REQUEST to site 0. Site 0
 * remembers site 1 as its successor, and points at it. Site 2 sends its REQUEST to site 0 too, which passes it on
 * to site 1; site 1 remembers site 2. Site 0 leaves and sends the token to site 1, and site 1 sends it to site 2.
 * The two entries take five messages.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { flag, type OptionDeclarations } from '../core/option.ts';
import { arrived, CALM, type Inquiry, wait } from './naimi-trehel/inquiry.ts';
import { putInQueue, sendRequest, sendToken } from './naimi-trehel/queue.ts';
import * as recovery from './naimi-trehel/recovery.ts';

const messages = {
  REQUEST: { origin: 'node' }, // put this site behind you in the queue, or pass it on
  TOKEN: {},
  ...recovery.messages,
} as const satisfies Messages;

const options = {
  recovery: flag('a site that waits too long finds out what was lost, and builds the tree anew'),
} as const satisfies OptionDeclarations;

export type State = {
  requesting: boolean; //  from request to release, the stay included
  token: boolean; //       we hold the token
  last: NodeId; //         LAST: the way to the end of the queue; ourselves if we are the end
  next: NodeId | null; //  NEXT: the site that gets the token after us
  // With `recovery`; else always the same:
  epoch: number; //        how often the tree was built anew
  n: number; //            the number of our latest request
  nextN: number; //        of the request of NEXT
  inquiry: Inquiry; // what we or another are finding out
};
export type NaimiTrehelSite = Site<typeof messages, 'complete', typeof options>;

export const naimiTrehel: Algorithm<State, typeof messages, 'complete', typeof options> = {
  id: 'naimi-trehel',
  title: 'Naimi & Trehel 1987',
  year: 1987,
  paper: 'https://doi.org/10.1006/jpdc.1996.0041',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    // A REQUEST meets no site twice: behind it, all pointers lead to its origin.
    messages: {
      formula: 'O(log N) on average, 0 to N',
      bounds: ({ n }) => ({ least: 0, most: n }),
    },
    synchronizationDelay: 'T',
  },
  recovers: recovery.recovers,

  init: ({ me }) => ({
    requesting: false,
    token: me === 0,
    last: 0,
    next: null,
    epoch: 0,
    n: 0,
    nextN: 0,
    inquiry: { stage: CALM, queried: false },
  }),

  request(my, site) {
    my.requesting = true;
    if (my.last === site.me) return site.enter();
    if (site.options.recovery) wait(my, site);
    sendRequest(my, site, site.me, my.n);
    my.last = site.me;
  },

  release(my, site) {
    my.requesting = false;
    if (my.next === null) return;
    sendToken(my, site, my.next);
    my.next = null;
    my.nextN = 0;
  },

  on: {
    REQUEST: (my, site, _, { origin }) => putInQueue(my, site, origin, 0),

    TOKEN(my, site) {
      assert(my.requesting, 'the token comes only to a site that asked for it');
      my.token = true;
      site.enter();
    },

    // What was sent before the tree was built anew is void.
    EPOCH_REQUEST(my, site, _, { origin, n, epoch }) {
      if (epoch === my.epoch) putInQueue(my, site, origin, n);
    },

    EPOCH_TOKEN(my, site, from, { epoch }) {
      if (epoch !== my.epoch) return;
      naimiTrehel.on.TOKEN(my, site, from, {});
      arrived(my, site);
    },

    ...recovery.on,
  },

  timers: recovery.timers,

  tokens: { held: ({ token }) => (token ? 1 : 0), carriers: ['TOKEN', 'EPOCH_TOKEN'] },
  fields: { requesting: 'requesting', token: 'token present', last: 'LAST', next: 'NEXT' },
  awaits: ({ token }, { others }) => (token ? [] : others), // any of them may have it
  invariants: {
    'from every site, LAST leads to an end of the queue': ({ sites, up }) =>
      sites.every((_, start) => {
        let i = start;
        // A site that is down is an end of another kind.
        for (let hops = 0; sites[i]!.last !== i && up[i]; hops++) {
          if (hops === sites.length) return false;
          i = sites[i]!.last;
        }
        return true;
      }),
  },
};
