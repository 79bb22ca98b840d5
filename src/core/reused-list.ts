/** Some room is kept for the next time; more is given back. */
const KEPT = 64;

/**
 * A list that is filled and emptied again and again. `clear` keeps its memory: an array whose length is set to 0 gives it
 * back, and the next item then takes room for seventeen.
 */
export class ReusedList<T> implements Iterable<T> {
  length = 0;
  #items: T[] = [];

  push(item: T): void {
    this.#items[this.length++] = item;
  }

  at(index: number): T {
    return this.#items[index]!;
  }

  clear(): void {
    if (this.length > KEPT) this.#items = [];
    this.length = 0;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let i = 0; i < this.length; i++) yield this.#items[i]!;
  }
}
