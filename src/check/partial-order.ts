/**
 * Partial-order reduction: steps of different sites commute, so one order of two of them is enough.
 *
 * Let a step of site i have reached a state first. A step of site j < i that was possible just
 * before can be skipped in this state: the search takes it before the step of i, or may skip it
 * there too. Both orders lead to the same state. The order that is kept ends with a step of a
 * higher site. That step can in turn be skipped only for one of a yet higher site, so some order is
 * always kept. The search still finds every state, at the same distance, and saves only
 * transitions. It may miss the last edge of a cycle, but not the fact that there is one. If every
 * step that is taken leads farther from the start, so does each skipped step, and there is no
 * cycle.
 */
import type { NodeId } from '../core/algorithm.ts';
import type { Space } from './space.ts';
import type { StateStore } from './tables.ts';

export class PartialOrder {
  readonly #space: Space;
  readonly #store: StateStore;
  readonly #before: Int32Array;
  #state: Int32Array;
  #by: NodeId = -1;

  constructor(space: Space, store: StateStore) {
    this.#space = space;
    this.#store = store;
    this.#before = new Int32Array(space.width);
    this.#state = this.#before;
  }

  /** Selects the state whose steps `isSkipped` is about. */
  begin(index: number, state: Int32Array): void {
    const parent = this.#store.parent(index);
    this.#state = state;
    this.#by = -1;
    if (parent === -1) return;
    this.#store.load(parent, this.#before);
    // The site that took the step has another local, or one delivery less. Other sites can only
    // have more deliveries.
    const { cells, world } = this.#space;
    for (let i = 0; i < world.n; i++) {
      const [was, is] = [this.#before[i]!, state[i]!];
      if (was === is) continue;
      if (
        cells.local(was) !== cells.local(is) ||
        cells.incoming(was).length > cells.incoming(is).length
      ) {
        this.#by = i;
        return;
      }
    }
  }

  readonly isSkipped = (site: NodeId, event: number): boolean => {
    if (site >= this.#by) return false;
    const was = this.#before[site]!;
    return was === this.#state[site] || this.#space.allows(was, event);
  };
}
