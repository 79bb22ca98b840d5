/** `latchkey/locks`: the types and errors of `group.locks` and `group.semaphore`, and what they are made of. */
export type { Election, ElectSettings } from './election.ts';
export {
  ClosedError,
  LostError,
  NoAnswerError,
  NotMemberError,
  NotPossibleError,
  OverloadedError,
  SelfDeadlockError,
  StolenError,
  TimeoutError,
} from './errors.ts';
export type { Held, HeldTogether } from './held.ts';
export type { Lock } from './lock.ts';
export { LockManager } from './manager.ts';
export type { AcquireOptions, LockOptions, TryOptions, WaitOptions } from './options.ts';
export type { LockInfo, LockManagerSnapshot } from './query.ts';
export type { SelfWaitOptions } from './self-deadlock.ts';
export { type PermitOptions, Semaphore } from './semaphore.ts';
export { BUCKETS, type Durations, type Stats } from './stats.ts';
