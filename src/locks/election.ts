/** Leader election: one process of the group leads, and another one takes over when it is gone. */

import { LostError, StolenError } from './errors.ts';
import type { Held } from './held.ts';
import type { Lock } from './lock.ts';
import type { LockManager } from './manager.ts';

export interface ElectSettings {
  /**
   * This process leads from now on. `lock.fence` grows from leader to leader, and `lock.lost` aborts when this one leads no
   * longer. If it throws or rejects, this process resigns, and the election ends here with that error.
   */
  readonly onElected: (lock: Lock) => unknown;
  /** This process leads no longer, though it did not resign: stop what only a leader may do. It stands again. */
  readonly onLost?: ((reason: unknown) => unknown) | undefined;
}

/** This process in an election, from the call of `elect` until it resigns. */
export interface Election extends AsyncDisposable {
  readonly isLeader: boolean;
  /** Aborts when this process stands no longer: with the reason if it did not resign. */
  readonly ended: AbortSignal;
  /** Leads no longer, and does not stand again. Resolves when another process may lead. */
  resign(): Promise<void>;
}

/** Stands for the lead of `name` until it resigns: whichever process holds the lock of that name leads. */
export function elect(locks: LockManager, name: string, settings: ElectSettings): Election {
  const ended = new AbortController();
  const resigned = new AbortController();
  let held: Held | null = null;
  const stand = async (): Promise<void> => {
    while (!resigned.signal.aborted) {
      const lead = await waitForLead(locks, name, resigned.signal);
      if (lead === null) continue;
      held = lead;
      try {
        await whileLeading(lead, settings, resigned.signal);
      } finally {
        held = null;
        giveUp(lead);
      }
      if (!resigned.signal.aborted) await settings.onLost?.(lead.lost.reason);
    }
  };
  const over = stand().then(
    () => ended.abort(),
    (error: unknown) => ended.abort(resigned.signal.aborted ? undefined : error),
  );
  const resign = async (): Promise<void> => {
    resigned.abort();
    await over;
  };
  return {
    get isLeader() {
      return held !== null && !held.lost.aborted;
    },
    ended: ended.signal,
    resign,
    [Symbol.asyncDispose]: resign,
  };
}

/** That the lead was lost before is no error here: `onLost` tells it. */
function giveUp(lead: Held): void {
  try {
    lead.release();
  } catch (error) {
    if (!(error instanceof LostError)) throw error;
  }
}

/** Null if the lead was lost before this process could begin. */
async function waitForLead(
  locks: LockManager,
  name: string,
  signal: AbortSignal,
): Promise<Held | null> {
  try {
    return await locks.acquire(name, { signal });
  } catch (error) {
    if (error instanceof LostError || error instanceof StolenError) return null;
    throw error;
  }
}

/** Resolves when the lead is lost or given up; rejects with an error of `onElected`. */
async function whileLeading(
  lead: Held,
  { onElected }: ElectSettings,
  resigned: AbortSignal,
): Promise<void> {
  const over = new Promise<void>((resolve) => {
    const end = () => resolve();
    lead.lost.addEventListener('abort', end, { once: true });
    resigned.addEventListener('abort', end, { once: true });
    if (lead.lost.aborted || resigned.aborted) resolve();
  });
  const failed = Promise.resolve(onElected(lead)).then(() => over);
  await Promise.race([over, failed]);
}
