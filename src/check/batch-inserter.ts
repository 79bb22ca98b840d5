/** Inserts successors into the state store, in the order in which the search found them. */
import { FETCH_SIZE, hashOf, type StateStore } from './tables.ts';

export class BatchInserter {
  /**
   * True once a successor was already known at a distance no greater than its parent's: the graph
   * may have cycles.
   */
  mayCycle = false;
  /**
   * States with an index below this one are no farther from the start than the states of the level
   * being expanded.
   */
  levelEnd = 1;
  /** Once the store has this many states, the inserter takes no successors of further parents. */
  limit = 0;
  readonly #store: StateStore;
  readonly #hashes = new Int32Array(FETCH_SIZE);
  #parent = -1;

  constructor(store: StateStore) {
    this.#store = store;
  }

  /**
   * Inserts records, each a parent and a state. Returns how many it inserted: fewer than `count`
   * once the limit is reached.
   */
  insert(records: Int32Array, begin: number, count: number): number {
    const store = this.#store;
    const { width } = store;
    const { levelEnd, limit } = this;
    const stride = width + 1;
    const hashes = this.#hashes;
    for (let first = 0; first < count; first += FETCH_SIZE) {
      const size = Math.min(FETCH_SIZE, count - first);
      const start = begin + first * stride;
      for (let i = 0; i < size; i++) hashes[i] = hashOf(records, start + i * stride + 1, width);
      store.fetch(hashes, size);
      for (let i = 0; i < size; i++) {
        const base = start + i * stride;
        const parent = records[base]!;
        if (parent !== this.#parent) {
          if (store.size >= limit) return first + i;
          this.#parent = parent;
        }
        const at = store.put(hashes[i]!, records, base + 1, parent);
        if (at < 0 && ~at < levelEnd) this.mayCycle = true;
      }
    }
    return count;
  }
}
