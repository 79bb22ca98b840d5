/** A bug of ours, never of the caller, the peer or the network. Nothing catches it but a checker. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/** States what must be true here. If it is not, stop: a lock that guesses is worse than no lock. */
export function assert(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new InvariantViolation(claim);
}
