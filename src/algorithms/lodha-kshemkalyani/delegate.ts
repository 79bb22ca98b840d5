/**
 * Lodha and Kshemkalyani's first improvement (section 5): of the sites to which it owes a REPLY, one
 * that leaves tells only the first, and leaves the rest to it.
 *
 * The paper says no more than "now it is upto P_k to take care of the rest"; what that takes is ours.
 * A REPLY says on whose behalf it is given, for which request, and which other sites are owed one on whose
 * behalf. Its receiver passes that on when it leaves itself. And a site that has left its REPLY to
 * another, and asks again before that other has given it, must say so in its REQUEST: else it would
 * pass for a concurrent one, which needs no answer.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { Payload } from '../../core/message.ts';
import { enterIfFirst, finished, isBefore } from './queue.ts';
import type { LodhaKshemkalyaniSite, messages, Owed, ReqID, State } from './state.ts';

type Of<K extends keyof typeof messages> = Payload<typeof messages, K>;

/** On leaving: FLUSH to the next, one REPLY to the first of the sites that are owed one. */
export function leave(my: State, site: LodhaKshemkalyaniSite, next: ReqID | undefined): void {
  const { owed, deferred } = my;
  my.owed = [];
  for (const pid of site.others) {
    if (deferred[pid] === 0) continue;
    merge(owed, { seq: deferred[pid]!, pid, behalf: [site.me] });
    my.delegated[pid] = deferred[pid]!;
    deferred[pid] = 0;
  }
  if (next !== undefined) {
    const { seq, pid } = next;
    const behalf = owed.find((request) => request.pid === pid)?.behalf ?? [];
    site.send(pid, { type: 'DELEGATED_FLUSH', ...clocksOf(my, site), seq, behalf });
  }
  tellFirst(
    my,
    site,
    owed.filter(({ pid }) => pid !== next?.pid),
  );
}

function tellFirst(my: State, site: LodhaKshemkalyaniSite, owed: readonly Owed[]): void {
  const [first, ...rest] = owed.filter((request) => isBefore(my.done, request));
  if (first === undefined) return;
  const { seq, pid, behalf } = first;
  if (behalf.includes(site.me)) my.delegated[pid] = 0; // we tell it ourselves
  site.send(pid, { type: 'DELEGATED_REPLY', ...clocksOf(my, site), seq, behalf, rest });
}

function clocksOf({ last, highest }: State, { options }: LodhaKshemkalyaniSite) {
  return { last, highest: options['clock-on-all'] ? highest : 0 };
}

export const on = {
  DELEGATED_REPLY(
    my: State,
    site: LodhaKshemkalyaniSite,
    from: NodeId,
    { last, highest, seq, behalf, rest }: Of<'DELEGATED_REPLY'>,
  ) {
    my.highest = Math.max(my.highest, highest);
    finished(my, { seq: last, pid: from });
    const others = rest.map((request) => ({ ...request, behalf: request.behalf.slice() }));
    if (my.waiting && seq === my.ours) {
      for (const j of behalf) my.replied[j] = true;
      for (const request of others) merge(my.owed, request);
    } else {
      tellFirst(my, site, others); // that request was answered otherwise, and is finished
    }
    enterIfFirst(my, site);
  },

  DELEGATED_FLUSH(
    my: State,
    site: LodhaKshemkalyaniSite,
    from: NodeId,
    { last, highest, seq, behalf }: Of<'DELEGATED_FLUSH'>,
  ) {
    my.highest = Math.max(my.highest, highest);
    finished(my, { seq: last, pid: from });
    if (my.waiting && seq === my.ours) for (const j of behalf) my.replied[j] = true;
    enterIfFirst(my, site);
  },
};

/** Adds a request to a list of them, in order, and to those on whose behalf it is answered. */
function merge(all: Owed[], { seq, pid, behalf }: Owed): void {
  const known = all.find((request) => request.pid === pid && request.seq === seq);
  if (known === undefined) {
    const at = all.findIndex((other) => isBefore({ seq, pid }, other));
    all.splice(at === -1 ? all.length : at, 0, { seq, pid, behalf });
  } else {
    known.behalf = [...new Set([...known.behalf, ...behalf])].sort((a, b) => a - b);
  }
}
