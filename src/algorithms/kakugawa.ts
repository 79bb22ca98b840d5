/**
 * Kakugawa, Fujita, Yamashita & Ae: k quorums can be disjoint and k + 1 cannot, so that k sites can be inside.
 *
 * H. Kakugawa, S. Fujita, M. Yamashita and T. Ae. "Availability of k-Coterie".
 * IEEE Transactions on Computers 42(5):553–558, May 1993.
 *
 * It is Maekawa's algorithm with quorums from a k-coterie. It is a reconstruction: the survey has each site choose
 * "an appropriate quorum", and does not say how the site knows it. Here a site chooses once. Then at most k sites
 * are inside and each site enters, but there are not always k inside. A site whose quorum is in use waits, though
 * another quorum is free. With `reselect` the site looks for that other quorum. An arbiter says so whenever its
 * vote is taken, and the site goes on to ask a quorum without such arbiters. It keeps its places in all queues, and
 * gives up what it does not need when it enters.
 *
 * Example with k = 2 and four sites in a `square`: its sides are the quorums. Site 1 asks site 0, and site 3 asks
 * site 2. Their quorums {0, 1} and {2, 3} are disjoint, and both sites enter. Site 0 asks site 1, whose vote is its
 * own: site 1 tells it that it FAILED. Site 1 leaves and sends it a GRANT. The three entries take ten messages.
 */
import type { Algorithm, NodeId } from '../core/algorithm.ts';
import { flag, type OptionDeclarations } from '../core/option.ts';
import type { KCoterie } from '../core/topology.ts';
import { arbitration } from './shared/arbiter.ts';
import { twice } from './shared/failures.ts';
import { rotated } from './shared/rotated.ts';
import { messages, type State } from './shared/votes.ts';

const options = {
  reselect: flag('a site whose quorum is in use asks another as well, so that k get in at once'),
} as const satisfies OptionDeclarations;

const protocol = arbitration<'k-coterie', typeof options>({
  quorum: ({ me, topology: { quorums, choice }, options: { reselect } }, qualifies, { votes }) => {
    const isAsked = (j: NodeId) => votes.some(({ of }) => of === j);
    const toAsk = (quorum: readonly NodeId[]) => quorum.filter((j) => !isAsked(j)).length;
    const choices = reselect ? rotated(quorums, choice[me]!) : [quorums[choice[me]!]!];
    // Our own choice if it will do, or else the one that needs the fewest questions more.
    const [ours, ...others] = choices.filter((quorum) => quorum.every(qualifies));
    if (ours === undefined || ours === choices[0]) return ours;
    return others.reduce((best, quorum) => (toAsk(quorum) < toAsk(best) ? quorum : best), ours);
  },
  fails: ({ options: { reselect } }) => (reselect ? 'everyone' : 'hopeless'),
});

export const kakugawa: Algorithm<State, typeof messages, 'k-coterie', typeof options> = {
  id: 'kakugawa',
  title: 'Kakugawa, Fujita, Yamashita & Ae 1993',
  year: 1993,
  paper: 'IEEE Transactions on Computers 42(5):553–558, May 1993',
  family: 'permission',
  modes: ['exclusive'],
  k: true,
  topology: 'k-coterie',
  defaultTopology: 'parts',
  links: 'any',
  options,
  messages,
  claims: {
    messages: {
      formula: '3 to less than 6 for each other site of a quorum; up to 8(N−1) with reselect',
      // As with Maekawa. With `reselect` all sites may be asked, be told FAILED as well, and
      // RELEASE a vote twice, as one that is granted just when it is no longer needed is given back.
      bounds: ({ n, topology, options: { reselect } }) => ({
        least: 3 * Math.min(...asked(topology)),
        most: reselect ? 8 * (n - 1) : 6 * Math.max(...asked(topology)),
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
  recovers: [twice],

  ...protocol,
};

/** How many others each site asks in its chosen quorum. */
const asked = ({ quorums, choice }: KCoterie): number[] =>
  choice.map((q, me) => quorums[q]!.filter((j) => j !== me).length);
