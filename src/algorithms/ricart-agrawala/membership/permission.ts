/** The algorithm itself, in a group that changes: to say yes to a REQUEST, or later, or neither. */
import type { NodeId } from '../../../core/algorithm.ts';
import type { Payload } from '../../../core/message.ts';
import { defers, dropNumber, see } from '../numbers.ts';
import {
  answered,
  type Handlers,
  isFounder,
  isMember,
  type Member,
  type MemberSite,
  type messages,
  replyTime,
} from './group.ts';
import { observe } from './number.ts';

export const permitting: Handlers<'NUMBERED_REQUEST' | 'NUMBERED_REPLY'> = {
  NUMBERED_REQUEST(my, site, from, request) {
    if (permit(my, site, from, request) !== 'refused') {
      observe(my, site, from, request.seq, request.mode);
    }
  },

  NUMBERED_REPLY(my, site, from, { seq }) {
    const isAwaited = my.requesting && my.role !== 'introducing';
    if (!isAwaited || seq !== my.ours) return;
    answered(my, from);
    const isProbing = my.suspects.includes(true);
    if (site.options['restart-timer'] && !isProbing) site.timer('reply', replyTime(site));
  },
};

/** A site outside the group says yes, too: the list of another may have a name too many. */
export function permit(
  my: Member,
  site: MemberSite,
  from: NodeId,
  { seq, mode }: Payload<typeof messages, 'NUMBERED_REQUEST'>,
): 'permitted' | 'deferred' | 'refused' {
  if (isMember(my) && !my.names[from]) {
    site.send(from, { type: 'RESTART_YOURSELF', seq });
    return 'refused';
  }
  see(my, site, seq, mode);
  if (defers(my, site, from, seq, mode)) {
    my.deferred[from] = Math.max(my.deferred[from]!, seq); // one that comes late is not the one
    return 'deferred';
  }
  site.send(from, { type: 'NUMBERED_REPLY', seq });
  return 'permitted';
}

/** After so many ticks without a request, a site that has joined leaves. */
const IDLE = 1000;

/** All sites that wait for us have our permission. */
export function leaveSection(my: Member, site: MemberSite): void {
  dropNumber(my);
  for (const j of site.others) {
    if (my.deferred[j] !== 0) site.send(j, { type: 'NUMBERED_REPLY', seq: my.deferred[j]! });
    my.deferred[j] = 0;
  }
  if (!isFounder(site.me, site.n)) site.timer('idle', IDLE);
}
