/**
 * Starvation: a request that is never served though the schedule is fair.
 *
 * A finite graph has an endless schedule only where it has a cycle. Site i starves if, in the part
 * of the graph where i waits, some cycle is weakly fair: whatever is possible all along it (a
 * delivery, an exit, a timer, a restart) also happens on it. Asking and failing are nobody's duty.
 * It is enough to look at whole strongly connected components: if a component is unfair to some
 * action, that action is possible in all its states and never taken, so no part of it is fair either.
 */
import type { NodeId } from '../core/algorithm.ts';
import { WAITING } from './cells.ts';
import type { PathStep } from './search.ts';
import type { Space } from './space.ts';
import type { StateStore } from './tables.ts';

export interface Lasso {
  readonly site: NodeId;
  /** The state at which the cycle begins … */
  readonly stem: number;
  /** … and once around it, back to where it began. */
  readonly cycle: readonly PathStep[];
}

interface Edge {
  readonly to: number;
  readonly site: NodeId;
  readonly event: number;
}

/** A fair cycle on which some site waits for ever, if there is one. */
export function findStarvation(space: Space, store: StateStore): Lasso | undefined {
  const graph = new Graph(space, store);
  const all = components(store.size, (index) => graph.edges(index));
  // Only states on cycles matter from here on, and they are few where there are any.
  const cyclic = all.filter((states) => graph.hasCycle(states)).flat();
  for (let site = 0; site < space.world.n; site++) {
    const waiting = new Set(cyclic.filter((index) => graph.waits(index, site)));
    const inside = (index: number) => graph.edges(index).filter(({ to }) => waiting.has(to));
    for (const states of components(store.size, inside, waiting)) {
      const members = new Set(states);
      if (!graph.hasCycle(states, members) || !graph.isFair(states, members)) continue;
      // The component's first state in order of discovery is the one nearest to the start.
      const stem = states.reduce((a, b) => Math.min(a, b));
      return { site, stem, cycle: graph.fairCycle(stem, members) };
    }
  }
  return undefined;
}

/** The explored states as a graph: edges are worked out again when asked for, and kept no longer. */
class Graph {
  readonly #space: Space;
  readonly #store: StateStore;
  readonly #state: Int32Array;
  readonly #next: Int32Array;

  constructor(space: Space, store: StateStore) {
    this.#space = space;
    this.#store = store;
    this.#state = new Int32Array(space.width);
    this.#next = new Int32Array(space.width);
  }

  edges(index: number): Edge[] {
    const edges: Edge[] = [];
    this.#store.load(index, this.#state);
    this.#space.successors(this.#state, this.#next, (site, event) => {
      edges.push({ to: this.#store.indexOf(this.#next), site, event });
      return true;
    });
    return edges;
  }

  waits(index: number, site: NodeId): boolean {
    this.#store.load(index, this.#state);
    return (this.#space.cells.flags[this.#state[site]!]! & WAITING) !== 0;
  }

  /** More than one state, or one that leads to itself. */
  hasCycle(states: readonly number[], members = new Set(states)): boolean {
    return states.length > 1 || this.edges(states[0]!).some(({ to }) => members.has(to));
  }

  isFair(states: readonly number[], members: ReadonlySet<number>): boolean {
    return this.#alwaysPossible(states).every((duty) =>
      states.some((index) =>
        this.edges(index).some((edge) => isSame(edge, duty) && members.has(edge.to)),
      ),
    );
  }

  /** What is possible in every one of these states, and whose turn must therefore come. */
  #alwaysPossible(states: readonly number[]): Edge[] {
    const obliged = (edge: Edge) => OBLIGED.has(this.#space.steps.event(edge.event).kind);
    let duties = this.edges(states[0]!).filter(obliged);
    for (const index of states) {
      const edges = this.edges(index);
      duties = duties.filter((duty) => edges.some((edge) => isSame(edge, duty)));
    }
    return duties;
  }

  /** A closed walk through a fair component that is itself fair: extended until it is. */
  fairCycle(start: number, members: ReadonlySet<number>): PathStep[] {
    let walk: { from: number; edge: Edge }[] = [];
    for (;;) {
      const at = walk.at(-1)?.edge.to ?? start;
      if (walk.length === 0 || at !== start) {
        walk = [...walk, ...this.#route(at, members, ({ to }) => to === start)];
      }
      const duty = this.#alwaysPossible(walk.map(({ from }) => from)).find(
        (possible) => !walk.some(({ edge }) => isSame(edge, possible)),
      );
      if (duty === undefined) break;
      const relieves = (edge: Edge) =>
        isSame(edge, duty) || !this.edges(edge.to).some((other) => isSame(other, duty));
      walk = [...walk, ...this.#route(start, members, relieves)];
    }
    return walk.map(({ from, edge }) => this.#step(from, edge));
  }

  /** The shortest way, within the component, that ends with such an edge. */
  #route(
    start: number,
    members: ReadonlySet<number>,
    isGoal: (edge: Edge) => boolean,
  ): { from: number; edge: Edge }[] {
    const via = new Map<number, { from: number; edge: Edge } | undefined>([[start, undefined]]);
    for (const from of via.keys()) {
      for (const edge of this.edges(from)) {
        if (!members.has(edge.to)) continue;
        if (isGoal(edge)) {
          const route = [{ from, edge }];
          for (let back = via.get(from); back; back = via.get(back.from)) route.unshift(back);
          return route;
        }
        if (!via.has(edge.to)) via.set(edge.to, { from, edge });
      }
    }
    return [];
  }

  #step(from: number, { to, site, event }: Edge): PathStep {
    const load = (index: number) => {
      const state = new Int32Array(this.#space.width);
      this.#store.load(index, state);
      return state;
    };
    return { site, event, before: load(from), after: load(to) };
  }
}

const OBLIGED = new Set(['start', 'deliver', 'exit', 'timer', 'peer', 'restart']);
const isSame = (a: Edge, b: Edge): boolean => a.site === b.site && a.event === b.event;

/** Tarjan's strongly connected components, without recursion: paths here are long. */
function components(
  size: number,
  edges: (index: number) => readonly Edge[],
  among?: ReadonlySet<number>,
): number[][] {
  const order = new Int32Array(size); // 0: not visited yet
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const stack: number[] = [];
  const found: number[][] = [];
  let counter = 0;
  const work: { index: number; edges: readonly Edge[]; next: number }[] = [];
  const visit = (index: number): void => {
    order[index] = low[index] = ++counter;
    onStack[index] = 1;
    stack.push(index);
    work.push({ index, edges: edges(index), next: 0 });
  };
  for (const root of among ?? Array(size).keys()) {
    if (order[root] !== 0) continue;
    visit(root);
    for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
      const { index } = top;
      if (top.next < top.edges.length) {
        const { to } = top.edges[top.next++]!;
        if (order[to] === 0) visit(to);
        else if (onStack[to]) low[index] = Math.min(low[index]!, order[to]!);
        continue;
      }
      work.pop();
      const above = work.at(-1);
      if (above !== undefined) low[above.index] = Math.min(low[above.index]!, low[index]!);
      if (low[index] !== order[index]) continue;
      const states: number[] = [];
      let member: number;
      do {
        member = stack.pop()!;
        onStack[member] = 0;
        states.push(member);
      } while (member !== index);
      found.push(states);
    }
  }
  return found;
}
