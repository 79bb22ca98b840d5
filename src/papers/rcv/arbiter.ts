/**
 * The token algorithm of Banerjee and Chrysanthis, as far as section 2 tells it: "the token contains an ordered
 * list of all requesting nodes that have been determined the order to enter the CS", and "at any time, there is
 * an 'arbiter' acting as the coordinator".
 *
 * A site sends its request to the arbiter. The arbiter, once it has the token, collects requests for a while,
 * names the last of them the next arbiter, tells all, and sends the token with the list to the first. Each site
 * of the list enters and passes the token on; the last keeps it, and collects.
 *
 * Example: sites 1 and 2 ask 0, the arbiter. When its time is up, 0 tells both that 2 is the next arbiter, and
 * sends the token with [1, 2] to 1. From then on requests go to 2, which has the token when 1 has left and it
 * has itself. That is two requests, two announcements and two passages of the token for two entries.
 *
 * The text does not say what becomes of a request that reaches a site which is no longer the arbiter, or not
 * yet: here it is sent on. An announcement has a number, for a later one may overtake it.
 */
import type { Algorithm, NodeId, Site } from '../../core/algorithm.ts';
import { list, type Messages } from '../../core/message.ts';

const messages = {
  REQUEST: { who: 'node' }, //                     put that site on the next list
  NEW_ARBITER: { who: 'node', round: 'int' }, //   ask that site from now on
  TOKEN: { order: list('node'), round: 'int' }, // you are the first of these
} as const satisfies Messages;

/** The "request collect time", in ticks. */
export const COLLECT = 20;

type State = {
  arbiter: NodeId; //     the site that we ask
  round: number; //       of the latest announcement that we know
  waiting: NodeId[]; //   as the arbiter: the sites that have asked
  order: NodeId[]; //     with the token: ourselves while we are inside, and the sites that come after us
  hasToken: boolean;
  collecting: boolean; // as the arbiter with the token: the time runs
};
type ArbiterSite = Site<typeof messages>;

export const arbiterToken: Algorithm<State, typeof messages> = {
  id: 'arbiter-token',
  title: 'Banerjee & Chrysanthis 1996, as told by Cao et al.',
  year: 1996,
  paper: 'reference 3 of the paper on relative consensus voting',
  family: 'token',
  modes: ['exclusive'],
  k: false,
  topology: 'complete',
  defaultTopology: 'complete',
  links: 'any',
  options: {},
  messages,
  claims: {
    messages: {
      formula: '3−2/N at heavy load',
      bounds: () => ({ least: 0, most: Number.POSITIVE_INFINITY }),
    },
  },
  recovers: [],

  init: ({ me }) => ({
    ...{ arbiter: 0, round: 0, waiting: [], order: [], hasToken: me === 0, collecting: false },
  }),

  request(my, site) {
    collect(my, site, site.me);
  },

  release(my, site) {
    my.order.shift();
    passOn(my, site);
  },

  on: {
    REQUEST(my, site, _, { who }) {
      collect(my, site, who);
    },

    NEW_ARBITER(my, site, _, { who, round }) {
      learn(my, site, who, round);
    },

    TOKEN(my, site, _, { order, round }) {
      learn(my, site, order.at(-1)!, round);
      my.hasToken = true;
      my.order = order.slice();
      site.enter();
    },
  },

  timers: { collect: { fires: 'anytime', expired: dispatch } },

  tokens: { held: ({ hasToken }) => (hasToken ? 1 : 0), carriers: ['TOKEN'] },
};

/** A request: kept by the arbiter, and sent to it by all others. */
function collect(my: State, site: ArbiterSite, who: NodeId): void {
  if (my.arbiter !== site.me) {
    site.send(my.arbiter, { type: 'REQUEST', who });
    return;
  }
  my.waiting.push(who);
  startCollecting(my, site);
}

/** The arbiter begins to collect when it has the token, no list is under way, and a site has asked. */
function startCollecting(my: State, site: ArbiterSite): void {
  const isIdle = my.hasToken && my.order.length === 0 && !my.collecting;
  if (my.arbiter !== site.me || !isIdle || my.waiting.length === 0) return;
  my.collecting = true;
  site.timer('collect', COLLECT);
}

/** The timer `collect`: from now on the order of the requests that have come is fixed. */
function dispatch(my: State, site: ArbiterSite): void {
  my.collecting = false;
  my.order = my.waiting;
  my.waiting = [];
  my.round += 1;
  my.arbiter = my.order.at(-1)!;
  for (const j of site.others) {
    site.send(j, { type: 'NEW_ARBITER', who: my.arbiter, round: my.round });
  }
  if (my.order[0] === site.me) site.enter();
  else passOn(my, site);
}

/** The next of the list has the token now; the last of a list keeps it, and is the arbiter. */
function passOn(my: State, site: ArbiterSite): void {
  const [next] = my.order;
  if (next === undefined) {
    startCollecting(my, site);
    return;
  }
  my.hasToken = false;
  site.send(next, { type: 'TOKEN', order: my.order, round: my.round });
  my.order = [];
}

function learn(my: State, site: ArbiterSite, who: NodeId, round: number): void {
  if (round <= my.round) return;
  my.round = round;
  my.arbiter = who;
  const forwarded = my.waiting;
  my.waiting = [];
  for (const j of forwarded) collect(my, site, j);
}
