/**
 * Sanders: which sites to ask and which to tell are two questions, and most permission algorithms are answers.
 *
 * B. A. Sanders. "The Information Structure of Distributed Mutual Exclusion Algorithms".
 * ACM Transactions on Computer Systems 5(3):284–299, August 1987.
 *
 * A site i asks its request set R_i. When it leaves, it tells its inform set I_i, which is a part of R_i. So an
 * arbiter knows the state (CSSTAT) of the sites that have it in their inform sets, and of no others. To the others
 * it gives its permission and forgets them. Two sites exclude each other if an arbiter knows of both, or if each
 * knows of itself and asks the other.
 *
 * Example with three sites: let each site ask all, and tell only itself. Site 0 asks sites 1 and 2, and both give
 * their permission: four messages, and none when it leaves. That is Ricart and Agrawala's algorithm, but for the
 * deadlock detection. Now let each site ask and tell site 0 only. Site 1 asks it, gets its permission, and tells it
 * when it leaves: three messages, as with a coordinator. With I_i = R_i it is Maekawa's algorithm.
 *
 * It also corrects Maekawa's algorithm. A waiting site must be told that it FAILED not only when it comes too late,
 * but also when an earlier request comes after it.
 */
import type { Algorithm, NodeId, World } from '../core/algorithm.ts';
import { arbitration } from './shared/arbiter.ts';
import { twice } from './shared/failures.ts';
import { messages, type State } from './shared/votes.ts';

const protocol = arbitration<'information'>({
  quorum: ({ me, topology }, qualifies) => {
    const asked = topology.request[me]!;
    return asked.every(qualifies) ? asked : undefined;
  },
  fails: () => 'hopeless',
  tracks: ({ topology }, arbiter, from) => topology.inform[from]!.includes(arbiter),
});

export const sanders: Algorithm<State, typeof messages, 'information'> = {
  id: 'sanders',
  title: 'Sanders 1987',
  year: 1987,
  paper: 'https://doi.org/10.1145/24068.28052',
  family: 'permission',
  modes: ['exclusive'],
  k: false,
  topology: 'information',
  defaultTopology: 'maekawa',
  links: 'any', // the paper's keep order; here every message names its request
  options: {},
  messages,
  claims: {
    messages: {
      formula: '|I−{i}| + 2|R−{i}|, and up to 3|R−{i}| for conflicts',
      bounds: (world) => ({ least: least(world), most: most(world) }),
    },
    light: {
      formula: '|I−{i}| + 2|R−{i}|',
      bounds: (world) => ({ least: least(world), most: Math.max(...costs(world)) }),
    },
    synchronizationDelay: 'T to 2T',
  },
  recovers: [twice],

  ...protocol,
};

type SandersWorld = World<'information'>;

const withoutSelf = (set: readonly NodeId[], me: NodeId): number =>
  set.filter((j) => j !== me).length;
/** What an entry costs each site when no other site wants to enter. */
const costs = ({ topology: { inform, request } }: SandersWorld): number[] =>
  request.map((asked, me) => withoutSelf(inform[me]!, me) + 2 * withoutSelf(asked, me));
const least = (world: SandersWorld): number => Math.min(...costs(world));
const most = ({ topology }: SandersWorld): number =>
  6 * Math.max(...topology.request.map(withoutSelf));
