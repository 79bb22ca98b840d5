/**
 * The state space of an algorithm in a small world: which steps each state allows, and where each
 * leads.
 *
 * Everything is interned. A *local* is one site with its phase. A *cell* is a local with the
 * deliveries in flight to it. A global state is one cell per site, so a few integers. A step
 * depends on the local and the event alone and is computed once. Sending adds a delivery to a cell,
 * which is computed once too. A transition then costs a few look-ups in tables of integers.
 */
import type { AnyAlgorithm, AnyWorld, Links, Mode, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { Cells, INSIDE, WAITING } from './cells.ts';
import { ALWAYS, CRASH, DRAINED, DUPLICATE, LOSS, ONE_LESS, QUIET } from './guards.ts';
import type { PossibleEvent } from './schedulers.ts';
import { type Event, type Local, type Outcome, type StepError, Steps } from './steps.ts';

/**
 * The steps of one cell in one array: [guard, event, cost, error, next cell, sends, (to,
 * delivery)…].
 */
const HEAD = 6;

export interface SpaceSettings {
  readonly links: Links;
  /** How many requests each site makes. */
  readonly entries: readonly number[];
  readonly modes: readonly Mode[];
  readonly downgrade: boolean;
  readonly crashes: number;
  readonly losses: number;
  readonly duplications: number;
  /**
   * Adds the number of messages sent so far to the state, so that the search distinguishes all
   * totals.
   */
  readonly countMessages: boolean;
  /**
   * Adds to the state, for each waiting site, how many other sites have entered since its request.
   */
  readonly countBypass: boolean;
}

export class Space {
  readonly algorithm: AnyAlgorithm;
  readonly world: AnyWorld;
  readonly settings: SpaceSettings;
  readonly steps: Steps;
  readonly cells: Cells;
  /**
   * The number of integers in a state: one cell per site; then, where needed, the faults still
   * allowed, bypasses and messages sent.
   */
  readonly width: number;
  /** By site and number of bypasses: how many steps let the site in after that many. */
  readonly bypasses: number[][];
  /** The errors of steps, by number. */
  readonly errors: StepError[] = [];
  readonly #stepsOf: (Int32Array | undefined)[] = []; // by cell
  readonly #hasFaults: boolean;
  readonly #bypassAt: number;

  constructor(algorithm: AnyAlgorithm, world: AnyWorld, settings: SpaceSettings) {
    this.algorithm = algorithm;
    this.world = world;
    this.settings = settings;
    this.steps = new Steps(algorithm, world);
    this.cells = new Cells(algorithm, settings.links, this.steps);
    this.#hasFaults = settings.crashes + settings.losses + settings.duplications > 0;
    this.#bypassAt = settings.countBypass ? world.n + (this.#hasFaults ? 1 : 0) : -1;
    this.width =
      world.n +
      (this.#hasFaults ? 1 : 0) +
      (settings.countBypass ? world.n : 0) +
      (settings.countMessages ? 1 : 0);
    this.bypasses = Array.from({ length: world.n }, () => []);
  }

  initial(): Int32Array {
    const state = new Int32Array(this.width);
    for (let site = 0; site < this.world.n; site++) {
      const local = this.steps.initial(site, this.settings.entries[site]!);
      state[site] = this.cells.id(local, []);
    }
    if (this.#hasFaults) {
      const { crashes, losses, duplications } = this.settings;
      state[this.world.n] =
        crashes * ONE_LESS[CRASH]! + losses * ONE_LESS[LOSS]! + duplications * ONE_LESS[DUPLICATE]!;
    }
    return state;
  }

  /**
   * Calls `found` for each step of `state`, with its successor in `into`, until it returns false.
   * Steps that `isSkipped` excludes are left out.
   */
  successors(
    state: Int32Array,
    into: Int32Array,
    found: (site: NodeId, event: number, error: number) => boolean,
    isSkipped?: (site: NodeId, event: number) => boolean,
  ): void {
    const { width, world } = this;
    const { n } = world;
    const countAt = this.settings.countMessages ? width - 1 : -1;
    for (let site = 0; site < n; site++) {
      const cell = state[site]!;
      const steps = this.#stepsOf[cell] ?? this.#expand(cell);
      for (let at = 0; at < steps.length; ) {
        const guard = steps[at]!;
        const sends = steps[at + 5]!;
        const end = at + HEAD + 2 * sends;
        const isPossible = guard === ALWAYS || this.#allows(guard, site, state);
        if (!isPossible || isSkipped?.(site, steps[at + 1]!)) {
          at = end;
          continue;
        }
        for (let i = 0; i < width; i++) into[i] = state[i]!;
        into[site] = steps[at + 4]!;
        for (let i = at + HEAD; i < end; i += 2) {
          const to = steps[i]!;
          into[to] = this.cells.enqueue(into[to]!, steps[i + 1]!);
        }
        if (guard >= CRASH) into[n] = state[n]! - ONE_LESS[guard]!;
        if (countAt >= 0) into[countAt] = state[countAt]! + steps[at + 2]!;
        if (this.#bypassAt >= 0) this.#countBypass(site, steps[at + 1]!, state, into);
        if (!found(site, steps[at + 1]!, steps[at + 3]!)) return;
        at = end;
      }
    }
  }

  /** Whether a cell allows an event. */
  allows(cell: number, event: number): boolean {
    const steps = this.#stepsOf[cell] ?? this.#expand(cell);
    for (let at = 0; at < steps.length; at += HEAD + 2 * steps[at + 5]!) {
      if (steps[at + 1] === event) return true;
    }
    return false;
  }

  #countBypass(site: NodeId, event: number, state: Int32Array, into: Int32Array): void {
    const { flags } = this.cells;
    const at = this.#bypassAt;
    const wasInside = (flags[state[site]!]! & INSIDE) !== 0;
    const isNew = !wasInside || this.steps.event(event).kind === 'rerequest';
    const enters = isNew && (flags[into[site]!]! & INSIDE) !== 0;
    if (enters) {
      const counts = this.bypasses[site]!;
      const bypassed = state[at + site]!;
      counts[bypassed] = (counts[bypassed] ?? 0) + 1;
    }
    for (let j = 0; j < this.world.n; j++) {
      const waits = (flags[into[j]!]! & WAITING) !== 0;
      into[at + j] = waits ? state[at + j]! + (enters ? 1 : 0) : 0;
    }
  }

  #allows(guard: number, site: NodeId, state: Int32Array): boolean {
    const { n } = this.world;
    if (guard >= CRASH) {
      const one = ONE_LESS[guard]!;
      return (state[n]! & (255 * one)) >= one;
    }
    for (let j = 0; j < n; j++) {
      const senders = this.cells.senders[state[j]!]!;
      if (guard === QUIET || j === site ? senders !== 0 : (senders >>> site) & 1) return false;
    }
    return true;
  }

  local(cell: number): Local {
    return this.steps.local(this.cells.local(cell));
  }

  /** Which of the outcomes of an event led from one state to the other. */
  outcomeOf(site: NodeId, event: number, before: Int32Array, after: Int32Array): number {
    const into = new Int32Array(this.width);
    const outcomes = this.steps.of(this.cells.local(before[site]!), event);
    const index = outcomes.findIndex((_, i) => {
      this.take({ site, event, outcome: i }, before, into);
      return into.every((part, j) => part === after[j]);
    });
    assert(index >= 0, 'a step that was taken has an outcome');
    return index;
  }

  /** The outcome that led from one state to the other. */
  outcomeBy(site: NodeId, event: number, before: Int32Array, after: Int32Array): Outcome {
    const index = this.outcomeOf(site, event, before, after);
    return this.steps.of(this.cells.local(before[site]!), event)[index]!;
  }

  /**
   * Takes one step and writes its successor to `into`. Returns the number of its error, −1 for
   * none, or undefined if the step is not possible in this state.
   */
  take({ site, event, outcome }: Choice, state: Int32Array, into: Int32Array): number | undefined {
    const possible = this.#possible(state[site]!).find((p) => p.event === event);
    if (possible === undefined) return undefined;
    const { guard, incomingAfter } = possible;
    if (guard !== ALWAYS && !this.#allows(guard, site, state)) return undefined;
    const taken = this.steps.of(this.cells.local(state[site]!), event)[outcome];
    if (taken === undefined) return undefined;
    into.set(state);
    into[site] = this.cells.id(taken.local, incomingAfter());
    for (const { to, delivery } of taken.deliveries)
      into[to] = this.cells.enqueue(into[to]!, delivery);
    if (guard >= CRASH) into[this.world.n]! -= ONE_LESS[guard]!;
    if (this.settings.countMessages) {
      into[this.width - 1] = state[this.width - 1]! + taken.sent.length;
    }
    if (this.#bypassAt >= 0) this.#countBypass(site, event, state, into);
    return taken.error === undefined ? -1 : this.errors.push(taken.error) - 1;
  }

  /** The events that are possible in a state. */
  possible(state: Int32Array): PossibleEvent[] {
    return this.settings.entries.flatMap((_, site) =>
      this.#possible(state[site]!)
        .filter(({ guard }) => guard === ALWAYS || this.#allows(guard, site, state))
        .map(({ guard, event }) => ({ site, event, isFault: guard >= CRASH })),
    );
  }

  /** How many outcomes an event can have at a site: several only where it draws a random number. */
  outcomes(state: Int32Array, site: NodeId, event: number): number {
    return this.steps.of(this.cells.local(state[site]!), event).length;
  }

  #expand(cell: number): Int32Array {
    const local = this.cells.local(cell);
    const flat: number[] = [];
    for (const { guard, event, incomingAfter } of this.#possible(cell)) {
      for (const { local: next, sent, deliveries, error } of this.steps.of(local, event)) {
        const errorId = error === undefined ? -1 : this.errors.push(error) - 1;
        flat.push(
          guard,
          event,
          sent.length,
          errorId,
          this.cells.id(next, incomingAfter()),
          deliveries.length,
        );
        for (const { to, delivery } of deliveries) flat.push(to, delivery);
      }
    }
    const steps = Int32Array.from(flat);
    this.#stepsOf[cell] = steps;
    return steps;
  }

  /** The events that are possible in a cell. */
  #possible(cell: number): Possible[] {
    const local = this.steps.local(this.cells.local(cell));
    const incoming = this.cells.incoming(cell);
    const { crashes, losses, duplications, modes, downgrade } = this.settings;
    const all: Possible[] = [];
    const add = (guard: number, event: Event, incomingAfter = () => incoming): void => {
      all.push({ guard, event: this.steps.eventId(event), incomingAfter });
    };
    const without = (i: number) => () => [...incoming.slice(0, i), ...incoming.slice(i + 1)];
    const deliveries = this.cells
      .deliverable(incoming)
      .map((i) => ({ i, event: this.steps.event(incoming[i]!) }));

    if (local.phase === 'down') {
      if (!this.steps.machine.canRestart) return [];
      add(ALWAYS, { kind: 'restart' });
      for (const { i, event } of deliveries) {
        if (event.kind === 'deliver') add(ALWAYS, { ...event, kind: 'lose' }, without(i));
      }
      return all;
    }
    if (!local.started) add(ALWAYS, { kind: 'start' });
    for (const { i } of deliveries)
      all.push({ guard: ALWAYS, event: incoming[i]!, incomingAfter: without(i) });
    if (local.phase === 'inside') {
      add(ALWAYS, { kind: 'exit' });
      if (local.left > 0 && this.steps.machine.savesByRerequest(local.my)) {
        for (const mode of modes) add(ALWAYS, { kind: 'rerequest', mode });
      }
    }
    const isWriter = local.phase === 'waiting' && local.mode === 'exclusive';
    if (downgrade && isWriter) add(ALWAYS, { kind: 'downgrade' });
    if (local.phase === 'idle' && local.left > 0) {
      for (const mode of modes) add(ALWAYS, { kind: 'request', mode });
    }
    if (local.phase === 'idle') {
      for (const timer of this.steps.machine.idleTimers) {
        const event = { kind: 'timer', timer } as const;
        if (this.steps.hasEffect(this.cells.local(cell), event)) add(ALWAYS, event);
      }
    }
    for (const timer of local.timers) {
      const { fires } = this.algorithm.timers![timer]!;
      const guard = fires === 'anytime' ? ALWAYS : fires === 'drained' ? DRAINED : QUIET;
      add(guard, { kind: 'timer', timer });
    }
    if (crashes > 0) {
      add(CRASH, { kind: 'crash' }, () => (this.steps.machine.canRestart ? incoming : []));
    }
    for (const { i, event } of deliveries) {
      if (event.kind !== 'deliver') continue;
      if (losses > 0) add(LOSS, { ...event, kind: 'lose' }, without(i));
      if (duplications > 0) {
        const incomingAfter = () => this.cells.sorted(incoming, incoming[i]!);
        add(DUPLICATE, { ...event, kind: 'duplicate' }, incomingAfter);
      }
    }
    return all;
  }
}

/** A chosen step: a site, an event and one of its outcomes. */
export interface Choice {
  readonly site: NodeId;
  readonly event: number;
  readonly outcome: number;
}

/** An event that is possible in a cell, and the deliveries that are in flight after it. */
interface Possible {
  readonly guard: number;
  readonly event: number;
  readonly incomingAfter: () => readonly number[];
}
