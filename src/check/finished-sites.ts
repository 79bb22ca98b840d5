/**
 * A site at rest: it has asked as often as it will, holds no token, has set no timer, and whatever
 * reaches it now it only takes note of. Such a delivery concerns nobody else and may as well come at
 * once: of all the steps of a state, that one is enough.
 *
 * Whether a site is really at rest shows while the search goes on. All deliveries that reach it at rest, in
 * all the states in which they may, must change nothing that others see, and in any two orders lead to
 * the same. If one does not, the assumption was wrong, and the search with it.
 */
import type { NodeId } from '../core/algorithm.ts';
import { HAS_INCOMING } from './cells.ts';
import type { Space } from './space.ts';

/** A clock that every delivery advances has no end: beyond so many states a site is not called at rest. */
const MAX_LOCALS = 5_000;

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

export class FinishedSites {
  /** A site that was taken to be at rest was not. */
  refuted = false;
  readonly #space: Space;
  /** By site: the states in which it is at rest, and what reaches it there. */
  readonly #locals: Set<number>[];
  readonly #deliveries: Set<number>[];
  #finished = new Uint8Array(1024); // by cell that has incoming
  #site: NodeId = -1;
  #event = -1;

  constructor(space: Space) {
    this.#space = space;
    this.#locals = Array.from({ length: space.world.n }, () => new Set());
    this.#deliveries = Array.from({ length: space.world.n }, () => new Set());
  }

  /** The reduction is about the steps of this state from now on. */
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
      // What is under way to it may be a token, too.
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

  /** Adds what is in a cell to what is known of its site at rest, with all that comes of it. */
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

  /** The local after a delivery that nobody else notices, or −1. */
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
