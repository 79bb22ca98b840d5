/**
 * Lamport: every site keeps the whole queue, ordered by the clocks that this paper invented.
 *
 * L. Lamport. "Time, Clocks, and the Ordering of Events in a Distributed System".
 * Communications of the ACM 21(7):558–565, July 1978.
 *
 * A site that wants to enter puts its request, stamped with its clock, into the queue of every site. It may enter
 * when its own request is the first in its own queue, and it has heard from every other site something stamped
 * later. Since links keep the order, no earlier request can then still be on its way. A RELEASE takes the request
 * out of all queues again.
 *
 * Example with three sites: sites 0 and 1 ask at the same time, both stamped 1, so that site 0 comes first. Each
 * sends two REQUESTs and gets two REPLYs. Site 0 has heard something later from both others and enters. Site 1 has
 * too, but its request is the second in its queue. Site 0 leaves and sends two RELEASEs, and site 1 enters. The two
 * entries take twelve messages.
 */
import type { Algorithm, NodeId, Site } from '../core/algorithm.ts';
import type { Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';

const messages = {
  REQUEST: { at: 'int' }, // put me into your queue
  REPLY: { at: 'int' }, //   done, and it is later here
  RELEASE: { at: 'int' }, // take me out of your queue
} as const satisfies Messages;

type State = {
  clock: number; //    C
  waiting: boolean; // from request to entry
  queue: number[]; //  the request queue: when each site's request was made, 0 if it has none
  later: boolean[]; // the sites that have sent us something stamped later than our request
};

export const lamport: Algorithm<State, typeof messages> = {
  id: 'lamport',
  title: 'Lamport 1978',
  year: 1978,
  paper: 'https://doi.org/10.1145/359545.359563',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'fifo', // a REPLY that overtakes a REQUEST hides it: both sites enter, with N = 2
  options: {},
  messages,
  claims: {
    messages: {
      formula: '3(N−1)',
      bounds: ({ n }) => ({ least: 3 * (n - 1), most: 3 * (n - 1) }),
    },
    synchronizationDelay: 'T',
    ticket: ({ queue }, { me }) => [queue[me]!, me],
  },
  recovers: [],

  init: ({ n }) => ({ clock: 0, waiting: false, queue: each(n, 0), later: each(n, false) }),

  request(my, site) {
    my.clock += 1;
    my.waiting = true;
    my.queue[site.me] = my.clock;
    for (const j of site.others) site.send(j, { type: 'REQUEST', at: my.clock });
    enterIfFirst(my, site);
  },

  release(my, site) {
    my.queue[site.me] = 0;
    my.later.fill(false);
    for (const j of site.others) site.send(j, { type: 'RELEASE', at: my.clock });
  },

  on: {
    REQUEST(my, site, from, { at }) {
      hear(my, site, from, at);
      my.queue[from] = at;
      my.clock = Math.max(my.clock, at + 1);
      site.send(from, { type: 'REPLY', at: my.clock });
      enterIfFirst(my, site);
    },

    REPLY(my, site, from, { at }) {
      hear(my, site, from, at);
      enterIfFirst(my, site);
    },

    RELEASE(my, site, from, { at }) {
      hear(my, site, from, at);
      my.queue[from] = 0;
      enterIfFirst(my, site);
    },
  },

  fields: { clock: 'C', queue: 'request queue', later: 'heard later from' },
  awaits: (my, { me, others }) => others.filter((j) => !my.later[j] || isBefore(my, j, me)),
};

/**
 * Rules IR1 and IR2, as far as they matter here: a request is stamped later than all that its sender
 * has seen, and a REPLY later than what it answers. The paper's clocks tick at every event.
 */
function hear(my: State, { me }: Site<typeof messages>, from: NodeId, at: number): void {
  my.clock = Math.max(my.clock, at);
  const ours = my.queue[me]!;
  if (ours !== 0 && (at > ours || (at === ours && from > me))) my.later[from] = true;
}

/** Rule 5: our request comes before all others, and all other sites have been heard from since. */
function enterIfFirst(my: State, site: Site<typeof messages>): void {
  if (!my.waiting || site.others.some((j) => !my.later[j] || isBefore(my, j, site.me))) return;
  my.waiting = false;
  site.enter();
}

/** Whether i has a request in the queue that precedes j's: the relation ⇒, ties broken by site. */
function isBefore({ queue }: State, i: NodeId, j: NodeId): boolean {
  return queue[i] !== 0 && (queue[i]! < queue[j]! || (queue[i] === queue[j] && i < j));
}
