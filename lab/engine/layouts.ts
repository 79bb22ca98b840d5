/** How a world is laid out: lanes in the order of its structure, edges, quorums, and the arrows of states. */
import type { AnyAlgorithm, AnyWorld, NodeId } from '../../src/core/algorithm.ts';
import { Machine } from '../../src/core/machine.ts';
import type { Topologies } from '../../src/core/topology.ts';
import type { Columns } from '../../src/sim/columns.ts';
import type { Moment, Structure } from './protocol.ts';

type AnyTopology = Topologies[keyof Topologies];

/** A tree in order, so that its edges cross few lanes; a ring from site 0 on; all others by number. */
export function lanesOf({ n, topology }: AnyWorld): number[] {
  const known = topology as AnyTopology;
  if (known.kind === 'tree') return treeOrder(known.parent);
  if (known.kind === 'ring') {
    const lanes = [0];
    while (lanes.length < n) lanes.push(known.next[lanes.at(-1)!]!);
    return lanes;
  }
  return Array.from({ length: n }, (_, site) => site);
}

function treeOrder(parent: readonly NodeId[]): number[] {
  const children: NodeId[][] = parent.map(() => []);
  const root = parent.findIndex((above, site) => above === site);
  parent.forEach((above, site) => {
    if (site !== root) children[above]!.push(site);
  });
  // A list instead of recursion: a line of a thousand sites is deep.
  const lanes: number[] = [];
  const todo: { site: NodeId; isOpen: boolean }[] = [{ site: root, isOpen: false }];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { site, isOpen } = next;
    if (isOpen) {
      lanes.push(site);
      continue;
    }
    const half = Math.ceil(children[site]!.length / 2);
    const closed = (child: NodeId) => ({ site: child, isOpen: false });
    todo.push(...children[site]!.slice(half).reverse().map(closed));
    todo.push({ site, isOpen: true });
    todo.push(...children[site]!.slice(0, half).reverse().map(closed));
  }
  return lanes;
}

export function structureOf({ n, topology }: AnyWorld): Omit<Structure, 'hub'> {
  const known = topology as AnyTopology;
  const base = { kind: known.kind, edges: [], quorums: [], parents: [] };
  switch (known.kind) {
    case 'tree':
      return { ...base, edges: pairs(known.neighbours), parents: known.parent };
    case 'graph':
      return { ...base, edges: pairs(known.neighbours) };
    case 'ring':
      return { ...base, edges: known.next.map((next, site) => [site, next] as const) };
    case 'coterie':
      return { ...base, quorums: known.quorum };
    case 'agreement':
    case 'information':
      return { ...base, quorums: known.request };
    case 'k-coterie':
      return { ...base, quorums: known.choice.map((q) => known.quorums[q]!) };
    case 'groups':
      return { ...base, quorums: Array.from({ length: n }, (_, i) => groupOf(known.groups, i)) };
    default:
      return base;
  }
}

/** The site that every message of a run comes from or goes to, a coordinator; −1 if there is none. */
export function hubOf({ copies, from, to }: Columns, n: number): number {
  if (n < 3 || copies < MESSAGES_OF_HUB) return -1;
  const isHub = (site: number) => {
    for (let copy = 0; copy < copies; copy++) {
      if (from[copy] !== site && to[copy] !== site) return false;
    }
    return true;
  };
  return [from[0]!, to[0]!].find(isHub) ?? -1;
}

/** After fewer messages it may be chance. */
const MESSAGES_OF_HUB = 12;

const groupOf = (groups: readonly (readonly NodeId[])[], site: NodeId) =>
  groups.find((group) => group.includes(site)) ?? [];

const pairs = (neighbours: readonly (readonly NodeId[])[]) =>
  neighbours.flatMap((all, i) => all.filter((j) => i < j).map((j) => [i, j] as const));

/** Fields that point at a site, by the names that papers give them. */
const POINTERS = ['HOLDER', 'LAST', 'NEXT', 'Next'];

/** The arrows between sites that states and votes make. */
export function pointersOf(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  states: readonly unknown[],
  phases: readonly string[],
): Moment['pointers'] {
  const machine = new Machine(algorithm, world, () => 0);
  const named = Object.entries(algorithm.fields ?? {}).filter(([, name]) =>
    POINTERS.includes(name),
  );
  return states.flatMap((state, from) => {
    if (phases[from] === 'down') return [];
    const fields = state as { readonly [field: string]: unknown };
    const arrows = named.flatMap(([field, name]) => {
      const to = fields[field];
      return Number.isInteger(to) && (to as number) >= 0 && to !== from
        ? [{ from, to: to as number, name }]
        : [];
    });
    machine.site.begin(from);
    const votes: readonly NodeId[] = algorithm.grantedTo?.(state, machine.site) ?? [];
    return [...arrows, ...votes.map((to) => ({ from, to, name: 'vote' }))];
  });
}
