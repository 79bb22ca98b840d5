/**
 * Starvation: a request that is never served though the schedule is fair.
 *
 * A finite graph has an endless schedule only where it has a cycle. Site i starves if, in the part of
 * the graph where i waits, some cycle is fair. Fair means that every duty is done: a delivery, an exit,
 * a start, a restart that is possible all along the cycle happens on it (weak fairness); so does a
 * timer that is set all along it and not set anew, if it may fire somewhere on it, for it has run out
 * long since and only waits for its moment (strong fairness). Asking and failing are nobody's duty.
 *
 * A component whose every duty is done has a fair cycle: one that goes everywhere in it. If one is not
 * done, no fair cycle of the component has a state where it could be: take those away, and look again.
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
  /** … and once around it, back to where it began. */
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
  // Only states on cycles matter from here on, and they are few where there are any.
  const cyclic = components.withCycles([0], (i) => graph.edges(i)).flat();
  for (let site = 0; site < space.world.n; site++) {
    const waits = (i: number) => (space.cells.flags[graph.cell(i, site)]! & WAITING) !== 0;
    const candidates = cyclesAmong(cyclic.filter(waits));
    for (let states = candidates.pop(); states !== undefined; states = candidates.pop()) {
      const members = new Set(states);
      const undone = fairness.undone(states, members);
      if (undone === undefined) {
        // The component's first state in order of discovery is the one nearest to the start.
        const stem = states.reduce((a, b) => Math.min(a, b));
        return { site, stem, cycle: fairness.cycle(stem, members) };
      }
      candidates.push(...cyclesAmong(states.filter((i) => !fairness.isPossible(undone, i))));
    }
  }
  return undefined;
}

/** What a site must do sooner or later; for a timer, as long as it is set. */
interface Duty {
  readonly site: NodeId;
  readonly event: number;
  readonly timer: string | undefined;
}

const OBLIGED = new Set(['start', 'deliver', 'exit', 'timer', 'peer', 'restart']);
const isOf = (duty: Duty, { site, event }: Edge) => site === duty.site && event === duty.event;

class Fairness {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  isPossible(duty: Duty, index: number): boolean {
    return this.#graph.edges(index).some((edge) => isOf(duty, edge));
  }

  /** A duty in all of a component that is done nowhere in it. */
  undone(states: readonly number[], members: ReadonlySet<number>): Duty | undefined {
    const isDone = (duty: Duty) =>
      states.some((i) =>
        this.#graph.edges(i).some((edge) => members.has(edge.to) && this.#relieves(edge, duty)),
      );
    return this.#duties(states).find((duty) => !isDone(duty));
  }

  /** A closed walk through a fair component that is itself fair: extended until it is. */
  cycle(start: number, members: ReadonlySet<number>): PathStep[] {
    const walk: Edge[] = [];
    const extend = (isGoal: (edge: Edge) => boolean) =>
      walk.push(...this.#graph.route(walk.at(-1)?.to ?? start, members, isGoal)!);
    for (;;) {
      if (walk.at(-1)?.to !== start) extend(({ to }) => to === start);
      const undone = this.#duties(walk.map(({ from }) => from)).find(
        (duty) => !walk.some((edge) => this.#relieves(edge, duty)),
      );
      if (undone === undefined) return walk.map((edge) => this.#graph.step(edge));
      extend((edge) => this.#relieves(edge, undone));
    }
  }

  /** What is to be done in every one of these states, and can be in some. */
  #duties(states: readonly number[]): Duty[] {
    const duties = new Map<string, Duty>();
    for (const index of new Set(states)) {
      for (const { site, event } of this.#graph.edges(index)) {
        const what = this.#graph.space.steps.event(event);
        if (!OBLIGED.has(what.kind)) continue;
        const timer = what.kind === 'timer' ? what.timer : undefined;
        // But for a timer, what is possible in every state is so in the first.
        if (timer === undefined && index !== states[0]) continue;
        duties.set(`${site} ${event}`, { site, event, timer });
      }
    }
    return [...duties.values()].filter((duty) => states.every((i) => this.#binds(duty, i)));
  }

  #binds(duty: Duty, index: number): boolean {
    if (duty.timer === undefined) return this.isPossible(duty, index);
    const { space } = this.#graph;
    return space.local(this.#graph.cell(index, duty.site)).timers.includes(duty.timer);
  }

  #relieves(edge: Edge, duty: Duty): boolean {
    const isDone = isOf(duty, edge) || this.#leaves(edge, duty);
    return isDone || !this.#binds(duty, edge.to) || this.#isSetAnew(edge, duty);
  }

  /** Who goes in again in the step in which it leaves has left. */
  #leaves(edge: Edge, duty: Duty): boolean {
    const { steps } = this.#graph.space;
    const kinds = [edge, duty].map(({ event }) => steps.event(event).kind);
    return edge.site === duty.site && kinds.join() === 'again,exit';
  }

  #isSetAnew(edge: Edge, { site, timer }: Duty): boolean {
    if (timer === undefined || edge.site !== site) return false;
    const { before, after } = this.#graph.step(edge);
    return this.#graph.space.outcomeBy(site, edge.event, before, after).timersSet.includes(timer);
  }
}
