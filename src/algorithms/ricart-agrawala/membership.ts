/**
 * Ricart–Agrawala in a group that changes (section 7): sites join, leave, fail and return.
 *
 * The first half of the sites are in the group from the start. The others are outside: each joins when
 * it first wants in, leaves again when it has been idle for a while, and joins anew when it must.
 *
 * A newcomer tells all sites, or its sponsor does, and is on every list when all have answered. Those
 * whose requests are older do not know it; so it may not ask before its highest number is above
 * theirs. The option says which of the paper's five ways it takes. Three of them wait for ever when
 * no site asks: here, when the network has long been quiet, the fourth relieves them. `fourth-request`
 * is for links that keep the order, and no other.
 *
 * A site that lacks a REPLY for long asks whether its sender is there, and strikes it off its list if
 * not. All this trusts a bound on delays, and links that lose nothing.
 */
import type { NodeId } from '../../core/algorithm.ts';
import { concludeFailures, failing, probe } from './membership/failure.ts';
import {
  ask,
  isFounder,
  type Member,
  type MemberSite,
  messages,
  outsider,
} from './membership/group.ts';
import { join, joining } from './membership/join.ts';
import { goOutside, leave, leaving } from './membership/leave.ts';
import { askElder, asking, start, synchronize } from './membership/number.ts';
import { leaveSection, permitting } from './membership/permission.ts';
import { comeBack, returning } from './membership/return.ts';
import { conclude, introduce, sponsor, sponsoring } from './membership/sponsor.ts';
import type { Form } from './options.ts';

export type { Member } from './membership/group.ts';

const handlers = {
  ...permitting,
  ...joining,
  ...sponsoring,
  ...asking,
  ...leaving,
  ...failing,
  ...returning,
};

export const membership: Form<Member, typeof messages> & { readonly restart: typeof comeBack } = {
  messages,

  init({ me, n }) {
    const my = outsider(n);
    if (!isFounder(me, n)) return my;
    const names = my.names.map((_, j) => j !== me && isFounder(j, n));
    return { ...my, role: 'member', names };
  },

  request(my, site, mode) {
    my.wants = mode;
    if (my.role === 'outside') join(my, site);
    proceed(my, site);
  },

  release(my, site) {
    leaveSection(my, site);
    proceed(my, site);
  },

  on: Object.fromEntries(
    Object.entries(handlers).map(([type, handler]) => [type, followed(handler as Step)]),
  ) as typeof handlers,

  timers: {
    reply: { fires: 'drained', expired: followed(probe) },
    answer: { fires: 'drained', expired: followed(concludeFailures) },
    /** 7.2.3 (4): whatever was asked before we were on all lists has reached all sites by now. */
    quiet: { fires: 'quiet', expired: followed(askElder) },
    /** 7.2.1: "wait long enough". */
    'restart interval': { fires: 'quiet', expired: followed(goOutside) },
    idle: { fires: 'anytime', expired: followed(leave) },
  },

  restart: comeBack,
};

type Step = (my: Member, site: MemberSite, from: NodeId, message: never) => void;

/** A step, and then what can be done after it. */
function followed<A extends readonly unknown[]>(
  step: (my: Member, site: MemberSite, ...rest: A) => void,
) {
  return (my: Member, site: MemberSite, ...rest: A): void => {
    step(my, site, ...rest);
    proceed(my, site);
  };
}

/** What comes next, when all that we awaited has come. */
const next: { readonly [role in Member['role']]?: (my: Member, site: MemberSite) => void } = {
  joining: synchronize,
  syncing: start,
  member: (_, site) => site.enter(),
  sponsoring: introduce,
  introducing: conclude,
  leaving: goOutside,
};

/** After every event: does what can be done now. */
function proceed(my: Member, site: MemberSite): void {
  for (;;) {
    if (my.busy) {
      if (my.awaiting.includes(true)) return;
      my.busy = false;
      site.timer('answer', 0);
      site.timer('reply', 0);
      next[my.role]!(my, site);
    } else if (my.role !== 'member' || my.requesting) {
      return;
    } else if (my.wants !== null) {
      ask(my, site, my.wants);
      my.wants = null;
    } else if (my.newcomers.includes(true)) {
      sponsor(my, site);
    } else return;
  }
}
