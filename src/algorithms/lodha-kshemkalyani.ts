/**
 * Lodha–Kshemkalyani: requests that cross answer each other.
 *
 * S. Lodha and A. Kshemkalyani. "A Fair Distributed Mutual Exclusion Algorithm".
 * IEEE Transactions on Parallel and Distributed Systems 11(6):537–549, June 2000.
 *
 * Ricart and Agrawala's algorithm spends a REPLY even where two sites have asked at the same time and
 * each knows, from the other's REQUEST, who comes first. Here such concurrent requests stand in a
 * local queue and need no REPLY. Whoever leaves sends FLUSH to the next in its queue, and REPLY to
 * those who asked too late to be in it. Since entries follow the order of the requests, either says
 * at once that all requests up to the sender's are finished, and the receiver strikes them out.
 *
 * Figure 2 of the paper (`printed/lodha-kshemkalyani.ts`) fails in three ways; F1 to F3 mend them.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import type { Messages } from '../core/message.ts';
import { flag, type OptionDeclarations } from '../core/option.ts';
import { each } from '../core/plain.ts';
import * as delegation from './lodha-kshemkalyani/delegate.ts';

const messages = {
  // F2: a REQUEST that answers a request must say, as a REPLY does, what is finished. Else a site
  // that leaves and asks again leaves its finished request at the head of the others' queues.
  REQUEST: { seq: 'int', last: 'int' }, // R: may I?, and the last of mine that was satisfied
  REPLY: { last: 'int' }, //               you may, for my part; the last of mine that was satisfied
  FLUSH: { last: 'int' }, //               I am out, and this was mine
  // With `clock-on-all`:
  REPLY_WITH_CLOCK: { last: 'int', highest: 'int' },
  FLUSH_WITH_CLOCK: { last: 'int', highest: 'int' },
  ...delegation.messages,
} as const satisfies Messages;

// The three improvements of section 5.
const options = {
  delegate: flag('who leaves sends one REPLY, and its receiver passes the others on'),
  linger: flag('who leaves answers deferred requests with its own next one, if that comes soon'),
  'clock-on-all': flag('REPLY and FLUSH carry the highest sequence number as well'),
} as const satisfies OptionDeclarations;

/** A REQUEST's identity and its priority: the smaller comes first. */
export type ReqID = { readonly seq: number; readonly pid: NodeId };

export type State = {
  waiting: boolean; //    from request to entry
  ours: number; //        My_Sequence_Number, from request to release; else 0
  highest: number; //     Highest_Sequence_Number_Seen, our own included
  replied: boolean[]; //  RV: who has answered our request, by REPLY or by a concurrent REQUEST
  queue: ReqID[]; //      LRQ: our request and those concurrent with it, unfinished, in order
  deferred: number[]; //  the requests to which we owe a REPLY when we leave; else 0
  last: number; //        the number of our last request that was satisfied
  done: ReqID; //         the last request known to be finished, and with it all before it
  owed: delegation.Owed[]; // with `delegate`: whom to tell, when we leave, that others have answered
  delegated: number[]; //     with `delegate`: the requests that we left it to others to answer
};
export type LodhaKshemkalyaniSite = Site<typeof messages, 'complete', typeof options>;

/** With `linger`: how long deferred requests wait for our next one. */
const SOON = 50;

/** Costs by n alone, whatever the options: a printed form can use them too. */
const messageCosts = {
  // 2N − |CSet|, or one less for the last of a set of concurrent requests (section 4.1). The
  // abstract's 2(N−1) − x forgets the FLUSH: three at once take 8 messages, not 6.
  messages: {
    formula: 'N−1 to 2(N−1)',
    bounds: ({ n }: { readonly n: number }) => ({ least: n - 1, most: 2 * (n - 1) }),
  },
  light: {
    formula: '2(N−1)',
    bounds: ({ n }: { readonly n: number }) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
  },
};

export const lodhaKshemkalyani: Algorithm<State, typeof messages, 'complete', typeof options> & {
  readonly claims: typeof messageCosts;
} = {
  id: 'lodha-kshemkalyani',
  title: 'Lodha & Kshemkalyani 2000',
  year: 2000,
  paper: 'https://doi.org/10.1109/71.862205',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo', // a REQUEST that overtakes a REPLY passes for a concurrent one: deadlock, N = 2
  options,
  messages,
  claims: {
    ...messageCosts,
    synchronizationDelay: 'T',
    ticket: ({ ours }, { me }) => [ours, me],
  },
  recovers: [],

  refuses: ({ options: { delegate, linger } }) =>
    delegate && linger
      ? 'lodha-kshemkalyani takes delegate or linger, not both: either passes deferred requests on, or keeps them'
      : undefined,

  init: ({ n }) => ({
    waiting: false,
    ours: 0,
    highest: 0,
    replied: each(n, false),
    queue: [],
    deferred: each(n, 0),
    last: 0,
    done: { seq: 0, pid: 0 },
    owed: [],
    delegated: each(n, 0),
  }),

  // InvMutEx
  request(my, site) {
    my.waiting = true;
    my.ours = ++my.highest;
    my.queue = [{ seq: my.ours, pid: site.me }];
    my.replied[site.me] = true;
    if (site.options.linger) crossKept(my, site);
    const { ours: seq, last, delegated } = my;
    for (const j of site.others) {
      if (!site.options.delegate) site.send(j, { type: 'REQUEST', seq, last });
      else site.send(j, { type: 'DELEGATING_REQUEST', seq, last, answered: delegated[j]! });
    }
    enterIfFirst(my, site);
  },

  // FinCS
  release(my, site) {
    const [, next] = my.queue;
    my.last = my.ours;
    my.ours = 0;
    my.queue = [];
    my.replied.fill(false);
    finished(my, { seq: my.last, pid: site.me });
    if (site.options.delegate) return delegation.leave(my, site, next);
    if (next !== undefined) send(my, site, next.pid, 'FLUSH');
    if (!site.options.linger) replyToDeferred(my, site);
    else if (my.deferred.some((seq) => seq > 0)) site.timer('linger', SOON);
  },

  on: {
    REQUEST(my, site, from, { seq, last }) {
      my.highest = Math.max(my.highest, seq);
      finished(my, { seq: last, pid: from });
      if (my.ours === 0) {
        send(my, site, from, 'REPLY');
      } else if (my.replied[from]) {
        my.deferred[from] = seq;
      } else {
        cross(my, { seq, pid: from });
      }
      enterIfFirst(my, site);
    },

    REPLY(my, site, from, { last }) {
      if (my.waiting) my.replied[from] = true; // always, while links keep the order
      finished(my, { seq: last, pid: from });
      enterIfFirst(my, site);
    },

    // F3: a FLUSH gives no permission. One that comes late, when its receiver has got in by another
    // chain and asks again, would count as the sender's answer to a REQUEST still on its way.
    FLUSH(my, site, from, { last }) {
      finished(my, { seq: last, pid: from });
      enterIfFirst(my, site);
    },

    REPLY_WITH_CLOCK(my, site, from, { last, highest }) {
      my.highest = Math.max(my.highest, highest);
      lodhaKshemkalyani.on.REPLY(my, site, from, { last });
    },

    FLUSH_WITH_CLOCK(my, site, from, { last, highest }) {
      my.highest = Math.max(my.highest, highest);
      lodhaKshemkalyani.on.FLUSH(my, site, from, { last });
    },

    DELEGATING_REQUEST(my, site, from, { seq, last, answered }) {
      my.delegated[from] = 0; // its request before this one is finished
      if (my.waiting && answered === my.ours) my.replied[from] = true; // as by the REPLY to come
      lodhaKshemkalyani.on.REQUEST(my, site, from, { seq, last });
    },

    ...delegation.on,
  },

  // Our next request has not come soon. At any other time that would do as well.
  timers: { linger: { fires: 'anytime', expired: replyToDeferred } },

  awaits: ({ replied, queue }, { me, others }) => {
    const before = queue.slice(
      0,
      queue.findIndex(({ pid }) => pid === me),
    );
    return others.filter((j) => !replied[j] || before.some(({ pid }) => pid === j));
  },
  invariants: {
    'whoever is requesting comes after all that anyone takes for finished': ({ sites }) =>
      sites.every(({ done }) =>
        sites.every(({ ours }, pid) => ours === 0 || isBefore(done, { seq: ours, pid })),
      ),
  },
};

/** As requests are satisfied in order, this one and all before it are: strike them. */
export function finished(my: State, request: ReqID): void {
  if (!isBefore(my.done, request)) return;
  my.done = request;
  my.queue = my.queue.filter((waiting) => isBefore(request, waiting));
}

/** A request that is concurrent with ours has come: it and ours answer each other. */
function cross(my: State, request: ReqID): void {
  my.replied[request.pid] = true;
  // F1: what is finished stays out. The paper strikes it only from the queue of the moment: a request
  // that finished long ago, and whose REQUEST comes now, would bar the way for ever.
  if (isBefore(my.done, request)) insert(my.queue, request);
}

/** With `linger`: the requests that we have kept are as good as concurrent with ours. */
function crossKept(my: State, site: LodhaKshemkalyaniSite): void {
  for (const pid of site.others)
    if (my.deferred[pid] !== 0) cross(my, { seq: my.deferred[pid]!, pid });
  my.deferred.fill(0);
  site.timer('linger', 0);
}

function replyToDeferred(my: State, site: LodhaKshemkalyaniSite): void {
  for (const j of site.others) {
    if (my.deferred[j] !== 0) send(my, site, j, 'REPLY');
    my.deferred[j] = 0;
  }
}

function send(my: State, site: LodhaKshemkalyaniSite, to: NodeId, type: 'REPLY' | 'FLUSH'): void {
  const { last, highest } = my;
  if (!site.options['clock-on-all']) site.send(to, { type, last });
  else site.send(to, { type: `${type}_WITH_CLOCK`, last, highest });
}

/** CheckExecuteCS */
export function enterIfFirst(my: State, site: LodhaKshemkalyaniSite): void {
  if (!my.waiting || !my.replied.every(Boolean)) return;
  assert(my.queue.length > 0, 'our own request is not finished before we enter');
  if (my.queue[0]!.pid !== site.me) return;
  my.waiting = false;
  site.enter();
}

export function isBefore(a: ReqID, b: ReqID): boolean {
  return a.seq < b.seq || (a.seq === b.seq && a.pid < b.pid);
}

/** Inserts in sorted order. */
export function insert(queue: ReqID[], request: ReqID): void {
  const at = queue.findIndex((other) => isBefore(request, other));
  queue.splice(at === -1 ? queue.length : at, 0, request);
}
