/** An item that is in at most one list, with links to its neighbours there. */
export interface Linked<T> {
  before: T | null;
  behind: T | null;
}

/**
 * A doubly linked list through the items themselves: any item can be removed in constant time, and
 * nothing is allocated.
 */
export class LinkedList<T extends Linked<T>> {
  first: T | null = null;
  #last: T | null = null;

  get last(): T | null {
    return this.#last;
  }

  push(item: T): void {
    item.before = this.#last;
    item.behind = null;
    if (this.#last === null) this.first = item;
    else this.#last.behind = item;
    this.#last = item;
  }

  unshift(item: T): void {
    item.before = null;
    item.behind = this.first;
    if (this.first === null) this.#last = item;
    else this.first.before = item;
    this.first = item;
  }

  remove(item: T): void {
    const { before, behind } = item;
    if (before === null) this.first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    item.before = null;
    item.behind = null;
  }

  /** The current item may be removed during the iteration. */
  *[Symbol.iterator](): Generator<T> {
    for (let at = this.first, next = at?.behind; at; at = next ?? null, next = at?.behind) yield at;
  }
}
