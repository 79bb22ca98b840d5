/**
 * Requests that wait for themselves. Locks are not reentrant: a callback that holds a lock and waits for it
 * again waits for ever. So do two callbacks of one process that hold a lock each and wait for the other's.
 *
 * When a request is made inside a callback and has to wait, we look whether the locks of this process close
 * a circle. Where the answer is a handle (`acquire`) it is then refused at once. Web Locks, however, lets a
 * callback ask for its own lock and not wait for the answer. This process cannot see whether a callback waits.
 * So a `request` may wait for `selfWaitMs`, and is refused if the circle is still there.
 *
 * What is held by a handle belongs to no callback, and closes no circle.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { UsageError } from '../core/errors.ts';
import type { Acquisition } from './acquisition.ts';
import { SelfDeadlockError } from './errors.ts';
import { LONGEST_MS } from './options.ts';

export interface SelfWaitOptions {
  /**
   * How many milliseconds a `request` may wait for a lock of the callback that makes it, before it is refused
   * with a `SelfDeadlockError`. 0: at once, which forbids what Web Locks allows, to ask for one's own lock
   * without waiting for it. Infinity: for ever, and nothing is watched, which saves half a microsecond per
   * request on Node 20. Default: 1000.
   */
  readonly selfWaitMs?: number | undefined;
}

export function readSelfWait({ selfWaitMs = 1000 }: SelfWaitOptions): number {
  if (selfWaitMs === Infinity || (selfWaitMs >= 0 && selfWaitMs <= LONGEST_MS)) return selfWaitMs;
  throw new UsageError(
    `selfWaitMs must be a number from 0 to ${LONGEST_MS}, or Infinity, not ${selfWaitMs}`,
  );
}

/** The acquisition inside whose callback this code runs. It may be over, because timers outlive their callback. */
export const holding = new AsyncLocalStorage<Acquisition>();

export function refuseIfCircular(acquisition: Acquisition, afterMs: number): void {
  const circle = circleOf(acquisition);
  if (circle === undefined) return;
  // Made now, so that its stack tells where the lock was asked for.
  const error = new SelfDeadlockError(circle, acquisition.outer?.callback?.name ?? '');
  if (afterMs === 0) acquisition.refuse('deadlocked', error);
  else {
    acquisition.startSelfWait(afterMs, () => {
      if (circleOf(acquisition) !== undefined) acquisition.refuse('deadlocked', error);
    });
  }
}

/** The names of the locks along the way from `acquisition` back to what its callback holds, if there is one. */
function circleOf(acquisition: Acquisition): string[] | undefined {
  // Where nothing around is held any more, as in a server that a callback has started, there is none.
  const enclosing = new Set(around(acquisition));
  return enclosing.size === 0 ? undefined : wayBack(acquisition, enclosing, new Set());
}

function wayBack(
  waiting: Acquisition,
  enclosing: ReadonlySet<Acquisition>,
  seen: Set<Acquisition>,
): string[] | undefined {
  seen.add(waiting);
  const ways: string[][] = [];
  for (const obstacle of obstaclesOf(waiting)) {
    const way = wayThrough(obstacle, enclosing, seen);
    if (way !== undefined) ways.push(way);
  }
  // A lock needs all of them to go away, a semaphore only one.
  const enough = waiting.permits === 0 ? 1 : waiting.permits;
  return ways.length < enough ? undefined : [waiting.name, ...ways[0]!];
}

function wayThrough(
  obstacle: Acquisition,
  enclosing: ReadonlySet<Acquisition>,
  seen: Set<Acquisition>,
): string[] | undefined {
  if (enclosing.has(obstacle)) return [];
  if (obstacle.stage === 'waiting') {
    return seen.has(obstacle) ? undefined : wayBack(obstacle, enclosing, seen)?.slice(1);
  }
  for (const inside of obstacle.acquisitions.all) {
    if (!isStuck(inside) || seen.has(inside) || !around(inside).includes(obstacle)) continue;
    const way = wayBack(inside, enclosing, seen);
    if (way !== undefined) return way;
  }
  return undefined;
}

/** The acquisitions of this process that `waiting` has to wait for. */
function obstaclesOf(waiting: Acquisition): Acquisition[] {
  const found: Acquisition[] = [];
  for (const acquisition of waiting.acquisitions.all) {
    if (acquisition === waiting) break;
    if (acquisition.name !== waiting.name || acquisition.permits !== waiting.permits) continue;
    const isInTheWay =
      acquisition.stage === 'held' || (isStuck(acquisition) && acquisition.permits === 0);
    const mayShare = acquisition.mode === 'shared' && waiting.mode === 'shared';
    if (isInTheWay && !mayShare) found.push(acquisition);
  }
  return found;
}

/** A request that may yet give up blocks no other request for ever. */
const isStuck = ({ stage, isPatient }: Acquisition): boolean => stage === 'waiting' && isPatient;

/** The held acquisitions inside whose callbacks this one was made, from the inside out. */
function around(acquisition: Acquisition): Acquisition[] {
  const found: Acquisition[] = [];
  for (let outer = acquisition.outer; outer !== undefined; outer = outer.outer) {
    if (outer.stage === 'held') found.push(outer);
  }
  return found;
}
