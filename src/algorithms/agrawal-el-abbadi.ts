/**
 * Agrawal–El Abbadi: a quorum is a path in a tree, and goes round the sites that are down.
 *
 * D. Agrawal and A. El Abbadi. "An Efficient and Fault-Tolerant Solution for Distributed Mutual
 * Exclusion". ACM Transactions on Computer Systems 9(1):1–20, February 1991.
 *
 * The sites form a tree, binary unless another is chosen. A path from the root to a leaf is a quorum, of log N
 * sites in a binary tree. A site that is down is replaced by paths from all of its children; only a site with fewer
 * than two children cannot be replaced. All these quorums meet, whichever sites each user took to be down
 * (`topologies/tree-quorum.ts`).
 *
 * Example with seven sites, the tree 0 – 1, 2; 1 – 3, 4; 2 – 5, 6: site 3 asks sites 0 and 1. It gets their votes
 * and enters: six messages with the two RELEASEs. If site 1 is down, site 3 takes the paths from both children of
 * site 1, which are itself and site 4. So it asks sites 0 and 4. If site 0 is down, it asks site 1 and the path 2,
 * 5.
 *
 * Arbiters give votes and take them back as Maekawa's do, but tell no site that it FAILED. A site that is asked to
 * YIELD a vote does so unless it is inside. RELEASE is the paper's relinquish, GRANT its permission.
 *
 * The survey does not say what becomes of the votes of a site that crashes. Here each arbiter writes its vote to
 * stable storage, and the vote stays where it is until the site is back. For all that the others know, the site may
 * be inside. With `fail-stop` the arbiters trust the failure detector instead.
 */
import type { Algorithm } from '../core/algorithm.ts';
import { pathLengths, quorumInTree } from '../topologies/tree-quorum.ts';
import { survives } from './shared/failures.ts';
import { type State, withoutFailed } from './shared/votes.ts';
import { options, voting } from './shared/voting.ts';

const messages = withoutFailed;

/** A quorum is found by recursion, and one of a thousand sites is of no use. */
const MOST_LEVELS = 1000;

const protocol = voting<'tree'>({
  quorum: ({ topology, me }, qualifies) => quorumInTree(topology, me, qualifies),
});

export const agrawalElAbbadi: Algorithm<State, typeof messages, 'tree', typeof options> = {
  id: 'agrawal-el-abbadi',
  title: 'Agrawal & El Abbadi 1991',
  year: 1991,
  paper: 'ACM Transactions on Computer Systems 9(1):1–20, February 1991',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'tree',
  defaultTopology: 'binary',
  links: 'any',
  options,
  messages,
  claims: {
    messages: {
      formula: '3 to 6 for each other site of a path, O(log N) on a binary tree',
      bounds: ({ topology }) => {
        const { least, most } = pathLengths(topology);
        return { least: 3 * (least - 1), most: 6 * most };
      },
    },
    light: {
      formula: '3 for each other site of a path, O(log N) on a binary tree',
      bounds: ({ topology }) => {
        const { least, most } = pathLengths(topology);
        return { least: 3 * (least - 1), most: 3 * most };
      },
    },
    synchronizationDelay: '2T',
  },
  recovers: survives('a tree quorum'),

  refuses: ({ topology }) =>
    pathLengths(topology).most <= MOST_LEVELS
      ? undefined
      : `agrawal-el-abbadi takes trees of at most ${MOST_LEVELS} levels, whose paths are quorums: leave --topology out`,

  ...protocol,
};
