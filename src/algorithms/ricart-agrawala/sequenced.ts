/**
 * Ricart–Agrawala on a broadcast medium that puts all messages in one order (section 6.2.1): that
 * order is the queue, and no sequence number is needed.
 *
 * A site that wants in broadcasts a REQUEST, and is in the queue once it hears it itself. It enters
 * when those before it have broadcast that they are out. Readers pass readers, and no other site.
 */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import type { Form, Options } from './options.ts';

const messages = {
  REQUEST_IN_ORDER: { mode: 'mode' }, // put me into the queue
  REPLY_IN_ORDER: {}, //                 take me out: a REPLY to all at once
} as const satisfies Messages;

export type Sequenced = {
  waiting: boolean; // from request to entry
  queue: { who: NodeId; mode: Mode }[];
};

export const sequenced: Form<Sequenced, typeof messages> = {
  messages,

  init: () => ({ waiting: false, queue: [] }),

  request(my, site, mode) {
    my.waiting = true;
    site.broadcast({ type: 'REQUEST_IN_ORDER', mode }, 'total');
  },

  // We are out of our own queue at once: else, asking again, we would find our old place in it.
  release(my, site) {
    my.queue = my.queue.filter(({ who }) => who !== site.me);
    site.broadcast({ type: 'REPLY_IN_ORDER' }, 'total');
  },

  on: {
    REQUEST_IN_ORDER(my, site, from, { mode }) {
      my.queue.push({ who: from, mode });
      enterIfFirst(my, site);
    },

    REPLY_IN_ORDER(my, site, from) {
      if (from === site.me) return;
      my.queue = my.queue.filter(({ who }) => who !== from);
      enterIfFirst(my, site);
    },
  },
};

function enterIfFirst(my: Sequenced, site: Site<typeof messages, 'complete', Options>): void {
  const place = my.queue.findIndex(({ who }) => who === site.me);
  if (!my.waiting || place === -1) return;
  const upToMe = my.queue.slice(0, place + 1);
  if (place > 0 && upToMe.some(({ mode }) => mode === 'exclusive')) return;
  my.waiting = false;
  site.enter();
}
