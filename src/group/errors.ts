/** Errors of a lock that its caller did not cause, each with the way out. */
import { LONGEST_NAME, MOST_DEFERRED } from './limits.ts';

/** Another caller took the lock with `steal`, while it was held. */
export class StolenError extends Error {
  override readonly name = 'StolenError';
  constructor(lock: string, thief: string) {
    super(`the lock ${quote(lock)} was stolen by ${thief}: stop what it protects`);
  }
}

/** This process is no longer a member of the group: what it held is lost, what it waits for is void. */
export class NotMemberError extends Error {
  override readonly name = 'NotMemberError';
}

/**
 * A try could not find out whether the lock is free, since some members did not answer. The lock may be free,
 * or one of their callers may hold it.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

export function noAnswer(lock: string, members: readonly string[]): Error {
  const silent = members.length > 0 ? members.join(', ') : 'the group';
  return new NoAnswerError(
    `whether the lock ${quote(lock)} is free is unknown: no answer from ${silent}; ` +
      'try again later, or wait for the lock',
  );
}

/**
 * There is no room for the request now. The group is slower than its callers ask, or too many requests of one client
 * of a daemon wait. Nothing was sent for this request. Other requests go on.
 */
export class OverloadedError extends Error {
  override readonly name = 'OverloadedError';
}

export function overloaded(lock: string, deferred: number, peers: readonly string[]): Error {
  const congested = peers.length > 0 ? peers.join(', ') : 'other members';
  return new OverloadedError(
    `the lock ${quote(lock)} cannot be asked for now: ${congested} acknowledge too slowly, and ${deferred} locks ` +
      `wait to be asked for (at most ${MOST_DEFERRED} may; a try does not wait): ask again after a pause, or with fewer callers`,
  );
}

/** The request asks for something that this lock cannot do, e.g. let readers share. */
export class NotPossibleError extends Error {
  override readonly name = 'NotPossibleError';
}

export const cannotShare = (name: string, algorithm: string): Error =>
  new NotPossibleError(
    `the lock ${quote(name)} runs ${algorithm}, which has no mode "shared" here: ask for "exclusive", or ` +
      'give the lock another algorithm, such as directory-token',
  );

export const nameTooLong = (name: string): Error =>
  new NotPossibleError(
    `a lock's name has at most ${LONGEST_NAME} characters, and ${quote(name.slice(0, 20))}… has ` +
      `${name.length}: shorten it`,
  );

export const otherSize = (name: string, permits: number, known: number): Error =>
  new NotPossibleError(
    `the semaphore ${quote(name)} has ${known} permits in this group, not ${permits}: ` +
      'give all members the same number, or take another name',
  );

export const quote = (name: string): string => JSON.stringify(name);
