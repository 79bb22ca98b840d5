/**
 * Why a lock was not obtained, or is held no longer. Each message names the lock, the rule and the way out;
 * `cause` is what the group said.
 *
 * Besides these: an aborted wait rejects with its signal's `reason`, wrong arguments with `TypeError` and
 * `NotSupportedError`, both as Web Locks says.
 *
 * @example
 * ```ts
 * import { LostError, type LockManager, StolenError, TimeoutError } from 'latchkey/locks';
 * declare const locks: LockManager;
 *
 * try {
 *   await using held = await locks.acquire('invoices', { timeoutMs: 5000 });
 *   held.lost.throwIfAborted(); // a LostError or a StolenError, once it is no longer ours
 * } catch (error) {
 *   if (error instanceof TimeoutError) console.log('still busy: try later');
 *   else if (error instanceof LostError || error instanceof StolenError) console.log('start over');
 *   else throw error;
 * }
 * ```
 */
import type { Cycle } from '../group/cycles.ts';
import {
  NoAnswerError,
  NotMemberError,
  NotPossibleError,
  OverloadedError,
  quote,
} from '../group/errors.ts';

export { NoAnswerError, NotMemberError, NotPossibleError, OverloadedError };

/** The lock was not granted within `timeoutMs`. The request has left the queue. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  /** The unreachable members that the request waited for, if there were any. */
  readonly waitedFor: readonly string[];
  /**
   * The callers that waited for each other in a circle with this one, if there were such callers. The group
   * lists the callers of one process under one name, so it may also be two busy processes.
   */
  readonly deadlock: Cycle | undefined;
  constructor(
    lock: string,
    timeoutMs: number,
    waitedFor: readonly string[] = [],
    deadlock?: Cycle,
  ) {
    super(
      `the lock ${quote(lock)} was not granted within ${timeoutMs} ms: ` +
        wayOut(waitedFor.join(', '), deadlock),
    );
    this.waitedFor = waitedFor;
    this.deadlock = deadlock;
  }
}

function wayOut(silent: string, deadlock: Cycle | undefined): string {
  if (silent !== '') {
    return `it waits for ${silent}, which cannot be reached; start ${silent} again, or raise \`timeoutMs\``;
  }
  if (deadlock === undefined)
    return 'raise `timeoutMs`, or see with `query()` which caller holds it';
  const steps = deadlock.map(
    ({ clientId, holds, waitsFor }) =>
      `${clientId} holds ${quote(holds)} and waits for ${quote(waitsFor)}`,
  );
  return (
    `a deadlock: ${steps.join(', ')}; request all locks at once, as \`acquire([...])\` does, ` +
    'or always in the same order'
  );
}

/**
 * The lock was ours and is ours no longer, though it was not released: this process can no longer prove that
 * it is a member of the group, or its connection to the daemon ended. `cause` says which. The next holder of
 * the lock gets a greater fence.
 */
export class LostError extends Error {
  override readonly name = 'LostError';
  constructor(lock: string, cause: Error) {
    super(
      `the lock ${quote(lock)} was lost (${cause.message}): ` +
        'stop what it protects, then ask for it again',
      { cause },
    );
  }
}

/**
 * Another caller took the lock with `steal` while it was ours. As Web Locks asks, it is a `DOMException` whose
 * `name` is `'AbortError'`; `instanceof StolenError` tells it from a wait that was aborted.
 */
export class StolenError extends DOMException {
  constructor(lock: string, cause: Error) {
    super(
      `the lock ${quote(lock)} was stolen (${cause.message}): stop what it protects, ` +
        'then ask for it again if it is still needed',
      { name: 'AbortError', cause },
    );
  }
}

/** The lock manager is closed: this process has left the group. Join again to lock. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
  constructor(options?: ErrorOptions) {
    super('the lock manager is closed, as this process has left its group: join again', options);
  }
}

/**
 * The request waits for itself. The callback that makes it holds the lock, or another callback of this process
 * does, which in turn waits for the first. `circle` names the locks, in that order. The stack tells where the
 * request was made.
 */
export class SelfDeadlockError extends Error {
  override readonly name = 'SelfDeadlockError';
  readonly circle: readonly string[];
  constructor(circle: readonly string[], callback: string) {
    const [asked, ...others] = circle.map(quote);
    const inside = callback === '' ? 'the callback that asks for it' : `the callback ${callback}()`;
    const way =
      others.length === 0
        ? `${inside} holds it already`
        : `its holder waits for ${others.join(', whose holder waits for ')}, which ${inside} holds`;
    super(
      `the lock ${asked} can never be granted here, as ${way}: locks are not reentrant; ` +
        'ask before the callback, ask in one order (or for several names at once), or use `ifAvailable`',
    );
    this.circle = circle;
  }
}

/** Why a held lock is gone, as the caller is told. Errors may have crossed a wire: their name tells. */
export function lossOf(lock: string, reason: Error): LostError | StolenError {
  return reason.name === 'StolenError'
    ? new StolenError(lock, reason)
    : new LostError(lock, reason);
}

/** Why a wait is over, as the caller is told. */
export function refusalOf(reason: Error): Error {
  for (const known of [NoAnswerError, NotMemberError, NotPossibleError, OverloadedError]) {
    if (reason.name !== known.name || reason instanceof known) continue;
    return new known(reason.message, { cause: reason });
  }
  if (reason.name !== 'ClosedError' || reason instanceof ClosedError) return reason;
  return new ClosedError({ cause: reason });
}
