import type { NodeId } from '../core/algorithm.ts';
import { sitesInside, whyNoneEnters } from './explain.ts';
import type { Run } from './run.ts';
import { WAITING } from './sites.ts';

/** What went wrong in a run, and when. */
export interface Violation {
  readonly property: string;
  readonly time: number;
  readonly site: NodeId;
  readonly why: string;
}

/** Watches a run for what must not happen. The checker judges by the same names. */
export class Judge {
  violation: Violation | undefined;
  readonly #run: Run;
  readonly #k: number;
  /** The highest clock of any entry so far. */
  #fence = 0;
  #checksFences: boolean;
  #countsTokens = true;

  constructor(run: Run, k: number) {
    this.#run = run;
    this.#k = k;
    this.#checksFences = k === 1;
  }

  /** The first violation ends the run, because later ones may follow from it. */
  violate(property: string, site: NodeId, why: string): void {
    this.violation ??= { property, time: this.#run.now, site, why };
  }

  /** The site went in, as it had asked to. */
  entered(site: NodeId): void {
    const { writersInside, inside, clock, shared } = this.#run.sites;
    if (writersInside > this.#k || (writersInside > 0 && inside > writersInside)) {
      this.violate('mutual-exclusion', site, sitesInside(this.#run));
    }
    // Every exit happens before the next entry, so some chain of messages leads from one to the other,
    // and Lamport's clocks grow along it. That is why a lock's fence may be read from them.
    const fence = clock[site]!;
    if (this.#checksFences && fence <= this.#fence && shared[site] === 0) {
      const why = `site ${site} goes in with fence ${fence}, and one before it had ${this.#fence}`;
      this.violate('fence', site, why);
    }
    if (fence > this.#fence) this.#fence = fence;
  }

  enteredUnasked(site: NodeId): void {
    this.violate('entry-on-request', site, `site ${site} goes in without having asked`);
  }

  /** After a step of this site the number of tokens is wrong. */
  miscounted(site: NodeId, count: number, expected: number): void {
    if (!this.#countsTokens) return;
    const why = count <= 0 ? 'there is no token any more' : `there are ${count} tokens`;
    this.violate('token-uniqueness', site, expected === 1 ? why : `${why}, and k is ${expected}`);
  }

  /** A handler's assertion failed. */
  asserted(site: NodeId, claim: string): void {
    this.violate('assertion', site, `site ${site} finds it untrue that ${claim}`);
  }

  /** No event is left, and a site waits. */
  deadlocked(): void {
    const waiter = this.#run.sites.phase.indexOf(WAITING);
    this.violate('deadlock-freedom', waiter, whyNoneEnters(this.#run));
  }

  livelocked(events: number): void {
    const waiter = this.#run.sites.phase.indexOf(WAITING);
    const why = `${events} events passed with ${waiter} waiting and no site going in`;
    this.violate('livelock-freedom', waiter, why);
  }

  /** Stops counting tokens: a crash or a loss may destroy one, and a duplication may create one. */
  excuseTokens(): void {
    this.#countsTokens = false;
  }

  /** Stops checking fences: a site learnt something without a message, or forgot something. */
  excuseFences(): void {
    this.#checksFences = false;
  }
}
