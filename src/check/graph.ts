/** The explored states as a graph. Edges are computed when they are needed, and not stored. */
import type { NodeId } from '../core/algorithm.ts';
import type { PathStep } from './path.ts';
import type { Space } from './space.ts';
import type { StateStore } from './tables.ts';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly site: NodeId;
  readonly event: number;
}

export class Graph {
  readonly space: Space;
  readonly #store: StateStore;
  readonly #state: Int32Array;
  readonly #next: Int32Array;

  constructor(space: Space, store: StateStore) {
    this.space = space;
    this.#store = store;
    this.#state = new Int32Array(space.width);
    this.#next = new Int32Array(space.width);
  }

  get size(): number {
    return this.#store.size;
  }

  edges(from: number): Edge[] {
    const edges: Edge[] = [];
    this.#store.load(from, this.#state);
    this.space.successors(this.#state, this.#next, (site, event) => {
      edges.push({ from, to: this.#store.indexOf(this.#next), site, event });
      return true;
    });
    return edges;
  }

  /** The cell of a site in a state. */
  cell(index: number, site: NodeId): number {
    this.#store.load(index, this.#state);
    return this.#state[site]!;
  }

  /**
   * The shortest path that stays among the members and ends with an edge that satisfies `isGoal`.
   */
  route(
    start: number,
    members: ReadonlySet<number>,
    isGoal: (edge: Edge) => boolean,
  ): Edge[] | undefined {
    const via = new Map<number, Edge | undefined>([[start, undefined]]);
    for (const from of via.keys()) {
      for (const edge of this.edges(from)) {
        if (!members.has(edge.to)) continue;
        if (isGoal(edge)) {
          const route = [edge];
          for (let back = via.get(from); back; back = via.get(back.from)) route.unshift(back);
          return route;
        }
        if (!via.has(edge.to)) via.set(edge.to, edge);
      }
    }
    return undefined;
  }

  step({ from, to, site, event }: Edge): PathStep {
    const load = (index: number) => {
      const state = new Int32Array(this.space.width);
      this.#store.load(index, state);
      return state;
    };
    return { site, event, before: load(from), after: load(to) };
  }
}
