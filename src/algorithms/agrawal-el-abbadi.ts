/**
 * Agrawal–El Abbadi: a quorum is a path in a tree, and goes round the sites that are down.
 *
 * D. Agrawal and A. El Abbadi. "An Efficient and Fault-Tolerant Solution for Distributed Mutual
 * Exclusion". ACM Transactions on Computer Systems 9(1):1–20, February 1991.
 *
 * The sites are a binary tree. A path from the root to a leaf is a quorum of log N sites; a site that
 * is down is replaced by two paths, one from each of its children; only a leaf cannot be replaced.
 * All these quorums meet, whatever each of their users took to be down (`topologies/tree-quorum.ts`).
 *
 * Votes are given and taken back as Maekawa's are, but nobody is told that it failed: who is asked to
 * YIELD a vote does so unless it is inside. RELEASE is the paper's relinquish, GRANT its permission.
 *
 * The survey does not say what becomes of the votes of a site that crashes. Here they are written to
 * stable storage, by whoever gives them, and stay where they are until the site is back: it may be
 * inside, for all the others know. With `fail-stop` the failure detector is taken at its word instead.
 */
import type { Algorithm } from '../core/algorithm.ts';
import type { Tree } from '../core/topology.ts';
import { treeQuorum } from '../topologies/tree-quorum.ts';
import { survives } from './shared/failures.ts';
import { type State, withoutFailed } from './shared/votes.ts';
import { options, voting } from './shared/voting.ts';

const messages = withoutFailed;

const protocol = voting<'tree'>({
  quorum: ({ n, me }, qualifies) => treeQuorum(n, me, qualifies),
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
      formula: '3 to 6 for each other site of a path, O(log N)',
      bounds: ({ n }) => ({ least: 3 * (shortest(n) - 1), most: 6 * longest(n) }),
    },
    light: {
      formula: '3 for each other site of a path, O(log N)',
      bounds: ({ n }) => ({ least: 3 * (shortest(n) - 1), most: 3 * longest(n) }),
    },
    synchronizationDelay: '2T',
  },
  recovers: survives('a tree quorum'),

  refuses: ({ topology }) =>
    isBinary(topology)
      ? undefined
      : 'agrawal-el-abbadi takes its quorums from the binary tree: leave --topology out',

  ...protocol,
};

const isBinary = ({ parent }: Tree): boolean =>
  parent.every((above, i) => above === Math.max(0, (i - 1) >> 1));

/** How many sites a path from the root to a leaf has. */
const shortest = (n: number): number => Math.floor(Math.log2(n + 1));
const longest = (n: number): number => Math.floor(Math.log2(n)) + 1;
