/** Finds deadlocks across a group: callers that hold locks and wait for each other's in a circle. */
import type { Survey, SurveyEntry } from '../group/backend.ts';

/** One caller of a circle. It holds a lock that the caller before it waits for. */
export interface CycleStep {
  readonly clientId: string;
  readonly member: string;
  /** The lock or semaphore that it holds, and the caller before it waits for. */
  readonly holds: string;
  /** The one that it waits for, and the caller after it holds. */
  readonly waitsFor: string;
}

/** Callers that wait for each other in a circle; the last one waits for the first. */
export type Cycle = readonly CycleStep[];

interface Caller {
  readonly clientId: string;
  readonly member: string;
  readonly pending: SurveyEntry[];
  canFinish: boolean;
}

const lockKey = ({ name, permits }: SurveyEntry): string => `${permits} ${name}`;
const callerKey = ({ clientId, member }: SurveyEntry): string => `${member}\n${clientId}`;

/**
 * The circles in a survey. A caller can finish if each request it waits for will be granted once the callers that
 * can finish have released their locks. Of the callers that can never finish, some wait in circles.
 *
 * The callers of one process count as one, as the group lists them under one name. A survey is not taken at one
 * instant: a circle that is seen once may be passing, a circle that stays is a deadlock.
 */
export function cyclesOf({ held, pending }: Survey): readonly Cycle[] {
  const callers = new Map<string, Caller>();
  const callerOf = (entry: SurveyEntry): Caller => {
    const { clientId, member } = entry;
    const key = callerKey(entry);
    const caller = callers.get(key) ?? { clientId, member, pending: [], canFinish: false };
    callers.set(key, caller);
    return caller;
  };
  const holders = new Map<string, SurveyEntry[]>();
  for (const entry of held) {
    const key = lockKey(entry);
    const known = holders.get(key);
    if (known === undefined) holders.set(key, [entry]);
    else known.push(entry);
    callerOf(entry);
  }
  for (const entry of pending) callerOf(entry).pending.push(entry);

  /** The holders that keep this request waiting, and can never finish. */
  const blockersOf = (entry: SurveyEntry): readonly SurveyEntry[] => {
    const conflicting = (holders.get(lockKey(entry)) ?? []).filter(
      (holder) =>
        callerKey(holder) !== callerKey(entry) &&
        !(holder.mode === 'shared' && entry.mode === 'shared'),
    );
    const stuck = conflicting.filter((holder) => !callerOf(holder).canFinish);
    // A semaphore waits for any one of its holders, a lock for all of them.
    return entry.permits > 0 && stuck.length < entry.permits ? [] : stuck;
  };
  finishAll([...callers.values()], blockersOf);
  return circlesOf(
    [...callers.values()].filter(({ canFinish }) => !canFinish),
    blockersOf,
    callerOf,
  );
}

/** Marks every caller that can finish, until no more can. */
function finishAll(
  callers: readonly Caller[],
  blockersOf: (entry: SurveyEntry) => readonly SurveyEntry[],
): void {
  let waiting = callers;
  for (;;) {
    const stuck = waiting.filter((caller) => {
      caller.canFinish = caller.pending.every((entry) => blockersOf(entry).length === 0);
      return !caller.canFinish;
    });
    if (stuck.length === waiting.length) return;
    waiting = stuck;
  }
}

/** Follows each caller to one that blocks it, until a caller comes up again: that is a circle. */
function circlesOf(
  stuck: readonly Caller[],
  blockersOf: (entry: SurveyEntry) => readonly SurveyEntry[],
  callerOf: (entry: SurveyEntry) => Caller,
): readonly Cycle[] {
  const walkOf = new Map<Caller, number>();
  const circles: Cycle[] = [];
  for (const [walk, start] of stuck.entries()) {
    const path: { readonly caller: Caller; readonly via: string }[] = [];
    let [caller, via] = [start, ''];
    while (!walkOf.has(caller)) {
      walkOf.set(caller, walk);
      path.push({ caller, via });
      const blocked = caller.pending.find((entry) => blockersOf(entry).length > 0);
      const blocker = blocked && blockersOf(blocked)[0];
      if (blocked === undefined || blocker === undefined) break;
      via = blocked.name;
      caller = callerOf(blocker);
    }
    const from = path.findIndex((step) => step.caller === caller);
    if (walkOf.get(caller) !== walk || from < 0 || path.length - from < 2) continue;
    const steps = path.slice(from);
    const waits = [...steps.slice(1).map((step) => step.via), via];
    circles.push(
      steps.map(({ caller: { clientId, member } }, i) => ({
        clientId,
        member,
        holds: waits.at(i - 1)!,
        waitsFor: waits[i]!,
      })),
    );
  }
  return circles;
}
