/**
 * To find a number above those of all sites that asked before we were on their lists (section 7.2.3), in one
 * of the paper's five ways. Until then we answer REQUESTs and send none.
 */
import type { Mode, NodeId } from '../../../core/algorithm.ts';
import { wayOf } from '../options.ts';
import {
  answered,
  EVERYONES_STAY,
  type Handlers,
  isMember,
  type Member,
  type MemberSite,
  tell,
} from './group.ts';

export function synchronize(my: Member, site: MemberSite): void {
  my.role = 'syncing';
  if (wayOf(site) === 'ask-all') {
    tell(my, site, { type: 'ASK' }, my.names);
  } else {
    site.timer('quiet', EVERYONES_STAY * site.n);
    startIfSynced(my, site);
  }
}

/** Ways 2, 3 and 5: the numbers of new REQUESTs tell about the old. */
export function observe(my: Member, site: MemberSite, from: NodeId, seq: number, mode: Mode): void {
  if (my.role !== 'syncing') return;
  const way = wayOf(site);
  // No site gets in past a writer, so that no number is N or more above its; a reader's may be.
  if (way === 'observed' && mode === 'exclusive') my.first ||= seq;
  if (way === 'request-from-each') my.heard[from] = 1;
  if (way === 'fourth-request') my.heard[from]! += 1;
  startIfSynced(my, site);
}

export function startIfSynced(my: Member, site: MemberSite): void {
  if (my.role !== 'syncing' || my.busy) return;
  const way = wayOf(site);
  const isSynced =
    site.others.every((j) => !my.elders[j] || (way === 'request-from-each' && my.heard[j])) ||
    (way === 'observed' && my.first !== 0 && my.highest - my.first >= site.n - 1) ||
    (way === 'fourth-request' && my.heard.includes(4));
  if (isSynced) start(my, site);
}

/** Way 4: nothing is on its way, so any elder has seen all numbers. */
export function askElder(my: Member, site: MemberSite): void {
  const elder = my.elders.indexOf(true);
  const alone = my.elders.map((_, j) => j === elder);
  tell(my, site, { type: 'ASK' }, alone);
}

export const asking: Handlers<'ASK' | 'TELL'> = {
  ASK(my, site, from) {
    const answer = { type: 'TELL', highest: my.highest } as const;
    site.send(from, isMember(my) ? answer : { type: 'ABSENT' });
  },

  TELL(my, _, from, { highest }) {
    my.highest = Math.max(my.highest, highest);
    if (my.role === 'syncing') answered(my, from);
  },
};

/** We are one of the group, and may ask. */
export function start(my: Member, site: MemberSite): void {
  site.timer('quiet', 0);
  my.role = 'member';
  my.elders.fill(false);
  my.heard.fill(0);
  my.first = 0;
}
