/**
 * Enumerates every sequence of random numbers that a step can draw. The step runs once for each
 * script of draws, starting with zeros. A draw beyond the script adds a zero to it; after each run
 * the last draw that has a value left moves on.
 */
export class Choices {
  #script: { value: number; below: number }[] = [];
  #drawn = 0;

  /** Yields the result of `run` for each script in turn. */
  *each<T>(run: () => T): Generator<T> {
    this.#script = [];
    do {
      this.#drawn = 0;
      yield run();
    } while (this.#next());
  }

  draw(below: number): number {
    if (this.#drawn === this.#script.length) this.#script.push({ value: 0, below });
    return this.#script[this.#drawn++]!.value;
  }

  #next(): boolean {
    while (this.#script.length > 0) {
      const last = this.#script.at(-1)!;
      if (++last.value < last.below) return true;
      this.#script.pop();
    }
    return false;
  }
}
