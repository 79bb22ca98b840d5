/**
 * Raymond's recovery, section 8.4: how a site that has lost its queue orders it again.
 *
 * Each neighbour says in its ADVISE that it waits. Without `rebuild` the queue takes the order in which the
 * ADVISEs come, so that a site that crashes again and again may always put the same neighbour last. With
 * `timestamps` each neighbour adds the time of its last REQUEST, by Lamport's clock, which all messages carry.
 * With `privileges` it adds how often it has got the PRIVILEGE from the crashed site. The smaller number comes
 * first. The second way does not restore the lost order, but no neighbour is passed over for ever.
 */
import type { NodeId } from '../../core/algorithm.ts';
import type { RaymondSite, State } from '../raymond.ts';
import type { OfThePaper } from './privilege.ts';

/** With `timestamps`: a message goes out, and a REQUEST is remembered by its time. */
export function stampTime(my: State, type: OfThePaper): void {
  if (type === 'PRIVILEGE') return;
  my.clock += 1;
  my.askedAt = my.clock;
}

/** A message of the algorithm has come. */
export function received(
  my: State,
  site: RaymondSite,
  from: NodeId,
  type: OfThePaper,
  at: number,
): void {
  my.clock = Math.max(my.clock, at);
  if (type !== 'REQUEST' && my.served.length > 0) my.served[place(site, from)]! += 1;
}

/** What we add to our ADVISE. */
export function rankOf(my: State, site: RaymondSite, to: NodeId): number {
  if (my.holder !== to || !my.asked) return 0;
  const { rebuild } = site.options;
  if (rebuild === 'timestamps') return my.askedAt;
  return rebuild === 'privileges' ? my.served[place(site, to)]! : 0;
}

/** A neighbour waits for us: before those of a higher rank, and before what was asked since the restart. */
export function enqueueByRank(my: State, site: RaymondSite, from: NodeId, rank: number): void {
  if (site.options.rebuild === undefined) {
    my.queue.push(from);
    return;
  }
  const rankIn = (j: NodeId) => (j === site.me ? 0 : my.ranks[place(site, j)]!);
  my.ranks[place(site, from)] = rank + 1; // 0 is for those that have asked since the restart
  const at = my.queue.findIndex((j) => rankIn(j) === 0 || rankIn(j) > rank + 1);
  my.queue.splice(at === -1 ? my.queue.length : at, 0, from);
}

/** A neighbour's place among ours. */
export function place(site: RaymondSite, neighbour: NodeId): number {
  return site.topology.neighbours[site.me]!.indexOf(neighbour);
}
