/**
 * Starvation: a request that is never served although the schedule is fair.
 *
 * A finite graph has an endless schedule only where it has a cycle. Site i starves if some cycle is
 * fair in the part of the graph where i waits. A cycle is fair if it meets every obligation. A
 * delivery, an exit, a start or a restart that is possible everywhere on the cycle must happen on
 * it (weak fairness). A timer that is set everywhere on the cycle, and not set anew, must fire if
 * it may fire somewhere on it (strong fairness): it has expired long ago and only waits for its
 * condition. Requests and faults are no obligations.
 *
 * A component that meets every obligation has a fair cycle: one that visits every state of it. If
 * an obligation is not met, no fair cycle contains a state where it is possible: remove those
 * states, and search again.
 */
import type { NodeId } from '../core/algorithm.ts';
import { WAITING } from './cells.ts';
import { Components } from './components.ts';
import { type Edge, Graph } from './graph.ts';
import type { PathStep } from './path.ts';
import type { Space } from './space.ts';
import type { StateStore } from './tables.ts';

export interface Lasso {
  readonly site: NodeId;
  /** The state at which the cycle begins … */
  readonly stem: number;
  /** … and the steps around it, back to that state. */
  readonly cycle: readonly PathStep[];
}

/** A fair cycle on which some site waits for ever, if there is one. */
export function findStarvation(space: Space, store: StateStore): Lasso | undefined {
  const graph = new Graph(space, store);
  const fairness = new Fairness(graph);
  const components = new Components(store.size);
  const cyclesAmong = (states: Iterable<number>): number[][] => {
    const among = new Set(states);
    return components.withCycles(among, (i) => graph.edges(i).filter(({ to }) => among.has(to)));
  };
  // From here on only states on cycles matter, and they are few.
  const cyclic = components.withCycles([0], (i) => graph.edges(i)).flat();
  for (let site = 0; site < space.world.n; site++) {
    const waits = (i: number) => (space.cells.flags[graph.cell(i, site)]! & WAITING) !== 0;
    const candidates = cyclesAmong(cyclic.filter(waits));
    for (let states = candidates.pop(); states !== undefined; states = candidates.pop()) {
      const members = new Set(states);
      const undone = fairness.undone(states, members);
      if (undone === undefined) {
        // States are numbered in the order of discovery, so the smallest is nearest to the start.
        const stem = states.reduce((a, b) => Math.min(a, b));
        return { site, stem, cycle: fairness.cycle(stem, members) };
      }
      candidates.push(...cyclesAmong(states.filter((i) => !fairness.isPossible(undone, i))));
    }
  }
  return undefined;
}

/** A step that a site must take sooner or later; for a timer, as long as it is set. */
interface Obligation {
  readonly site: NodeId;
  readonly event: number;
  readonly timer: string | undefined;
}

const OBLIGED = new Set(['start', 'deliver', 'exit', 'timer', 'peer', 'restart']);
const isOf = (obligation: Obligation, { site, event }: Edge) =>
  site === obligation.site && event === obligation.event;

class Fairness {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  isPossible(obligation: Obligation, index: number): boolean {
    return this.#graph.edges(index).some((edge) => isOf(obligation, edge));
  }

  /** An obligation everywhere in a component that no step in it meets. */
  undone(states: readonly number[], members: ReadonlySet<number>): Obligation | undefined {
    const isDone = (obligation: Obligation) =>
      states.some((i) =>
        this.#graph
          .edges(i)
          .some((edge) => members.has(edge.to) && this.#discharges(edge, obligation)),
      );
    return this.#obligations(states).find((obligation) => !isDone(obligation));
  }

  /** A closed walk through a fair component, extended until the walk itself is fair. */
  cycle(start: number, members: ReadonlySet<number>): PathStep[] {
    const walk: Edge[] = [];
    const extend = (isGoal: (edge: Edge) => boolean) =>
      walk.push(...this.#graph.route(walk.at(-1)?.to ?? start, members, isGoal)!);
    for (;;) {
      if (walk.at(-1)?.to !== start) extend(({ to }) => to === start);
      const undone = this.#obligations(walk.map(({ from }) => from)).find(
        (obligation) => !walk.some((edge) => this.#discharges(edge, obligation)),
      );
      if (undone === undefined) return walk.map((edge) => this.#graph.step(edge));
      extend((edge) => this.#discharges(edge, undone));
    }
  }

  /** The obligations that bind in every one of these states and can be met in some. */
  #obligations(states: readonly number[]): Obligation[] {
    const obligations = new Map<string, Obligation>();
    for (const index of new Set(states)) {
      for (const { site, event } of this.#graph.edges(index)) {
        const what = this.#graph.space.steps.event(event);
        if (!OBLIGED.has(what.kind)) continue;
        const timer = what.kind === 'timer' ? what.timer : undefined;
        // Except for a timer, an event that is possible in every state is possible in the first.
        if (timer === undefined && index !== states[0]) continue;
        obligations.set(`${site} ${event}`, { site, event, timer });
      }
    }
    return [...obligations.values()].filter((obligation) =>
      states.every((i) => this.#binds(obligation, i)),
    );
  }

  #binds(obligation: Obligation, index: number): boolean {
    if (obligation.timer === undefined) return this.isPossible(obligation, index);
    const { space } = this.#graph;
    return space.local(this.#graph.cell(index, obligation.site)).timers.includes(obligation.timer);
  }

  #discharges(edge: Edge, obligation: Obligation): boolean {
    const isDone = isOf(obligation, edge) || this.#leaves(edge, obligation);
    return isDone || !this.#binds(obligation, edge.to) || this.#isSetAnew(edge, obligation);
  }

  /** A site that releases and re-requests in one step has left. */
  #leaves(edge: Edge, obligation: Obligation): boolean {
    const { steps } = this.#graph.space;
    const kinds = [edge, obligation].map(({ event }) => steps.event(event).kind);
    return edge.site === obligation.site && kinds.join() === 'rerequest,exit';
  }

  #isSetAnew(edge: Edge, { site, timer }: Obligation): boolean {
    if (timer === undefined || edge.site !== site) return false;
    const { before, after } = this.#graph.step(edge);
    return this.#graph.space.outcomeBy(site, edge.event, before, after).timersSet.includes(timer);
  }
}
