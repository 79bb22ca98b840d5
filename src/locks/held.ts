/** Locks as handles, for `await using`: the lock is held until the end of the scope of its handle. */
import type { Mode } from '../core/algorithm.ts';
import type { Acquisition } from './acquisition.ts';
import { GrantedLock, type Lock } from './lock.ts';

/** A lock that is held until it is released, by hand or at the end of the scope with `await using`. */
export interface Held extends Lock, AsyncDisposable {
  /**
   * Gives the lock back. Again, or after `lost` was aborted, it does nothing. Throws a `LostError` if it finds that the
   * lease of this member has ended: what the lock protects was not protected until now.
   */
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
  /** Gives them back, the last first, as `Held.release` does. */
  release(): void;
}

/** `null` when it was not free. */
export async function hold(acquisition: Acquisition): Promise<Held | null> {
  await acquisition.turn;
  return entered(acquisition) ? new Handle(acquisition) : null;
}

/**
 * One after the other, in order of their names: callers that ask in the same order never wait in a
 * circle. All or none: when one is refused, or was not free, the earlier locks are released.
 */
export async function holdTogether(
  names: readonly string[],
  ask: (name: string) => Acquisition,
): Promise<HeldTogether | null> {
  const all: Acquisition[] = [];
  try {
    for (const name of names.toSorted()) {
      const acquisition = ask(name);
      await acquisition.turn;
      if (!entered(acquisition)) {
        giveBack(all);
        return null;
      }
      all.push(acquisition);
    }
    // One may be gone while we waited for the next.
    for (const acquisition of all)
      if (acquisition.stage === 'lost') acquisition.lostSignal.throwIfAborted();
  } catch (error) {
    giveBack(all);
    throw error;
  }
  return new Handles(all);
}

/** Its turn has come. Returns whether the lock is now held. */
function entered(acquisition: Acquisition): boolean {
  const isHeld = acquisition.enter();
  if (!isHeld) acquisition.release();
  return isHeld;
}

function giveBack(all: readonly Acquisition[]): void {
  for (const acquisition of all.toReversed()) acquisition.release();
}

/** Throws if one of them turns out to be lost only now. */
function giveBackInTime(all: readonly Acquisition[]): void {
  const held = all.filter(({ stage }) => stage === 'held');
  giveBack(held);
  for (const acquisition of held) acquisition.throwIfLost();
}

class Handle extends GrantedLock implements Held {
  readonly #acquisition: Acquisition;

  constructor(acquisition: Acquisition) {
    super(acquisition);
    this.#acquisition = acquisition;
  }
  release(): void {
    const acquisition = this.#acquisition;
    const wasHeld = acquisition.stage === 'held';
    acquisition.release();
    if (wasHeld) acquisition.throwIfLost();
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

class Handles implements HeldTogether {
  readonly #all: readonly Acquisition[];
  #lost: AbortSignal | undefined;

  constructor(all: readonly Acquisition[]) {
    this.#all = all;
  }
  get names(): readonly string[] {
    return this.#all.map(({ name }) => name);
  }
  get mode(): Mode {
    return this.#all[0]!.mode;
  }
  get fences(): ReadonlyMap<string, bigint> {
    return new Map(this.#all.map(({ name, fence }) => [name, fence]));
  }
  get lost(): AbortSignal {
    this.#lost ??= AbortSignal.any(this.#all.map(({ lostSignal }) => lostSignal));
    return this.#lost;
  }
  release(): void {
    giveBackInTime(this.#all);
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}
