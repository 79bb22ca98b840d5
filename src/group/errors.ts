/** What can happen to a lock in a group: the world's errors, each with the way out. */

/** Someone else took the lock with `steal`, while it was held. */
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

/** The lock's algorithm does not do what was asked, e.g. let readers share. */
export class NotPossibleError extends Error {
  override readonly name = 'NotPossibleError';
}

export const cannotShare = (name: string, algorithm: string): Error =>
  new NotPossibleError(
    `the lock ${quote(name)} runs ${algorithm}, which has no mode "shared" here: ask for "exclusive", or ` +
      'give the lock another algorithm, such as lending-token',
  );

export const nameTooLong = (name: string): Error =>
  new NotPossibleError(
    `a lock's name has at most 65,536 letters, and ${quote(name.slice(0, 20))}… has ${name.length}: shorten it`,
  );

export const quote = (name: string): string => JSON.stringify(name);
