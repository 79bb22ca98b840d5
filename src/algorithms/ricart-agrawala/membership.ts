/**
 * Ricart–Agrawala in a group that changes (section 7): sites join, leave and fail.
 *
 * The first half of the sites are in the group from the start. The others are outside: each joins when
 * it first wants in, leaves again when it has been idle for a while, and joins anew when it must.
 *
 * A newcomer tells everyone, and is on every list when all have answered. Those whose requests are
 * older do not know it; so it may not ask before its highest number is above theirs. The option says
 * which of the paper's five ways it takes. Three of them wait for ever when nobody asks: here, when
 * the network has long been quiet, the fourth relieves them. `fourth-request` is for links that keep
 * the order, and no other.
 *
 * A site that lacks a REPLY for long asks ARE_YOU_THERE; who then keeps silent for a round trip has
 * failed, for good: one that comes back (section 7.2.1) is not provided for. All this trusts a bound on
 * delays, and links that lose nothing.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { each } from '../../core/plain.ts';
import { dropNumber, type Form, noNumbers, see } from './common.ts';
import {
  answered,
  ask,
  askElder,
  EVERYONES_STAY,
  join,
  type Member,
  messages,
  observe,
  permit,
  ROUND_TRIP,
  startIfSynced,
  strike,
  tell,
} from './group.ts';

/** After so many ticks without a request, a site that has joined leaves. */
const IDLE = 1000;

const isFounder = (site: NodeId, n: number): boolean => site < Math.ceil(n / 2);

export const membership: Form<Member, typeof messages> = {
  messages,

  init: ({ me, n }) => ({
    ...noNumbers(),
    role: isFounder(me, n) ? 'member' : 'outside',
    wants: null,
    names: each(n, false).map((_, j) => isFounder(me, n) && isFounder(j, n) && j !== me),
    awaiting: each(n, false),
    deferred: each(n, 0),
    suspects: each(n, false),
    left: each(n, false),
    elders: each(n, false),
    heard: each(n, 0),
    first: 0,
  }),

  request(my, site, mode) {
    my.wants = mode;
    site.timer('idle', 0);
    if (my.role === 'member') ask(my, site);
    else if (my.role === 'outside') join(my, site);
    // else we are leaving: when that is done, we come back
  },

  release(my, site) {
    dropNumber(my);
    for (const j of site.others) {
      if (my.deferred[j] !== 0) site.send(j, { type: 'NUMBERED_REPLY', seq: my.deferred[j]! });
      my.deferred[j] = 0;
    }
    if (!isFounder(site.me, site.n)) site.timer('idle', IDLE);
  },

  on: {
    // Also whoever is outside says yes: someone's list may not be up to date.
    NUMBERED_REQUEST(my, site, from, { seq, mode }) {
      see(my, site, seq, mode);
      if (my.role === 'syncing') observe(my, site, from, seq, mode);
      permit(my, site, from, seq, mode);
    },

    NUMBERED_REPLY(my, site, from, { seq }) {
      if (my.requesting && seq === my.ours) answered(my, site, from);
    },

    // 7.2.2, the second way: a network in which everyone can be reached.
    JOIN(my, site, from) {
      if (my.role === 'outside' || my.role === 'leaving') {
        site.send(from, { type: 'ABSENT' });
      } else {
        my.names[from] = true;
        site.send(from, { type: 'WELCOME', synced: my.role === 'member' });
      }
    },

    WELCOME(my, site, from, { synced }) {
      if (!my.left[from]) {
        my.names[from] = true;
        my.elders[from] = synced;
      }
      answered(my, site, from);
    },

    ABSENT(my, site, from) {
      answered(my, site, from);
    },

    ASK(my, site, from) {
      site.send(from, { type: 'TELL', highest: my.highest });
    },

    TELL(my, site, from, { highest }) {
      my.highest = Math.max(my.highest, highest);
      answered(my, site, from);
    },

    // 7.3
    LEAVE(my, site, from) {
      site.send(from, { type: 'ACKNOWLEDGE' });
      my.names[from] = false;
      my.elders[from] = false;
      if (my.role === 'joining') my.left[from] = my.awaiting[from]!;
      if (my.role === 'syncing') startIfSynced(my, site);
      if (my.role === 'member') answered(my, site, from); // as if its REPLY had come
    },

    ACKNOWLEDGE(my, site, from) {
      answered(my, site, from);
    },

    // 7.4. The paper looks whether it has deferred a REQUEST, and if not, says yes: but the REQUEST
    // may still be on its way, and we inside. So a probe is handled as the REQUEST it is about.
    ARE_YOU_THERE(my, site, from, { seq, mode }) {
      see(my, site, seq, mode);
      if (!permit(my, site, from, seq, mode)) site.send(from, { type: 'YES_I_AM_HERE', seq });
    },

    YES_I_AM_HERE(my, _, from, { seq }) {
      if (seq === my.ours) my.suspects[from] = false;
    },

    FAILED(my, site, _, { who }) {
      strike(my, site, who);
    },
  },

  timers: {
    /** A REPLY is overdue; or just someone's stay is long. */
    reply: {
      fires: 'settled',
      expired(my, site) {
        my.suspects = my.awaiting.slice();
        for (const j of site.others) {
          if (!my.suspects[j]) continue;
          site.send(j, { type: 'ARE_YOU_THERE', seq: my.ours, mode: my.mode });
        }
        site.timer('answer', ROUND_TRIP);
      },
    },
    /** Who has not said by now what is said at once has failed. */
    answer: {
      fires: 'settled',
      expired(my, site) {
        const silent = my.role === 'member' ? my.suspects : my.awaiting;
        const failed = site.others.filter((j) => silent[j]);
        for (const who of failed) my.names[who] = false;
        for (const who of failed) {
          for (const j of site.others) if (my.names[j]) site.send(j, { type: 'FAILED', who });
        }
        if (my.role === 'member') site.timer('reply', EVERYONES_STAY * site.n);
        for (const who of failed) strike(my, site, who);
      },
    },
    /** 7.2.3 (4): whatever was asked before we were on all lists has reached everyone by now. */
    quiet: {
      fires: 'quiet',
      expired: (my, site) => askElder(my, site),
    },
    idle: {
      fires: 'anytime',
      expired(my, site) {
        my.role = 'leaving';
        tell(my, site, { type: 'LEAVE' }, my.names);
      },
    },
  },
};
