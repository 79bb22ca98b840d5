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
import type { Messages } from '../core/message.ts';
import { flag, type OptionDeclarations } from '../core/option.ts';
import { diameter } from '../topologies/tree.ts';
import { begin, initialization, learn, NOWHERE } from './raymond/initialize.ts';
import { type OfThePaper, proceed, take } from './raymond/privilege.ts';
import * as recovery from './raymond/recovery.ts';

const messages = {
  REQUEST: {}, //           someone on my side of this edge wants in
  PRIVILEGE: {}, //         the token
  PRIVILEGE_REQUEST: {}, // the token, and I want it back (only with `piggyback`)
  ...initialization,
  ...recovery.messages,
} as const satisfies Messages;

const options = {
  piggyback: flag(
    'a PRIVILEGE and the REQUEST that follows it travel as one message (section 6.1)',
  ),
  greedy: flag('a site puts its own request before those of its neighbours (section 6.2)'),
  initialize: flag('who does not hold the privilege is told where it is (section 7)'),
  recovery: flag('who crashed and is back learns its state from its neighbours (section 8)'),
} as const satisfies OptionDeclarations;

export type State = {
  holder: NodeId; //  HOLDER: the neighbour on the way to the privilege, or ourselves
  using: boolean; //  USING: we are in the critical section
  queue: NodeId[]; // REQUEST_Q: who awaits the privilege from us, ourselves included
  asked: boolean; //  ASKED: we have asked the holder on the queue's behalf
  life: number; //    how often we have restarted
  lives: number[]; // with `recovery`: the same of each neighbour, as we know it; else empty
};
export type RaymondSite = Site<typeof messages, 'tree', typeof options>;

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
      formula: '0 to 2D; with `initialize`, once N−1 more',
      bounds: ({ n, topology, options: { initialize } }) => ({
        least: 0,
        most: 2 * diameter(topology) + (initialize ? n - 1 : 0),
      }),
    },
    synchronizationDelay: 'T to D·T',
  },
  recovers: recovery.recovers,

  refuses: ({ options: { initialize, recovery } }) =>
    initialize && recovery
      ? 'raymond takes initialize or recovery, not both: who crashes before it was told where the privilege is cannot be advised'
      : undefined,

  init: ({ me, topology: { parent, neighbours }, options: { initialize, recovery } }) => ({
    holder: initialize && parent[me] !== me ? NOWHERE : parent[me]!,
    using: false,
    queue: [],
    asked: false,
    life: 0,
    lives: recovery ? neighbours[me]!.map(() => 0) : [],
  }),

  starts: ({ options: { initialize } }) => initialize,
  start: begin,

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

    INITIALIZE(my, site, from) {
      learn(my, site, from);
      proceed(my, site);
    },

    STAMPED_REQUEST: ifCurrent('REQUEST'),
    STAMPED_PRIVILEGE: ifCurrent('PRIVILEGE'),
    STAMPED_PRIVILEGE_REQUEST: ifCurrent('PRIVILEGE_REQUEST'),

    RESTART: recovery.advise,

    ADVISE(my, site, from, advice) {
      recovery.follow(my, site, from, advice);
      proceed(my, site);
    },
  },

  stable: ['life'],
  restarts: ({ options: { recovery } }) => recovery,
  restart: recovery.begin,

  tokens: {
    held: ({ holder }, { me }) => (holder === me ? 1 : 0),
    carriers: ['PRIVILEGE', 'PRIVILEGE_REQUEST', 'STAMPED_PRIVILEGE', 'STAMPED_PRIVILEGE_REQUEST'],
  },
  awaits: ({ holder }, { me, topology: { neighbours } }) => {
    if (holder === NOWHERE) return neighbours[me]!;
    return holder === me ? [] : [holder];
  },
};

function ifCurrent(type: OfThePaper) {
  return (my: State, site: RaymondSite, from: NodeId, stamp: recovery.Stamp): void => {
    if (recovery.isCurrent(my, site, from, stamp)) raymond.on[type](my, site, from, {});
  };
}
