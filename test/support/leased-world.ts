/**
 * Processes that run the engine `leased` in simulated time, over a network and a store that fail, all drawn from one
 * seed; and a judge that sees everything at every moment of real time.
 *
 * What is simulated: clocks that run at 0.9 to 1.1 of real time and disagree; pauses, after which timers, messages and
 * answers come in any order; machines that sleep; cuts in one direction; crashes, restarts, processes that nobody knew;
 * and a store whose answers are late or lost, whose reads are stale, whose hints are lost, which freezes, is killed and
 * started again, and rolls back.
 */
import type { Plain } from '../../src/core/plain.ts';
import { Random } from '../../src/core/random.ts';
import type { leased as makeLeased } from '../../src/engines/leased.ts';
import { readView } from '../../src/engines/leased-records.ts';
import type { Engine, EngineEnvironment } from '../../src/group/engine.ts';
import type {
  ReadResult,
  RegisterAnswer,
  RegisterOperation,
  RegisterRecord,
} from '../../src/group/register.ts';
import type { Contact, Member, View, ViewMember } from '../../src/group/view.ts';
import type { LockModel as Model, ModelMessage } from './leased-model.ts';
import { MemoryStore } from './register-memory.ts';

export const LEASE = 1000;
const START = 1_800_000_000_000;
/** The driver gives up a call after this time, as register-driver.ts does. */
const CALL_TIMEOUT = LEASE / 5;
const SHORTEST_TIMER = 0.1;
/** So many events at one moment are a loop without end. */
const MOST_AT_ONCE = 100_000;

/** What is under test: mutants replace it. */
export interface Parts {
  readonly leased: typeof makeLeased;
  readonly LockModel: typeof Model;
  /**
   * Links stay when a view leaves their peer out, so that a message from before a pause arrives after it. Processes
   * then need not come together again: a session that stays does not begin anew.
   */
  readonly linksStay?: boolean;
}

/** How often calls of the store go wrong, from 0 to 1. */
export interface StoreFaults {
  late: number;
  lost: number;
  stale: number;
  lostHint: number;
}
const NO_FAULTS: StoreFaults = { late: 0, lost: 0, stale: 0, lostHint: 0 };

interface Event {
  at: number;
  readonly order: number;
  readonly run: () => void;
  readonly of: Process | undefined;
  isCancelled: boolean;
}

type Message = { readonly engine: Plain } | { readonly model: ModelMessage };

/** One process, from its start to its end. */
class Process {
  readonly id: string;
  readonly incarnation: number;
  readonly rate: number;
  readonly skew: number;
  readonly engine: Engine;
  readonly model: Model;
  isAlive = true;
  hasLeft = false;
  pausedUntil = 0;
  /** When the machine slept, in real time: its monotonic clock stood still. */
  readonly sleeps: { readonly from: number; readonly until: number }[] = [];
  readonly timers = new Map<string, Event>();
  contacts: readonly Contact[] = [];
  readonly sessions = new Map<string, Process>();
  // What the engine said.
  view: View | null = null;
  highestEpoch = 0;
  tenure = 0;
  deadline = 0;
  deadlineClock = 0;
  stopped: Error | null = null;
  suspensions = 0;

  constructor(
    fields: Pick<Process, 'id' | 'incarnation' | 'rate' | 'skew'>,
    make: (process: Process) => { engine: Engine; model: Model },
  ) {
    this.id = fields.id;
    this.incarnation = fields.incarnation;
    this.rate = fields.rate;
    this.skew = fields.skew;
    const { engine, model } = make(this);
    this.engine = engine;
    this.model = model;
  }

  get address(): string {
    return `${this.id}:${this.incarnation}`;
  }
}

const hasContact = ({ contacts }: Process, address: string): boolean =>
  contacts.some((contact) => contact.address === address);

export class LeasedWorld {
  readonly random: Random;
  readonly processes: Process[] = [];
  readonly violations: string[] = [];
  readonly log: string[] = [];
  store = new MemoryStore();
  /** Some processes may see another primary. */
  readonly storeOf = new Map<string, MemoryStore>();
  faults: StoreFaults = NO_FAULTS;
  frozenUntil = 0;
  deadUntil = 0;
  now = 0;
  readonly #parts: Parts;
  readonly #events: Event[] = [];
  #order = 0;
  /** How many events in succession have come at the same moment. */
  #atOnce = 0;
  readonly #skews = new Map<string, number>();
  readonly #lags = new Map<Process, { until: number; copy: ReadResult }>();
  readonly #cuts = new Map<string, number>();
  readonly #channels = new Map<string, Message[]>();
  /** The newest view that was written, and the newest that a process was told. */
  #newest: View = { epoch: 0, members: [] };
  #told: View = { epoch: 0, members: [] };
  /** Of the view in the store: later ones have higher epochs, also than all that a living process was told. */
  #lastEpoch = 0;
  /** All tenures that a view has left out. */
  readonly #views = new Map<number, string>();
  readonly #leftOut = new Set<string>();
  entries = 0;

  constructor(seed: number, parts: Parts) {
    this.random = new Random(seed, 'leased');
    this.#parts = parts;
    this.store.onWrite = (key, value) => this.#written(key, value);
  }

  // What a scenario may do.

  later(ms: number, run: () => void, of?: Process): Event {
    const event = { at: this.now + ms, order: this.#order++, run, of, isCancelled: false };
    this.#push(event);
    return event;
  }

  start(id: string, leaseMs = LEASE): Process {
    const { random } = this;
    const rate = 0.9 + 0.2 * random.uniform();
    // A machine's clock is not set back from one process to the next: sessions rely on that.
    const skew = this.#skews.get(id) ?? random.below(5000) + random.uniform();
    this.#skews.set(id, skew);
    const incarnation = Math.floor(START + skew + this.now);
    const process = new Process({ id, incarnation, rate, skew }, (made) => ({
      engine: this.#parts.leased({ group: 'g', leaseMs, address: `${id}:${incarnation}` }),
      model: this.#modelOf(made),
    }));
    this.processes.push(process);
    this.note(`${id} starts as ${incarnation}, at rate ${rate.toFixed(3)}`);
    process.engine.start(this.#environmentOf(process));
    this.#work(process);
    this.#judge();
    return process;
  }

  alive(): Process[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  crash(process: Process): void {
    process.isAlive = false;
    this.note(`${process.id} crashes`);
  }

  leave(process: Process): void {
    this.note(`${process.id} leaves`);
    this.#suspend(process);
    process.hasLeft = true;
    process.engine.leave();
    // It has a second to write that it leaves; then its process ends.
    this.later(LEASE, () => {
      process.isAlive = false;
    });
  }

  pause(process: Process, ms: number): void {
    process.pausedUntil = Math.max(process.pausedUntil, this.now + ms);
    this.note(`${process.id} pauses for ${Math.round(ms)}`);
  }

  /** Like a pause, but the monotonic clock stands still, and the wall clock does not. */
  sleep(process: Process, ms: number): void {
    if (process.pausedUntil > this.now) return;
    process.pausedUntil = this.now + ms;
    process.sleeps.push({ from: this.now, until: this.now + ms });
    this.note(`${process.id} sleeps for ${Math.round(ms)}`);
    for (const event of process.timers.values()) event.at += ms;
    this.#events.sort((a, b) => b.at - a.at || b.order - a.order);
  }

  /** Nothing gets from one to the other; `store` is a place, too. */
  cut(from: string, to: string, ms: number): void {
    this.#cuts.set(`${from}>${to}`, this.now + ms);
    this.note(`${from} does not reach ${to} for ${Math.round(ms)}`);
  }

  /** What that process reads is from a copy that stands still. */
  lag(process: Process, ms: number): void {
    const store = this.storeOf.get(process.id) ?? this.store;
    this.#lags.set(process, { until: this.now + ms, copy: store.read('') });
    this.note(`${process.id} reads from a copy that lags for ${Math.round(ms)}`);
  }

  freezeStore(ms: number): void {
    this.frozenUntil = this.now + ms;
    this.note(`the store freezes for ${Math.round(ms)}`);
  }

  /** The store is killed and started again: until then its machine refuses all connections at once. */
  killStore(ms: number): void {
    this.deadUntil = this.now + ms;
    this.note(`the store is dead for ${Math.round(ms)}`);
  }

  rollBack(writes: number, isNoticed = true): void {
    this.store.rollBack(writes, isNoticed);
    // A view that no process was told of is as if it had never been written.
    this.#newest = this.#told;
    const view = this.store.read('').records.find(({ key }) => key.endsWith('/view'));
    this.#lastEpoch = view === undefined ? 0 : readView(view.value)!.epoch;
    this.note(`the store loses its last ${writes} writes`);
  }

  heal(): void {
    this.#cuts.clear();
    this.#lags.clear();
    this.faults = NO_FAULTS;
    this.frozenUntil = 0;
    this.deadUntil = 0;
    this.note('nothing fails any more');
  }

  run(until: number): void {
    for (let event = this.#events.at(-1); event && event.at <= until; event = this.#events.at(-1)) {
      this.#events.pop();
      const { of } = event;
      if (event.isCancelled || (of && !of.isAlive)) continue;
      if (of && of.pausedUntil > event.at) {
        // After a pause all that has piled up comes in any order: a timer need not come first.
        event.at = of.pausedUntil + 5 * this.random.uniform();
        this.#push(event);
        continue;
      }
      this.#atOnce = event.at === this.now ? this.#atOnce + 1 : 0;
      if (this.#atOnce > MOST_AT_ONCE) throw new Error(`time stands still at ${this.now}`);
      this.now = event.at;
      event.run();
      if (of !== undefined) this.#judge();
    }
    this.now = until;
  }

  note(line: string): void {
    this.log.push(`${this.now.toFixed(1)} ${line}`);
  }

  /** Why the processes that live are not all members of one view; null if they are. */
  disagreement(): string | null {
    const live = this.alive().filter(({ hasLeft, stopped }) => !hasLeft && stopped === null);
    const want = live
      .map(({ id }) => id)
      .sort()
      .join();
    for (const process of live) {
      const members = process.view?.members.map(({ id }) => id).join();
      if (members !== want || !this.#mayAct(process)) {
        return `${process.id} sees ${members}, and ${want} are alive`;
      }
    }
    return new Set(live.map(({ view }) => view!.epoch)).size > 1 ? 'epochs differ' : null;
  }

  // Time.

  #monotonic({ rate, sleeps }: Process): number {
    let awake = this.now;
    for (const { from, until } of sleeps) awake -= Math.min(this.now, until) - from;
    return rate * awake + 1000;
  }

  #wall({ rate, skew }: Process): number {
    return START + skew + rate * this.now;
  }

  #mayAct(process: Process): boolean {
    const { isAlive, view, deadline, deadlineClock } = process;
    if (!isAlive || view === null) return false;
    return this.#monotonic(process) < deadline && this.#wall(process) < deadlineClock;
  }

  // A process and its surroundings.

  #environmentOf(process: Process): EngineEnvironment {
    const world = this;
    const self: Member = { id: process.id, incarnation: process.incarnation };
    return {
      self,
      peers: [],
      get now() {
        return world.#wall(process);
      },
      get monotonic() {
        return world.#monotonic(process);
      },
      send: (to, payload) => this.#send(process, to, { engine: payload }),
      reach: (contacts) => {
        process.contacts = contacts;
        for (const [id, { address }] of process.sessions) {
          if (!this.#parts.linksStay && !hasContact(process, address)) process.sessions.delete(id);
        }
        for (const contact of contacts) this.#connect(process, contact);
      },
      view: (view) => this.#adopted(process, view),
      mayActUntil: (monotonic, now) => {
        process.deadline = monotonic;
        process.deadlineClock = now;
      },
      suspended: (reason) => {
        this.note(`${process.id} is suspended: ${reason.message}`);
        process.suspensions++;
        this.#suspend(process);
      },
      stopped: (reason) => {
        this.note(`${process.id} is stopped: ${reason.message}`);
        process.stopped = reason;
        this.#suspend(process);
      },
      timer: (name, ms) => {
        const last = process.timers.get(name);
        if (last !== undefined) last.isCancelled = true;
        process.timers.delete(name);
        if (ms <= 0) return;
        const fire = () => {
          process.timers.delete(name);
          process.engine.timerFired(name);
        };
        // As on a real machine: less than the clock can show would fire at the same moment again and again.
        const waits = Math.max(SHORTEST_TIMER, ms / process.rate);
        process.timers.set(name, this.later(waits, fire, process));
      },
      call: (call, operation) => this.#call(process, call, operation),
    };
  }

  #modelOf(process: Process): Model {
    return new this.#parts.LockModel({
      id: process.id,
      send: (to, message) => this.#send(process, to, { model: message }),
      mayAct: () => this.#mayAct(process),
      draw: (below) => this.random.below(below),
      entered: () => {
        this.entries++;
        const others = this.processes.filter((other) => other !== process && this.#isInside(other));
        for (const { id } of others) this.#violated(`${process.id} enters while ${id} is inside`);
      },
      left: () => {},
    });
  }

  /** A holder counts until its own deadline, or until it was told that it lost the lock. */
  #isInside(process: Process): boolean {
    return process.model.isInside && this.#mayAct(process);
  }

  #work(process: Process): void {
    this.later(
      20 + this.random.below(80),
      () => {
        process.model.work();
        this.#work(process);
      },
      process,
    );
  }

  #suspend(process: Process): void {
    process.view = null;
    process.model.suspend();
  }

  #adopted(process: Process, view: View): void {
    const members = view.members.map(({ id, tenure }) => `${id} ${tenure}`).join();
    this.note(
      `${process.id} is told the view ${view.epoch} of ${view.members.map(({ id }) => id)}`,
    );
    const me = view.members.find(({ id }) => id === process.id);
    if (me?.incarnation !== process.incarnation) this.#violated(`${process.id} is not in its view`);
    if (view.epoch <= process.highestEpoch) this.#violated(`epochs fall at ${process.id}`);
    if ((this.#views.get(view.epoch) ?? members) !== members) {
      this.#violated(`two views have the epoch ${view.epoch}`);
    }
    if (view.epoch > this.#told.epoch) this.#told = view;
    // Its writer may have heard of a view that the store has lost since.
    if (view.epoch > this.#newest.epoch) this.#newest = view;
    process.highestEpoch = view.epoch;
    process.view = view;
    process.tenure = me?.tenure ?? 0;
    process.model.adopt(view);
  }

  // The network: sessions deliver in order and exactly once, however long it takes.

  #connect(from: Process, { address }: Contact): void {
    const to = this.processes.find((one) => one.isAlive && one.address === address);
    if (to === undefined || to === from || from.sessions.get(to.id) === to) return;
    // Each refuses a process that it does not know.
    if (!hasContact(to, from.address)) return;
    // A link that was removed and comes back has a session of its own, at both ends.
    if (!this.#parts.linksStay) {
      if (to.sessions.get(from.id) === from) to.sessions.delete(from.id);
      for (const name of [`${from.address}>${to.address}`, `${to.address}>${from.address}`]) {
        this.#channels.delete(name);
      }
    }
    const began = (one: Process, other: Process) => {
      if (!one.isAlive || !other.isAlive || one.sessions.get(other.id) === other) return;
      if (!hasContact(one, other.address) || !hasContact(other, one.address)) return;
      const last = one.sessions.get(other.id);
      if (last !== undefined && last.incarnation > other.incarnation) return;
      one.sessions.set(other.id, other);
      const name = `${other.address}>${one.address}`;
      const early = this.#channels.get(name) ?? [];
      for (const _ of early) this.later(this.#delay(), () => this.#deliver(other, one, name), one);
      one.engine.sessionBegan({ id: other.id, incarnation: other.incarnation });
      one.model.sessionBegan(other.id);
    };
    const open = Math.max(this.#opens(from.id, to.id), this.#opens(to.id, from.id));
    this.later(open - this.now + this.#delay(), () => began(from, to), from);
    this.later(open - this.now + this.#delay(), () => began(to, from), to);
  }

  #send(from: Process, to: string, message: Message): void {
    const receiver = from.sessions.get(to);
    if (receiver === undefined || !receiver.isAlive) return;
    const name = `${from.address}>${receiver.address}`;
    const channel = this.#channels.get(name) ?? [];
    this.#channels.set(name, channel);
    channel.push(message);
    const ms = this.#opens(from.id, to) - this.now + this.#delay();
    this.later(ms, () => this.#deliver(from, receiver, name), receiver);
  }

  #deliver(from: Process, to: Process, name: string): void {
    // Until its session has begun at the receiver, a message waits.
    if (to.sessions.get(from.id) !== from) return;
    const opens = this.#opens(from.id, to.id);
    if (opens > this.now) {
      this.later(opens - this.now, () => this.#deliver(from, to, name), to);
      return;
    }
    const message = this.#channels.get(name)?.shift();
    if (message === undefined) return;
    if ('engine' in message) to.engine.received(from.id, message.engine);
    else to.model.receive(from.id, message.model);
  }

  #opens(from: string, to: string): number {
    return Math.max(this.now, this.#cuts.get(`${from}>${to}`) ?? 0);
  }

  #delay(): number {
    return 0.5 + 4 * this.random.uniform();
  }

  // The store.

  #call(process: Process, call: number, operation: RegisterOperation): void {
    const { random, faults } = this;
    const isHit = (chance: number) => chance > 0 && random.uniform() < chance;
    const extra = () => (isHit(faults.late) ? random.uniform() * LEASE : 0);
    const there = this.#opens(process.id, 'store') - this.now + this.#delay() + extra();
    let isAnswered = false;
    const answer = (value: RegisterAnswer) => {
      if (isAnswered) return;
      isAnswered = true;
      process.engine.answered(call, value);
    };
    const failed: RegisterAnswer =
      operation.type === 'read'
        ? { type: 'failed', error: 'no answer' }
        : { type: 'set', outcome: 'unknown' };
    // Now and then even the driver's timeout does not come: the contract allows that.
    if (random.below(20) > 0) {
      this.later(CALL_TIMEOUT / process.rate, () => answer(failed), process);
    }
    if (isHit(faults.lost)) return;
    const arrive = () => {
      if (this.deadUntil > this.now) {
        this.later(this.#delay(), () => answer(failed), process);
        return;
      }
      if (this.frozenUntil > this.now) {
        this.later(this.frozenUntil - this.now + this.#delay(), arrive);
        return;
      }
      const value = this.#apply(process, operation);
      const cut = this.#opens('store', process.id);
      // An answer does not wait for a cut link: the connection is given up.
      if (cut > this.now || isHit(faults.lost)) return;
      this.later(this.#delay() + extra(), () => answer(value), process);
    };
    this.later(there, arrive);
  }

  #apply(process: Process, operation: RegisterOperation): RegisterAnswer {
    const store = this.storeOf.get(process.id) ?? this.store;
    if (operation.type === 'read') {
      const lag = this.#lags.get(process);
      if (lag !== undefined && lag.until > this.now) return { type: 'records', ...lag.copy };
      const isStale = this.faults.stale > 0 && this.random.uniform() < this.faults.stale;
      return {
        type: 'records',
        ...(isStale ? this.#staleRead(store, operation.keys) : store.read(operation.keys)),
      };
    }
    if (operation.type === 'identity') return { type: 'identity', identity: store.identity };
    const { key, revision, value } = operation;
    return { type: 'set', ...store.compareAndSet(key, revision, value) };
  }

  /** Not even of one moment: each key may be of another. */
  #staleRead(store: MemoryStore, keys: string): ReadResult {
    const { random } = this;
    const now = store.read(keys);
    const before = store.read(keys, 1 + random.below(40));
    if (before.identity !== now.identity || random.below(2) === 0) return before;
    const isOld = ({ key }: RegisterRecord) => (random.below(2) === 0) === (key.length % 2 === 0);
    const kept = now.records.filter((record) => !isOld(record));
    const names = new Set(kept.map(({ key }) => key));
    return {
      identity: now.identity,
      records: [...kept, ...before.records.filter(({ key }) => !names.has(key))],
    };
  }

  #written(key: string, value: string | null): void {
    if (!key.endsWith('/view')) return;
    const view = value === null ? null : readView(value);
    if (view === null) throw new Error(`the view is ${value}`);
    // A view that was sent before a rollback and arrives after it is never in force.
    if (view.identity === this.store.identity) this.#judgeView(view);
    for (const process of this.alive()) {
      if (this.random.uniform() < this.faults.lostHint) continue;
      this.later(this.#delay(), () => process.engine.hinted(), process);
    }
  }

  // The judge.

  #judgeView(view: View): void {
    this.note(`the view ${view.epoch} of ${view.members.map(({ id }) => id)} is written`);
    const known = this.alive().filter(({ hasLeft }) => !hasLeft);
    const last = Math.max(this.#lastEpoch, ...known.map(({ highestEpoch }) => highestEpoch));
    if (view.epoch <= last) this.#violated(`the epoch ${view.epoch} does not grow from ${last}`);
    this.#lastEpoch = view.epoch;
    const name = ({ id, incarnation, tenure }: ViewMember) => `${id} ${incarnation} ${tenure}`;
    const members = view.members.map(name);
    for (const member of members) {
      if (this.#leftOut.has(member)) this.#violated(`the tenure ${member} appears again`);
    }
    for (const member of this.#newest.members.map(name)) {
      if (!members.includes(member)) this.#leftOut.add(member);
    }
    this.#views.set(view.epoch, view.members.map(({ id, tenure }) => `${id} ${tenure}`).join());
    this.#newest = view;
    this.#judge();
  }

  /** No process may act that is not in the newest view, whatever it knows of that. */
  #judge(): void {
    for (const process of this.processes) {
      if (!this.#mayAct(process)) continue;
      const isIn = this.#newest.members.some(
        ({ id, incarnation, tenure }) =>
          id === process.id && incarnation === process.incarnation && tenure === process.tenure,
      );
      if (!isIn) this.#violated(`${process.id} may act, and is not in ${this.#newest.epoch}`);
    }
  }

  #violated(what: string): void {
    this.violations.push(`${this.now.toFixed(1)} ${what}`);
    this.note(`VIOLATION ${what}`);
  }

  #push(event: Event): void {
    // The next event is the last one: most are close to it.
    let at = this.#events.length;
    const isSooner = (other: Event) =>
      other.at < event.at || (other.at === event.at && other.order < event.order);
    while (at > 0 && isSooner(this.#events[at - 1]!)) at--;
    this.#events.splice(at, 0, event);
  }
}
