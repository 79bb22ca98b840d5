/**
 * What must hold of a structure, built or read from a file. Each law returns undefined where it
 * holds, and otherwise one sentence that shows the sets which break it.
 */
import type { NodeId } from '../core/algorithm.ts';
import type { Agreement, Groups, Information, Votes } from '../core/topology.ts';

export type Sets = readonly (readonly NodeId[])[];
export type Broken = string | undefined;

/** Any two quorums meet; so none is empty. */
export function intersectionLaw(quorums: Sets): Broken {
  const empty = quorums.findIndex((quorum) => quorum.length === 0);
  if (empty !== -1) return `the quorum of ${empty} is empty`;
  const apart = firstApart(quorums, quorums);
  if (apart === undefined) return undefined;
  const [i, j] = apart;
  return `the quorums of ${i} and ${j} do not meet: ${show(quorums[i]!, quorums[j]!)}`;
}

/** No quorum lies within another. A larger quorum is still correct, but costs messages. */
export function minimalityLaw(quorums: Sets): Broken {
  const sets = quorums.map((quorum) => new Set(quorum));
  for (const [i, small] of sets.entries()) {
    for (const [j, large] of sets.entries()) {
      if (small.size >= large.size || !isWithin(small, large)) continue;
      return `the quorum of ${i} lies within that of ${j}: ${show(quorums[i]!, quorums[j]!)}`;
    }
  }
  return undefined;
}

/** i is in the i-th set, so that it needs no message for its own consent. */
export function selfLaw(sets: Sets): Broken {
  const i = sets.findIndex((set, me) => !set.includes(me));
  return i === -1 ? undefined : `site ${i} is not in its own set ${show(sets[i]!)}`;
}

/** Every request set meets every acquired set, and every site is in both of its own. */
export function agreementLaw({ request, acquired }: Agreement): Broken {
  const apart = firstApart(request, acquired);
  if (apart === undefined) return selfLaw(request) ?? selfLaw(acquired);
  const [i, j] = apart;
  const sets = show(request[i]!, acquired[j]!);
  return `the request set of ${i} does not meet the acquired set of ${j}: ${sets}`;
}

/**
 * Sanders's condition: the inform sets of any two sites meet, or the two sites ask each other. In
 * the second case each must also be in its own inform set, as her theorem presumes: a site that
 * does not track itself lets the other in even while it is inside.
 */
export function informationLaw({ inform, request }: Information): Broken {
  const asks = request.map((set) => new Set(set));
  const extra = inform.findIndex((set, i) => !isWithin(set, asks[i]!));
  if (extra !== -1) {
    return `site ${extra} informs ${show(inform[extra]!)} but asks only ${show(request[extra]!)}`;
  }
  const tracksItself = inform.map((set, i) => set.includes(i));
  const askEachOther = (i: NodeId, j: NodeId): boolean =>
    asks[i]!.has(j) && asks[j]!.has(i) && tracksItself[i]! && tracksItself[j]!;
  const apart = firstApart(inform, inform, askEachOther);
  if (apart === undefined) return undefined;
  const [i, j] = apart;
  if (i === j) return `site ${i} informs no site`;
  const sets = show(inform[i]!, inform[j]!);
  return `${i} and ${j} neither meet in those they inform, ${sets}, nor track themselves and ask each other`;
}

/** Gifford's two inequalities: a writer excludes writers and readers. And both can be reached. */
export function votesLaw({ votes, read, write }: Votes): Broken {
  const all = votes.reduce((sum, weight) => sum + weight, 0);
  const wrong = votes.find((weight) => !Number.isInteger(weight) || weight < 0);
  if (wrong !== undefined) return `votes are whole numbers from 0, got ${wrong}`;
  if (all === 0) return 'no site has a vote';
  if (!isWhole(read) || read > all) return `${read} votes to read are not from 1 to all ${all}`;
  if (!isWhole(write) || write > all) return `${write} votes to write are not from 1 to all ${all}`;
  if (2 * write <= all) return `two writers fit: twice ${write} votes are not more than all ${all}`;
  if (read + write <= all) {
    return `a reader and a writer fit: ${read} + ${write} votes are not more than all ${all}`;
  }
  return undefined;
}

/** Each of n sites is in exactly one group, and any two quorums of groups share a group. */
export function groupsLaw({ groups, groupQuorum }: Groups, n: number): Broken {
  const members = groups.flat().sort((a, b) => a - b);
  if (groups.some((group) => group.length === 0)) return 'a group is empty';
  if (members.length !== n || members.some((site, i) => site !== i)) {
    return `the groups ${groups.map((group) => show(group)).join(', ')} do not hold each of ${n} sites once`;
  }
  if (groupQuorum.length !== groups.length) {
    return `${groups.length} groups have ${groupQuorum.length} quorums, not one each`;
  }
  return intersectionLaw(groupQuorum);
}

/** The first i and j such that `these[i]` does not meet `those[j]`. */
function firstApart(
  these: Sets,
  those: Sets,
  forgive: (i: number, j: number) => boolean = () => false,
): readonly [number, number] | undefined {
  for (const [i, one] of these.entries()) {
    const members = new Set(one);
    for (const [j, other] of those.entries()) {
      if (!other.some((site) => members.has(site)) && !(i !== j && forgive(i, j))) return [i, j];
    }
  }
  return undefined;
}

const isWhole = (value: number): boolean => Number.isInteger(value) && value >= 1;

function isWithin(small: Iterable<NodeId>, large: ReadonlySet<NodeId>): boolean {
  for (const site of small) if (!large.has(site)) return false;
  return true;
}

/** `{0, 1} and {2, 3}`; long sets are shortened. */
export function show(...sets: Sets): string {
  const shown = sets.map((set) => (set.length > 12 ? [...set.slice(0, 11), '…'] : set));
  return shown.map((members) => `{${members.join(', ')}}`).join(' and ');
}
