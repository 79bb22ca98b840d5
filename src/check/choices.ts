/**
 * Every way in which a step can draw its random numbers. The step runs once for each script of draws, from
 * all zeros up: each draw beyond the script is a new fork, and the last one that has a value left moves on.
 */
export class Choices {
  #script: { value: number; below: number }[] = [];
  #drawn = 0;

  /** What `run` gives for each script, one after the other. */
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
