/**
 * A bug in Latchkey, never an error of the caller, the peer or the network. Only the checker
 * catches it.
 */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * States what must be true here. If it is not, execution stops: a lock that guesses is worse than
 * no lock.
 */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new InvariantViolation(claim);
}
