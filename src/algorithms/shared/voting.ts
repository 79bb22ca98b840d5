/**
 * Maekawa's family: algorithms that tell no site that it failed, and go on with other quorums when sites
 * crash.
 */
import type { NodeId, Site } from '../../core/algorithm.ts';
import type { TopologyKind } from '../../core/topology.ts';
import { arbitration } from './arbiter.ts';
import { asking, everyone } from './asking.ts';
import { failStop } from './failures.ts';
import { granting } from './granting.ts';
import type { Rules } from './rules.ts';
import { type AnyOfThem, forget, grantedBy, type State, voteOf } from './votes.ts';

export const options = { 'fail-stop': failStop };

export type Choices<T extends TopologyKind> = Pick<Rules<T, typeof options>, 'quorum' | 'shares'>;

export const rulesOf = <T extends TopologyKind>(choices: Choices<T>): Rules<T, typeof options> => ({
  ...choices,
  fails: () => 'nobody',
});

/** The fields of an algorithm with these quorums. */
export function voting<T extends TopologyKind>(choices: Choices<T>) {
  type ThisSite = Site<AnyOfThem, T, typeof options>;
  const { quorum } = choices;
  const rules = rulesOf(choices);
  const { ask, sendRequest } = asking(rules);
  const { serve, sendGrant } = granting(rules);
  const { on, ...fields } = arbitration(rules);
  const { FAILED: _, ...withoutFailed } = on;

  /**
   * The failure detector's word. A site that is said to be down is done without: others are asked in its place,
   * and what it has granted still counts. So nothing goes wrong if the detector is, unless it is
   * trusted with the votes that the silent one has.
   */
  function peer(my: State, site: ThisSite, other: NodeId, alive: boolean): void {
    my.suspects = my.suspects.filter((j) => j !== other);
    if (alive) {
      // Back after a crash, it has forgotten which requests wait for its vote, and what it wanted itself.
      const vote = voteOf(my, other);
      if (vote !== undefined && vote.answer !== 'granted') sendRequest(my, site, other, vote.turn);
      for (const holder of my.holders) if (holder.from === other) sendGrant(site, holder);
      return;
    }
    my.suspects.push(other);
    my.suspects.sort((a, b) => a - b);
    if (site.options['fail-stop']) {
      for (const r of [...my.holders, ...my.queue]) if (r.from === other) forget(my, other, r.seq);
      serve(my, site);
    }
    if (my.ours === 0 || my.inside) return;
    const granted = grantedBy(my);
    const isOfUse = (j: NodeId) => !my.suspects.includes(j) || granted.has(j);
    ask(my, site, quorum(site, isOfUse, my) ?? everyone(site));
  }

  /** The site that has our vote may have RELEASEd it while we were down: it will say so again. */
  function restart(my: State, site: ThisSite): void {
    for (const holder of my.holders) sendGrant(site, holder);
  }

  return { ...fields, on: withoutFailed, peer, stable: ['highest', 'holders'], restart };
}
