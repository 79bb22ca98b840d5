/**
 * Partial-order reduction: steps of different sites commute, so one order of two of them is enough.
 *
 * Let a state have been reached first by a step of site i. A step of site j < i that was possible just
 * before need not be taken here: it was, or need not have been, taken there, and i's step after it.
 * That leads to the same state, by a last step of a higher site, which may in turn be left out only for
 * one of a yet higher site; so somebody takes it. All states are still found, each at its distance, and
 * only transitions are saved. A cycle may lose its last edge, but not unseen: if every step that is taken
 * leads one farther from the start, so does the step in whose stead it is taken, and there is no cycle.
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

  /** The reduction is about the steps of this state from now on. */
  begin(index: number, state: Int32Array): void {
    const parent = this.#store.parent(index);
    this.#state = state;
    this.#by = -1;
    if (parent === -1) return;
    this.#store.load(parent, this.#before);
    // Who acted has another local, or one delivery less; the others can only have more incoming.
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
