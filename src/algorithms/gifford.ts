/**
 * Gifford: sites have votes by weight; to write takes many of them, to read takes few.
 *
 * D. K. Gifford. "Weighted Voting for Replicated Data". Proceedings of the 7th ACM Symposium on
 * Operating Systems Principles, pages 150–162, December 1979.
 *
 * A writer needs w votes and a reader r, where r + w and 2w are more than all the votes there are. So a writer has
 * a voter in common with every other writer, and with every reader; readers need not meet. A voter gives all its
 * votes to one writer or to any number of readers. An early writer makes readers that came after it YIELD, and no
 * later reader goes before it: so neither starves the other.
 *
 * Example with three sites of one vote each, r = 1 and w = 3 (`read-one`): sites 0 and 1 read at the same time.
 * Each has its own vote, and sends no message. Site 2 wants to write and asks both. Each of them sends its GRANT
 * when it has left, and site 2 enters. It leaves and sends two RELEASEs: six messages.
 *
 * Gifford's votes guard versions of a file, and its locks are those of the voters. Here the votes are the lock. Two
 * more operations are ours. A site that waits to write may DOWNGRADE to reading, and then needs no more votes than
 * that takes. And readers hear whether they are AWAITED.
 */
import type { Algorithm, NodeId, World } from '../core/algorithm.ts';
import { survives } from './shared/failures.ts';
import { ringFrom } from './shared/rotated.ts';
import { sharedVoting } from './shared/sharing.ts';
import { withReaders as messages, type State } from './shared/votes.ts';
import { options } from './shared/voting.ts';

const protocol = sharedVoting<'votes'>({
  quorum: ({ me, topology: { votes, read, write } }, qualifies, { mode }) =>
    voters(votes, mode === 'shared' ? read : write, me, qualifies),
});

export const gifford: Algorithm<State, typeof messages, 'votes', typeof options> = {
  id: 'gifford',
  title: 'Gifford 1979',
  year: 1979,
  paper: 'https://doi.org/10.1145/800215.806583',
  family: 'permission',
  modes: ['exclusive', 'shared'],
  k: false,
  topology: 'votes',
  defaultTopology: 'majority',
  links: 'any',
  options,
  messages,
  claims: {
    messages: {
      formula: '3 for each other voter asked, to 3N where writers disturb readers',
      // A newcomer disturbs at most the N − 1 others: INQUIRE, YIELD and another GRANT for each.
      bounds: (world) => ({
        least: 3 * Math.min(...asked(world)),
        most: 3 * world.n * Math.max(...asked(world)),
      }),
    },
    light: {
      formula: '3 for each other voter asked',
      bounds: (world) => ({
        least: 3 * Math.min(...asked(world)),
        most: 3 * Math.max(...asked(world)),
      }),
    },
    synchronizationDelay: '2T',
  },
  recovers: survives('enough votes'),

  ...protocol,
};

/**
 * The sites that follow us round the ring until they have votes enough, and then without the spare ones:
 * ourselves last, as our own vote costs no message.
 */
function voters(
  votes: readonly number[],
  needed: number,
  me: NodeId,
  qualifies: (voter: NodeId) => boolean,
): readonly NodeId[] | undefined {
  const chosen: NodeId[] = [];
  let sum = 0;
  for (const j of ringFrom(me, votes.length)) {
    if (sum >= needed || votes[j] === 0 || !qualifies(j)) continue;
    chosen.push(j);
    sum += votes[j]!;
  }
  if (sum < needed) return undefined;
  return chosen.reverse().filter((j) => {
    const isSpare = sum - votes[j]! >= needed;
    if (isSpare) sum -= votes[j]!;
    return !isSpare;
  });
}

/** How many others each site asks, to read and to write, when all are up. */
function asked({ topology: { votes, read, write } }: World<'votes', typeof options>): number[] {
  const others = (needed: number, me: NodeId) =>
    voters(votes, needed, me, () => true)!.filter((j) => j !== me).length;
  return votes.flatMap((_, me) => [others(read, me), others(write, me)]);
}
