/**
 * A member of the group: its locks, the view they live in, and what passes between members.
 *
 * It is a step machine. `step(event)` changes its state, which is plain data, and records in `effects` what
 * is to be done: messages to send, callers to tell, timers to set. The driver carries that out after the step
 * has returned, and clears the effects. No step runs a caller's code, touches a socket or waits for a promise:
 * so the lock service, the simulator and the model checker drive the same file.
 *
 * When a new view comes, every lock starts afresh in it. A caller that holds a lock from before keeps it, and all others
 * are told; the lock is closed until it is released (view-start.ts). Waiting requests are asked again, in order.
 */
import { assert } from '../core/assert.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import { Malformed, type Wire } from '../core/wire.ts';
import { Admission } from './admission.ts';
import type { LockMessage, Message } from './codec.ts';
import { Effects, type SendingLock, type Timer } from './effects.ts';
import type { Engine } from './engine.ts';
import { RecordingEnvironment } from './engine-environment.ts';
import { tellEngine } from './engine-events.ts';
import type { GroupEvent } from './events.ts';
import { clockFor, mostClock } from './fence.ts';
import { FutureMessages } from './future-messages.ts';
import { Lease } from './lease.ts';
import { inUse } from './lending.ts';
import { LOCKS_KEPT_OPEN, NAMES_KEPT } from './limits.ts';
import type { Lock } from './lock.ts';
import { type LockAlgorithm, LockAlgorithms } from './lock-algorithm.ts';
import { obey } from './lock-control.ts';
import type { LockRecord } from './lock-record.ts';
import { LockTable } from './lock-table.ts';
import type { LockName, Membership } from './membership.ts';
import { aboutLock, type Control, type ControlOf, inParts } from './messages.ts';
import type { Request } from './request.ts';
import { impossibilityOf, mustBeRefused } from './request-check.ts';
import { SemaphoreSizes } from './semaphore-sizes.ts';
import type { NodeSettings } from './settings.ts';
import { Surveys } from './survey.ts';
import type { Member, View } from './view.ts';
import { ViewStart } from './view-start.ts';

type RareEvent = Exclude<GroupEvent, { type: 'request' | 'release' | 'message' | 'timer' }>;
type OfView = Exclude<Control, ControlOf<'QUERY' | 'SURVEY'>>;

export class GroupNode implements Membership {
  readonly self: string;
  readonly effects = new Effects();
  /** A page watches the steps of locks: all of them are made by a `Lock`. */
  isObserved = false;
  /** Since the process began: requests granted, messages sent for the algorithms, messages ignored. */
  readonly stats = { granted: 0, messages: 0, stale: 0, malformed: 0 };
  /** The driver sets both before each step: milliseconds since 1970, and on a clock that never goes back. */
  now = 0;
  monotonic = 0;
  readonly turns: number;
  readonly yieldAfter: number;
  /** Of the present view. */
  size: number;
  index = 0;
  epoch = 0;
  members: readonly string[] = [];
  readonly #indices = new Map<string, number>();
  hasBegun = false;
  viewStart: ViewStart | null = null;
  /** When the view came. */
  viewSince = 0;
  /** A Lamport clock, which counts from the beginning of the view. */
  clock = 0;
  readonly lease = new Lease();
  lastProbe = 0;
  /** How many requests have been made here. */
  requests = 0;
  /** Why this process is no member any more. */
  ended: Error | null = null;
  readonly admission = new Admission(this.effects, (lock) => this.locks.forget(lock));
  readonly locks: LockTable;
  readonly future = new FutureMessages();
  readonly sizes: SemaphoreSizes;
  /** The peers that have broken the protocol. */
  readonly rejected = new Set<string>();
  readonly engineEnvironment: RecordingEnvironment;
  readonly engine: Engine;
  readonly #algorithms: LockAlgorithms;
  readonly #surveys: Surveys;

  constructor(settings: NodeSettings, engine: Engine, algorithms?: LockAlgorithms) {
    this.engine = engine;
    this.self = settings.self.id;
    this.turns = settings.turns;
    this.yieldAfter = settings.yieldAfter ?? settings.turns;
    this.size = settings.peers.length + 1;
    this.#algorithms =
      algorithms ?? new LockAlgorithms(settings.rules, this.size, settings.self.incarnation);
    this.engineEnvironment = new RecordingEnvironment(this, settings.self, settings.peers);
    this.locks = new LockTable(this, this.#algorithms, {
      names: settings.namesKept ?? NAMES_KEPT,
      open: settings.locksKeptOpen ?? LOCKS_KEPT_OPEN,
    });
    this.sizes = new SemaphoreSizes(this);
    this.#surveys = new Surveys(this);
  }

  step(event: GroupEvent): void {
    if (this.ended !== null) {
      this.#afterTheEnd(event);
      return;
    }
    // After a pause, any event may come before the timer of the engine.
    if (this.viewStart !== null && this.lease.hasEnded(this)) this.engine.deadlinePassed();
    switch (event.type) {
      case 'request':
        this.#request(event.request);
        break;
      case 'release':
        this.#release(event.request);
        break;
      case 'message':
        this.#receive(event.from, event.message);
        break;
      case 'timer':
        this.#timerFired(event.timer);
        break;
      default:
        this.#rareStep(event);
    }
    this.locks.putSomeAway();
  }

  #rareStep(event: RareEvent): void {
    switch (event.type) {
      case 'start':
        this.engine.start(this.engineEnvironment);
        break;
      case 'session':
        this.rejected.delete(event.peer.id);
        this.future.forget(event.peer.id);
        this.#surveys.forget(event.peer.id);
        this.engine.sessionBegan(event.peer);
        this.#repeatState(event.peer);
        break;
      case 'congestion':
        this.admission.congestion(event.peer, event.isCongested);
        break;
      case 'malformed':
        this.#malformed(event.from, event.why);
        break;
      case 'inUse':
        if (event.request.lock !== null) inUse(event.request.lock, event.request, event.reentries);
        break;
      case 'query':
        this.#surveys.begin(event.query);
        break;
      case 'leave':
        this.#giveUpAll(event.reason);
        this.engine.leave();
        break;
      case 'end':
        this.end(event.reason);
        break;
      default:
        tellEngine(this.engine, event);
    }
  }

  /** Handles an event of a process that is no member any more. */
  #afterTheEnd(event: GroupEvent): void {
    if (event.type === 'request') this.#fail(event.request, this.ended!);
    else if (event.type === 'release') event.request.stage = 'over';
    else if (event.type === 'query') this.#surveys.begin(event.query);
    else if (event.type === 'timer' && event.timer.lock === null) this.#timerFired(event.timer);
    else if (event.type === 'answer') tellEngine(this.engine, event);
  }

  // Requests.

  #request(request: Request): void {
    const { name, permits } = request;
    request.since = this.now;
    request.order = ++this.requests;
    const error = impossibilityOf(this, request);
    if (error !== null) this.#fail(request, error);
    else if (mustBeRefused(this, request)) this.admission.refuse(request);
    else this.admission.ask(this.#lock(name, permits), request);
    if (permits > 0 && this.sizes.of(name) === undefined) this.sizes.determine(name);
  }

  #fail(request: Request, error: Error): void {
    request.stage = 'over';
    this.effects.outcomes.push({ type: 'failed', request, error });
  }

  #release(request: Request): void {
    if (request.stage !== 'over') request.lock?.release(request);
    request.stage = 'over';
  }

  #lock(name: string, permits: number): Lock {
    const inUse = this.locks.inUse(name, permits);
    if (inUse !== undefined) return inUse;
    const { lock, isNew } = this.locks.open(name, permits);
    if (isNew && this.hasBegun && lock.algorithm.machine.hasStart) this.#begin(lock);
    return lock;
  }

  // What the sessions bring.

  /** The wire that reads the rest of a message for that lock, in the present view. */
  algorithmOf(name: string, permits: number): LockAlgorithm {
    return this.locks.inUse(name, permits)?.algorithm ?? this.#algorithms.of(name, permits);
  }

  get engineWire(): Wire<Plain> {
    return this.engine.wire;
  }

  #receive(from: string, message: Message): void {
    if (this.rejected.size > 0 && this.rejected.has(from)) return;
    try {
      if (message.type === 'lock') this.#receiveForLock(from, message);
      else if (message.type === 'member') this.#receiveControl(from, message.message);
      else if (message.type === 'engine') this.engine.received(from, message.message);
      else this.stats.stale++;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#malformed(from, error.message);
    }
  }

  #malformed(from: string, why: string): void {
    this.stats.malformed++;
    this.effects.log('malformed', { from, why });
  }

  #receiveForLock(from: string, envelope: LockMessage): void {
    const { epoch, name, permits, fromSlot, toSlot, clock, message } = envelope;
    const member = this.#isOfThisView(epoch) ? this.#indices.get(from) : undefined;
    if (member === undefined) {
      this.stats.stale++;
      return;
    }
    if (clock > this.clock) {
      if (clock > mostClock(this.now - this.viewSince))
        throw new Malformed(`clock ${clock} is absurd`);
      this.clock = clock;
    }
    const idle = permits === 0 && !this.isObserved ? this.locks.idleRecord(name) : undefined;
    if (idle !== undefined) {
      const algorithm = this.#algorithms.of(name, 0);
      if (!algorithm.hasTimers) {
        idle.receive(this, algorithm, member, message);
        return;
      }
    }
    const lock = this.#lock(name, permits);
    lock.receive(lock.sites.siteAt(fromSlot, member), toSlot, message);
  }

  /** The peer has broken the protocol: this member ignores its process from now on. No other peer is affected. */
  #reject(peer: string, why: string): void {
    this.rejected.add(peer);
    this.future.forget(peer);
    this.effects.reports.push({ type: 'reject', peer, why });
  }

  #isOfThisView(epoch: number): boolean {
    return this.viewStart !== null && epoch === this.epoch;
  }

  #receiveControl(from: string, message: Control): void {
    if (message.type === 'QUERY' || message.type === 'SURVEY') {
      this.#surveys.receive(from, message);
    } else if (message.epoch > this.epoch) {
      if (this.future.keep(from, message)) return;
      this.#reject(from, 'too many messages about a view to come (limit 100,000)');
    } else if (this.#isOfThisView(message.epoch) && this.members.includes(from)) {
      this.#obey(from, message);
    } else this.stats.stale++;
  }

  #obey(from: string, message: OfView): void {
    switch (message.type) {
      case 'STATE':
        this.#told(from, message);
        return;
      case 'FREED':
        if (!this.viewStart!.freed(from, message))
          throw new Malformed('it held none of what it freed');
        this.#reopen(message);
        return;
      case 'SIZE':
        this.sizes.asked(from, message.name, message.permits);
        return;
      case 'SIZE_IS':
        this.sizes.told(message.name, message.permits);
        return;
    }
    obey(this.#lock(message.name, message.permits), from, message);
  }

  // Views.

  adopt(view: View): void {
    if (this.ended !== null) return;
    const { epoch } = view;
    assert(epoch > this.epoch, 'the engine keeps its contract');
    const requests = this.#closeLocks();
    this.restoreView(view);
    this.hasBegun = false;
    this.clock = 0;
    this.viewSince = this.now;
    this.lastProbe = 0;
    this.viewStart = new ViewStart(view);
    for (const request of requests) {
      const { name, permits } = request;
      this.#lock(name, permits).inherit(request);
    }
    const holds = this.locks.leftovers();
    this.effects.log('view', { epoch, members: this.members, held: holds.length });
    this.#tellState(this.#others());
    this.#told(this.self, { members: view.members, holds, part: 0, isLast: true });
    for (const { from, message } of this.future.take(epoch)) this.#receiveControl(from, message);
  }

  /** Sets what follows from the members of a view. */
  restoreView({ epoch, members }: View): void {
    this.epoch = epoch;
    this.members = members.map(({ id }) => id);
    this.#indices.clear();
    for (const [index, id] of this.members.entries()) this.#indices.set(id, index);
    this.size = members.length;
    this.index = this.members.indexOf(this.self);
    assert(this.index !== -1, 'a view that is announced to a member names it');
    this.#algorithms.resize(this.size);
    this.admission.begin(this.members);
  }

  /** Ends all locks of the present view. Returns their requests, in the order in which they were made. */
  #closeLocks(): Request[] {
    const requests = [...this.locks].flatMap((lock) => lock.close());
    this.locks.clear();
    this.admission.clear();
    this.sizes.clear();
    return requests.sort((a, b) => a.order - b.order);
  }

  #tellState(to: readonly string[]): void {
    const { epoch, members } = this.viewStart!.view;
    const parts = [...inParts(this.locks.leftovers())];
    parts.forEach((holds, part) => {
      const isLast = part === parts.length - 1;
      this.tellAll({ type: 'STATE', epoch, members, part, isLast, holds }, to);
    });
  }

  /** Messages of an earlier session may be lost: repeats them to a member that has just come. */
  #repeatState({ id, incarnation }: Member): void {
    const members = this.viewStart?.view.members ?? [];
    const isInView = members.some((each) => each.id === id && each.incarnation === incarnation);
    if (isInView && !this.hasBegun) this.#tellState([id]);
  }

  #told(member: string, state: Parameters<ViewStart['told']>[1]): void {
    const start = this.viewStart!;
    if (!start.told(member, state)) {
      this.#reject(member, `it is in another view of the epoch ${this.epoch}`);
    } else if (start.isComplete && !this.hasBegun) this.#beginView();
  }

  /** All members have told what they hold. Requests are asked in the order in which they were made. */
  #beginView(): void {
    this.hasBegun = true;
    this.effects.log('begun', { epoch: this.epoch });
    this.sizes.begin(this.viewStart!.leftovers.keys());
    const locks = [...this.locks];
    const waiting = locks.flatMap((lock) => [...lock.queue]);
    waiting.sort((a, b) => a.order - b.order);
    for (const request of waiting) request.lock!.takeOut(request);
    for (const lock of locks) this.#begin(lock);
    for (const request of waiting) {
      request.lock!.ask(request);
      if (request.permits > 0) this.sizes.determine(request.name);
    }
  }

  /** A lock that was held from before may be open now. */
  #reopen({ name, permits }: LockName): void {
    const lock = this.locks.inUse(name, permits);
    if (lock !== undefined && this.isOpen(lock)) lock.advance();
  }

  #begin(lock: Lock): void {
    if (!lock.algorithm.machine.hasStart) return;
    this.tellAll({ type: 'START', ...aboutLock(lock, this.epoch) });
    lock.start();
  }

  /** The member cannot prove its membership for now. Requests that wait are asked again in the next view. */
  suspend(reason: Error): void {
    if (this.ended !== null || this.viewStart === null) return;
    this.effects.log('suspended', { why: reason.message });
    this.lease.end();
    this.viewStart = null;
    this.hasBegun = false;
    for (const lock of [...this.locks]) lock.lose(reason);
    const waiting = this.#closeLocks();
    this.effects.sends.clear();
    for (const request of waiting) this.#lock(request.name, request.permits).inherit(request);
  }

  /** This process is no member any more, by no decision of its own. */
  end(reason: Error): void {
    if (this.ended !== null) return;
    this.effects.log('ended', { why: reason.message });
    this.#giveUpAll(reason);
    this.effects.reports.push({ type: 'ended', reason });
  }

  #giveUpAll(reason: Error): void {
    for (const lock of [...this.locks]) lock.giveUp(reason);
    this.admission.end();
    this.ended = reason;
    this.locks.cancelTimers();
  }

  #timerFired(timer: Timer): void {
    if (timer.lock !== null) timer.lock.timerFired(timer);
    else if (timer === this.locks.sweepTimer) this.locks.sweep();
    else if (timer === this.locks.due.timer) this.locks.due.timerFired();
    else if (timer === this.admission.timer) this.admission.timerFired();
    else if (timer.name.startsWith('survey ')) this.#surveys.timerFired(timer);
    else {
      const name = this.engineEnvironment.expired(timer);
      if (name !== null) this.engine.timerFired(name);
    }
  }

  get view(): View | null {
    return this.viewStart?.view ?? null;
  }

  /** The members that a view waits for before it can begin. */
  viewWaitsFor(): readonly string[] {
    return [...new Set([...this.engine.waitsFor(), ...(this.viewStart?.missing ?? [])])];
  }

  waitsFor(lock: Lock): readonly string[] {
    const view = this.viewWaitsFor();
    const awaited = view.length > 0 ? view : (this.viewStart?.holdersOf(lock) ?? []);
    return awaited.length > 0 ? awaited : lock.sites.awaits().map((i) => this.members[i]!);
  }

  mayGrant(): boolean {
    return !this.lease.hasEnded(this);
  }

  tick(reentries: number): number {
    this.stats.granted++;
    this.clock = clockFor(this.clock + 1, this.index, this.size) + reentries * this.size;
    return this.clock - reentries * this.size;
  }

  isOpen(lock: LockName): boolean {
    if (!this.hasBegun || this.viewStart!.isLeftOver(lock)) return false;
    return lock.permits === 0 || this.sizes.of(lock.name) === lock.permits;
  }

  freed(lock: LockName): void {
    if (this.viewStart === null) return;
    this.tellAll({ type: 'FREED', ...aboutLock(lock, this.epoch) });
    this.viewStart.freed(this.self, lock);
  }

  send(lock: SendingLock, to: number, fromSlot: number, toSlot: number, message: AnyMessage): void {
    this.stats.messages++;
    const clock = ++this.clock;
    const name = this.members[to]!;
    this.effects.sends.push({ type: 'lock', to: name, lock, fromSlot, toSlot, clock, message });
  }

  timerIsDue(record: LockRecord): void {
    this.locks.due.add(record);
  }

  tell(message: Control, to: string): void {
    this.effects.sends.push({ type: 'member', to, message });
  }

  tellAll(message: Control, to: readonly string[] = this.#others()): void {
    for (const id of to) this.tell(message, id);
  }

  #others(): readonly string[] {
    return this.members.filter((id) => id !== this.self);
  }
}
