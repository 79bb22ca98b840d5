/**
 * A pattern for names, in which `*` stands for any characters, none or many. Matching takes each piece of the
 * pattern at its first place, so its time grows with the name and not with the number of stars.
 */
export class Pattern {
  readonly #first: string;
  readonly #middle: readonly string[];
  /** Null where the pattern has no star. */
  readonly #last: string | null;

  constructor(pattern: string) {
    const pieces = pattern.split('*');
    this.#first = pieces[0]!;
    this.#last = pieces.length > 1 ? pieces.at(-1)! : null;
    this.#middle = pieces.slice(1, -1);
  }

  matches(name: string): boolean {
    if (this.#last === null) return name === this.#first;
    if (!name.startsWith(this.#first)) return false;
    let at = this.#first.length;
    for (const piece of this.#middle) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return name.length - at >= this.#last.length && name.endsWith(this.#last);
  }
}
