/**
 * Maekawa: ask a quorum; any two quorums share an arbiter, and an arbiter says yes to one site at a time.
 *
 * M. Maekawa. "A √N Algorithm for Mutual Exclusion in Decentralized Systems".
 * ACM Transactions on Computer Systems 3(2):145–159, May 1985.
 *
 * Each site is the arbiter of all sites in whose quorum it is. It locks itself for one REQUEST (we say that it
 * GRANTs its vote) and queues the rest. Sites that have locked half a quorum each would wait for one another for
 * ever. So an arbiter that receives an earlier request sends an INQUIRE to the site for which it is locked. That
 * site gives the lock back (RELINQUISH, here YIELD), unless it may yet succeed: a site that cannot is told that it
 * FAILED. All this is in `shared/arbiter.ts`.
 *
 * Example with four sites on a grid, where a quorum is a row and a column: sites 0 and 3 ask at the same time. Both
 * ask sites 1 and 2. Both arbiters get the REQUEST of site 0 first. They send it their GRANTs, and tell site 3 that
 * it FAILED. Site 0 enters, leaves, and sends two RELEASEs. Now both arbiters send their GRANTs to site 3. The two
 * entries take fourteen messages.
 *
 * The paper tells only the newcomer that it FAILED. B. A. Sanders (ACM TOCS 5(3):284–299, 1987) found that the
 * arbiter must also tell the request that the newcomer displaces at the head of the queue: `printed/maekawa.ts`.
 */
import type { Algorithm } from '../core/algorithm.ts';
import type { Coterie } from '../core/topology.ts';
import { arbitration } from './shared/arbiter.ts';
import { twice } from './shared/failures.ts';
import type { Rules } from './shared/rules.ts';
import { messages, type State } from './shared/votes.ts';

export const rules: Rules<'coterie'> = {
  quorum: ({ me, topology }, qualifies) => {
    const quorum = topology.quorum[me]!;
    return quorum.every(qualifies) ? quorum : undefined;
  },
  fails: () => 'hopeless',
};
const protocol = arbitration(rules);

export const maekawa: Algorithm<State, typeof messages, 'coterie'> = {
  id: 'maekawa',
  title: 'Maekawa 1985',
  year: 1985,
  paper: 'https://doi.org/10.1145/214438.214445',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'coterie',
  defaultTopology: 'grid',
  links: 'any', // the paper's keep order; here an INQUIRE that overtakes its GRANT is remembered
  options: {},
  messages,
  claims: {
    messages: {
      // The paper says 5(K−1) at most. But of M requests at one arbiter, each earlier than the one before,
      // all but one are inquired and granted twice: 6M − 3 messages.
      formula: '3(K−1) to less than 6(K−1)',
      bounds: ({ topology }) => ({ least: 3 * fewest(topology), most: 6 * most(topology) }),
    },
    light: {
      formula: '3(K−1)',
      bounds: ({ topology }) => ({ least: 3 * fewest(topology), most: 3 * most(topology) }),
    },
    synchronizationDelay: '2T',
  },
  recovers: [twice],

  ...protocol,
};

/** K − 1 for the smallest and the largest quorum: what a site asks of itself costs nothing. */
const sizes = ({ quorum }: Coterie) => quorum.map((q, i) => q.filter((k) => k !== i).length);
const fewest = (coterie: Coterie) => Math.min(...sizes(coterie));
const most = (coterie: Coterie) => Math.max(...sizes(coterie));
