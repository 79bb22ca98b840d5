/**
 * Failures (section 7.4). A site that lacks a REPLY for long asks ARE_YOU_THERE; a site that then keeps silent
 * for a round trip has failed, and all others are told.
 */
import type { NodeId } from '../../../core/algorithm.ts';
import { type Handlers, type Member, type MemberSite, ROUND_TRIP, replyTime } from './group.ts';
import { refused } from './join.ts';
import { startIfSynced } from './number.ts';
import { permit } from './permission.ts';

/** The timer `reply`: what we await is overdue; or just the stay of a site is long. */
export function probe(my: Member, site: MemberSite): void {
  my.suspects = my.awaiting.slice();
  for (const j of site.others) {
    if (!my.suspects[j]) continue;
    if (my.role === 'joining') site.send(j, { type: 'REMIND' });
    else site.send(j, { type: 'ARE_YOU_THERE', seq: my.ours, mode: my.mode });
  }
  site.timer('answer', ROUND_TRIP);
}

/** The timer `answer`: a site that has not said by now what is said at once has failed. */
export function concludeFailures(my: Member, site: MemberSite): void {
  const failed = site.others.filter((j) => my.suspects[j]);
  for (const who of failed) my.names[who] = false;
  for (const who of failed) {
    for (const j of site.others) if (my.names[j]) site.send(j, { type: 'FAILED', who });
  }
  site.timer('reply', replyTime(site));
  for (const who of failed) strike(my, site, who);
}

export const failing: Handlers<'ARE_YOU_THERE' | 'YES_I_AM_HERE' | 'FAILED'> = {
  // The paper looks whether it has deferred a REQUEST, and if not, says yes: but the REQUEST may still
  // be on its way, and we inside. So a probe is handled as the REQUEST it is about.
  ARE_YOU_THERE(my, site, from, request) {
    const isDeferred = permit(my, site, from, request) === 'deferred';
    if (isDeferred) site.send(from, { type: 'YES_I_AM_HERE', seq: request.seq });
  },

  YES_I_AM_HERE(my, _, from, { seq }) {
    if (seq === my.ours) my.suspects[from] = false;
  },

  FAILED(my, site, _, { who }) {
    strike(my, site, who);
  },
};

/** That site has failed. */
function strike(my: Member, site: MemberSite, who: NodeId): void {
  my.names[who] = false;
  my.elders[who] = false;
  my.newcomers[who] = false;
  my.deferred[who] = 0;
  refused(my, site, who);
  startIfSynced(my, site);
}
