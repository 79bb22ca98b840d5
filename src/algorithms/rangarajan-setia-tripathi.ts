/**
 * Rangarajan–Setia–Tripathi: a quorum of groups, and in each group any majority will do.
 *
 * S. Rangarajan, S. Setia and S. K. Tripathi. "A Fault-Tolerant Algorithm for Replicated Data
 * Management". IEEE Transactions on Parallel and Distributed Systems 6(12):1271–1282, December 1995.
 *
 * Maekawa's quorums are small, but one crash disables all quorums that have the site. Here the members of a coterie
 * are not sites but groups of G sites. Two quorums share a group, and their majorities of it share a site. A site
 * asks about (G+1)/2 · √(N/G) sites, and a group survives the loss of its minority. Where a group has lost more,
 * another quorum of groups may do.
 *
 * Example with nine sites in three groups, of which any two are a quorum (`majority`): site 0 asks site 1 of its
 * own group {0, 1, 2}. It also asks sites 3 and 4 of the next group. It gets all three votes and enters with two
 * majorities. With the RELEASEs that is nine messages. If site 1 is down, site 0 asks site 2 in its place.
 *
 * The paper is not among our sources but for what others say of it. The structure is its own, the protocol that of
 * Agrawal and El Abbadi (`shared/arbiter.ts`).
 */
import type { Algorithm, NodeId } from '../core/algorithm.ts';
import type { Groups } from '../core/topology.ts';
import { survives } from './shared/failures.ts';
import { rotated } from './shared/rotated.ts';
import { type State, withoutFailed } from './shared/votes.ts';
import { options, voting } from './shared/voting.ts';

const messages = withoutFailed;

const protocol = voting<'groups'>({
  quorum: ({ me, topology }, qualifies) => quorumOf(topology, me, qualifies),
});

export const rangarajanSetiaTripathi: Algorithm<State, typeof messages, 'groups', typeof options> =
  {
    id: 'rangarajan-setia-tripathi',
    title: 'Rangarajan, Setia & Tripathi 1995',
    year: 1995,
    paper: 'https://doi.org/10.1109/71.476168',
    family: 'permission',
    modes: ['exclusive'],
    k: false,
    topology: 'groups',
    defaultTopology: 'grid',
    links: 'any',
    options,
    messages,
    claims: {
      messages: {
        formula: '3 to 6 for each other site of a quorum, of about (G+1)/2 · √(N/G)',
        bounds: ({ topology }) => ({
          least: 3 * Math.min(...asked(topology)),
          most: 6 * Math.max(...asked(topology)),
        }),
      },
      light: {
        formula: '3 for each other site of a quorum',
        bounds: ({ topology }) => ({
          least: 3 * Math.min(...asked(topology)),
          most: 3 * Math.max(...asked(topology)),
        }),
      },
      synchronizationDelay: '2T',
    },
    recovers: survives('a majority of each group in some quorum of groups'),

    ...protocol,
  };

/** Of the quorum of our own group, or else the next: in each group a majority, ourselves first. */
function quorumOf(
  { groups, groupQuorum }: Groups,
  me: NodeId,
  qualifies: (member: NodeId) => boolean,
): readonly NodeId[] | undefined {
  const ours = groups.findIndex((group) => group.includes(me));
  for (const chosen of rotated(groupQuorum, ours)) {
    const majorities = chosen.map((g) => {
      const group = groups[g]!;
      // Elsewhere we begin at our own place in our group, so that the load is spread.
      const members = rotated(group, groups[ours]!.indexOf(me) % group.length).filter(qualifies);
      const size = Math.floor(group.length / 2) + 1;
      return members.length < size ? undefined : members.slice(0, size);
    });
    if (!majorities.includes(undefined)) return majorities.flatMap((majority) => majority!);
  }
  return undefined;
}

/** How many others each site asks when all are up. */
const asked = (topology: Groups): number[] =>
  topology.groups
    .flat()
    .map((me) => quorumOf(topology, me, () => true)!.filter((j) => j !== me).length);
