/**
 * A whole group in simulated time: members, engine, locks and callers as deployed, over a network that
 * delays, cuts and heals, and processes that pause, crash and restart, all drawn from one seed.
 *
 * What a session promises (src/net) is what this network gives: between two living processes every message
 * exactly once and in order, however long it takes; a process that restarts begins new sessions.
 */
import { Random } from '../../src/core/random.ts';
import { Reader } from '../../src/core/wire.ts';
import { fixed } from '../../src/engines/fixed.ts';
import type {
  Fence,
  RequestHandle,
  RequestListener,
  RequestSpec,
} from '../../src/group/backend.ts';
import type { Engine } from '../../src/group/engine.ts';
import { fenceValue } from '../../src/group/fence.ts';
import { DEFAULT_RULES, type Rules } from '../../src/group/lock-algorithm.ts';
import { GroupNode } from '../../src/group/node.ts';
import type { RegisterAnswer, RegisterOperation } from '../../src/group/register.ts';
import type { Contact } from '../../src/group/view.ts';
import { GroupDriver } from '../../src/member/driver.ts';
import type { MemoryStore } from './register-memory.ts';

export interface WorldSettings {
  readonly seed: number;
  readonly members?: number;
  readonly rules?: Partial<Rules>;
  readonly engine?: () => Engine;
  readonly turns?: number;
  readonly namesKept?: number;
  readonly locksKeptOpen?: number;
  /** Where the engine's members are listed. Without it the members are configured. */
  readonly store?: MemoryStore;
  /** Hears what a member logs. */
  readonly onEvent?: (id: string, event: string) => void;
}

/** A process: it lives from its start to its crash, and its name's next process is another. */
interface Process {
  readonly id: string;
  readonly incarnation: number;
  readonly node: GroupDriver;
  isAlive: boolean;
  /** It does nothing before that time. */
  pausedUntil: number;
  /** The processes that it is in a session with. */
  readonly sessions: Map<string, Process>;
  /** With a store: the members that its engine wants sessions with. */
  contacts: ReadonlySet<string>;
}

interface Event {
  at: number;
  readonly order: number;
  readonly run: () => void;
  /** If it belongs to a process, it waits while that is paused, and dies with it. */
  readonly of?: Process;
  readonly isTimer?: boolean;
  isCancelled?: boolean;
}

/** With a store: after a pause, a timer may come so much later than messages that came after it. */
const TIMERS_LATE_MS = 5;

const START = 1_800_000_000_000;

export class GroupWorld {
  readonly ids: readonly string[];
  readonly log: string[] = [];
  /** Living processes that stopped being members for good, and why. */
  readonly ends: string[] = [];
  readonly random: Random;
  now = 0;
  largestMessage = 0;
  /** How often a member sent messages before the end of its turn. */
  urgentSends = 0;
  #order = 0;
  readonly #events: Event[] = [];
  readonly #processes = new Map<string, Process>();
  /** When the last message from one process to another will arrive: the next comes after it. */
  readonly #arrivals = new Map<string, number>();
  /** Pairs that cannot talk, until a time. */
  readonly #cuts = new Map<string, number>();
  /** With a store: how often the link of a pair was given up. What was under way on it is lost. */
  readonly #ended = new Map<string, number>();
  readonly #settings: WorldSettings;
  readonly #skew = new Map<string, number>();
  delay = (): number => 1 + this.random.below(20);

  constructor(settings: WorldSettings) {
    this.#settings = settings;
    this.random = new Random(settings.seed, 'group');
    this.ids = Array.from({ length: settings.members ?? 3 }, (_, i) => 'abcdefghij'[i]!);
    // Clocks of different machines are some seconds apart.
    for (const id of this.ids) this.#skew.set(id, this.random.below(5000));
  }

  /** The living process of that name. */
  at(id: string): GroupDriver | undefined {
    const process = this.#processes.get(id);
    return process?.isAlive ? process.node : undefined;
  }

  isUp(id: string): boolean {
    return this.#processes.get(id)?.isAlive === true;
  }

  later(ms: number, run: () => void, of?: Process, isTimer = false): () => void {
    const at = this.now + ms;
    const event: Event = { at, order: this.#order++, run, isTimer, ...(of && { of }) };
    this.#push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** The same in the living process of that name: not while it is paused, and never after its end. */
  laterIn(id: string, ms: number, run: () => void): void {
    this.later(ms, run, this.#processes.get(id));
  }

  start(id: string): void {
    const { store } = this.#settings;
    const incarnation = this.#wall(id);
    const process: Process = {
      id,
      incarnation,
      isAlive: true,
      pausedUntil: 0,
      sessions: new Map(),
      contacts: new Set(),
      node: new GroupDriver(
        new GroupNode(
          {
            self: { id, incarnation },
            peers: store === undefined ? this.ids.filter((other) => other !== id) : [],
            rules: { ...DEFAULT_RULES, ...this.#settings.rules },
            turns: this.#settings.turns ?? 4,
            ...(this.#settings.namesKept !== undefined && {
              namesKept: this.#settings.namesKept,
            }),
            ...(this.#settings.locksKeptOpen !== undefined && {
              locksKeptOpen: this.#settings.locksKeptOpen,
            }),
          },
          (this.#settings.engine ?? fixed)(),
        ),
        {
          send: (to, bytes, length) => this.#send(process, to, bytes.slice(0, length)),
          urgently: (send) => {
            this.urgentSends++;
            send();
          },
          now: () => this.#wall(id),
          monotonic: () => this.now,
          later: (ms, run) => this.later(ms, run, process, true),
          soon: (run) => this.later(0, run, process),
          atEndOfTurn: (run) => this.later(0, run, process),
          log: (event, details) => {
            this.note(`${id}: ${event} ${JSON.stringify(details)}`);
            this.#settings.onEvent?.(id, event);
          },
          isConnected: (peer) => this.isUp(peer),
          reject: (peer, why) => this.note(`${id} rejects ${peer}: ${why}`),
          reach: (contacts) => this.#reach(process, contacts),
          call: (call, operation) => this.#call(process, call, operation),
        },
      ),
    };
    this.#processes.set(id, process);
    process.node.onEnd = ({ message, cause }) => {
      const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
      if (process.isAlive) this.ends.push(`at ${this.now} ${id} ended: ${why}`);
    };
    this.note(`${id} starts as ${incarnation}`);
    process.node.start();
    if (store !== undefined) return;
    for (const other of this.#processes.values()) {
      if (other !== process && other.isAlive) this.#connect(process, other);
    }
  }

  /** Of the living process of that name. */
  incarnationOf(id: string): number | undefined {
    return this.isUp(id) ? this.#processes.get(id)!.incarnation : undefined;
  }

  /** Whether the process may act by the lease that its engine has told it; without leases it always may. */
  mayAct(id: string): boolean {
    const process = this.#processes.get(id);
    const clocks = { monotonic: this.now, now: this.#wall(id) };
    return process?.isAlive === true && !process.node.node.lease.hasEnded(clocks);
  }

  crash(id: string): void {
    const process = this.#processes.get(id)!;
    process.isAlive = false;
    this.note(`${id} crashes`);
  }

  leave(id: string): void {
    const process = this.#processes.get(id)!;
    process.node.leave(new Error(`${id} left`));
    this.note(`${id} leaves`);
    // What it said last is on its way; it says nothing more.
    this.later(1, () => {
      process.isAlive = false;
    });
  }

  pause(id: string, ms: number): void {
    const process = this.#processes.get(id)!;
    // A second pause does not end the first: what was put off until then would come too late, out of order.
    process.pausedUntil = Math.max(process.pausedUntil, this.now + ms);
    this.note(`${id} pauses for ${ms}`);
  }

  cut(a: string, b: string, ms: number): void {
    this.#cuts.set(pair(a, b), this.now + ms);
    this.note(`${a} and ${b} cannot talk for ${ms}`);
  }

  note(line: string): void {
    this.log.push(`${this.now} ${line}`);
  }

  /** Runs until then. */
  run(until: number): void {
    for (let event = this.#events[0]; event && event.at <= until; event = this.#events[0]) {
      this.#events.shift();
      if (event.isCancelled || (event.of && !event.of.isAlive)) continue;
      if (event.of && event.of.pausedUntil > event.at) {
        // Messages stay in order. No order holds between them and timers, which decide when a lease ends.
        const isLate = event.isTimer && this.#settings.store !== undefined;
        const late = isLate ? this.random.below(TIMERS_LATE_MS) : 0;
        event.at = event.of.pausedUntil + late;
        this.#push(event);
        continue;
      }
      this.now = event.at;
      event.run();
    }
    this.now = until;
  }

  #push(event: Event): void {
    let at = this.#events.length;
    const isLater = (other: Event) =>
      other.at > event.at || (other.at === event.at && other.order > event.order);
    while (at > 0 && isLater(this.#events[at - 1]!)) at--;
    this.#events.splice(at, 0, event);
  }

  #open(from: string, to: string): number {
    const until = this.#cuts.get(pair(from, to)) ?? 0;
    return Math.max(this.now, until) + this.delay();
  }

  #wall(id: string): number {
    return START + this.now + this.#skew.get(id)!;
  }

  /** Two processes have a session while each wants one with the other. */
  #reach(process: Process, contacts: readonly Contact[]): void {
    process.contacts = new Set(contacts.map(({ id }) => id));
    for (const other of process.sessions.values()) {
      if (!process.contacts.has(other.id)) this.#disconnect(process, other);
    }
    for (const id of process.contacts) {
      const other = this.#processes.get(id);
      if (other?.isAlive && this.#wants(other, process)) this.#connect(process, other);
    }
  }

  #disconnect(a: Process, b: Process): void {
    const link = pair(a.id, b.id);
    this.#ended.set(link, this.#endedOf(a, b) + 1);
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      if (one.sessions.get(other.id) === other) one.sessions.delete(other.id);
    }
  }

  #endedOf(a: Process, b: Process): number {
    return this.#ended.get(pair(a.id, b.id)) ?? 0;
  }

  #wants(process: Process, other: Process): boolean {
    return this.#settings.store === undefined || process.contacts.has(other.id);
  }

  #call(process: Process, call: number, operation: RegisterOperation): void {
    this.later(this.delay(), () => {
      const answer = this.#apply(operation);
      this.later(this.delay(), () => process.node.step({ type: 'answer', call, answer }), process);
    });
  }

  #apply(operation: RegisterOperation): RegisterAnswer {
    const store = this.#settings.store!;
    if (operation.type === 'identity') return { type: 'identity', identity: store.identity };
    if (operation.type === 'read') return { type: 'records', ...store.read(operation.keys) };
    const { key, revision, value } = operation;
    return { type: 'set', ...store.compareAndSet(key, revision, value) };
  }

  #connect(a: Process, b: Process): void {
    if (a.sessions.get(b.id) === b) return;
    const ended = this.#endedOf(a, b);
    this.later(this.#open(a.id, b.id) - this.now, () => {
      if (!a.isAlive || !b.isAlive || this.#endedOf(a, b) !== ended) return;
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const begin = () => {
          // A session with an earlier process of that name never begins after one with a later.
          if ((one.sessions.get(other.id)?.incarnation ?? 0) > other.incarnation) return;
          if (one.sessions.get(other.id) === other || this.#endedOf(a, b) !== ended) return;
          one.sessions.set(other.id, other);
          one.node.begins({ id: other.id, incarnation: other.incarnation });
        };
        this.#deliver(other, one, begin);
      }
    });
  }

  #send(from: Process, to: string, payload: Uint8Array): void {
    this.largestMessage = Math.max(this.largestMessage, payload.length);
    const receiver = from.sessions.get(to);
    if (!receiver?.isAlive) return;
    this.#deliver(from, receiver, () => {
      if (receiver.sessions.get(from.id) === from)
        receiver.node.receive(from.id, new Reader(payload));
    });
  }

  /** After what was sent before it. */
  #deliver(from: Process, to: Process, run: () => void): void {
    const id = `${from.id}${from.incarnation} ${to.id}${to.incarnation}`;
    const at = Math.max(this.#open(from.id, to.id), this.#arrivals.get(id) ?? 0);
    this.#arrivals.set(id, at);
    this.later(at - this.now, run, to);
  }
}

const pair = (a: string, b: string): string => (a < b ? a + b : b + a);

/** The callers of the simulated world, and a judge that sees all of them. */
export class Judge {
  readonly #world: GroupWorld;
  readonly #inside = new Map<string, Set<Visit>>();
  readonly #fences = new Map<string, bigint>();
  readonly #given = new Set<bigint>();
  readonly faults: string[] = [];
  readonly #all: Visit[] = [];
  served = 0;
  /** Holders that were told that they lost their lock. */
  lost = 0;

  constructor(world: GroupWorld) {
    this.#world = world;
  }

  /**
   * Asks at a member, stays for a while when let in, and gives back. With `startMs`, a callback starts so long after the
   * grant, as the lock API starts it: the deadline is checked first.
   */
  visit(id: string, spec: RequestSpec, stay: number, patience = Infinity, startMs?: number): Visit {
    const world = this.#world;
    const node = world.at(id)!;
    const key = `${spec.permits} ${spec.name}`;
    const visit: Visit = { id, spec, node, outcome: 'waiting', number: ++this.#visits };
    this.#all.push(visit);
    const becomes = (outcome: Visit['outcome']) => {
      visit.outcome = outcome;
      world.note(`${id} visit ${visit.number} of ${key} (${spec.mode}): ${outcome}`);
      if (outcome !== 'inside') this.#inside.get(key)?.delete(visit);
    };
    const caller: RequestListener = {
      granted: (fence) => {
        if (visit.outcome !== 'waiting') {
          this.faults.push(
            `visit ${visit.number} of ${id} is granted though it is ${visit.outcome}`,
          );
        }
        visit.fence = fenceValue(fence);
        this.#enter(key, visit, fence);
        becomes('inside');
        this.served++;
        // A caller that stays for no time releases inside its callback, before any other event.
        if (stay === 0 && visit.handle !== undefined) {
          becomes('out');
          visit.handle.release();
          return;
        }
        if (startMs !== undefined) world.laterIn(id, startMs, () => this.#startCallback(visit));
        world.later(stay, () => {
          if (visit.outcome !== 'inside' || world.at(id) !== node) return;
          becomes('out');
          visit.handle!.release();
          visit.onOut?.();
        });
      },
      busy: () => becomes('busy'),
      failed: (error) => {
        visit.error = error;
        becomes('failed');
      },
      lost: (reason) => {
        this.lost++;
        visit.error = reason;
        becomes('lost');
      },
    };
    visit.handle = node.request(spec, caller);
    if (patience < Infinity) {
      world.later(patience, () => {
        if (visit.outcome !== 'waiting' || world.at(id) !== node) return;
        becomes('cancelled');
        visit.handle!.release();
      });
    }
    return visit;
  }
  #visits = 0;

  #startCallback(visit: Visit): void {
    const { id, node, number } = visit;
    if (visit.outcome !== 'inside') return;
    node.checkDeadline();
    // The check may have told the visit that its lock is lost.
    if ((visit.outcome as Visit['outcome']) !== 'inside' || this.#world.mayAct(id)) return;
    this.faults.push(
      `at ${this.#world.now} the callback of ${id} (visit ${number}) starts after its right has ended`,
    );
  }

  /** Those who still wait at a process that lives. */
  waiting(): string[] {
    return [...this.#all]
      .filter(({ id, node, outcome }) => outcome === 'waiting' && this.#world.at(id) === node)
      .map(({ id, number }) => `${id} (visit ${number})`);
  }

  /** The process is gone, and what it held with it. */
  died(id: string): void {
    for (const visits of this.#inside.values()) {
      for (const visit of visits) if (visit.id === id) visits.delete(visit);
    }
  }

  #enter(key: string, visit: Visit, fence: Fence): void {
    const { spec } = visit;
    const inside = this.#inside.get(key) ?? new Set();
    this.#inside.set(key, inside);
    // A holder counts until its own deadline, where its engine has set one.
    const others = [...inside].filter(({ id }) => this.#world.mayAct(id));
    const isTaken =
      spec.permits > 0
        ? others.length >= spec.permits
        : others.some(({ spec: other }) => spec.mode === 'exclusive' || other.mode === 'exclusive');
    if (isTaken) {
      this.faults.push(
        `at ${this.#world.now} ${visit.id} enters ${key} while ${others.map(({ id, number }) => `${id} (visit ${number})`)} is inside`,
      );
    }
    const value = fenceValue(fence);
    if (this.#given.has(value)) this.faults.push(`the fence ${value} of ${key} is given twice`);
    this.#given.add(value);
    // Readers enter side by side: only a writer's fence is above all before it.
    const last = this.#fences.get(key) ?? -1n;
    if (spec.permits === 0 && spec.mode === 'exclusive' && value <= last) {
      this.faults.push(`at ${this.#world.now} the fence of ${key} falls from ${last} to ${value}`);
    }
    if (value > last) this.#fences.set(key, value);
    inside.add(visit);
  }
}

export interface Visit {
  readonly id: string;
  readonly spec: RequestSpec;
  readonly node: GroupDriver;
  readonly number: number;
  outcome: 'waiting' | 'inside' | 'out' | 'busy' | 'failed' | 'lost' | 'cancelled';
  handle?: RequestHandle;
  /** Is told when it has given back, in the same turn. */
  onOut?: () => void;
  fence?: bigint;
  error?: Error;
}
