import { assert } from '../../core/assert.ts';
import { key } from '../../core/plain.ts';

/** Values with a number each; equal values have the same number. */
export class Interned<T> {
  readonly #all: T[] = [];
  readonly #ids = new Map<string, number>();

  get size(): number {
    return this.#all.length;
  }

  at(id: number): T {
    return this.#all[id]!;
  }

  idOf(value: T): number {
    const name = key(value);
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    this.#ids.set(name, this.#all.length);
    this.#all.push(value);
    assert(this.#all.length < 2 ** 31, 'interned values fit a table');
    return this.#all.length - 1;
  }
}
