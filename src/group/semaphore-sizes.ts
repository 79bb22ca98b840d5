/**
 * How many permits each semaphore has. All members must agree on that: semaphores of one name and different
 * sizes would be two, each with its own permits. For each name one member of the view, found by a hash,
 * keeps the size: the first that it hears of. A member that uses a semaphore for the first time in a view asks
 * it, and a request with another size is refused.
 */
import { otherSize } from './errors.ts';
import type { LockTable } from './lock-table.ts';
import type { Control } from './messages.ts';
import { hash } from './sites.ts';

interface SizesMember {
  readonly self: string;
  readonly epoch: number;
  readonly hasBegun: boolean;
  readonly members: readonly string[];
  readonly locks: LockTable;
  tell(message: Control, to: string): void;
}

export class SemaphoreSizes {
  readonly known = new Map<string, number>();
  /** The names that the member has asked for. */
  readonly unanswered = new Set<string>();
  readonly #member: SizesMember;

  constructor(member: SizesMember) {
    this.#member = member;
  }

  of(name: string): number | undefined {
    return this.known.get(name);
  }

  /** The view begins. A semaphore that is held from before keeps its size; the keys are those of view-start.ts. */
  begin(leftovers: Iterable<string>): void {
    for (const key of leftovers) {
      const at = key.indexOf(' ');
      const permits = Number(key.slice(0, at));
      if (permits > 0) this.known.set(key.slice(at + 1), permits);
    }
  }

  clear(): void {
    this.known.clear();
    this.unanswered.clear();
  }

  /** Requests wait for a semaphore of that name: finds out its size, and applies it. */
  determine(name: string): void {
    const { self, epoch, hasBegun } = this.#member;
    if (!hasBegun || this.unanswered.has(name)) return;
    const waiting = this.#waiting(name);
    if (waiting.length === 0) return;
    if (!this.known.has(name)) {
      const { permits } = waiting[0]!;
      const directory = this.#directoryOf(name);
      if (directory !== self) {
        this.unanswered.add(name);
        this.#member.tell({ type: 'SIZE', epoch, name, permits }, directory);
        return;
      }
      this.known.set(name, permits);
    }
    this.#apply(name);
  }

  /** Another member asks this one, which keeps the size. */
  asked(from: string, name: string, permits: number): void {
    if (!this.known.has(name)) this.known.set(name, permits);
    const size = this.known.get(name)!;
    this.#member.tell({ type: 'SIZE_IS', epoch: this.#member.epoch, name, permits: size }, from);
  }

  told(name: string, permits: number): void {
    if (!this.unanswered.delete(name)) return;
    this.known.set(name, permits);
    this.#apply(name);
  }

  /** Lets requests with the right size go on, and fails requests with another size. */
  #apply(name: string): void {
    const size = this.known.get(name)!;
    for (const lock of this.#waiting(name)) {
      if (lock.permits !== size) {
        for (const request of lock.queue) lock.fail(request, otherSize(name, lock.permits, size));
      }
      lock.advance();
    }
  }

  /** The semaphores of that name for which requests wait, in the order of their earliest requests. */
  #waiting(name: string) {
    return [...this.#member.locks.semaphoresOf(name)]
      .filter(({ waiting }) => waiting > 0)
      .sort((a, b) => a.queue.first!.order - b.queue.first!.order);
  }

  #directoryOf(name: string): string {
    const { members } = this.#member;
    return members[hash(name) % members.length]!;
  }
}
