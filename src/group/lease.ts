/** The right of a member to act, which its engine renews. It never ends for an engine without a lease. */
export class Lease {
  /** When the lease ends: on the monotonic clock, and in milliseconds since 1970. */
  deadline = Number.POSITIVE_INFINITY;
  deadlineClock = Number.POSITIVE_INFINITY;

  /** Whether the engine has set a deadline: only then the monotonic clock is looked at. */
  get isLimited(): boolean {
    return this.deadline !== Number.POSITIVE_INFINITY;
  }

  /** Whether the lease has ended by one of the clocks: the monotonic clock stands still while a machine sleeps. */
  hasEnded({ monotonic, now }: { readonly monotonic: number; readonly now: number }): boolean {
    return monotonic >= this.deadline || now >= this.deadlineClock;
  }

  end(): void {
    this.deadline = Number.NEGATIVE_INFINITY;
  }
}
