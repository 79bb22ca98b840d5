/**
 * Maekawa's family where readers share votes: a site that waits to write may settle for reading, and readers hear
 * whether a site waits to write.
 */
import type { NodeId, Site } from '../../core/algorithm.ts';
import type { TopologyKind } from '../../core/topology.ts';
import { asking } from './asking.ts';
import { granting } from './granting.ts';
import { type AnyOfThem, find, type State, voteOf } from './votes.ts';
import { type Choices, type options, rulesOf, voting } from './voting.ts';

/** The fields of an algorithm with these quorums, for writers and for readers. */
export function sharedVoting<T extends TopologyKind>({ quorum }: Pick<Choices<T>, 'quorum'>) {
  type ThisSite = Site<AnyOfThem, T, typeof options>;
  const choices = { quorum, shares: true };
  const { on, ...fields } = voting<T>(choices);
  const { proceed } = asking(rulesOf(choices));
  const { serve } = granting(rulesOf(choices));

  function downgrade(my: State, site: ThisSite): void {
    my.mode = 'shared';
    for (const { of } of my.votes) site.send(of, { type: 'DOWNGRADE', seq: my.ours });
    proceed(my, site); // to read may take fewer votes
  }

  function DOWNGRADE(my: State, site: ThisSite, from: NodeId, { seq }: { seq: number }): void {
    const request = find(my, from, seq);
    if (request === undefined) return; // we have forgotten it in a crash, and it asks again
    request.mode = 'shared';
    serve(my, site);
  }

  function AWAITED(
    my: State,
    _: ThisSite,
    from: NodeId,
    { seq, so }: { seq: number; so: boolean },
  ): void {
    const vote = voteOf(my, from, seq);
    if (vote === undefined) return;
    if (so) vote.awaited = true;
    else delete vote.awaited;
  }

  /** A step of an arbiter; then the readers that have its vote hear what is new to them. */
  function followed<A extends readonly unknown[]>(
    step: (my: State, site: ThisSite, ...rest: A) => void,
  ) {
    return (my: State, site: ThisSite, ...rest: A): void => {
      step(my, site, ...rest);
      const so = my.queue.some(({ mode }) => mode === 'exclusive');
      for (const holder of my.holders) {
        const { from, seq, mode, told = false } = holder;
        if (mode === 'exclusive' || told === so) continue;
        if (so) holder.told = true;
        else delete holder.told;
        site.send(from, { type: 'AWAITED', seq, so });
      }
    };
  }

  return {
    ...fields,
    downgrade,
    on: {
      ...on,
      REQUEST: followed(on.REQUEST),
      YIELD: followed(on.YIELD),
      RELEASE: followed(on.RELEASE),
      DOWNGRADE: followed(DOWNGRADE),
      AWAITED,
    },
    peer: followed(fields.peer),
    isAwaited: ({ votes }: State): boolean => votes.some(({ awaited }) => awaited),
  };
}
