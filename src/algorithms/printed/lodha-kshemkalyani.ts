/**
 * Lodha–Kshemkalyani, line by line as Figure 2 of the paper prints it; the numbers are the figure's.
 *
 * Three things are wrong with it, each shown by the checker with three sites:
 * - one entry each, deadlock: RcvReply 2 strikes the finished requests from LRQ, but one of them may
 *   arrive later, and RcvReq 2a inserts it at the head, where nothing will ever remove it;
 * - entries 2,2,1, deadlock: a site that has left and asks again answers with its new REQUEST, which,
 *   unlike a REPLY, does not say that the old one is finished;
 * - entries 2,2,1, two inside: RcvFlush 1 takes any FLUSH for a permission, also one that arrives
 *   when the request it was for has been satisfied through another chain.
 */
import type { Algorithm, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import { each } from '../../core/plain.ts';
import type { Printed } from '../../core/printed.ts';
import { insert, isBefore } from '../lodha-kshemkalyani/queue.ts';
import type { ReqID } from '../lodha-kshemkalyani/state.ts';
import { lodhaKshemkalyani } from '../lodha-kshemkalyani.ts';
import { unknown } from './published.ts';

const messages = {
  REQUEST: { seq: 'int' },
  REPLY: { last: 'int' },
  FLUSH: { last: 'int' },
} as const satisfies Messages;

type State = {
  inside: boolean;
  ours: number; //        My_Sequence_Number, from request to release; else 0
  highest: number; //     Highest_Sequence_Number_Seen
  replied: boolean[]; //  RV
  queue: ReqID[]; //      LRQ
  deferred: boolean[];
  last: number; //        of our last request that was satisfied
};

const { id, title, year, paper, family, modes, k, topology, links } = lodhaKshemkalyani;
const { done: _, ...fields } = lodhaKshemkalyani.fields!;

const algorithm: Algorithm<State, typeof messages> = {
  ...{ id, title, year, paper, family, modes, k, topology, links },
  defaultTopology: 'complete',
  options: {}, // those of section 5 are another figure's
  messages,
  claims: { messages: lodhaKshemkalyani.claims.messages },
  recovers: [],

  init: ({ n }) => ({
    inside: false,
    ours: 0,
    highest: 0,
    replied: each(n, false),
    queue: [],
    deferred: each(n, false),
    last: 0,
  }),

  // InvMutEx. The figure does not count our own number as seen, but section 2.1 calls it unique.
  request(my, site) {
    my.ours = ++my.highest; // 1
    my.queue = []; // 2
    insert(my.queue, { seq: my.ours, pid: site.me }); // 3, 4
    for (const j of site.others) site.send(j, { type: 'REQUEST', seq: my.ours }); // 5
    my.replied.fill(false); // 6
    my.replied[site.me] = true;
    checkExecuteCS(my, site);
  },

  // FinCS
  release(my, site) {
    const next = my.queue.find(({ pid }) => pid !== site.me);
    if (next !== undefined) site.send(next.pid, { type: 'FLUSH', last: my.ours }); // 1
    for (const j of site.others) {
      if (my.deferred[j]) site.send(j, { type: 'REPLY', last: my.ours }); // 2
      my.deferred[j] = false;
    }
    my.inside = false;
    my.last = my.ours;
    my.ours = 0;
  },

  on: {
    // RcvReq
    REQUEST(my, site, from, { seq }) {
      my.highest = Math.max(my.highest, seq); // 1
      if (my.ours === 0) {
        site.send(from, { type: 'REPLY', last: my.last }); // 3
      } else if (my.replied[from]) {
        my.deferred[from] = true; // 2b
      } else {
        insert(my.queue, { seq, pid: from }); // 2a
        my.replied[from] = true;
        checkExecuteCS(my, site);
      }
    },

    REPLY: rcvReplyOrFlush,
    FLUSH: rcvReplyOrFlush,
  },

  fields,
  awaits: ({ replied, queue }, { others }) =>
    others.filter((j) => !replied[j] || queue[0]?.pid === j),
};

/** RcvReply and RcvFlush, whose three steps are the same. */
function rcvReplyOrFlush(
  my: State,
  site: Site<typeof messages>,
  from: number,
  { last }: { last: number },
): void {
  my.replied[from] = true; // 1
  my.queue = my.queue.filter((request) => isBefore({ seq: last, pid: from }, request)); // 2
  checkExecuteCS(my, site); // 3
}

function checkExecuteCS(my: State, site: Site<typeof messages>): void {
  if (my.ours === 0 || my.inside) return;
  if (!my.replied.every(Boolean) || my.queue[0]?.pid !== site.me) return;
  my.inside = true;
  site.enter();
}

// Each of the three alone in ours. An invariant of ours may go before anything that users would notice.
const { invariants, ...mended } = lodhaKshemkalyani;
const { on } = lodhaKshemkalyani;

/** A REQUEST that does not say what its sender finished last. */
const silent: Pick<typeof on, 'REQUEST'> = {
  REQUEST: (my, site, from, { seq }) => on.REQUEST(my, site, from, { seq, last: 0 }),
};
/** A FLUSH that counts as the permission of its sender, whichever request it is for. */
const permitting: Pick<typeof on, 'FLUSH'> = {
  FLUSH: (my, site, from, message) => {
    if (my.waiting) my.replied[from] = true;
    on.FLUSH(my, site, from, message);
  },
};

export const figure2: Printed = {
  name: 'figure-2',
  quote: {
    where: 'figure 2, RcvReq 2a and RcvReply 2',
    text:
      'if RVi[j] = 0, then insert this request in the LRQi (in sorted order) and mark RVi[j] = 1. … Remove ' +
      'all REQUESTs from LRQi that have the priority ≥ the priority of Rj.',
  },
  reading:
    'The figure is run line by line. Requests that are finished are removed from the queue as it is at ' +
    'that moment, and every REQUEST that arrives later is inserted.',
  about:
    'A finished request arrives after the message that says that it is finished. It is inserted at the ' +
    'head of the queue, where nothing will ever remove it: deadlock. With entries 2, 2, 1 two more errors ' +
    'show, which are told below.',
  charitable: {
    reading:
      'Section 3.2 says that the requests with a priority ≥ that of Rj “have finished CS and are no longer ' +
      'in contention”. So one that arrives later is not inserted. The two errors below remain.',
    algorithm: { ...mended, on: { ...on, ...silent, ...permitting } } satisfies typeof mended,
  },
  published: unknown,
  correction:
    'Every site keeps the latest request that it knows to be finished, and inserts no request that is ' +
    'not after it. A REQUEST says what its sender finished last. A FLUSH says what is finished and is no ' +
    'permission.',
  algorithm,
  shows: { nodes: 3, entries: [1, 1, 1], violates: 'deadlock-freedom' },
};

export const rcvReq: Printed = {
  name: 'rcv-req',
  within: 'figure-2',
  quote: {
    where: 'section 3.2, and figure 2, RcvReq 2a',
    text: 'If process Pj is requesting concurrently, it does not send a REPLY message.',
  },
  reading:
    'A site that has left and asks again answers with its new REQUEST, which carries its own number and ' +
    'nothing else.',
  about:
    'The new REQUEST, unlike a REPLY, does not say that the last request of its sender is finished. That ' +
    'one stays in the queue of a site that waits, for ever.',
  charitable: {
    reading:
      'We know of none: nothing in the text lets the receiver know that the old request is over.',
  },
  published: unknown,
  correction: 'A REQUEST says what its sender finished last.',
  algorithm: { ...mended, on: { ...on, ...silent } } satisfies typeof mended,
  shows: { nodes: 3, entries: [2, 2, 1], violates: 'deadlock-freedom' },
};

export const rcvFlush: Printed = {
  name: 'rcv-flush',
  within: 'figure-2',
  quote: {
    where: 'figure 2, RcvFlush 1',
    text: 'RcvFlush: Process Pi receives a FLUSH(Rj) message from process Pj: 1. RVi[j] = 1',
  },
  reading: 'Every FLUSH marks its sender as one that has replied.',
  about:
    'A FLUSH arrives late: its receiver has got in by another chain, has left, and asks again. The FLUSH ' +
    'counts as the sender’s permission for the new request, and two sites are inside.',
  charitable: {
    reading:
      'Section 3.2 limits what a FLUSH permits: it “serves as permission from Pj to Pi” only if its Rk has ' +
      'a priority that is not above that of Rj, the request of Pj. A late FLUSH is none then.',
    algorithm: lodhaKshemkalyani,
  },
  published: unknown,
  correction: 'A FLUSH says what is finished, and is no permission.',
  algorithm: { ...mended, on: { ...on, ...permitting } } satisfies typeof mended,
  shows: { nodes: 3, entries: [2, 2, 1], violates: 'mutual-exclusion' },
};
