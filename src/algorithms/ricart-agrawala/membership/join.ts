/**
 * To be on every list (section 7.2.2), in a network in which all sites can be reached: a newcomer
 * tells all that it is there, and the sites of the group tell it so.
 */
import type { NodeId } from '../../../core/algorithm.ts';
import { each } from '../../../core/plain.ts';
import { wayOf } from '../options.ts';
import { answered, type Handlers, isMember, type Member, type MemberSite, tell } from './group.ts';
import { askElder } from './number.ts';
import { askSponsor } from './sponsor.ts';

export function join(my: Member, site: MemberSite): void {
  my.role = 'joining';
  if (site.options.sponsor) askSponsor(my, site);
  else tell(my, site, { type: 'JOIN' }, each(site.n, true));
}

export const joining: Handlers<'JOIN' | 'WELCOME' | 'ABSENT'> = {
  JOIN(my, site, from) {
    if (isMember(my) || my.role === 'joining' || my.role === 'syncing') {
      my.names[from] = true;
      site.send(from, { type: 'WELCOME', synced: isMember(my) });
    } else site.send(from, { type: 'ABSENT' });
  },

  // It may have left or failed since, and a later word of that have come before. No harm: a site that is
  // outside says yes to REQUESTs, and ABSENT to all else.
  WELCOME(my, _, from, { synced }) {
    my.names[from] = true;
    if (my.role !== 'joining') return;
    my.elders[from] = synced;
    answered(my, from);
  },

  // Its name stays: a JOIN of its own, sent later, may have come before.
  ABSENT(my, site, from) {
    refused(my, site, from);
  },
};

/** That site cannot do what we asked it for: another can, or none need. */
export function refused(my: Member, site: MemberSite, who: NodeId): void {
  if (!my.awaiting[who]) return;
  my.elders[who] = false;
  if (my.role === 'joining' && site.options.sponsor) askSponsor(my, site, who);
  else if (my.role === 'syncing' && wayOf(site) !== 'ask-all') askElder(my, site);
  else answered(my, who);
}
