/**
 * Rows of numbers in columns that are used again for every frame: a frame then allocates nothing that grows with what
 * is seen, and the browser has nothing to collect while it plays.
 */
export class Table<Name extends string> {
  length = 0;
  readonly #names: readonly Name[];
  readonly #columns: { [N in Name]: Float64Array };

  constructor(...names: Name[]) {
    this.#names = names;
    this.#columns = Object.fromEntries(
      names.map((name) => [name, new Float64Array(FIRST_ROWS)]),
    ) as { [N in Name]: Float64Array };
  }

  /** Only the first `length` numbers of each count. A row that is added later may replace them by longer ones. */
  get columns(): { readonly [N in Name]: Float64Array } {
    return this.#columns;
  }

  clear(): void {
    this.length = 0;
  }

  /** The number of a new row, to be filled by the caller. */
  row(): number {
    const first = this.#columns[this.#names[0]!];
    if (this.length === first.length) {
      for (const name of this.#names) {
        const longer = new Float64Array(2 * this.length);
        longer.set(this.#columns[name]);
        this.#columns[name] = longer;
      }
    }
    return this.length++;
  }

  /** The same as objects: for tests, and for pictures that are saved. */
  records(): { readonly [N in Name]: number }[] {
    return Array.from(
      { length: this.length },
      (_, row) =>
        Object.fromEntries(this.#names.map((name) => [name, this.#columns[name][row]!])) as {
          readonly [N in Name]: number;
        },
    );
  }
}

const FIRST_ROWS = 256;
