/** Which algorithm serves which lock, and that algorithm made ready for a view's number of members. */
import { find } from '../algorithms/catalogue.ts';
import type { AnyAlgorithm, AnyWorld } from '../core/algorithm.ts';
import { UsageError } from '../core/errors.ts';
import { Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { Random } from '../core/random.ts';
import { type Wire, wireOf } from '../core/wire.ts';
import { makeWorld } from '../topologies/world.ts';
import { Pattern } from './pattern.ts';

/** An algorithm for all locks whose name matches. The first rule that matches counts. */
export interface Rule {
  /** The name, or a pattern in which `*` stands for any characters. */
  readonly match: string;
  /** An id of the catalogue. */
  readonly algorithm: string;
  /** Its variants, `NAME` or `NAME=VALUE`. */
  readonly options?: readonly string[] | undefined;
  readonly topology?: string | undefined;
}

export interface Rules {
  readonly locks: readonly Rule[];
  readonly semaphores: readonly Rule[];
}

/** Chosen by measurement: see docs/choice.md. */
export const DEFAULT_RULES: Rules = {
  locks: [{ match: '*', algorithm: 'directory-token' }],
  semaphores: [{ match: '*', algorithm: 'lending-coordinator' }],
};

/** An algorithm, ready to run for any lock under one rule while a view lasts. */
export interface LockAlgorithm {
  /** The algorithm and its options, for messages to users. */
  readonly title: string;
  readonly algorithm: AnyAlgorithm;
  readonly machine: Machine;
  /** Whether it serves shared requests, and a cancelled exclusive request does not block them. */
  readonly canShare: boolean;
  readonly wire: Wire<AnyMessage>;
  /** Whether its sites set timers that may fire at any time. */
  readonly hasTimers: boolean;
  /** How many sites each member stands for: one for a lock, one a permit for a semaphore. */
  readonly slots: number;
}

/** What papers assume of a network and sockets do not offer. */
const IMPOSSIBLE: { readonly [option: string]: string } = {
  'implicit-reply': 'a bound on how long a message takes',
  membership: 'a bound on how long a message takes, and the group decides its members itself',
  sponsor: 'a bound on how long a message takes, and the group decides its members itself',
  'broadcast-sequenced': 'a medium that puts all broadcasts into one order',
};

export class LockAlgorithms {
  readonly #rules: { readonly [what in keyof Rules]: readonly CompiledRule[] };
  readonly #made = new Map<string, LockAlgorithm>();
  /** Of the present size: by rule, for locks, which are by far the most. */
  #ofLocks: LockAlgorithm[] = [];
  readonly #seed: number;
  #n = 0;

  /** Throws a UsageError for a rule that cannot apply, in a group of n members or of fewer. */
  constructor(rules: Rules, n: number, seed: number) {
    this.#rules = {
      locks: compile(rules.locks, false),
      semaphores: compile(rules.semaphores, true),
    };
    this.#seed = seed;
    this.resize(n);
    for (let size = n; size >= 1; size--) {
      for (const { rule } of this.#rules.locks) check(rule, size, n, 1);
      for (const { rule } of this.#rules.semaphores) check(rule, size, n, 2);
    }
  }

  /** A view with so many members begins. */
  resize(n: number): void {
    this.#n = n;
    this.#ofLocks = [];
  }

  /** Permits: 0 for a lock. */
  of(name: string, permits: number): LockAlgorithm {
    const rules = permits === 0 ? this.#rules.locks : this.#rules.semaphores;
    // The last rule is ours, and matches every name.
    let index = 0;
    while (index < rules.length - 1 && !rules[index]!.pattern.matches(name)) index++;
    if (permits > 0) return this.#make(rules, index, permits);
    this.#ofLocks[index] ??= this.#make(rules, index, 0);
    return this.#ofLocks[index]!;
  }

  #make(rules: readonly CompiledRule[], index: number, permits: number): LockAlgorithm {
    const id = `${this.#n} ${permits} ${index}`;
    const known = this.#made.get(id);
    if (known !== undefined) return known;
    const slots = Math.max(1, permits);
    const { rule } = rules[index]!;
    const world = worldOf(rule, this.#n * slots, slots);
    const algorithm = find(rule.algorithm);
    const random = new Random(this.#seed, rule.algorithm);
    const { options = [] } = rule;
    const machine = new Machine(algorithm, world, (below) => random.below(below));
    const made = {
      title: [rule.algorithm, ...options].join(' with '),
      algorithm,
      machine,
      canShare: machine.canDowngrade,
      wire: wireOf(algorithm.messages, world.n),
      hasTimers: Object.values(algorithm.timers ?? {}).some(({ fires }) => fires === 'anytime'),
      slots,
    };
    this.#made.set(id, made);
    return made;
  }
}

interface CompiledRule {
  readonly rule: Rule;
  readonly pattern: Pattern;
}

function compile(rules: readonly Rule[], k: boolean): readonly CompiledRule[] {
  const all = [...rules, ...(k ? DEFAULT_RULES.semaphores : DEFAULT_RULES.locks)];
  return all.map((rule) => {
    if (k && !find(rule.algorithm).k) {
      throw new UsageError(
        `${rule.algorithm} has no permits: for semaphores, take lending-coordinator`,
      );
    }
    for (const option of rule.options ?? []) {
      const missing = IMPOSSIBLE[option.split('=')[0]!];
      if (missing === undefined) continue;
      throw new UsageError(`${rule.algorithm} with ${option} cannot run here: it needs ${missing}`);
    }
    return { rule, pattern: new Pattern(rule.match) };
  });
}

/** Members may leave: what runs only in a view of some sizes would one day not run at all. */
function check(rule: Rule, size: number, n: number, slots: number): void {
  try {
    worldOf(rule, size * slots, slots);
  } catch (error) {
    if (!(error instanceof UsageError) || size === n) throw error;
    throw new UsageError(
      `${rule.algorithm} would not run if members left, and ${size} of ${n} remained: ${error.message}`,
      { cause: error },
    );
  }
}

const worldOf = ({ algorithm, options, topology }: Rule, nodes: number, k: number): AnyWorld =>
  makeWorld(find(algorithm), { nodes, k, topology, options });
