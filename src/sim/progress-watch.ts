import type { Run } from './run.ts';

/** Knows when nothing more will happen, and how many events without an entry are too many. */
export class ProgressWatch {
  /** At so many events `over` is to be called. */
  deadline: number;
  readonly #run: Run;
  readonly #most: number;
  /** It was seen that the algorithm goes on when nobody wants anything. */
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

  /** Nothing will happen by itself any more. */
  get isAtRest(): boolean {
    const { sites, failures } = this.#run;
    return this.#isSilent && sites.inside === 0 && failures.pending === 0;
  }

  /** Nothing is going on: `solo` may ask. It does not wait for faults to come. */
  get isQuiet(): boolean {
    const { sites } = this.#run;
    return this.#isSilent && sites.inside === 0 && sites.waiting === 0;
  }

  get #isSilent(): boolean {
    const { network, timers, starting } = this.#run;
    return network.inFlight === 0 && timers.live === 0 && starting === 0;
  }

  /**
   * When nobody waits or is inside any more, most algorithms come to rest soon. One that does not, as
   * a token that circulates for ever, is measured up to here: what it sends from now on belongs to no
   * entry.
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
