/** What happened to the requests of this process, in numbers; for `/metrics`, and for people. */

/** Upper bounds in seconds: from what a cached token takes to what a person gives up on. */
export const BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] as const;

/** How long something took, counted in `BUCKETS`. */
export class Durations {
  count = 0;
  sumSeconds = 0;
  /** How many took no longer than `BUCKETS[i]` and longer than the bound before; the last: longer. */
  readonly buckets: number[] = Array.from({ length: BUCKETS.length + 1 }, () => 0);

  add(ms: number): void {
    const seconds = ms / 1000;
    this.count++;
    this.sumSeconds += seconds;
    let i = 0;
    while (i < BUCKETS.length && seconds > BUCKETS[i]!) i++;
    this.buckets[i]!++;
  }
}

/** Counters since the start, except `held` and `waiting`, which are now. Semaphores count too. */
export class Stats {
  /** Entered: a callback ran, or a handle was given. */
  granted = 0;
  /** Not free, and not to be waited for. */
  busy = 0;
  timedOut = 0;
  /** The signal aborted while waiting. */
  aborted = 0;
  /** Waited for itself. */
  deadlocked = 0;
  /** The group could not serve it, or the lock manager was closed. */
  failed = 0;
  /** Held and then gone, but not by theft. */
  lost = 0;
  stolen = 0;
  held = 0;
  waiting = 0;
  /** From asking to entering; for what was granted. */
  readonly wait = new Durations();
  /** From entering to the end. */
  readonly hold = new Durations();
}

/** Why a wait ended without the lock; the last two: it was gone before the caller's turn had come. */
export type Refusal = 'timedOut' | 'aborted' | 'deadlocked' | 'failed' | 'lost' | 'stolen';
