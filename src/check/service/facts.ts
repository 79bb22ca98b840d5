import type { Plain } from '../../core/plain.ts';
import { type Caller, type Local, timersOf } from './processes.ts';

/** What the properties read of a process. */
export interface Facts {
  readonly writers: number;
  readonly readers: number;
  readonly waiting: number;
  /** One bit for each caller that is waiting or holds, and one for each that waits with a try. */
  readonly active: number;
  readonly tries: number;
  /** The process can take a step by itself: a timer other than the timer of a try, or a restart. */
  readonly isBusy: boolean;
  /** A caller holds the lock, and will release it. */
  readonly isHeld: boolean;
  readonly isTrying: boolean;
  /** A member with a try may have asked this process to report its callers. */
  readonly isWatched: boolean;
  readonly isClean: boolean;
}

export function factsOf(local: Local): Facts {
  const { callers, node, phase } = local;
  const count = (holds: (caller: Caller) => boolean) => callers.filter(holds).length;
  const bits = (holds: (caller: Caller) => boolean) =>
    callers.reduce((bits, caller, i) => (holds(caller) ? bits | (1 << i) : bits), 0);
  const timers = timersOf(local);
  const [lock] = node?.locks ?? [];
  const isIdle = (lock?.sites ?? []).every((site) => site.phase === 'idle');
  return {
    writers: count(({ stage, mode }) => stage === 'held' && mode === 'exclusive'),
    readers: count(({ stage, mode }) => stage === 'held' && mode === 'shared'),
    waiting: count(({ stage }) => stage === 'waiting'),
    active: bits(({ stage }) => stage !== 'idle'),
    tries: bits(({ stage, how }) => stage === 'waiting' && how === 'try'),
    isBusy: phase === 'down' || timers.some((timer) => timer !== 'try'),
    isHeld: callers.some(({ stage }) => stage === 'held'),
    isTrying: timers.includes('try'),
    isWatched: lock !== undefined && (lock.probe.watchers as readonly Plain[]).length > 0,
    isClean:
      (lock === undefined ||
        (isIdle && lock.queue.length + lock.leftover.length + lock.thieves.length === 0)) &&
      (node === null || node.admission.deferred.length + node.admission.refused.length === 0),
  };
}
