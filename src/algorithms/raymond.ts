/**
 * Raymond: the token walks a tree, and every edge remembers which way it went.
 *
 * K. Raymond. "A Tree-Based Algorithm for Distributed Mutual Exclusion".
 * ACM Transactions on Computer Systems 7(1):61–77, February 1989.
 *
 * Each site points at its neighbour on the way to the privilege, so pointers followed from anywhere
 * lead to it. A REQUEST climbs the pointers, once per edge however many wait behind it; the
 * PRIVILEGE comes back down and turns each pointer it crosses.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { flag, type OptionDeclarations } from '../core/option.ts';
import { diameter } from '../topologies/tree.ts';

const messages = {
  REQUEST: {}, //           someone on my side of this edge wants in
  PRIVILEGE: {}, //         the token
  PRIVILEGE_REQUEST: {}, // the token, and I want it back (only with `piggyback`)
} as const satisfies Messages;

const options = {
  piggyback: flag(
    'a PRIVILEGE and the REQUEST that follows it travel as one message (section 6.1)',
  ),
  greedy: flag('a holder serves itself before those who asked earlier (section 6.2)'),
} as const satisfies OptionDeclarations;

type State = {
  holder: NodeId; //  HOLDER: the neighbour on the way to the privilege, or ourselves
  using: boolean; //  USING: we are in the critical section
  queue: NodeId[]; // REQUEST_Q: who awaits the privilege from us, ourselves included
  asked: boolean; //  ASKED: we have asked the holder on the queue's behalf
};

export const raymond: Algorithm<State, typeof messages, 'tree', typeof options> = {
  id: 'raymond',
  title: 'Raymond 1989',
  year: 1989,
  paper: 'https://doi.org/10.1145/58564.59295',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'tree',
  defaultTopology: 'binary',
  links: 'any', // a REQUEST may overtake the PRIVILEGE sent before it: it joins the queue early
  options,
  messages,
  claims: {
    messages: {
      formula: '0 to 2D',
      bounds: ({ topology }) => ({ least: 0, most: 2 * diameter(topology) }),
    },
    synchronizationDelay: 'D/2 T on average',
  },
  recovers: [],

  init: ({ me, topology: { parent } }) => ({
    holder: parent[me]!,
    using: false,
    queue: [],
    asked: false,
  }),

  request(my, site) {
    if (site.options.greedy) my.queue.unshift(site.me);
    else my.queue.push(site.me);
    proceed(my, site);
  },

  release(my, site) {
    my.using = false;
    proceed(my, site);
  },

  on: {
    REQUEST(my, site, from) {
      my.queue.push(from);
      proceed(my, site);
    },

    PRIVILEGE(my, site, from) {
      take(my, site, from);
      proceed(my, site);
    },

    PRIVILEGE_REQUEST(my, site, from) {
      take(my, site, from);
      my.queue.push(from);
      proceed(my, site);
    },
  },

  tokens: {
    held: ({ holder }, { me }) => (holder === me ? 1 : 0),
    carriers: ['PRIVILEGE', 'PRIVILEGE_REQUEST'],
  },
  awaits: ({ holder }, { me }) => (holder === me ? [] : [holder]),
};

type RaymondSite = Site<typeof messages, 'tree', typeof options>;

function take(my: State, site: RaymondSite, from: NodeId): void {
  assert(my.holder === from, 'the privilege comes from the way we point');
  my.holder = site.me;
}

/** ASSIGN_PRIVILEGE, then MAKE_REQUEST: the paper runs both, in this order, after every event. */
function proceed(my: State, site: RaymondSite): void {
  let passing = false;
  if (my.holder === site.me && !my.using && my.queue.length > 0) {
    my.holder = my.queue.shift()!;
    my.asked = false;
    my.using = my.holder === site.me;
    if (my.using) site.enter();
    else passing = true;
  }
  const asking = my.holder !== site.me && my.queue.length > 0 && !my.asked;
  if (asking) my.asked = true;
  if (passing && asking && site.options.piggyback) {
    site.send(my.holder, { type: 'PRIVILEGE_REQUEST' });
  } else {
    if (passing) site.send(my.holder, { type: 'PRIVILEGE' });
    if (asking) site.send(my.holder, { type: 'REQUEST' });
  }
}
