/** To leave the group (section 7.3). */
import { answered, type Handlers, isMember, type Member, type MemberSite, tell } from './group.ts';
import { join } from './join.ts';
import { startIfSynced } from './number.ts';

/** The timer `idle`: a site that has joined has not asked for long. */
export function leave(my: Member, site: MemberSite): void {
  my.role = 'leaving';
  tell(my, site, { type: 'LEAVE' }, my.names);
}

export const leaving: Handlers<'LEAVE' | 'ACKNOWLEDGE'> = {
  LEAVE(my, site, from) {
    site.send(from, { type: 'ACKNOWLEDGE' });
    my.names[from] = false;
    my.elders[from] = false;
    if (isMember(my) && my.role !== 'introducing') answered(my, from); // as if its REPLY had come
    startIfSynced(my, site);
  },

  // Of a LEAVE, or an ADD.
  ACKNOWLEDGE(my, _, from) {
    if (my.role === 'leaving' || my.role === 'introducing') answered(my, from);
  },
};

/** We are out, unless we are wanted back in. */
export function goOutside(my: Member, site: MemberSite): void {
  my.role = 'outside';
  my.names.fill(false);
  if (my.wants !== null) join(my, site);
}
