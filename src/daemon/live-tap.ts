/**
 * The steps of a member's sites, lock by lock, for pages that watch them. While none does, the driver has no
 * observer. After MOST_STEPS of a second, of all members together, it has none either, until the next second of the
 * clock: all members then tell the same part of each second, and the rest costs nothing but is counted.
 */
import { performance } from 'node:perf_hooks';
import type { GroupEvent } from '../group/events.ts';
import type { Lock } from '../group/lock.ts';
import type { LockAlgorithm } from '../group/lock-algorithm.ts';
import type { LockName } from '../group/membership.ts';
import type { GroupNode } from '../group/node.ts';
import { type LockSite, rotationOf } from '../group/sites.ts';
import type { GroupDriver, StepObserver } from '../member/driver.ts';
import type { LiveFrame, LiveSend, LiveStep, LiveSteps } from './live-protocol.ts';

export const MOST_STEPS = 2_000;
/** The room that an event of a watched lock takes of which nothing is told: looking at it costs something, too. */
const UNTOLD = 0.1;
/** A step is told after at most so long. */
const FLUSH_MS = 50;

export interface LiveListener {
  frame(frame: LiveFrame): void;
  /** A `LiveSteps` as JSON: it is written once, for however many pages watch. */
  steps(json: string): void;
  /** Nothing more will come. */
  failed(error: Error): void;
}

const NONE_LEFT: LiveSteps['left'] = { entries: 0 };

type Phase = LiveStep['phase'];
const PHASES: { readonly [P in LockSite['phase']]: Phase } = {
  idle: 0,
  waiting: 1,
  inside: 2,
  leaving: 2, // the caller has released, and the site still excludes others
};

export class LiveTap implements StepObserver {
  readonly #driver: GroupDriver;
  readonly #watched = new Map<string, WatchedLock>();
  /** The same, for the loop of every step. */
  #all: readonly WatchedLock[] = [];
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  /** How many more steps this member may tell in this second. */
  #room = 0;
  /** The room is used up. */
  #isPaused = false;

  constructor(driver: GroupDriver) {
    this.#driver = driver;
  }

  /** Tells the listener of every step of the lock's sites here, until the returned function is called. */
  watch({ name, permits }: LockName, listener: LiveListener): () => void {
    const key = `${permits} ${name}`;
    let watched = this.#watched.get(key);
    if (watched === undefined) {
      watched = new WatchedLock(this.#driver.node, { name, permits });
      this.#watched.set(key, watched);
      this.#all = [...this.#watched.values()];
    }
    const { listeners } = watched;
    listeners.add(listener);
    watched.begin(listener);
    if (!this.#isPaused) this.#driver.observer = this;
    else watched.pause();
    this.#flush();
    this.#timer ??= setInterval(() => this.#flush(), FLUSH_MS);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#watched.delete(key);
      this.#all = [...this.#watched.values()];
      if (this.#all.length === 0) this.#stop();
    };
  }

  /**
   * A step of another lock ends with the comparison of two names. The member must not suffer from what watches it: an
   * error here ends the watching, and nothing else.
   */
  stepped(event: GroupEvent): void {
    const of = lockOf(event);
    try {
      for (let i = 0; i < this.#all.length; i++) {
        const watched = this.#all[i]!;
        if (of === null || watched.is(of)) this.#room -= watched.stepped(event);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#room <= 0) this.#pause();
  }

  #fail(error: Error): void {
    const all = this.#all.flatMap(({ listeners }) => [...listeners]);
    this.#watched.clear();
    this.#all = [];
    this.#stop();
    for (const listener of all) listener.failed(error);
  }

  #flush(): void {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) this.#resume();
    this.#second = second;
    for (const watched of this.#all) watched.flush();
  }

  #pause(): void {
    this.#driver.observer = null;
    this.#isPaused = true;
    for (const watched of this.#all) watched.pause();
  }

  /** A new second: the sites are as they are now, and what was left out is counted. */
  #resume(): void {
    this.#room = Math.ceil(MOST_STEPS / this.#driver.node.size);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#driver.observer = this;
    for (const watched of this.#all) watched.resume();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#second = 0;
    this.#isPaused = false;
    this.#driver.observer = null;
  }
}

/** The lock that an event concerns; null where it may concern any. */
function lockOf(event: GroupEvent): LockName | null {
  switch (event.type) {
    case 'request':
    case 'release':
      return event.request;
    case 'message':
      return event.message.type === 'lock' ? event.message : null;
    case 'timer':
      return event.timer.lock;
    default:
      return null;
  }
}

class WatchedLock {
  readonly listeners = new Set<LiveListener>();
  readonly #node: GroupNode;
  readonly #name: LockName;
  #epoch = 0;
  #phases: Phase[] = [];
  /** Steps that have not been told, each as JSON: a state changes with the next step, and text does not. */
  #steps: string[] = [];
  #left = NONE_LEFT;
  #isPaused = false;
  /** How many requests this member had made for the lock when the limit was reached. */
  #atPause: { readonly lock: Lock; readonly asks: number } | null = null;
  /** When steps were first left out; undefined once that has been told. */
  #pausedAt: number | undefined;

  constructor(node: GroupNode, name: LockName) {
    this.#node = node;
    this.#name = name;
  }

  is({ name, permits }: LockName): boolean {
    return name === this.#name.name && permits === this.#name.permits;
  }

  /** The frame, and the states of the sites as they are. */
  begin(listener: LiveListener): void {
    this.#flushTo(this.listeners);
    if (this.#node.view === null) return;
    this.#epoch = this.#node.epoch;
    const { slots } = this.#algorithm;
    this.#phases = Array.from({ length: slots }, (_, slot) => PHASES[this.#phaseOf(slot)]);
    listener.frame(this.#frame());
    const steps = this.#phases.map((phase, slot) => this.#firstStep(slot, phase));
    listener.steps(this.#told(steps, NONE_LEFT));
    // The states that were just told are of this moment, and the steps that follow them are left out.
    if (this.#isPaused) this.#pausedAt = timeNow();
  }

  /** The limit is reached: steps are left out from now on. */
  pause(): void {
    this.#isPaused = true;
    this.#pausedAt = timeNow();
    const lock = this.#lock;
    this.#atPause = lock === undefined ? null : { lock, asks: lock.asks };
  }

  get #algorithm(): LockAlgorithm {
    return this.#node.algorithmOf(this.#name.name, this.#name.permits);
  }

  get #lock(): Lock | undefined {
    return this.#node.locks.inUse(this.#name.name, this.#name.permits);
  }

  #phaseOf(slot: number): LockSite['phase'] {
    return this.#lock?.sites.all[slot]?.phase ?? 'idle';
  }

  #siteAt(slot: number): number {
    const { index, size } = this.#node;
    const rotation = rotationOf(this.#name.name, size);
    return ((index + size - rotation) % size) * this.#algorithm.slots + slot;
  }

  #frame(): LiveFrame {
    const { algorithm, machine, slots } = this.#algorithm;
    const { members, size } = this.#node;
    const { n, k, topology, options } = machine.site;
    const rotation = rotationOf(this.#name.name, size);
    return {
      ...this.#name,
      ...{ epoch: this.#epoch, algorithm: algorithm.id, nodes: n, k, topology, options },
      members: Array.from(
        { length: n },
        (_, site) => members[(Math.floor(site / slots) + rotation) % size]!,
      ),
    };
  }

  #firstStep(slot: number, phase: Phase): string {
    const now = this.#lock?.sites.all[slot];
    const site = this.#siteAt(slot);
    const state = now?.my ?? this.#idleState(slot);
    return textOf({
      ...{ at: timeNow(), site, event: 'start', phase, enters: false },
      tokens: this.#tokens(this.#algorithm, site, state),
      ...{ state, sends: [], grants: now?.holders.map(({ clientId }) => clientId) ?? [] },
    });
  }

  /** A lock that is not in use was put away, or is as at the beginning of the view. */
  #idleState(slot: number): unknown {
    const { name, permits } = this.#name;
    const record = permits === 0 ? this.#node.locks.record(name) : undefined;
    if (record !== undefined) return record.state;
    return this.#algorithm.machine.init(this.#siteAt(slot));
  }

  #tokens({ algorithm, machine }: LockAlgorithm, site: number, state: unknown): number {
    if (algorithm.tokens === undefined) return 0;
    machine.site.begin(site);
    return algorithm.tokens.held(state, machine.site);
  }

  /** Returns how much of the room it has used. */
  stepped(event: GroupEvent): number {
    if (this.#node.epoch !== this.#epoch) {
      for (const listener of this.listeners) this.begin(listener);
      return 0;
    }
    const lock = this.#lock;
    if (lock === undefined) return 0;
    const slotOfMessage = this.#slotOfMessage(event);
    const before = this.#steps.length;
    for (const site of lock.sites.all) {
      const phase = PHASES[site.phase];
      const isAddressed = site.slot === slotOfMessage;
      const hasChanged = isAddressed || phase !== this.#phases[site.slot];
      if (hasChanged || this.#hasSent(lock, site)) {
        this.#record(lock, site, phase, event, isAddressed);
      } else if (phase === 2) {
        // The next caller of a turn: the algorithm takes no step, and the site stays inside.
        const entries = this.#left.entries + this.#grants(site).length;
        if (entries > this.#left.entries) this.#left = { entries };
      }
    }
    return Math.max(UNTOLD, this.#steps.length - before);
  }

  /** Steps were left out: the sites are told as they are now, with the number of requests that came meanwhile. */
  resume(): void {
    this.#isPaused = false;
    if (this.#node.view === null || this.#node.epoch !== this.#epoch) return;
    const lock = this.#lock;
    // A lock that was put away and is in use again counts from 0.
    const before = lock === this.#atPause?.lock ? this.#atPause!.asks : 0;
    this.#left = { entries: this.#left.entries + (lock?.asks ?? 0) - before };
    this.#atPause = null;
    this.#phases = this.#phases.map((_, slot) => PHASES[this.#phaseOf(slot)]);
    this.#steps.push(...this.#phases.map((phase, slot) => this.#firstStep(slot, phase)));
  }

  /** −1 where the event is no message for this lock. */
  #slotOfMessage(event: GroupEvent): number {
    if (event.type !== 'message' || event.message.type !== 'lock') return -1;
    return this.is(event.message) ? event.message.toSlot : -1;
  }

  #hasSent(lock: Lock, { slot }: LockSite): boolean {
    const { sends } = this.#node.effects;
    for (let i = 0; i < sends.length; i++) {
      const send = sends.at(i);
      if (send.type === 'lock' && send.lock === lock && send.fromSlot === slot) return true;
    }
    return false;
  }

  #record(lock: Lock, site: LockSite, phase: Phase, event: GroupEvent, isAddressed: boolean): void {
    const before = this.#phases[site.slot]!;
    this.#phases[site.slot] = phase;
    const number = lock.sites.siteAt(site.slot);
    const origin = isAddressed ? this.#origin(lock, event) : undefined;
    this.#steps.push(
      // One literal, and no part that is spread into it: this is done thousands of times a second.
      textOf({
        at: timeNow(),
        site: number,
        event: isAddressed ? 'deliver' : eventOf(event.type, before, phase),
        from: origin?.from,
        id: origin?.id,
        type: origin?.type,
        phase,
        // A site that waited and is idle has gone in and out within the step.
        enters: phase === 2 ? before !== 2 : before === 1 && phase === 0,
        tokens: this.#tokens(lock.algorithm, number, site.my),
        state: site.my,
        sends: this.#sends(lock, site.slot),
        grants: this.#grants(site),
      }),
    );
  }

  #origin(lock: Lock, event: GroupEvent): Pick<LiveStep, 'from' | 'id' | 'type'> {
    if (event.type !== 'message' || event.message.type !== 'lock') return {};
    const { fromSlot, clock, message } = event.message;
    const from = lock.sites.siteAt(fromSlot, this.#node.members.indexOf(event.from));
    return { from, id: clock, type: message.type };
  }

  #sends(lock: Lock, slot: number): LiveSend[] {
    const { sends } = this.#node.effects;
    const own: LiveSend[] = [];
    for (let i = 0; i < sends.length; i++) {
      const send = sends.at(i);
      if (send.type !== 'lock' || send.lock !== lock || send.fromSlot !== slot) continue;
      const to = lock.sites.siteAt(send.toSlot, this.#node.members.indexOf(send.to));
      own.push({ to, id: send.clock, message: send.message });
    }
    return own;
  }

  /** The callers that the step has granted the lock through this site. */
  #grants({ holders }: LockSite): string[] {
    const { outcomes } = this.#node.effects;
    const clients: string[] = [];
    for (let i = 0; i < outcomes.length; i++) {
      const { type, request } = outcomes.at(i);
      if (type === 'granted' && holders.includes(request)) clients.push(request.clientId);
    }
    return clients;
  }

  flush(): void {
    // A view may have begun and the lock not have stepped since.
    if (this.#node.view !== null && this.#node.epoch !== this.#epoch) {
      for (const listener of this.listeners) this.begin(listener);
    }
    this.#flushTo(this.listeners);
  }

  #flushTo(listeners: Iterable<LiveListener>): void {
    const isNew = this.#left !== NONE_LEFT || this.#pausedAt !== undefined;
    if (this.#steps.length === 0 && !isNew) return;
    const told = this.#told(this.#steps, this.#left, this.#pausedAt);
    this.#steps = [];
    this.#left = NONE_LEFT;
    this.#pausedAt = undefined;
    for (const listener of listeners) listener.steps(told);
  }

  /** A `LiveSteps`, around steps that are text already. */
  #told(steps: readonly string[], left: LiveSteps['left'], pausedAt?: number): string {
    const head = JSON.stringify({ member: this.#node.self, epoch: this.#epoch, left, pausedAt });
    return `${head.slice(0, -1)},"steps":[${steps.join(',')}]}`;
  }
}

const textOf = (step: LiveStep): string => JSON.stringify(step);
const timeNow = (): number => performance.timeOrigin + performance.now();

function eventOf(type: GroupEvent['type'], before: Phase, after: Phase): LiveStep['event'] {
  if (before === 2 && after === 1) return 'rerequest';
  if (before === 2 && after === 0) return 'exit';
  return type === 'request' && before === 0 ? 'request' : 'timer';
}
