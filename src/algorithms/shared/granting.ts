/** Maekawa's family: a site as an arbiter. */
import type { Mode, NodeId, Site } from '../../core/algorithm.ts';
import type { OptionDeclarations } from '../../core/option.ts';
import type { TopologyKind } from '../../core/topology.ts';
import type { Rules } from './rules.ts';
import {
  type AnyOfThem,
  find,
  forget,
  insert,
  precedes,
  type Request,
  type State,
  type Tag,
} from './votes.ts';

export function granting<T extends TopologyKind, O extends OptionDeclarations>(rules: Rules<T, O>) {
  type ThisSite = Site<AnyOfThem, T, O>;
  const { fails, shares = false, tracks = () => true } = rules;
  const conflict = (a: Request, b: Request): boolean =>
    !shares || a.mode === 'exclusive' || b.mode === 'exclusive';

  function REQUEST(
    my: State,
    site: ThisSite,
    from: NodeId,
    { seq, turn, mode = 'exclusive' }: Tag & { readonly mode?: Mode },
  ): void {
    my.highest = Math.max(my.highest, seq);
    const known = find(my, from, seq);
    if (known !== undefined && known.turn >= turn) return; // it comes late, or twice
    forget(my, from, seq); // what we know is older: the YIELD in between was lost
    const newcomer = { seq, from, turn, mode };
    const holders = my.holders.filter((r) => conflict(r, newcomer));
    const rivals = my.queue.filter((r) => conflict(r, newcomer));
    for (const holder of holders) {
      const isInquired = my.queue.some((r) => conflict(r, holder) && precedes(r, holder));
      if (isInquired || precedes(holder, newcomer)) continue;
      site.send(holder.from, { type: 'INQUIRE', seq: holder.seq, turn: holder.turn });
    }
    tellWhoFails(site, newcomer, holders, rivals);
    insert(my.queue, newcomer);
    serve(my, site);
  }

  function tellWhoFails(
    site: ThisSite,
    newcomer: Request,
    holders: readonly Request[],
    rivals: readonly Request[],
  ): void {
    const told = fails(site);
    if (told === 'nobody') return;
    const isLate = [...holders, ...rivals].some((r) => precedes(r, newcomer));
    if (isLate || (told === 'everyone' && holders.length > 0)) {
      site.send(newcomer.from, { type: 'FAILED', seq: newcomer.seq });
    } else if (told === 'hopeless') {
      // Of the others only the head of the queue had hope, and only if it was before the holder.
      const [head] = rivals;
      if (head === undefined || holders.some((r) => precedes(r, head))) return;
      site.send(head.from, { type: 'FAILED', seq: head.seq });
    }
  }

  /** Grants the vote to each request that conflicts neither with a holder nor with an earlier request. */
  function serve(my: State, site: ThisSite): void {
    const waiting: Request[] = [];
    for (const next of my.queue) {
      const conflicts = (other: Request) => conflict(other, next);
      if (my.holders.some(conflicts) || waiting.some(conflicts)) {
        waiting.push(next);
        continue;
      }
      if (tracks(site, site.me, next.from)) insert(my.holders, next);
      sendGrant(site, next);
    }
    my.queue = waiting;
  }

  function sendGrant(site: ThisSite, { from, seq, turn }: Request): void {
    site.send(from, { type: 'GRANT', seq, turn });
  }

  function YIELD(my: State, site: ThisSite, from: NodeId, { seq, turn }: Tag): void {
    const holder = my.holders.find((r) => r.from === from && r.seq === seq);
    if (holder === undefined || holder.turn >= turn) return; // it comes late, or twice
    forget(my, from, seq);
    insert(my.queue, { ...holder, turn });
    serve(my, site);
  }

  function RELEASE(my: State, site: ThisSite, from: NodeId, { seq }: { seq: number }): void {
    forget(my, from, seq);
    serve(my, site);
  }

  return { REQUEST, YIELD, RELEASE, serve, sendGrant };
}
