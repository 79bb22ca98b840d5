/**
 * The other way to be on every list (section 7.2.2): a newcomer asks one of the group to be its
 * sponsor. The sponsor invokes mutual exclusion, has the newcomer put on all lists, and gives it its
 * own before it leaves. So newcomers come one after the other, and each is on the list of the next.
 *
 * The paper does not say how to find a sponsor, nor what to do if it fails. Here a newcomer asks one
 * after the other until one is willing, and turns to the next if it keeps silent. What the failed one
 * has begun does no harm: a name too many on a list only costs messages. But where no site is left in
 * the group, none comes in.
 */
import { each } from '../../../core/plain.ts';
import {
  answered,
  ask,
  EVERYONES_STAY,
  type Handlers,
  isMember,
  type Member,
  type MemberSite,
  tell,
} from './group.ts';
import { leaveSection } from './permission.ts';

/** The newcomer turns to the site that comes after the one it asked before. */
export function askSponsor(my: Member, site: MemberSite, before = -1): void {
  const sponsor = site.others.find((j) => j > before) ?? site.others[0];
  const it = each(site.n, false).map((_, j) => j === sponsor);
  tell(my, site, { type: 'SPONSOR_ME' }, it);
}

export const sponsoring: Handlers<'SPONSOR_ME' | 'I_WILL' | 'REMIND' | 'ADD' | 'LIST'> = {
  // The site that is introduced is a member by then: another may ask again.
  SPONSOR_ME(my, site, from) {
    const isWilling = isMember(my) && (my.role !== 'introducing' || my.newcomers[from]);
    if (!isWilling) return site.send(from, { type: 'ABSENT' });
    my.newcomers[from] = true;
    site.send(from, { type: 'I_WILL' });
  },

  // We may have crashed since: a promise that is kept too late would find us on some lists only.
  I_WILL(my, site, from) {
    if (my.role === 'returning') site.send(from, { type: 'FAILED', who: site.me });
    if (my.role !== 'joining' || !my.awaiting[from]) return;
    my.suspects[from] = false;
    site.timer('answer', 0);
    site.timer('reply', EVERYONES_STAY * site.n);
  },

  // Not a second SPONSOR_ME: if it came after the LIST, it would be taken for a new one.
  REMIND(_, site, from) {
    site.send(from, { type: 'I_WILL' });
  },

  ADD(my, site, from, { who }) {
    if (my.role === 'outside' || my.role === 'leaving' || my.role === 'returning') {
      return site.send(from, { type: 'ABSENT' });
    }
    for (const j of who) if (j !== site.me) my.names[j] = true;
    site.send(from, { type: 'ACKNOWLEDGE' });
  },

  // Some of them may be new as well. They say ABSENT if we ask them for their number.
  LIST(my, site, from, { names }) {
    if (my.role !== 'joining' || !my.awaiting[from]) return;
    for (const j of site.others) if (names[j]) my.names[j] = my.elders[j] = true;
    answered(my, from);
  },
};

/** Asks for mutual exclusion, for the newcomers' sake. */
export function sponsor(my: Member, site: MemberSite): void {
  my.role = 'sponsoring';
  ask(my, site, 'exclusive');
}

/** We are inside. */
export function introduce(my: Member, site: MemberSite): void {
  my.role = 'introducing';
  const who = site.others.filter((j) => my.newcomers[j]);
  tell(my, site, { type: 'ADD', who }, my.names);
}

/** All have them on their lists. */
export function conclude(my: Member, site: MemberSite): void {
  const introduced = site.others.filter((j) => my.newcomers[j]);
  for (const j of introduced) my.names[j] = true;
  for (const to of introduced) {
    const names = my.names.map((isNamed, j) => (isNamed || j === site.me) && j !== to);
    site.send(to, { type: 'LIST', names });
  }
  my.newcomers.fill(false);
  my.role = 'member';
  leaveSection(my, site);
}
