import type { AnyAlgorithm, NodeId } from '../core/algorithm.ts';
import type { Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';

/**
 * Counts the tokens of an algorithm that says where they are. Only the site that has just acted is
 * looked at, so the cost of a step does not grow with the number of sites.
 */
export class Tokens {
  /** How many tokens there are now, held or under way. */
  count = 0;
  /** How many tokens there must be. */
  readonly expected: number;
  readonly #machine: Machine;
  readonly #held: (my: unknown, site: unknown) => number;
  readonly #carriers: readonly string[];
  readonly #heldBy: Int32Array;

  constructor(algorithm: AnyAlgorithm, machine: Machine, states: readonly unknown[]) {
    this.#machine = machine;
    this.#held = algorithm.tokens!.held as (my: unknown, site: unknown) => number;
    this.#carriers = algorithm.tokens!.carriers;
    this.#heldBy = new Int32Array(states.length);
    for (let site = 0; site < states.length; site++) {
      machine.site.begin(site);
      this.acted(site, states[site]);
    }
    // Some algorithms for k entries have k tokens, others one that serves k.
    const { k } = machine.site;
    this.expected = algorithm.k && this.count === k ? k : 1;
  }

  sent(message: AnyMessage): void {
    if (this.#carriers.includes(message.type)) this.count++;
  }

  received(message: AnyMessage): void {
    if (this.#carriers.includes(message.type)) this.count--;
  }

  /** The machine has just stepped for this site. */
  acted(site: NodeId, my: unknown): void {
    const held = this.#held(my, this.#machine.site);
    this.count += held - this.#heldBy[site]!;
    this.#heldBy[site] = held;
  }

  /** The site has crashed, and what it held is gone with it. */
  gone(site: NodeId): void {
    this.count -= this.#heldBy[site]!;
    this.#heldBy[site] = 0;
  }

  heldBy(site: NodeId): number {
    return this.#heldBy[site]!;
  }

  isCarrier(message: AnyMessage): boolean {
    return this.#carriers.includes(message.type);
  }
}
