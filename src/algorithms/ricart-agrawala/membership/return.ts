/**
 * To return after a failure (sections 7.2.1 and 7.4). A site that crashed has forgotten everything, and keeps
 * nothing in stable storage. It tells all that it has failed, and waits until that and whatever was
 * sent before has arrived; from then on it is outside like any other.
 *
 * A site that was taken for failed, and is not, finds out when it asks a site that has not got its name any
 * more: it is told to restart itself, and does the same.
 */
import { type Handlers, type Member, type MemberSite, outsider, ROUND_TRIP } from './group.ts';

export function comeBack(my: Member, site: MemberSite): void {
  Object.assign(my, outsider(site.n), { role: 'returning', wants: my.wants });
  for (const timer of ['answer', 'reply', 'quiet', 'idle']) site.timer(timer, 0);
  for (const j of site.others) site.send(j, { type: 'FAILED', who: site.me });
  site.timer('restart interval', ROUND_TRIP);
}

export const returning: Handlers<'RESTART_YOURSELF'> = {
  RESTART_YOURSELF(my, site, from, { seq }) {
    if (!my.requesting || seq !== my.ours || !my.awaiting[from]) return; // that request is over
    if (my.role === 'member') my.wants = my.mode;
    comeBack(my, site);
  },
};
