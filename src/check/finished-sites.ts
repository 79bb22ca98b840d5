/**
 * The reduction `rest`. A finished site has made all its requests, holds no token, has set no
 * timer, and only records the messages that reach it. Such a delivery affects no other site, so it
 * may happen at once: of all the steps of a state, this delivery is enough.
 *
 * Whether a site only records messages is an assumption, verified during the search. Every delivery
 * that reaches a finished site is tried in every state that the site can have. It must change
 * nothing that other sites see, and any two deliveries must lead to the same state in both orders.
 * If one does not, the assumption is refuted and the search is discarded.
 */
import type { NodeId } from '../core/algorithm.ts';
import { HAS_INCOMING } from './cells.ts';
import type { Space } from './space.ts';

/**
 * A site whose clock advances with every delivery has no end of states: with more than this many it
 * does not count as finished.
 */
const MAX_LOCALS = 5_000;

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

export class FinishedSites {
  /** True once a site that was assumed to be finished was not. */
  refuted = false;
  readonly #space: Space;
  /** By site: the locals that it can have once finished, and the deliveries that reach it there. */
  readonly #locals: Set<number>[];
  readonly #deliveries: Set<number>[];
  #finished = new Uint8Array(1024); // by cell with incoming deliveries
  #site: NodeId = -1;
  #event = -1;

  constructor(space: Space) {
    this.#space = space;
    this.#locals = Array.from({ length: space.world.n }, () => new Set());
    this.#deliveries = Array.from({ length: space.world.n }, () => new Set());
  }

  /** Selects the state whose steps `isSkipped` is about. */
  begin(_: number, state: Int32Array): void {
    const { cells, world } = this.#space;
    this.#site = -1;
    for (let site = 0; site < world.n; site++) {
      const cell = state[site]!;
      if ((cells.flags[cell]! & HAS_INCOMING) === 0 || !this.#isFinished(cell)) continue;
      this.#site = site;
      const incoming = cells.incoming(cell);
      this.#event = incoming[cells.deliverable(incoming)[0]!]!;
      return;
    }
  }

  readonly isSkipped = (site: NodeId, event: number): boolean =>
    this.#site !== -1 && (site !== this.#site || event !== this.#event);

  #isFinished(cell: number): boolean {
    if (cell >= this.#finished.length) {
      const grown = new Uint8Array(2 * cell);
      grown.set(this.#finished);
      this.#finished = grown;
    }
    if (this.#finished[cell] === UNKNOWN) {
      const { cells } = this.#space;
      // A message in flight to the site may carry a token.
      const isFinished = cells.tokens[cell] === 0 && this.#isDone(cells.local(cell));
      if (isFinished) this.#admit(cell);
      this.#finished[cell] = isFinished ? YES : NO;
    }
    return this.#finished[cell] === YES;
  }

  #isDone(local: number): boolean {
    const { phase, left, timers, started } = this.#space.steps.local(local);
    return phase === 'idle' && left === 0 && timers.length === 0 && started;
  }

  /** Adds a cell to what is known of its finished site, with every local that follows from it. */
  #admit(cell: number): void {
    const { cells } = this.#space;
    const { site } = this.#space.local(cell);
    const [locals, deliveries] = [this.#locals[site]!, this.#deliveries[site]!];
    const added = [cells.local(cell)];
    const noted = (local: number, delivery: number): void => {
      const next = this.#after(local, delivery);
      if (next === -1 || !this.#commutes(local, delivery, deliveries)) this.refuted = true;
      else added.push(next);
    };
    for (const delivery of cells.incoming(cell)) {
      if (deliveries.has(delivery)) continue;
      deliveries.add(delivery);
      for (const local of locals) noted(local, delivery);
    }
    for (let local = added.pop(); local !== undefined && !this.refuted; local = added.pop()) {
      if (locals.has(local)) continue;
      locals.add(local);
      if (locals.size > MAX_LOCALS) this.refuted = true;
      for (const delivery of deliveries) noted(local, delivery);
    }
  }

  /** The local after a delivery that no other site notices, or −1. */
  #after(local: number, delivery: number): number {
    const { steps, cells } = this.#space;
    const outcomes = steps.of(local, delivery);
    const { local: next, deliveries, error } = outcomes[0]!;
    const isSilent = outcomes.length === 1 && deliveries.length === 0 && error === undefined;
    return isSilent && this.#isDone(next) && cells.tokens[cells.id(next, [])] === 0 ? next : -1;
  }

  #commutes(local: number, delivery: number, deliveries: ReadonlySet<number>): boolean {
    for (const other of deliveries) {
      const [one, two] = [this.#after(local, delivery), this.#after(local, other)];
      if (two === -1 || this.#after(one, other) !== this.#after(two, delivery)) return false;
    }
    return true;
  }
}
