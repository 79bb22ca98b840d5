/**
 * Judges a history of holds: at most one holder at a time, and fences that grow.
 *
 * A *stamp* is a proof of a right: a holder reads the clock, then finds that its lock is not lost. So it had the right at
 * that time, even if its process was paused in between. A hold lasts from its first stamp to its last. Of two holds of
 * one lock, the one with the lower fence must have its last stamp before the first stamp of the other. Stamps may
 * come late and in any order: a process that was stopped reports when it goes on.
 */
export interface Hold {
  readonly member: string;
  readonly fence: bigint;
  /** The first and the last stamp, in milliseconds on one clock of the machine. */
  from: number;
  to: number;
  /** When the holder was told that it lost the lock. */
  lostAt: number | null;
}

/** Holds that are kept for each lock. A process that was stopped for less than so many holds is judged rightly. */
const MOST_HOLDS = 200_000;

export class Judge {
  readonly violations: string[] = [];
  /** How many holds there were, and how many ended by a loss. */
  holds = 0;
  losses = 0;
  /** In the order of their fences. */
  readonly #locks = new Map<string, Hold[]>();

  /** The member held the lock at that time, or up to so much later where its clock has steps. */
  stamp(lock: string, member: string, fence: bigint, at: number, stepMs = 0): void {
    const holds = this.#holdsOf(lock);
    const place = placeOf(holds, fence);
    const known = holds[place];
    if (known?.fence === fence) {
      if (known.member !== member) {
        this.#report(lock, `${member} and ${known.member} both have the fence ${fence}`);
        return;
      }
      known.from = Math.min(known.from, at + stepMs);
      known.to = Math.max(known.to, at);
    } else {
      holds.splice(place, 0, { member, fence, from: at + stepMs, to: at, lostAt: null });
      this.holds++;
    }
    this.#compare(lock, holds[place - 1], holds[place]!);
    this.#compare(lock, holds[place], holds[place + 1]);
    if (holds.length > 2 * MOST_HOLDS) holds.splice(0, MOST_HOLDS);
  }

  /** The member was told that it lost the lock. */
  lost(lock: string, fence: bigint, at: number): void {
    this.losses++;
    const hold = this.hold(lock, fence);
    if (hold !== null) hold.lostAt ??= at;
  }

  hold(lock: string, fence: bigint): Hold | null {
    const holds = this.#holdsOf(lock);
    const found = holds[placeOf(holds, fence)];
    return found?.fence === fence ? found : null;
  }

  /** The next hold of the lock, if there was one. */
  next(lock: string, fence: bigint): Hold | null {
    const holds = this.#holdsOf(lock);
    return holds[placeOf(holds, fence + 1n)] ?? null;
  }

  #holdsOf(lock: string): Hold[] {
    const known = this.#locks.get(lock);
    if (known !== undefined) return known;
    const holds: Hold[] = [];
    this.#locks.set(lock, holds);
    return holds;
  }

  #compare(lock: string, lower: Hold | undefined, higher: Hold | undefined): void {
    if (lower === undefined || higher === undefined || lower.to < higher.from) return;
    const ms = (lower.to - higher.from).toFixed(1);
    this.#report(
      lock,
      `${higher.member} enters with fence ${higher.fence}, and ${lower.member} with fence ${lower.fence} acts ${ms} ms later`,
    );
  }

  #report(lock: string, what: string): void {
    // Two holds that overlap are compared with every further stamp.
    if (this.violations.length < MOST_VIOLATIONS) this.violations.push(`${lock}: ${what}`);
  }
}

const MOST_VIOLATIONS = 100;

/** The place of that fence, or of the first higher one. Most are at the end. */
function placeOf(holds: readonly Hold[], fence: bigint): number {
  let low = 0;
  let high = holds.length;
  if (high > 0 && holds[high - 1]!.fence < fence) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds[middle]!.fence < fence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a lock protects: it refuses a write with a lower fence than the highest that it has seen. */
export class FencedRegister {
  accepted = 0;
  refused = 0;
  readonly #highest = new Map<string, bigint>();

  write(lock: string, fence: bigint): boolean {
    const isAccepted = fence >= (this.#highest.get(lock) ?? 0n);
    if (isAccepted) {
      this.accepted++;
      this.#highest.set(lock, fence);
    } else this.refused++;
    return isAccepted;
  }
}
