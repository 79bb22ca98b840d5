/**
 * The beginning of a view: every member tells every other which locks its callers still hold from before.
 * When all have told, locks are granted in the view; but a lock that is still held from before is closed
 * until its last such holder has released it.
 */
import type { LockName } from './membership.ts';
import type { ControlOf } from './messages.ts';
import { isSame, type View } from './view.ts';

type State = Pick<ControlOf<'STATE'>, 'members' | 'part' | 'holds' | 'isLast'>;

export class ViewStart {
  readonly view: View;
  readonly missing: Set<string>;
  /** How many requests of each member still hold each lock from before. */
  readonly leftovers = new Map<string, Map<string, number>>();

  constructor(view: View) {
    this.view = view;
    this.missing = new Set(view.members.map(({ id }) => id));
  }

  /** Returns false if that member is in another view of the same epoch. */
  told(member: string, state: State): boolean {
    const { members } = this.view;
    const isSameView =
      state.members.length === members.length &&
      members.every((mine, i) => isSame(mine, state.members[i]!));
    if (!isSameView) return false;
    // A member repeats itself when a session begins: the first part replaces what it said before.
    if (state.part === 0) for (const holders of this.leftovers.values()) holders.delete(member);
    for (const { name, permits, count } of state.holds) {
      const key = keyOf(name, permits);
      const holders = this.leftovers.get(key) ?? new Map<string, number>();
      this.leftovers.set(key, holders.set(member, (holders.get(member) ?? 0) + count));
    }
    if (state.isLast) this.missing.delete(member);
    return true;
  }

  /** A holder at that member has released. Returns false if there was none. */
  freed(member: string, { name, permits }: LockName): boolean {
    const key = keyOf(name, permits);
    const holders = this.leftovers.get(key);
    const count = holders?.get(member) ?? 0;
    if (count === 0) return false;
    if (count > 1) holders!.set(member, count - 1);
    else holders!.delete(member);
    if (holders!.size === 0) this.leftovers.delete(key);
    return true;
  }

  get isComplete(): boolean {
    return this.missing.size === 0;
  }

  isLeftOver({ name, permits }: LockName): boolean {
    return this.leftovers.size > 0 && (this.leftovers.get(keyOf(name, permits))?.size ?? 0) > 0;
  }

  /** The members whose callers hold the lock since an earlier view. */
  holdersOf({ name, permits }: LockName): readonly string[] {
    return [...(this.leftovers.get(keyOf(name, permits))?.keys() ?? [])];
  }
}

/** A lock and a semaphore may share a name. */
export const keyOf = (name: string, permits: number): string => `${permits} ${name}`;
