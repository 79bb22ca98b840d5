/**
 * The beginning of a view: every member tells every other what it still holds from before. When all have
 * spoken the view is in force, and each knows which locks must first be given back.
 */
import { assert } from '../core/assert.ts';
import type { LockName } from './home.ts';
import type { ControlOf } from './messages.ts';
import { isSame, type View } from './view.ts';

export class RollCall {
  readonly view: View;
  readonly #missing: Set<string>;
  /** How many still hold each lock from before, by its key. */
  readonly #leftovers = new Map<string, number>();

  constructor(view: View) {
    this.view = view;
    this.#missing = new Set(view.members.map(({ id }) => id));
  }

  /** False if that member speaks of another view under the same number. */
  told(member: string, state: Pick<ControlOf<'STATE'>, 'members' | 'holds' | 'isLast'>): boolean {
    const { members } = this.view;
    const isSameView =
      state.members.length === members.length &&
      members.every((mine, i) => isSame(mine, state.members[i]!));
    if (!isSameView) return false;
    if (state.isLast) this.#missing.delete(member);
    for (const { name, permits, count } of state.holds) {
      const key = keyOf(name, permits);
      this.#leftovers.set(key, (this.#leftovers.get(key) ?? 0) + count);
    }
    return true;
  }

  /** Whether that was the last one. */
  freed(name: string, permits: number): boolean {
    const key = keyOf(name, permits);
    const count = this.#leftovers.get(key);
    assert(count !== undefined, 'whoever frees it has told that it holds it');
    if (count > 1) this.#leftovers.set(key, count - 1);
    else this.#leftovers.delete(key);
    return count === 1;
  }

  get isComplete(): boolean {
    return this.#missing.size === 0;
  }

  get missing(): readonly string[] {
    return [...this.#missing];
  }

  isLeftOver({ name, permits }: LockName): boolean {
    return this.#leftovers.size > 0 && this.#leftovers.has(keyOf(name, permits));
  }
}

/** A lock and a semaphore, and semaphores of other sizes, may share a name. */
export const keyOf = (name: string, permits: number): string => `${permits} ${name}`;
