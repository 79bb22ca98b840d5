/**
 * The protocol of Maekawa's family. A site that wants to enter asks a quorum, whose members are its arbiters.
 * An arbiter has one vote and grants it to one request at a time (or to several that can share); the
 * rest wait in its queue, the earliest first. Any two quorums have an arbiter in common.
 *
 * Sites with half a quorum each would wait for one another for ever. So an arbiter that hears of a
 * request earlier than the one that has its vote INQUIREs of the latter, which may YIELD. When it does
 * is what the papers differ in:
 * - Maekawa's sites yield when they know that they must wait anyway, and a site that must is told FAILED;
 * - Agrawal and El Abbadi's yield whenever they are not inside, and no site is told anything.
 *
 * Every message says which request it is about (`seq`) and, if about a vote, how often that request
 * had yielded it (`turn`). So one that comes late, or twice, or from before a crash, does no harm.
 */
import type { Global, NodeId, World } from '../../core/algorithm.ts';
import type { Messages } from '../../core/message.ts';
import type { OptionDeclarations } from '../../core/option.ts';
import type { TopologyKind } from '../../core/topology.ts';
import { asking } from './asking.ts';
import { granting } from './granting.ts';
import type { None, Rules, Seat } from './rules.ts';
import { initial, type State } from './votes.ts';

/** The fields of an algorithm with these rules. */
export function arbitration<T extends TopologyKind, O extends OptionDeclarations = None>(
  rules: Rules<T, O>,
) {
  const { quorum, tracks = () => true } = rules;
  const { request, release, GRANT, FAILED, INQUIRE } = asking(rules);
  const { REQUEST, YIELD, RELEASE } = granting(rules);

  function hasVotesOfQuorum(sites: readonly State[], my: State, seat: Seat<T, O>): boolean {
    const { me } = seat;
    const has = (j: NodeId) =>
      !tracks(seat, j, me) || sites[j]!.holders.some((r) => r.from === me && r.seq === my.ours);
    return quorum(seat, has, my) !== undefined;
  }

  return {
    init: initial,
    request,
    release,
    on: { REQUEST, GRANT, INQUIRE, YIELD, RELEASE, FAILED },
    fields: {
      highest: 'highest sequence number',
      ours: 'sequence number',
      votes: 'answers of the quorum',
      holders: 'locked for',
      queue: 'waiting queue',
    },
    owes: ({ queue }: State): NodeId[] => queue.map(({ from }) => from),
    grantedTo: ({ holders }: State): NodeId[] => holders.map(({ from }) => from),
    awaits: (my: State): NodeId[] =>
      my.votes.filter(({ answer }) => answer !== 'granted').map(({ of }) => of),
    invariants: {
      'a site that is inside has the votes of a quorum': (
        { sites, inside }: Pick<Global<State, Messages>, 'sites' | 'inside'>,
        world: World<T, O>,
      ): boolean =>
        sites.every((my, me) => !inside[me] || hasVotesOfQuorum(sites, my, { ...world, me })),
    },
  };
}
