/**
 * Ricart–Agrawala as it is: all sites are asked at the same time. With what saves messages between the
 * same parties: silence that means yes (section 6.1), and broadcasts (section 6.2).
 */
import { assert } from '../../core/assert.ts';
import { list, type Messages } from '../../core/message.ts';
import { each } from '../../core/plain.ts';
import { defers, dropNumber, type Numbers, see, takeNumber } from './numbers.ts';
import type { Form } from './options.ts';

const messages = {
  REQUEST: { seq: 'int', mode: 'mode' }, // may I?
  REPLY: {}, //                             you may, for my part
  REPLIES: { to: list('node') }, //         to several at once, with `broadcast-replies`
  DEFERRED: {}, //                          not yet, with `implicit-reply`: else silence would say yes
} as const satisfies Messages;

/** Tm of `implicit-reply`, in ticks: no message takes longer. The simulator's take 5 by default. */
const MAX_DELAY = 10;

export type Parallel = Numbers & {
  missing: number; //     Outstanding_Reply_Count
  deferred: boolean[]; // Reply_Deferred
};

export const parallel: Form<Parallel, typeof messages> = {
  messages,

  // Written out: with a spread of `noNumbers` the simulator takes a fifth longer for everything.
  init: ({ n }) => ({
    requesting: false,
    mode: 'exclusive',
    ours: 0,
    highest: 0,
    readersOnly: false,
    missing: 0,
    deferred: each(n, false),
  }),

  request(my, site, mode) {
    if (site.n === 1) return site.enter();
    const { options } = site;
    takeNumber(my, site, mode);
    my.missing = site.n - 1;
    const request = { type: 'REQUEST', seq: my.ours, mode } as const;
    if (options.broadcast || options['broadcast-replies']) site.broadcast(request);
    else for (const j of site.others) site.send(j, request);
    if (options['implicit-reply']) {
      my.missing += 1; // until the time is up, that is missing too: no REPLY alone lets us in
      site.timer('round trip', 2 * MAX_DELAY);
    }
  },

  release(my, site) {
    dropNumber(my);
    const waiting = site.others.filter((j) => my.deferred[j]);
    my.deferred.fill(false);
    if (!site.options['broadcast-replies']) {
      for (const j of waiting) site.send(j, { type: 'REPLY' });
    } else if (waiting.length > 0) site.broadcast({ type: 'REPLIES', to: waiting });
  },

  on: {
    REQUEST(my, site, from, { seq, mode }) {
      see(my, site, seq, mode);
      const silence = site.options['implicit-reply'];
      if (defers(my, site, from, seq, mode)) {
        my.deferred[from] = true;
        if (silence) site.send(from, { type: 'DEFERRED' });
      } else if (!silence) site.send(from, { type: 'REPLY' });
    },

    REPLY(my, site) {
      assert(my.missing > 0, 'a REPLY answers a REQUEST of ours');
      my.missing -= 1;
      if (my.missing === 0) site.enter();
    },

    // Footnote 2: it may be for others, while our own REQUEST is still on its way to the sender.
    REPLIES(my, site, from, { to }) {
      if (to.includes(site.me)) parallel.on.REPLY(my, site, from, {});
    },

    // Its REPLY may have overtaken it: the two cancel out in either order.
    DEFERRED(my) {
      my.missing += 1;
    },
  },

  timers: {
    /** Whoever has not deferred our REQUEST by now has agreed to it. */
    'round trip': {
      fires: 'settled',
      expired(my, site) {
        my.missing -= site.n;
        if (my.missing === 0) site.enter();
      },
    },
  },
};
