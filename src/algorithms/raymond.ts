/**
 * Raymond: the token walks a tree, and every edge remembers which way it went.
 *
 * K. Raymond. "A Tree-Based Algorithm for Distributed Mutual Exclusion".
 * ACM Transactions on Computer Systems 7(1):61–77, February 1989.
 *
 * Each site points at its neighbour on the way to the privilege, so that the pointers lead to it from everywhere. A
 * REQUEST climbs the pointers, once per edge however many sites wait behind it. The PRIVILEGE comes back down and
 * turns each pointer that it crosses.
 *
 * Example on the line 0 – 1 – 2: site 0 is inside. Site 2 asks site 1, and site 1 asks site 0. Now site 1 wants to
 * enter as well. It has asked already: it only puts itself into its queue, behind site 2. Site 0 leaves and sends
 * the PRIVILEGE to site 1, which sends it on to site 2 and asks for it back. Site 2 enters, leaves, and sends it
 * to site 1. The two entries take three REQUESTs and three PRIVILEGEs.
 *
 * Ours departs from the paper in the recovery (section 8), which fails where an ADVISE overtakes a PRIVILEGE:
 * restarts are numbered (`raymond/recovery.ts`). With `unnumbered` it is the paper's, for links that keep order.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import type { Messages } from '../core/message.ts';
import { choice, flag, type OptionDeclarations } from '../core/option.ts';
import { diameter } from '../topologies/tree.ts';
import { begin, initialization, learn, NOWHERE } from './raymond/initialize.ts';
import { invariants } from './raymond/invariants.ts';
import { admit, type OfThePaper, proceed, receive, take } from './raymond/privilege.ts';
import { received } from './raymond/rebuild.ts';
import * as recovery from './raymond/recovery.ts';

const messages = {
  REQUEST: {}, //           a site on my side of this edge wants to enter
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
  defer: flag('a REQUEST that overtook a PRIVILEGE is processed after it (section 3.5)'),
  initialize: flag('a site that does not hold the privilege is told where it is (section 7)'),
  recovery: flag(
    'a site that is back after a crash learns its state from its neighbours (section 8)',
  ),
  rebuild: choice(
    '8.4: a recovering site orders its queue by when its neighbours asked, or by how often each was served; means recovery too',
    ['timestamps', 'privileges'],
  ),
  unnumbered: flag(
    '8.6, 8.7: a restarting site waits until all that it sent has arrived, and numbers nothing; for ordered links; means recovery too',
  ),
} as const satisfies OptionDeclarations;

export type State = {
  holder: NodeId; //  HOLDER: the neighbour on the way to the privilege, or ourselves
  using: boolean; //  USING: we are in the critical section
  queue: NodeId[]; // REQUEST_Q: the neighbours that await the privilege from us, and ourselves
  asked: boolean; //  ASKED: we have asked the holder on the queue's behalf
  early: boolean; //  with `defer`: a REQUEST of the holder awaits the PRIVILEGE that it overtook
  life: number; //    how often we have restarted
  lives: number[]; // with `recovery`: the same of each neighbour, as we know it; else empty
  clock: number; //   with `rebuild=timestamps`: Lamport's clock
  askedAt: number; // … and the time of our last REQUEST
  served: number[]; // with `rebuild=privileges`: how many PRIVILEGEs came from each neighbour; else empty
  ranks: number[]; // with `rebuild`, while we recover: what each waiting neighbour said; else 0
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

  refuses: ({ options }) => {
    if (!recovery.isChosen(options)) return undefined;
    if (options.initialize) {
      return 'raymond takes initialize or recovery, not both: a site that crashes before it was told where the privilege is cannot be advised';
    }
    if (options.defer) {
      return 'raymond takes defer or recovery, not both: the PRIVILEGE that a deferred REQUEST awaits may have been lost in a crash';
    }
    return options.rebuild !== undefined && options.unnumbered
      ? 'raymond takes rebuild or unnumbered, not both: only numbered messages carry what rebuild compares'
      : undefined;
  },

  init: ({ me, topology: { parent, neighbours }, options }) => {
    const perNeighbour = (isKept: boolean) => (isKept ? neighbours[me]!.map(() => 0) : []);
    return {
      holder: options.initialize && parent[me] !== me ? NOWHERE : parent[me]!,
      using: false,
      queue: [],
      asked: false,
      early: false,
      life: 0,
      lives: perNeighbour(recovery.isChosen(options)),
      clock: 0,
      askedAt: 0,
      served: perNeighbour(options.rebuild === 'privileges'),
      ranks: perNeighbour(options.rebuild !== undefined),
    };
  },

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
      admit(my, site, from);
      proceed(my, site);
    },

    PRIVILEGE(my, site, from) {
      take(my, site, from);
      proceed(my, site);
      receive(my, site, from);
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
  restarts: ({ options }) => recovery.isChosen(options),
  restart: recovery.begin,
  timers: {
    delay: {
      fires: 'drained',
      expired(my, site) {
        recovery.askAfterDelay(my, site);
        proceed(my, site);
      },
    },
  },

  tokens: {
    held: ({ holder }, { me }) => (holder === me ? 1 : 0),
    carriers: ['PRIVILEGE', 'PRIVILEGE_REQUEST', 'STAMPED_PRIVILEGE', 'STAMPED_PRIVILEGE_REQUEST'],
  },
  fields: { holder: 'HOLDER', using: 'USING', queue: 'REQUEST_Q', asked: 'ASKED' },
  awaits: ({ holder }, { me, topology: { neighbours } }) => {
    if (holder === NOWHERE) return neighbours[me]!;
    return holder === me ? [] : [holder];
  },
  invariants,
};

function ifCurrent(type: OfThePaper) {
  return (my: State, site: RaymondSite, from: NodeId, stamp: recovery.Stamp): void => {
    if (!recovery.isCurrent(my, site, from, stamp)) return;
    received(my, site, from, type, stamp.at);
    raymond.on[type](my, site, from, {});
  };
}
