/** Finds deadlocks across a group: callers that hold locks and wait for each other's in a circle. */
import type { Survey, SurveyEntry } from './backend.ts';

/** One caller of a circle. It holds a lock that the caller before it waits for. */
export interface CycleStep {
  readonly clientId: string;
  readonly member: string;
  /** The lock or semaphore that it holds, and the caller before it waits for. */
  readonly holds: string;
  /** The lock or semaphore that it waits for, and the caller after it holds. */
  readonly waitsFor: string;
}

/** Callers that wait for each other in a circle; the last one waits for the first. */
export type Cycle = readonly CycleStep[];

interface Caller {
  readonly clientId: string;
  readonly member: string;
  readonly pending: SurveyEntry[];
  readonly holds: Lock[];
  /** The requests before this one are not blocked, and never will be. */
  firstBlocked: number;
  canFinish: boolean;
}

interface Lock {
  /** The holders that cannot finish, as far as is known yet: how often each holds the lock, and whether exclusively. */
  readonly stuck: Map<Caller, { readonly count: number; readonly isExclusive: boolean }>;
  /** How many of them hold it exclusively. */
  exclusive: number;
  readonly waiting: Set<Caller>;
}

/**
 * The circles in a survey. A caller can finish if each request it waits for will be granted once the callers that
 * can finish have released their locks. Of the callers that can never finish, some wait in circles.
 *
 * The callers of one process count as one, as the group lists them under one name. A survey is not taken at one
 * instant: a circle that is seen once may be passing, a circle that stays is a deadlock.
 */
export function cyclesOf(survey: Survey): readonly Cycle[] {
  const graph = new WaitGraph(survey);
  graph.finishAll();
  return graph.circles();
}

class WaitGraph {
  readonly #callers = new Map<string, Caller>();
  readonly #locks = new Map<string, Lock>();

  constructor({ held, pending }: Survey) {
    for (const entry of held) {
      const caller = this.#callerOf(entry);
      const lock = this.#lockOf(entry);
      const isExclusive = entry.mode === 'exclusive';
      const known = lock.stuck.get(caller) ?? { count: 0, isExclusive: false };
      if (known.count === 0) caller.holds.push(lock);
      if (isExclusive && !known.isExclusive) lock.exclusive++;
      const count = known.count + 1;
      lock.stuck.set(caller, { count, isExclusive: known.isExclusive || isExclusive });
    }
    for (const entry of pending) {
      const caller = this.#callerOf(entry);
      caller.pending.push(entry);
      this.#lockOf(entry).waiting.add(caller);
    }
  }

  #callerOf({ clientId, member }: SurveyEntry): Caller {
    const key = `${member}\n${clientId}`;
    let caller = this.#callers.get(key);
    if (caller === undefined) {
      const lists = { pending: [], holds: [] };
      caller = { clientId, member, ...lists, firstBlocked: 0, canFinish: false };
      this.#callers.set(key, caller);
    }
    return caller;
  }

  #lockOf({ name, permits }: SurveyEntry): Lock {
    const key = `${permits} ${name}`;
    let lock = this.#locks.get(key);
    if (lock === undefined) {
      lock = { stuck: new Map(), exclusive: 0, waiting: new Set() };
      this.#locks.set(key, lock);
    }
    return lock;
  }

  /** A holder other than the caller that keeps its request waiting, and is not known to finish. */
  #blockerOf(caller: Caller, entry: SurveyEntry): Caller | undefined {
    const { stuck, exclusive } = this.#lockOf(entry);
    if (entry.mode === 'shared' && exclusive === 0) return undefined;
    let blocker: Caller | undefined;
    let held = 0;
    for (const [holder, { count, isExclusive }] of stuck) {
      if (holder === caller || (entry.mode === 'shared' && !isExclusive)) continue;
      blocker ??= holder;
      held += count;
      // A semaphore waits for any one of its holders, a lock for all of them.
      if (held >= Math.max(1, entry.permits)) return blocker;
    }
    return undefined;
  }

  /** Marks every caller that can finish. What one of them releases may let others finish. */
  finishAll(): void {
    const queue = new Set(this.#callers.values());
    for (const caller of queue) {
      queue.delete(caller);
      if (caller.canFinish || this.#blockedRequest(caller) !== undefined) continue;
      caller.canFinish = true;
      for (const lock of caller.holds) {
        const { isExclusive } = lock.stuck.get(caller)!;
        lock.stuck.delete(caller);
        if (isExclusive) lock.exclusive--;
        // While several readers are left, no waiting request can become free: look again at the last.
        if (!isExclusive && lock.stuck.size > 1) continue;
        for (const waiting of lock.waiting) queue.add(waiting);
      }
    }
  }

  #blockedRequest(caller: Caller): SurveyEntry | undefined {
    for (; caller.firstBlocked < caller.pending.length; caller.firstBlocked++) {
      const entry = caller.pending[caller.firstBlocked]!;
      if (this.#blockerOf(caller, entry) !== undefined) return entry;
    }
    return undefined;
  }

  /** Follows each caller to one that blocks it, until a caller comes up again: that is a circle. */
  circles(): readonly Cycle[] {
    const walkOf = new Map<Caller, number>();
    const circles: Cycle[] = [];
    const stuck = [...this.#callers.values()].filter(({ canFinish }) => !canFinish);
    for (const [walk, start] of stuck.entries()) {
      const path: { readonly caller: Caller; readonly waitsFor: string }[] = [];
      let caller = start;
      while (!walkOf.has(caller)) {
        walkOf.set(caller, walk);
        const entry = this.#blockedRequest(caller)!;
        path.push({ caller, waitsFor: entry.name });
        caller = this.#blockerOf(caller, entry)!;
      }
      if (walkOf.get(caller) !== walk) continue;
      const steps = path.slice(path.findIndex((step) => step.caller === caller));
      circles.push(
        steps.map(({ caller: { clientId, member }, waitsFor }, i) => ({
          clientId,
          member,
          holds: steps.at(i - 1)!.waitsFor,
          waitsFor,
        })),
      );
    }
    return circles;
  }
}
