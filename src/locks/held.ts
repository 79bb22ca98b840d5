/** Locks as handles, for `await using`: whoever has the handle holds the lock until the end of its scope. */
import type { Mode } from '../core/algorithm.ts';
import type { Claim } from './claim.ts';
import { GrantedLock, type Lock } from './lock.ts';

/** A lock that is held until it is released, by hand or at the end of the scope with `await using`. */
export interface Held extends Lock, AsyncDisposable {
  /** Gives the lock back. Again, or after the lock was lost, it does nothing. Never throws. */
  release(): void;
}

/** Several locks that were asked for together, and are released together. */
export interface HeldTogether extends AsyncDisposable {
  /** Each once, in the order in which they were obtained. */
  readonly names: readonly string[];
  readonly mode: Mode;
  /** The fence of each name. */
  readonly fences: ReadonlyMap<string, bigint>;
  /** Aborts when one of them is lost. The others stay held until they are released. */
  readonly lost: AbortSignal;
  /** Gives them back, the last first. Again, or after they were lost, it does nothing. Never throws. */
  release(): void;
}

/** `null` when it was not free. */
export async function hold(claim: Claim): Promise<Held | null> {
  return (await obtain(claim)) ? new Handle(claim) : null;
}

/**
 * One after the other, in order of their names: whoever asks for several in the same order waits in no
 * circle. All or none: when one is refused, or was not free, those before it are given back.
 */
export async function holdTogether(
  names: readonly string[],
  ask: (name: string) => Claim,
): Promise<HeldTogether | null> {
  const claims: Claim[] = [];
  try {
    for (const name of names.toSorted()) {
      const claim = ask(name);
      if (!(await obtain(claim))) {
        giveBack(claims);
        return null;
      }
      claims.push(claim);
    }
    // One may be gone while we waited for the next.
    for (const claim of claims) if (claim.stage === 'lost') claim.lostSignal.throwIfAborted();
  } catch (error) {
    giveBack(claims);
    throw error;
  }
  return new Handles(claims);
}

async function obtain(claim: Claim): Promise<boolean> {
  await claim.turn;
  const isHeld = claim.enter();
  if (!isHeld) claim.release();
  return isHeld;
}

function giveBack(claims: readonly Claim[]): void {
  for (const claim of claims.toReversed()) claim.release();
}

class Handle extends GrantedLock implements Held {
  readonly #claim: Claim;

  constructor(claim: Claim) {
    super(claim);
    this.#claim = claim;
  }
  release(): void {
    this.#claim.release();
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

class Handles implements HeldTogether {
  readonly #claims: readonly Claim[];
  #lost: AbortSignal | undefined;

  constructor(claims: readonly Claim[]) {
    this.#claims = claims;
  }
  get names(): readonly string[] {
    return this.#claims.map(({ name }) => name);
  }
  get mode(): Mode {
    return this.#claims[0]!.mode;
  }
  get fences(): ReadonlyMap<string, bigint> {
    return new Map(this.#claims.map(({ name, fence }) => [name, fence]));
  }
  get lost(): AbortSignal {
    this.#lost ??= AbortSignal.any(this.#claims.map(({ lostSignal }) => lostSignal));
    return this.#lost;
  }
  release(): void {
    giveBack(this.#claims);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}
