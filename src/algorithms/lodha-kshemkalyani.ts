/**
 * Lodha–Kshemkalyani: requests that cross answer each other.
 *
 * S. Lodha and A. Kshemkalyani. "A Fair Distributed Mutual Exclusion Algorithm".
 * IEEE Transactions on Parallel and Distributed Systems 11(6):537–549, June 2000.
 *
 * Ricart and Agrawala's algorithm spends a REPLY even where two sites have asked at the same time. Yet each knows
 * from the other's REQUEST which of them comes first. Here such concurrent requests stand in a local queue and need
 * no REPLY. A site that leaves sends FLUSH to the next in its queue, and REPLY to the sites that asked too late to
 * be in it. Entries follow the order of the requests. So either message says that all requests up to the sender's
 * are finished, and the receiver removes them.
 *
 * Example with three sites: sites 0 and 1 ask at the same time, both with the number 1, so that site 0 comes first.
 * Site 2 replies to both. Sites 0 and 1 send each other no REPLY. Site 0 enters. It leaves and sends a FLUSH to
 * site 1, which enters. That is seven messages, where Ricart and Agrawala's algorithm takes eight.
 *
 * Figure 2 of the paper (`printed/lodha-kshemkalyani.ts`) fails in three ways; F1 to F3 correct them.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { each } from '../core/plain.ts';
import { messageCosts } from './lodha-kshemkalyani/cost.ts';
import { crossKept, replyOrLinger, replyToDeferred, send } from './lodha-kshemkalyani/deferred.ts';
import * as delegation from './lodha-kshemkalyani/delegate.ts';
import { cross, enterIfFirst, finished, isBefore } from './lodha-kshemkalyani/queue.ts';
import { messages, options, type State } from './lodha-kshemkalyani/state.ts';

export const lodhaKshemkalyani: Algorithm<State, typeof messages, 'complete', typeof options> & {
  readonly claims: typeof messageCosts;
} = {
  id: 'lodha-kshemkalyani',
  title: 'Lodha & Kshemkalyani 2000',
  year: 2000,
  paper: 'IEEE Transactions on Parallel and Distributed Systems 11(6):537–549, June 2000',
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
    replyOrLinger(my, site);
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

  fields: {
    ours: 'My_Sequence_Number',
    highest: 'Highest_Sequence_Number_Seen',
    replied: 'RV',
    queue: 'LRQ',
    deferred: 'deferred REPLYs',
    last: 'last satisfied',
    done: 'last finished',
  },
  owes: ({ deferred }) => deferred.flatMap((seq, j) => (seq > 0 ? [j] : [])),
  awaits: ({ replied, queue }, { me, others }) => {
    const before = queue.slice(
      0,
      queue.findIndex(({ pid }) => pid === me),
    );
    return others.filter((j) => !replied[j] || before.some(({ pid }) => pid === j));
  },
  invariants: {
    'a request comes after all requests that any site takes for finished': ({ sites }) =>
      sites.every(({ done }) =>
        sites.every(({ ours }, pid) => ours === 0 || isBefore(done, { seq: ours, pid })),
      ),
  },
};
