import type { AnyAlgorithm, AnyWorld, Mode, NodeId, Site } from './algorithm.ts';
import { assert } from './assert.ts';
import type { AnyMessage } from './message.ts';
import { clone } from './plain.ts';

/** In place of a receiver: everyone else gets it, and it is one message. */
export const EVERYONE = -1;
/** The same, in one order for all, the sender included. */
export const EVERYONE_IN_ORDER = -2;

/**
 * Runs one algorithm, one step at a time, for whichever site the driver names. All drivers step
 * through here, so that a step means the same in the simulator, the checker and the lock service.
 *
 * There is one site object for all sites, and `me` says who acts: a million sites need a million
 * states, but not a million sets of closures.
 */
export class Machine {
  readonly algorithm: AnyAlgorithm;
  readonly site: RecordingSite;
  /** Whether a site that crashed can come back. */
  readonly canRestart: boolean;
  /** Whether who waits to write can settle for reading. */
  readonly canSettle: boolean;
  /** Whether the group has something to begin with. */
  readonly hasStart: boolean;
  readonly #handlers: { readonly [type: string]: Handler };

  constructor(algorithm: AnyAlgorithm, world: AnyWorld, random: (below: number) => number) {
    this.algorithm = algorithm;
    this.#handlers = algorithm.on as unknown as { readonly [type: string]: Handler };
    this.site = new RecordingSite(world, random);
    this.canRestart = canRestart(algorithm, world);
    this.canSettle = canSettle(algorithm, world);
    this.hasStart = algorithm.start !== undefined && (algorithm.starts?.(world) ?? true);
  }

  init(me: NodeId): unknown {
    this.site.begin(me);
    return this.algorithm.init(this.site);
  }

  start(me: NodeId, my: unknown): void {
    this.site.begin(me);
    this.algorithm.start!(my, this.site);
    this.#deliverToSelf(my);
  }

  request(me: NodeId, my: unknown, mode: Mode): void {
    this.site.begin(me);
    this.algorithm.request(my, this.site, mode);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  release(me: NodeId, my: unknown): void {
    this.site.begin(me);
    this.algorithm.release(my, this.site);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  /** Whether leaving and asking again is better done in one step. */
  savesByAgain(my: unknown): boolean {
    return this.algorithm.again?.saves(my) === true;
  }

  again(me: NodeId, my: unknown, mode: Mode): void {
    this.site.begin(me);
    this.algorithm.again!.step(my, this.site, mode);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  settle(me: NodeId, my: unknown): void {
    this.site.begin(me);
    this.algorithm.settle!(my, this.site);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  /** Whether someone waits for a site that is inside, for all that it knows. */
  isAwaited(my: unknown): boolean {
    return this.algorithm.isAwaited?.(my) ?? true;
  }

  receive(me: NodeId, my: unknown, from: NodeId, message: AnyMessage): void {
    this.site.begin(me);
    this.#handlers[message.type]!(my, this.site, from, message);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  expire(me: NodeId, my: unknown, timer: string): void {
    this.site.begin(me);
    this.algorithm.timers![timer]!.expired(my, this.site);
    this.#deliverToSelf(my);
  }

  /** What the failure detector says of a peer. */
  peer(me: NodeId, my: unknown, peer: NodeId, alive: boolean): void {
    this.site.begin(me);
    this.algorithm.peer!(my, this.site, peer, alive);
    this.#deliverToSelf(my);
  }

  /** What is left of a state after a crash: a fresh one, with its stable fields as they were. */
  afterCrash(me: NodeId, my: unknown): unknown {
    const fresh = this.init(me) as Record<string, unknown>;
    for (const field of this.algorithm.stable ?? []) {
      fresh[field] = clone((my as Record<string, unknown>)[field]);
    }
    return fresh;
  }

  restart(me: NodeId, my: unknown): void {
    this.site.begin(me);
    this.algorithm.restart!(my, this.site);
    this.#deliverToSelf(my);
  }

  /** The handler has returned: what it told this site itself comes before any other event. */
  #deliverToSelf(my: unknown): void {
    const { me, toSelf } = this.site;
    for (let m = toSelf.shift(); m !== undefined; m = toSelf.shift()) {
      this.#handlers[m.type]!(my, this.site, me, m);
    }
  }
}

/** Whether a site that crashed in this world can come back. */
export function canRestart({ restart, restarts }: AnyAlgorithm, world: AnyWorld): boolean {
  return restart !== undefined && (restarts?.(world) ?? true);
}

/** Whether who waits to write in this world can settle for reading. */
export function canSettle({ settle, settles }: AnyAlgorithm, world: AnyWorld): boolean {
  return settle !== undefined && (settles?.(world) ?? true);
}

type Handler = (my: unknown, site: unknown, from: NodeId, message: AnyMessage) => void;

/** A site whose effects are written down for the driver to act on once the step is over. */
// biome-ignore lint/suspicious/noExplicitAny: it serves algorithms of all types.
class RecordingSite implements Site<any, any, any> {
  readonly n: number;
  readonly k: number;
  readonly topology: AnyWorld['topology'];
  readonly options: AnyWorld['options'];
  readonly random: (below: number) => number;
  me: NodeId = 0;

  /** The sends of this step are the first `sends` of each array; the rest is left from before. */
  sends = 0;
  readonly to: NodeId[] = [];
  readonly messages: AnyMessage[] = [];
  entered = false;
  /** The timers set (or, with 0 ticks, cancelled) in this step. */
  readonly timers: { name: string; ticks: number }[] = [];
  readonly toSelf: AnyMessage[] = [];
  readonly #others: NodeId[][] = [];

  constructor(world: AnyWorld, random: (below: number) => number) {
    this.n = world.n;
    this.k = world.k;
    this.topology = world.topology;
    this.options = world.options;
    this.random = random;
  }

  /** Worked out only for the sites that look: for a million of them it would be a matrix. */
  get others(): readonly NodeId[] {
    let others = this.#others[this.me];
    if (others === undefined) {
      others = [];
      for (let j = 0; j < this.n; j++) if (j !== this.me) others.push(j);
      this.#others[this.me] = others;
    }
    return others;
  }

  begin(me: NodeId): void {
    this.me = me;
    this.sends = 0;
    this.entered = false;
    if (this.timers.length > 0) this.timers.length = 0;
    // A step that failed half way, as only a checker lets it, may have left something.
    if (this.toSelf.length > 0) this.toSelf.length = 0;
  }

  send(to: NodeId, message: AnyMessage): void {
    if (to === this.me) {
      this.toSelf.push(message);
      return;
    }
    this.to[this.sends] = to;
    this.messages[this.sends++] = message;
  }

  broadcast(message: AnyMessage, order?: 'total'): void {
    this.to[this.sends] = order === 'total' ? EVERYONE_IN_ORDER : EVERYONE;
    this.messages[this.sends++] = message;
  }

  enter(): void {
    assert(!this.entered, 'one entry answers one request');
    this.entered = true;
  }

  timer(name: string, ticks: number): void {
    this.timers.push({ name, ticks });
  }
}
