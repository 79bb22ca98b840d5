/**
 * Ricart–Agrawala as it is: all sites are asked at the same time. With what saves messages between the
 * same parties: silence that means yes (section 6.1), and broadcasts (section 6.2); and with what favours
 * sites of high priority (section 6.5).
 */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import { assert } from '../../core/assert.ts';
import { list, type Messages } from '../../core/message.ts';
import { defers, dropNumber, type Numbers, see, takeNumber } from './numbers.ts';
import type { Form, Options } from './options.ts';

const messages = {
  REQUEST: { seq: 'int', mode: 'mode' }, // may I?
  REPLY: {}, //                             you may, for my part
  REPLIES: { to: list('node') }, //         to several at once, with `broadcast-replies`
  DEFERRED: {}, //                          not yet, with `implicit-reply`: else silence would say yes
  DOWNGRADE: { seq: 'int' }, //             my waiting request of that number is now one to read
} as const satisfies Messages;

/** Tm of `implicit-reply`, in ticks: no message takes longer. The simulator's take 5 by default. */
const MAX_DELAY = 10;

/** With `delay-acting`, in ticks: how long an idle site does not act on a REQUEST. */
const PUT_ASIDE = 50;

export type Parallel = Numbers & {
  missing: number; //            Outstanding_Reply_Count
  deferred: (Mode | null)[]; //  Reply_Deferred, and what for
  unseen: number[]; //           with `delay-acting`: numbers of REQUESTs not acted on, or 0; else empty
};

export const parallel: Form<Parallel, typeof messages> = {
  messages,

  // Written out: with a spread of `noNumbers` the simulator takes a fifth longer for everything.
  init: ({ n, options }) => ({
    requesting: false,
    mode: 'exclusive',
    ours: 0,
    highest: 0,
    readersOnly: false,
    missing: 0,
    deferred: Array<null>(n).fill(null),
    unseen: options['delay-acting'] ? Array<number>(n).fill(0) : [],
  }),

  request(my, site, mode) {
    if (site.n === 1) return site.enter();
    takeNumber(my, site, mode);
    my.missing = site.n - 1;
    tellAll(site, { type: 'REQUEST', seq: my.ours, mode });
    if (my.unseen.length > 0) actOnEarlier(my, site);
    if (site.options['implicit-reply']) {
      my.missing += 1; // until the time is up, that is missing too: no REPLY alone lets us in
      site.timer('round trip', 2 * MAX_DELAY);
    }
  },

  release(my, site) {
    dropNumber(my);
    const waiting = site.others.filter((j) => my.deferred[j] !== null && !my.unseen[j]);
    reply(my, site, waiting);
    if (my.unseen.some(Boolean)) site.timer('put aside', PUT_ASIDE);
  },

  downgrade(my, site) {
    my.mode = 'shared';
    tellAll(site, { type: 'DOWNGRADE', seq: my.ours });
    const readers = site.others.filter((j) => my.deferred[j] === 'shared');
    reply(my, site, readers);
  },

  on: {
    REQUEST(my, site, from, { seq, mode }) {
      if (site.options['delay-acting'] && isPutAside(my, site, from, seq, mode)) return;
      see(my, site, seq, mode);
      const silence = site.options['implicit-reply'];
      if (defers(my, site, from, seq, mode)) {
        my.deferred[from] = mode;
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

    DOWNGRADE(my, site, from, { seq }) {
      if (my.deferred[from] === null) return; // our REPLY is on its way
      if (defers(my, site, from, seq, 'shared')) my.deferred[from] = 'shared';
      else reply(my, site, [from]);
    },
  },

  timers: {
    /** A site that has not deferred our REQUEST by now has agreed to it. */
    'round trip': {
      fires: 'drained',
      expired(my, site) {
        my.missing -= site.n;
        if (my.missing === 0) site.enter();
      },
    },
    /** With `delay-acting`: our next request has not come soon. At any other time that would do as well. */
    'put aside': {
      fires: 'anytime',
      expired(my, site) {
        reply(
          my,
          site,
          site.others.filter((j) => my.unseen[j]),
        );
      },
    },
  },
};

type ParallelSite = Site<typeof messages, 'complete', Options>;

function tellAll(site: ParallelSite, message: Parameters<ParallelSite['broadcast']>[0]): void {
  if (site.options.broadcast || site.options['broadcast-replies']) site.broadcast(message);
  else for (const j of site.others) site.send(j, message);
}

/**
 * Section 6.5 (2): a REQUEST of a site of less priority is put aside while we are idle, or while our own comes
 * first. Its number stays unseen, so that our next number may still be below it.
 */
function isPutAside(
  my: Parallel,
  site: ParallelSite,
  from: NodeId,
  seq: number,
  mode: Mode,
): boolean {
  const isOfLessPriority = from > site.me;
  if (!isOfLessPriority || (my.requesting && !defers(my, site, from, seq, mode))) return false;
  [my.deferred[from], my.unseen[from]] = [mode, seq];
  if (!my.requesting) site.timer('put aside', PUT_ASIDE);
  return true;
}

/** We are "forced to increment" our number past some that were put aside: they come first now. */
function actOnEarlier(my: Parallel, site: ParallelSite): void {
  site.timer('put aside', 0);
  const earlier = site.others.filter(
    (j) => my.unseen[j] && !defers(my, site, j, my.unseen[j], my.deferred[j]!),
  );
  reply(my, site, earlier);
}

/** The sites that we have deferred need not wait for us any longer. */
function reply(my: Parallel, site: ParallelSite, to: readonly NodeId[]): void {
  for (const j of to) {
    if (my.unseen[j]) see(my, site, my.unseen[j], my.deferred[j]!);
    if (my.unseen[j]) my.unseen[j] = 0;
    my.deferred[j] = null;
  }
  if (!site.options['broadcast-replies']) {
    for (const j of to) site.send(j, { type: 'REPLY' });
  } else if (to.length > 0) site.broadcast({ type: 'REPLIES', to });
}
