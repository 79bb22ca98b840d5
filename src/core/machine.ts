import type { AnyAlgorithm, AnyWorld, Mode, NodeId, Site } from './algorithm.ts';
import { assert } from './assert.ts';
import type { AnyMessage } from './message.ts';
import { clone } from './plain.ts';

/** In place of a receiver: a broadcast to every other site, as one message. */
export const EVERYONE = -1;
/** The same as a totally ordered broadcast, which the sender receives too. */
export const EVERYONE_IN_ORDER = -2;

/**
 * Runs one algorithm, one step at a time, for the site that the driver names. All drivers use it,
 * so a step means the same in the simulator, the checker and the lock service.
 *
 * One site object serves all sites, and `me` says which site acts: a million sites need a million
 * states, but not a million sets of closures.
 */
export class Machine {
  readonly algorithm: AnyAlgorithm;
  readonly site: RecordingSite;
  /** Whether a site that crashed can restart. */
  readonly canRestart: boolean;
  /** Whether a waiting exclusive request can be downgraded to a shared one. */
  readonly canDowngrade: boolean;
  /** Whether `start` has an effect in this world. */
  readonly hasStart: boolean;
  /** The timers that may fire at a site that has been idle for long. */
  readonly idleTimers: readonly string[];
  /** The timer that may be due as soon as a site is idle. */
  readonly dueTimer: string | undefined;
  readonly #handlers: { readonly [type: string]: Handler };
  readonly #isTimerDue: ((my: unknown) => boolean) | undefined;

  constructor(algorithm: AnyAlgorithm, world: AnyWorld, random: (below: number) => number) {
    this.algorithm = algorithm;
    this.#handlers = algorithm.on as unknown as { readonly [type: string]: Handler };
    this.site = new RecordingSite(world, random);
    this.canRestart = canRestart(algorithm, world);
    this.canDowngrade = canDowngrade(algorithm, world);
    this.hasStart = algorithm.start !== undefined && (algorithm.starts?.(world) ?? true);
    const timers = Object.entries(algorithm.timers ?? {});
    const due = timers.find(([, { isDue }]) => isDue !== undefined);
    this.dueTimer = due?.[0];
    this.#isTimerDue = due?.[1].isDue;
    const idle = timers.filter(([, { fires }]) => fires === 'idle').map(([name]) => name);
    this.idleTimers = idle.filter((name) => name !== this.dueTimer);
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

  /** Whether releasing and re-requesting in one step saves messages in this state. */
  savesByRerequest(my: unknown): boolean {
    return this.algorithm.rerequest?.saves(my) === true;
  }

  rerequest(me: NodeId, my: unknown, mode: Mode): void {
    this.site.begin(me);
    this.algorithm.rerequest!.step(my, this.site, mode);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  downgrade(me: NodeId, my: unknown): void {
    this.site.begin(me);
    this.algorithm.downgrade!(my, this.site);
    if (this.site.toSelf.length > 0) this.#deliverToSelf(my);
  }

  /** Whether the timer of a site that is idle should fire soon. */
  isTimerDue(my: unknown): boolean {
    return this.#isTimerDue?.(my) === true;
  }

  /** Whether a request may be waiting for a site that is inside, as far as the site knows. */
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

  /** The failure detector reports a change of a peer. */
  peer(me: NodeId, my: unknown, peer: NodeId, alive: boolean): void {
    this.site.begin(me);
    this.algorithm.peer!(my, this.site, peer, alive);
    this.#deliverToSelf(my);
  }

  /** The state after a crash: a fresh one, with its stable fields as they were. */
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

  /** Delivers the messages that the handler sent to its own site, before any other event. */
  #deliverToSelf(my: unknown): void {
    const { me, toSelf } = this.site;
    for (let m = toSelf.shift(); m !== undefined; m = toSelf.shift()) {
      this.#handlers[m.type]!(my, this.site, me, m);
    }
  }
}

/** Whether a site that crashed in this world can restart. */
export function canRestart({ restart, restarts }: AnyAlgorithm, world: AnyWorld): boolean {
  return restart !== undefined && (restarts?.(world) ?? true);
}

/** Whether a waiting exclusive request in this world can be downgraded to a shared one. */
export function canDowngrade({ downgrade, downgrades }: AnyAlgorithm, world: AnyWorld): boolean {
  return downgrade !== undefined && (downgrades?.(world) ?? true);
}

type Handler = (my: unknown, site: unknown, from: NodeId, message: AnyMessage) => void;

/** A site that records its effects. The driver performs them after the step. */
// biome-ignore lint/suspicious/noExplicitAny: it serves algorithms of all types.
class RecordingSite implements Site<any, any, any> {
  readonly n: number;
  readonly k: number;
  readonly topology: AnyWorld['topology'];
  readonly options: AnyWorld['options'];
  readonly random: (below: number) => number;
  me: NodeId = 0;

  /**
   * The sends of this step are the first `sends` of each array; later entries are left from earlier
   * steps.
   */
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

  /** Computed only for the sites that use it: for a million sites it would be a matrix. */
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
    // A step that failed half way, as only a checker allows, may have left messages.
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
