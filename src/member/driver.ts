/**
 * Drives a member: turns what happens outside into events, and carries out what the steps have recorded.
 * To the lock API it is the backend; the sessions with the other members bring it bytes.
 *
 * Messages leave first, so that no other member waits for a caller of this one. Then the callers are told.
 * A caller may request or release while it is being told: that step runs at once, and its effects are
 * carried out after all earlier effects.
 */
import { Malformed, type Reader } from '../core/wire.ts';
import type {
  Fence,
  Loan,
  LockBackend,
  RequestHandle,
  RequestListener,
  RequestSpec,
  Survey,
} from '../group/backend.ts';
import { decode, Encoder } from '../group/codec.ts';
import type { LogDetails, Outcome, Report, Timer } from '../group/effects.ts';
import type { EngineStatus } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import type { GroupEvent } from '../group/events.ts';
import type { GroupNode } from '../group/node.ts';
import type { RegisterOperation } from '../group/register.ts';
import { Request, type RequestDriver } from '../group/request.ts';
import type { Contact, Member, View } from '../group/view.ts';

/** What a member needs of its process. */
export interface Environment {
  /** Sends the first so many bytes to a member, copied. */
  send(to: string, bytes: Uint8Array, length: number): void;
  /** The messages of `send` should not wait for the end of the turn, because another member waits for them. */
  urgently(send: () => void): void;
  /** Milliseconds since 1970, and milliseconds on a clock that never goes back. */
  now(): number;
  readonly monotonic: () => number;
  /** Calls back after so many milliseconds; returns how to cancel that. */
  later(ms: number, callback: () => void): () => void;
  /** Calls back once the process has read what has arrived. */
  soon(callback: () => void): void;
  /** Calls back when all callbacks that are queued in this turn of the event loop have run. */
  atEndOfTurn(callback: () => void): void;
  log(event: string, details: LogDetails): void;
  isConnected(peer: string): boolean;
  /** Closes the connection of a peer that has broken the protocol. */
  reject(peer: string, why: string): void;
  /** Keeps a session with each of these processes, and with no others. */
  reach(contacts: readonly Contact[]): void;
  /** Asks the engine's register; the answer goes to `GroupDriver.step`. */
  call(call: number, operation: RegisterOperation): void;
}

/** Hears of every step of a member, after the step and before its effects are carried out. It must change nothing. */
export interface StepObserver {
  stepped(event: GroupEvent): void;
}

/** A machine takes far longer to suspend and to resume, and the monotonic clock shows that time. */
const MOMENT_MS = 0.1;

export class GroupDriver implements LockBackend {
  readonly clientId: string;
  readonly node: GroupNode;
  readonly monotonic: () => number;
  /** Called once, if the process stops being a member by no decision of its own. */
  onEnd: ((reason: Error) => void) | null = null;
  readonly #environment: Environment;
  readonly #encoder: Encoder;
  readonly #queries = new Map<number, (survey: Survey) => void>();
  #lastQuery = 0;
  #isCarryingOut = false;
  /** Until then, on the monotonic clock, the clocks need not be read again: the lease does not end before. */
  #clocksHoldUntil = Number.NEGATIVE_INFINITY;
  #observer: StepObserver | null = null;

  constructor(node: GroupNode, environment: Environment) {
    this.node = node;
    this.clientId = node.self;
    this.monotonic = environment.monotonic;
    this.#environment = environment;
    this.#encoder = new Encoder(node.engineWire);
  }

  /** Set only while a page watches: without it a step costs one comparison more. */
  get observer(): StepObserver | null {
    return this.#observer;
  }

  set observer(observer: StepObserver | null) {
    this.#observer = observer;
    this.node.isObserved = observer !== null;
  }

  get stats(): GroupNode['stats'] {
    return this.node.stats;
  }

  get view(): View | null {
    return this.node.view;
  }

  /** The members that a view waits for before it can begin. */
  waitsFor(): readonly string[] {
    return this.node.viewWaitsFor();
  }

  /** Whether the engine waits for something, as for the store to know that this process leaves. */
  get isEngineBusy(): boolean {
    return this.node.engineEnvironment.timers.size > 0;
  }

  start(): void {
    this.step({ type: 'start' });
  }

  request(spec: RequestSpec, listener: RequestListener, at?: number): RequestHandle {
    return this.requestFor(this.clientId, spec, listener, at);
  }

  /** The same, for a caller that a survey lists under another name. */
  requestFor(
    clientId: string,
    spec: RequestSpec,
    listener: RequestListener,
    at?: number,
  ): RequestHandle {
    const request = new Request(spec, clientId, listener, this.#ofRequests);
    this.#readClocks(at);
    this.#take({ type: 'request', request });
    return request;
  }

  /**
   * Sets both clocks of the member, unless they were set a moment ago. `at` is what the caller has just read on the
   * monotonic clock.
   *
   * Reading a clock takes as long as a short step, so the wall clock is read at most once in `MOMENT_MS`. Only the wall
   * clock shows for how long the machine was suspended. The monotonic clock shows at least the milliseconds that the
   * machine takes to suspend and to resume, so the first step after that reads the wall clock.
   */
  #readClocks(at = this.#environment.monotonic()): void {
    if (at < this.#clocksHoldUntil) return;
    const { node } = this;
    node.now = this.#environment.now();
    node.monotonic = Math.max(node.monotonic, at);
    this.#holdClocks();
  }

  /** Both clocks have just been set. */
  #holdClocks(): void {
    const { monotonic, now, lease } = this.node;
    const left = Math.min(MOMENT_MS, lease.deadline - monotonic, lease.deadlineClock - now);
    this.#clocksHoldUntil = monotonic + left;
  }

  readonly #ofRequests: RequestDriver = {
    release: (request, at) => this.#release(request, at),
    inUse: (request, reentries) => this.step({ type: 'inUse', request, reentries }),
  };

  #release(request: Request, at: number | undefined): void {
    this.#readClocks(at);
    this.#take({ type: 'release', request });
  }

  engineStatus(): EngineStatus {
    this.node.now = this.#environment.now();
    this.node.monotonic = this.#environment.monotonic();
    return this.node.engine.status();
  }

  /** How long this member may act from now on; 0 while it may not, null if nothing ends its right. */
  leaseLeftMs(): number | null {
    const { lease, view } = this.node;
    if (!lease.isLimited) return null;
    const { deadline, deadlineClock } = lease;
    const left = Math.min(
      deadline - this.#environment.monotonic(),
      deadlineClock - this.#environment.now(),
    );
    return view === null ? 0 : Math.max(0, left);
  }

  checkDeadline(at = this.#environment.monotonic()): void {
    const { node } = this;
    if (at < this.#clocksHoldUntil || !node.lease.isLimited) return;
    this.#readClocks(at);
    if (node.lease.hasEnded(node)) this.step({ type: 'clock' });
  }

  query(): Promise<Survey> {
    const query = ++this.#lastQuery;
    return new Promise((resolve) => {
      this.#queries.set(query, resolve);
      this.step({ type: 'query', query });
    });
  }

  unreachableFor(name: string, permits: number): readonly string[] {
    const { node } = this;
    const isThere = (id: string) => id === node.self || this.#environment.isConnected(id);
    // Nearly always, and under overload for thousands of requests at once.
    if (node.hasBegun && node.members.every(isThere)) return [];
    const lock = node.locks.inUse(name, permits);
    const awaited = lock === undefined ? this.waitsFor() : node.waitsFor(lock);
    return awaited.filter((id) => !this.#environment.isConnected(id));
  }

  /** Releases and cancels everything, and tells the other members that this one leaves. */
  leave(reason: Error): void {
    this.step({ type: 'leave', reason });
  }

  end(reason: Error): void {
    this.step({ type: 'end', reason });
  }

  // What the sessions bring.

  begins(peer: Member): void {
    this.step({ type: 'session', peer });
  }

  /** A congestion begins while messages are being sent. That step only takes note of it, and has no effects. */
  congestion(peer: string, isCongested: boolean): void {
    if (isCongested) this.node.step({ type: 'congestion', peer, isCongested });
    else this.step({ type: 'congestion', peer, isCongested });
  }

  receive(from: string, payload: Reader): void {
    const { node } = this;
    try {
      const message = decode(payload, node);
      node.now = this.#environment.now();
      // Messages of locks are by far the most, and need this clock only under a lease.
      if (message.type !== 'lock' || node.lease.isLimited) {
        node.monotonic = this.#environment.monotonic();
      }
      // What the engine does with the message may change the lease.
      if (message.type !== 'lock') this.#clocksHoldUntil = Number.NEGATIVE_INFINITY;
      this.#take({ type: 'message', from, message });
    } catch (error) {
      if (error instanceof Malformed) this.step({ type: 'malformed', from, why: error.message });
      else {
        // The peer has broken the protocol, or we have a defect: what the locks mean is no longer known.
        this.end(new NotMemberError(`a message from ${from} broke the protocol`, { cause: error }));
      }
    }
  }

  step(event: GroupEvent): void {
    const { node } = this;
    node.now = this.#environment.now();
    node.monotonic = this.#environment.monotonic();
    // The step may change the lease.
    this.#clocksHoldUntil = Number.NEGATIVE_INFINITY;
    this.#take(event);
    this.#holdClocks();
  }

  #take(event: GroupEvent): void {
    this.node.step(event);
    if (this.#observer !== null) this.#observer.stepped(event);
    this.#carryOut();
  }

  #carryOut(): void {
    const { effects } = this.node;
    if (effects.sends.length > 0) {
      if (effects.isUrgent) this.#environment.urgently(this.#sendAll);
      else this.#sendAll();
    }
    effects.isUrgent = false;
    // What is told below may cause more steps: they add to the same lists.
    if (this.#isCarryingOut) return;
    while (!effects.areOnlySends) {
      this.#isCarryingOut = true;
      try {
        this.#carryOutAll();
      } finally {
        this.#isCarryingOut = false;
      }
    }
  }

  #carryOutAll(): void {
    const { outcomes, timersCancelled, timersSet, reports } = this.node.effects;
    for (let i = 0; i < timersCancelled.length; i++) cancel(timersCancelled.at(i));
    timersCancelled.clear();
    for (let i = 0; i < timersSet.length; i++) this.#set(timersSet.at(i));
    timersSet.clear();
    for (let i = 0; i < outcomes.length; i++) tell(outcomes.at(i));
    outcomes.clear();
    for (let i = 0; i < reports.length; i++) this.#report(reports.at(i));
    reports.clear();
  }

  readonly #sendAll = (): void => {
    const { sends } = this.node.effects;
    for (let i = 0; i < sends.length; i++) {
      const send = sends.at(i);
      const length = this.#encoder.encode(send);
      this.#environment.send(send.to, this.#encoder.bytes, length);
    }
    sends.clear();
  };

  #set(timer: Timer): void {
    const fire = () => {
      timer.handle = undefined;
      this.step({ type: 'timer', timer });
    };
    const { after } = timer;
    if (after === 'turn') this.#environment.atEndOfTurn(fire);
    else if (after === 'soon') this.#environment.soon(fire);
    else timer.handle = this.#environment.later(after, fire);
  }

  #report(report: Report): void {
    if (report.type === 'log') this.#environment.log(report.event, report.details);
    else if (report.type === 'reject') this.#environment.reject(report.peer, report.why);
    else if (report.type === 'call') this.#environment.call(report.call, report.operation);
    else if (report.type === 'reach') this.#environment.reach(report.contacts);
    else if (report.type === 'ended') this.onEnd?.(report.reason);
    else {
      this.#queries.get(report.query)?.(report.survey);
      this.#queries.delete(report.query);
    }
  }
}

function tell(outcome: Outcome): void {
  const listener = outcome.request.caller as RequestListener;
  switch (outcome.type) {
    case 'granted':
      listener.granted(outcome.request as Fence, loanOf(outcome.request));
      break;
    case 'wanted':
      listener.wanted?.();
      break;
    case 'refused':
      listener.busy();
      break;
    case 'failed':
      listener.failed(outcome.error);
      break;
    case 'lost':
      listener.lost(outcome.error);
  }
}

const loanOf = ({ reentries, step }: Request): Loan | undefined =>
  step > 0 ? { reentries, step } : undefined;

function cancel(timer: Timer): void {
  (timer.handle as (() => void) | undefined)?.();
  timer.handle = undefined;
}
