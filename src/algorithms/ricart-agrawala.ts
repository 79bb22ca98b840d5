/**
 * Ricart–Agrawala: ask everyone, enter when everyone has said yes.
 *
 * G. Ricart and A. K. Agrawala. "An Optimal Algorithm for Mutual Exclusion in Computer Networks".
 * Communications of the ACM 24(1):9–17, January 1981.
 *
 * A site that wants in stamps a REQUEST with a sequence number and sends it to all others. They
 * answer at once, unless they want in too (or are in) and asked earlier: then they answer when they
 * leave. A REPLY is thus a permission, and the deferred ones are the queue. Readers never defer
 * readers (section 6.6): the order is that of the numbers, but for readers among themselves.
 *
 * Sections 6 and 7 modify this in many ways, each an option. What changes the numbers is in `common`;
 * what saves messages between the same two parties is here; what is another protocol has a file.
 */
import type { Algorithm, World } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { list, type Messages } from '../core/message.ts';
import { each } from '../core/plain.ts';
import {
  contradiction,
  defers,
  dropNumber,
  type Form,
  type Numbers,
  type Options,
  options,
  see,
  takeNumber,
} from './ricart-agrawala/common.ts';
import type { Member } from './ricart-agrawala/group.ts';
import { membership } from './ricart-agrawala/membership.ts';
import { type Marked, marked, type Serial, serial } from './ricart-agrawala/ring.ts';
import { type Sequenced, sequenced } from './ricart-agrawala/sequenced.ts';

const parallelMessages = {
  REQUEST: { seq: 'int', mode: 'mode' }, // may I?
  REPLY: {}, //                             you may, for my part
  REPLIES: { to: list('node') }, //         to several at once, with `broadcast-replies`
  DEFERRED: {}, //                          not yet, with `implicit-reply`: else silence would say yes
} as const satisfies Messages;

/** Tm of `implicit-reply`, in ticks: no message takes longer. The simulator's take 5 by default. */
const MAX_DELAY = 10;

type Parallel = Numbers & {
  missing: number; //     Outstanding_Reply_Count
  deferred: boolean[]; // Reply_Deferred
};

/** The algorithm itself: all sites are asked at the same time. */
const parallel: Form<Parallel, typeof parallelMessages> = {
  messages: parallelMessages,

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

const messages = {
  ...parallel.messages,
  ...serial.messages,
  ...marked.messages,
  ...sequenced.messages,
  ...membership.messages,
};
type State = Parallel | Serial | Marked | Sequenced | Member;
type RicartAgrawala = Algorithm<State, typeof messages, 'complete', Options>;
type RicartAgrawalaWorld = World<'complete', Options>;

/** The protocol that the options choose. Each has its own messages, so handlers need not ask. */
function formOf({
  options,
}: RicartAgrawalaWorld): Pick<RicartAgrawala, 'init' | 'request' | 'release'> {
  if (options.ring) return serial;
  if (options['ring-marked']) return marked;
  if (options['broadcast-sequenced']) return sequenced;
  return options.membership === undefined ? parallel : membership;
}

export const ricartAgrawala: RicartAgrawala = {
  id: 'ricart-agrawala',
  title: 'Ricart & Agrawala 1981',
  year: 1981,
  paper: 'https://doi.org/10.1145/358527.358537',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options,
  messages,
  claims: {
    messages: { formula: '2(N−1)', bounds: (world) => cost(world, 'any') },
    light: { formula: '2(N−1)', bounds: (world) => cost(world, 'light') },
    synchronizationDelay: 'T',
    // Of writers: readers have no place among readers. Nor have residues one, nor who has no number.
    ticket: (my, { me, options: { bounded } }) =>
      'ours' in my && my.requesting && my.mode === 'exclusive' && !bounded ? [my.ours, me] : [],
  },
  recovers: [
    'With membership: crashes of any sites, at any moment, for good. Whoever lacks a REPLY for long asks whether its sender is there, and goes on without who keeps silent; delays must be bounded, and no message lost.',
  ],

  refuses: contradiction,
  init: (site) => formOf(site).init(site),
  request: (my, site, mode) => formOf(site).request(my, site, mode),
  release: (my, site) => formOf(site).release(my, site),
  on: {
    ...parallel.on,
    ...serial.on,
    ...marked.on,
    ...sequenced.on,
    ...membership.on,
  } as RicartAgrawala['on'],
  timers: { ...parallel.timers, ...membership.timers } as NonNullable<RicartAgrawala['timers']>,
  awaits: (my, { others }) => ('awaiting' in my ? others.filter((j) => my.awaiting[j]) : []),
};

/** What each form costs; when it is light, the least of it, but for REPLYs that nobody shares. */
function cost({ n, options }: RicartAgrawalaWorld, load: 'light' | 'any') {
  const between = (least: number, most: number) => ({
    least,
    most: load === 'light' ? least : most,
  });
  const asking = options.broadcast ? 1 : n - 1;
  if (options['broadcast-sequenced']) return between(2, 2);
  if (n === 1) return between(0, 0);
  if (options.ring) return between(n, n);
  if (options['ring-marked']) return between(n, 2 * n - 1);
  if (options['broadcast-replies']) return load === 'light' ? between(n, n) : between(2, n);
  if (options['implicit-reply']) return between(asking, asking + 2 * (n - 1));
  if (options.membership === undefined) return between(asking + n - 1, asking + n - 1);
  // To join, to find a number, to ask and to leave; and probes, as long as someone stays.
  return { least: 0, most: load === 'light' ? 8 * (n - 1) : Number.POSITIVE_INFINITY };
}
