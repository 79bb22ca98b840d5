/**
 * Symmetry reduction. Sites with the same role are interchangeable, so of all states that differ
 * only in their names one is enough. This is sound for properties of states (exclusion, deadlock,
 * tokens). It is not sound for starvation, which depends on the site that waits.
 */
import type { NodeId } from '../core/algorithm.ts';
import { type Renaming, renamedFields } from '../core/rename.ts';
import type { Space } from './space.ts';
import { PairTable } from './tables.ts';

export class Symmetry {
  readonly #space: Space;
  /** Every renaming that changes only names, except the identity. */
  readonly #renamings: readonly Renaming[];
  readonly #renamedCells = new PairTable(); // (cell, index of the renaming)
  readonly #best: Int32Array;
  readonly #image: Int32Array;

  constructor(space: Space, alike: readonly NodeId[]) {
    this.#space = space;
    const { entries } = space.settings;
    const identity = entries.map((_, i) => i);
    this.#renamings = permutations(alike)
      .map((order) => identity.map((i) => (alike.includes(i) ? order[alike.indexOf(i)]! : i)))
      // Sites with different numbers of requests are not interchangeable.
      .filter((renaming) => identity.every((i) => entries[renaming[i]!] === entries[i]))
      .filter((renaming) => renaming.some((to, i) => to !== i));
    this.#best = new Int32Array(space.width);
    this.#image = new Int32Array(space.width);
  }

  /** Replaces a state by the smallest of all states that differ from it only in names. */
  canonise(state: Int32Array): void {
    const { n } = this.#space.world;
    const best = this.#best;
    const image = this.#image;
    best.set(state);
    image.set(state);
    for (let r = 0; r < this.#renamings.length; r++) {
      const renaming = this.#renamings[r]!;
      for (let i = 0; i < n; i++) image[renaming[i]!] = this.#renamedCell(state[i]!, r);
      let i = 0;
      while (i < n && image[i] === best[i]) i++;
      if (i < n && image[i]! < best[i]!) best.set(image);
    }
    state.set(best);
  }

  #renamedCell(cell: number, r: number): number {
    const known = this.#renamedCells.get(cell, r);
    if (known !== -1) return known;
    const renaming = this.#renamings[r]!;
    const { steps, cells, algorithm } = this.#space;
    const local = this.#space.local(cell);
    const my = renamedFields(algorithm.symmetry!.state, local.my as object, renaming);
    const id = steps.localId({ ...local, site: renaming[local.site]!, my });
    let renamedIncoming: number[] = [];
    for (const delivery of cells.incoming(cell)) {
      const event = steps.event(delivery);
      if (event.kind !== 'deliver') continue;
      const fields = algorithm.messages[event.message.type];
      const message = renamedFields(fields, event.message, renaming);
      renamedIncoming = cells.sorted(
        renamedIncoming,
        steps.eventId({ ...event, from: renaming[event.from]!, message }),
      );
    }
    const image = cells.id(id, renamedIncoming);
    this.#renamedCells.add(cell, r, image);
    return image;
  }
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((first, i) =>
    permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]),
  );
}
