/**
 * The properties that must hold in every state, or in at least one. Flags of cells decide most of
 * them.
 */

import type { Global, NodeId } from '../core/algorithm.ts';
import { listed } from '../core/formats/words.ts';
import type { AnyMessage } from '../core/message.ts';
import {
  CAN_RESTART,
  HAS_INCOMING,
  HAS_TIMER,
  INSIDE,
  INSIDE_EXCLUSIVE,
  INSIDE_SHARED,
  WAITING,
  WILL_REQUEST,
  WILL_START,
} from './cells.ts';
import type { Verdict } from './check.ts';
import type { Space } from './space.ts';
import type { StepError } from './steps.ts';

const BUSY = INSIDE | HAS_INCOMING | HAS_TIMER | CAN_RESTART | WILL_START;

/** Judges states one by one, and records which of the `sometimes` properties it has seen. */
export class Properties {
  readonly #space: Space;
  readonly #k: number;
  readonly #tokens: number;
  readonly #invariants: [claim: string, holds: (global: never, world: never) => boolean][];
  readonly #fcfs: boolean;
  readonly #seen = { contention: false, served: false, sharing: false };
  /** The total number of messages of each complete schedule, where the space counts messages. */
  readonly totals = new Set<number>();

  constructor(space: Space) {
    const { algorithm, world, settings } = space;
    this.#space = space;
    this.#k = world.k;
    // A crash or a loss may destroy a token. With faults only exclusion is judged.
    const faults = settings.crashes + settings.losses + settings.duplications > 0;
    this.#tokens = algorithm.tokens === undefined || faults ? -1 : algorithm.k ? world.k : 1;
    this.#fcfs = algorithm.claims.ticket !== undefined;
    this.#invariants = Object.entries(algorithm.invariants ?? {});
  }

  /** Every property with its verdict, given what the search has seen. */
  verdicts(
    complete: boolean,
    violated: string | undefined,
    starvationUndecided: boolean,
  ): { name: string; verdict: Verdict }[] {
    const always = [
      'mutual-exclusion',
      'deadlock-freedom',
      'starvation-freedom',
      ...(this.#tokens >= 0 ? ['token-uniqueness'] : []),
      ...(this.#fcfs ? ['fcfs'] : []),
      ...this.#invariants.map(([claim]) => claim),
    ];
    const known = [...always, ...Object.keys(this.#sometimes())];
    if (violated !== undefined && !known.includes(violated)) always.push(violated);
    // A search that ends at its first violation has not seen every other state.
    const others: Verdict = complete ? 'proved' : 'bounded';
    const verdictOn = (name: string): Verdict => {
      if (name === violated) return 'violated';
      return starvationUndecided && name === 'starvation-freedom' ? 'bounded' : others;
    };
    return [
      ...always.map((name) => ({ name, verdict: verdictOn(name) })),
      ...Object.entries(this.#sometimes()).map(
        ([name, seen]): { name: string; verdict: Verdict } => ({
          name,
          verdict: seen ? 'proved' : complete ? 'violated' : 'bounded',
        }),
      ),
    ];
  }

  /** The first `sometimes` property that a complete search has not seen. */
  get neverSeen(): string | undefined {
    return Object.entries(this.#sometimes()).find(([, seen]) => !seen)?.[0];
  }

  /**
   * Properties that some schedule must show. Otherwise the other properties would hold of a system
   * that does nothing.
   */
  #sometimes(): Record<string, boolean> {
    const { world, settings } = this.#space;
    const requesters = settings.entries.filter((e) => e > 0).length;
    return {
      ...(settings.entries.every(Number.isFinite) && {
        'sometimes: every request is served': this.#seen.served,
      }),
      ...(requesters > world.k && {
        'sometimes: one waits while another is inside': this.#seen.contention,
      }),
      ...(requesters > 1 &&
        (world.k > 1 || settings.modes.includes('shared')) && {
          'sometimes: several are inside at once': this.#seen.sharing,
        }),
    };
  }

  /** The violation that a state shows, if any. */
  judge(state: Int32Array): StepError | undefined {
    const { n } = this.#space.world;
    const { flags, tokens } = this.#space.cells;
    let all = 0;
    let writers = 0;
    let readers = 0;
    let count = 0;
    for (let site = 0; site < n; site++) {
      const cell = state[site]!;
      const f = flags[cell]!;
      all |= f;
      if (f & INSIDE_EXCLUSIVE) writers++;
      else if (f & INSIDE_SHARED) readers++;
      count += tokens[cell]!;
    }
    if (writers > this.#k || (writers > 0 && readers > 0)) {
      return { property: 'mutual-exclusion', why: this.#sitesInside(state) };
    }
    if (this.#tokens >= 0 && count !== this.#tokens) {
      const why = count === 0 ? 'there is no token any more' : `there are ${count} tokens`;
      return { property: 'token-uniqueness', why };
    }
    if (all & WAITING) {
      if (all & INSIDE) {
        this.#seen.contention = true;
        if (this.#fcfs) {
          const why = this.#outOfOrder(state);
          if (why !== undefined) return { property: 'fcfs', why };
        }
      } else if (!(all & BUSY)) {
        return { property: 'deadlock-freedom', why: this.#sitesWaiting(state) };
      }
    } else if (!(all & (INSIDE | WILL_REQUEST))) {
      this.#seen.served = true;
      if (this.#space.settings.countMessages && !(all & BUSY)) {
        this.totals.add(state[state.length - 1]!);
      }
    }
    if (writers + readers > 1) this.#seen.sharing = true;
    return this.#invariants.length === 0 ? undefined : this.#brokenInvariant(state);
  }

  #brokenInvariant(state: Int32Array): StepError | undefined {
    const global = this.#global(state) as never; // once for all invariants: it is expensive to make
    for (const [claim, holds] of this.#invariants) {
      if (!holds(global, this.#space.world as never)) {
        return { property: claim, why: `it is not true that ${claim}` };
      }
    }
    return undefined;
  }

  #sites(state: Int32Array, mask: number): NodeId[] {
    const sites: NodeId[] = [];
    for (let site = 0; site < this.#space.world.n; site++) {
      if (this.#space.cells.flags[state[site]!]! & mask) sites.push(site);
    }
    return sites;
  }

  #sitesInside(state: Int32Array): string {
    const named = (mask: number, as: string) =>
      this.#sites(state, mask).map((site) => `${site}${as}`);
    const plain = this.#space.algorithm.modes.length === 1;
    const inside = [
      ...named(INSIDE_EXCLUSIVE, plain ? '' : ' (writing)'),
      ...named(INSIDE_SHARED, ' (reading)'),
    ];
    return `${listed(inside)} are inside at once${this.#k > 1 ? `, and k is ${this.#k}` : ''}`;
  }

  #sitesWaiting(state: Int32Array): string {
    const {
      algorithm,
      steps: { machine },
    } = this.#space;
    const waiting = this.#sites(state, WAITING).map((site) => {
      const { my } = this.#space.local(state[site]!);
      machine.site.begin(site);
      const lacks = algorithm.awaits?.(my, machine.site) ?? [];
      return lacks.length === 0 ? `${site} waits` : `${site} waits for ${listed(lacks)}`;
    });
    return `${listed(waiting)}; no site is inside and nothing is under way`;
  }

  #outOfOrder(state: Int32Array): string | undefined {
    const inside = this.#sites(state, INSIDE);
    const reads = (site: NodeId) => this.#space.local(state[site]!).mode === 'shared';
    for (const waiter of this.#sites(state, WAITING)) {
      const waiterTicket = this.#ticket(state, waiter);
      for (const holder of inside) {
        if (reads(waiter) && reads(holder)) continue; // two readers do not exclude each other
        const holderTicket = this.#ticket(state, holder);
        if (isSmaller(waiterTicket, holderTicket)) {
          return `${holder} is inside with ticket ${holderTicket.join('.')} while ${waiter} waits with ${waiterTicket.join('.')}`;
        }
      }
    }
    return undefined;
  }

  #ticket(state: Int32Array, site: NodeId): readonly number[] {
    const {
      algorithm,
      steps: { machine },
    } = this.#space;
    machine.site.begin(site);
    return algorithm.claims.ticket!(this.#space.local(state[site]!).my, machine.site);
  }

  #global(state: Int32Array): Global<never, never> {
    const cells = Array.from(state.subarray(0, this.#space.world.n));
    const locals = cells.map((cell) => this.#space.local(cell));
    const inFlight: { from: NodeId; to: NodeId; message: AnyMessage }[] = [];
    cells.forEach((cell, to) => {
      for (const delivery of this.#space.cells.incoming(cell)) {
        const event = this.#space.steps.event(delivery);
        if (event.kind === 'deliver')
          inFlight.push({ from: event.from, to, message: event.message });
      }
    });
    return {
      sites: locals.map(({ my }) => my as never),
      inside: locals.map(({ phase }) => phase === 'inside'),
      up: locals.map(({ phase }) => phase !== 'down'),
      inFlight: inFlight as never,
    };
  }
}

function isSmaller(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}
