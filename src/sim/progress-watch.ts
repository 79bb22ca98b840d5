import type { Run } from './run.ts';

/** Detects that no event is left, and that too many events have passed without an entry. */
export class ProgressWatch {
  /** The number of events at which `over` is to be called. */
  deadline: number;
  readonly #run: Run;
  readonly #most: number;
  /** True once the algorithm was seen to send messages although no site waits or is inside. */
  #isRestless = false;

  constructor(run: Run, most: number) {
    this.#run = run;
    this.#most = most;
    this.deadline = most;
  }

  /** A site went in, or is the first to wait. */
  renew(): void {
    this.deadline = this.#run.events + this.#most;
  }

  /** No event is left. */
  get isAtRest(): boolean {
    const { sites, failures } = this.#run;
    return this.#isSilent && sites.inside === 0 && failures.pending === 0;
  }

  /** No site waits or is inside, and nothing is under way: `solo` may ask. It does not wait for later faults. */
  get isQuiet(): boolean {
    const { sites } = this.#run;
    return this.#isSilent && sites.inside === 0 && sites.waiting === 0;
  }

  get #isSilent(): boolean {
    const { network, timers, starting } = this.#run;
    return network.inFlight === 0 && timers.live === 0 && starting === 0;
  }

  /**
   * When no site waits or is inside any more, most algorithms come to rest soon. An algorithm that does not,
   * such as a token that circulates for ever, is measured up to here: what it sends later belongs to no entry.
   */
  checkWants(): void {
    const { traffic, events, sites } = this.#run;
    if (sites.waiting > 0 || sites.inside > 0) return;
    traffic.mark();
    this.deadline = events + (this.#isRestless ? sites.n : 10_000 + 100 * sites.n);
  }

  /** The deadline has passed. True if the run is to end. */
  over(): boolean {
    const { sites, workload, failures, traffic, judge, now } = this.#run;
    this.renew();
    if (sites.inside > 0) return false;
    if (sites.waiting > 0) {
      judge.livelocked(this.#most);
      return true;
    }
    const isDrained = workload.isOver && failures.pending === 0;
    if (!isDrained && workload.kind !== 'solo') return false;
    this.#isRestless = true;
    traffic.rewind();
    if (!isDrained) workload.askAlone(now, sites);
    return isDrained;
  }
}
