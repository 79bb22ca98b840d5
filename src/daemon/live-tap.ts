/**
 * The steps of a member's sites, lock by lock, for pages that watch them. While none does, the driver has no
 * observer. After MOST_STEPS of a second, of all members together, it has none either, until the next second of the
 * clock: all members then tell the same part of each second, and the rest costs nothing but is counted.
 */
import { performance } from 'node:perf_hooks';
import { clone } from '../core/plain.ts';
import type { GroupEvent } from '../group/events.ts';
import type { Lock } from '../group/lock.ts';
import type { LockAlgorithm } from '../group/lock-algorithm.ts';
import type { LockName } from '../group/membership.ts';
import type { GroupNode } from '../group/node.ts';
import type { Request } from '../group/request.ts';
import { hash, type LockSite } from '../group/sites.ts';
import type { GroupDriver, StepObserver } from '../member/driver.ts';
import type { LiveFrame, LiveSend, LiveStep, LiveSteps } from './live-protocol.ts';

export const MOST_STEPS = 600;
/** A step is told after at most so long. */
const FLUSH_MS = 50;

export interface LiveListener {
  frame(frame: LiveFrame): void;
  steps(steps: LiveSteps): void;
  /** Nothing more will come. */
  failed(error: Error): void;
}

const NONE_LEFT: LiveSteps['left'] = { entries: 0, messages: 0 };

type Phase = LiveStep['phase'];
const PHASES: { readonly [P in LockSite['phase']]: Phase } = {
  idle: 0,
  asking: 1,
  inside: 2,
  leaving: 2, // the caller has released, and the site still excludes others
};

export class LiveTap implements StepObserver {
  readonly #driver: GroupDriver;
  readonly #watched = new Map<string, WatchedLock>();
  #timer: NodeJS.Timeout | undefined;
  #second = 0;
  /** How many more steps this member may tell in this second. */
  #room = 0;
  /** What the member had counted when the room was used up. */
  #paused: { readonly granted: number; readonly messages: number } | null = null;

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
    }
    const { listeners } = watched;
    listeners.add(listener);
    watched.begin(listener);
    if (this.#paused === null) this.#driver.observer = this;
    this.#flush();
    this.#timer ??= setInterval(() => this.#flush(), FLUSH_MS);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#watched.delete(key);
      if (this.#watched.size === 0) this.#stop();
    };
  }

  /** The member must not suffer from what watches it: an error here ends the watching, and nothing else. */
  stepped(event: GroupEvent): void {
    try {
      for (const watched of this.#watched.values()) this.#room -= watched.stepped(event);
    } catch (error) {
      const all = [...this.#watched.values()].flatMap(({ listeners }) => [...listeners]);
      this.#watched.clear();
      this.#stop();
      for (const listener of all) listener.failed(error as Error);
    }
    if (this.#room <= 0) this.#pause();
  }

  #flush(): void {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) this.#resume();
    this.#second = second;
    for (const watched of this.#watched.values()) watched.flush();
  }

  #pause(): void {
    this.#driver.observer = null;
    const { granted, messages } = this.#driver.stats;
    this.#paused = { granted, messages };
  }

  /** A new second: the sites are as they are now, and what was left out is counted. */
  #resume(): void {
    this.#room = Math.ceil(MOST_STEPS / this.#driver.node.size);
    if (this.#paused === null) return;
    const { granted, messages } = this.#driver.stats;
    const left = {
      entries: granted - this.#paused.granted,
      messages: messages - this.#paused.messages,
    };
    this.#paused = null;
    this.#driver.observer = this;
    for (const watched of this.#watched.values()) watched.skip(left);
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#second = 0;
    this.#paused = null;
    this.#driver.observer = null;
  }
}

class WatchedLock {
  readonly listeners = new Set<LiveListener>();
  readonly #node: GroupNode;
  readonly #name: LockName;
  #epoch = 0;
  #phases: Phase[] = [];
  /** Requests whose grant has been told. */
  readonly #granted = new WeakSet<Request>();
  #steps: LiveStep[] = [];
  #left = NONE_LEFT;

  constructor(node: GroupNode, name: LockName) {
    this.#node = node;
    this.#name = name;
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
    listener.steps({ member: this.#node.self, epoch: this.#epoch, steps, left: NONE_LEFT });
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
    const rotation = hash(this.#name.name) % size;
    return ((index + size - rotation) % size) * this.#algorithm.slots + slot;
  }

  #frame(): LiveFrame {
    const { algorithm, machine, slots } = this.#algorithm;
    const { members, size } = this.#node;
    const { n, k, topology, options } = machine.site;
    const rotation = hash(this.#name.name) % size;
    return {
      ...this.#name,
      ...{ epoch: this.#epoch, algorithm: algorithm.id, nodes: n, k, topology, options },
      members: Array.from(
        { length: n },
        (_, site) => members[(Math.floor(site / slots) + rotation) % size]!,
      ),
    };
  }

  #firstStep(slot: number, phase: Phase): LiveStep {
    const now = this.#lock?.sites.all[slot];
    const site = this.#siteAt(slot);
    return {
      ...{ at: timeNow(), site, event: 'start', phase, enters: false, sends: [] },
      ...this.#told(site, now?.my ?? this.#idleState(slot)),
      grants: now === undefined ? [] : this.#grants(now),
    };
  }

  /** A lock that is not in use was put away, or is as at the beginning of the view. */
  #idleState(slot: number): unknown {
    const { name, permits } = this.#name;
    const record = permits === 0 ? this.#node.locks.record(name) : undefined;
    if (record !== undefined) return record.state;
    return this.#algorithm.machine.init(this.#siteAt(slot));
  }

  #told(site: number, state: unknown): { readonly tokens: number; readonly state: string } {
    const { algorithm, machine } = this.#algorithm;
    machine.site.begin(site);
    return {
      tokens: algorithm.tokens?.held(state, machine.site) ?? 0,
      state: JSON.stringify(state),
    };
  }

  /** Returns how many steps it has recorded. */
  stepped(event: GroupEvent): number {
    if (this.#node.epoch !== this.#epoch) {
      for (const listener of this.listeners) this.begin(listener);
      return 0;
    }
    const slotOfMessage = this.#slotOfMessage(event);
    const lock = this.#lock;
    if (lock === undefined) return 0;
    const before = this.#steps.length;
    for (const site of lock.sites.all) {
      const phase = PHASES[site.phase];
      const isAddressed = site.slot === slotOfMessage;
      const hasChanged = isAddressed || phase !== this.#phases[site.slot];
      if (!hasChanged && !this.#hasNews(site)) continue;
      this.#record(site, phase, isAddressed ? event : undefined, event);
    }
    return this.#steps.length - before;
  }

  /** Steps were left out: the sites are told as they are now. */
  skip(left: LiveSteps['left']): void {
    if (this.#node.view === null || this.#node.epoch !== this.#epoch) return;
    this.#left = left;
    this.#phases = this.#phases.map((_, slot) => PHASES[this.#phaseOf(slot)]);
    this.#steps.push(...this.#phases.map((phase, slot) => this.#firstStep(slot, phase)));
  }

  /** −1 where the event is no message for this lock. */
  #slotOfMessage(event: GroupEvent): number {
    if (event.type !== 'message' || event.message.type !== 'lock') return -1;
    const { name, permits, toSlot } = event.message;
    return name === this.#name.name && permits === this.#name.permits ? toSlot : -1;
  }

  /** Whether the step has granted through this site, or has sent from it. */
  #hasNews({ slot, holders }: LockSite): boolean {
    const { sends } = this.#node.effects;
    if (holders.some((request) => !this.#granted.has(request))) return true;
    for (let i = 0; i < sends.length; i++) {
      const send = sends.at(i);
      if (send.type === 'lock' && send.lock === this.#lock && send.fromSlot === slot) return true;
    }
    return false;
  }

  #record(
    site: LockSite,
    phase: Phase,
    message: GroupEvent | undefined,
    { type }: GroupEvent,
  ): void {
    const before = this.#phases[site.slot]!;
    this.#phases[site.slot] = phase;
    const number = this.#siteAt(site.slot);
    this.#steps.push({
      ...{ at: timeNow(), site: number, phase },
      event: message === undefined ? eventOf(type, before, phase) : 'deliver',
      ...this.#origin(message),
      // A site that waited and is idle has gone in and out within the step.
      enters: phase === 2 ? before !== 2 : before === 1 && phase === 0,
      ...this.#told(number, site.my),
      sends: this.#sends(site.slot),
      grants: this.#grants(site),
    });
  }

  #origin(event: GroupEvent | undefined): Pick<LiveStep, 'from' | 'id' | 'type'> {
    if (event?.type !== 'message' || event.message.type !== 'lock') return {};
    const { fromSlot, clock, message } = event.message;
    const member = this.#node.members.indexOf(event.from);
    const from = this.#lock!.sites.siteAt(fromSlot, member);
    return { from, id: clock, type: message.type };
  }

  #sends(slot: number): LiveSend[] {
    const { sends } = this.#node.effects;
    const own: LiveSend[] = [];
    for (let i = 0; i < sends.length; i++) {
      const send = sends.at(i);
      if (send.type !== 'lock' || send.lock !== this.#lock || send.fromSlot !== slot) continue;
      const to = this.#lock!.sites.siteAt(send.toSlot, this.#node.members.indexOf(send.to));
      own.push({ to, id: send.clock, message: clone(send.message) });
    }
    return own;
  }

  /** The callers that hold the lock through this site, and did not when it last stepped. */
  #grants({ holders }: LockSite): string[] {
    const fresh = holders.filter((request) => !this.#granted.has(request));
    for (const request of fresh) this.#granted.add(request);
    return fresh.map(({ clientId }) => clientId);
  }

  flush(): void {
    // A view may have begun and the lock not have stepped since.
    if (this.#node.view !== null && this.#node.epoch !== this.#epoch) {
      for (const listener of this.listeners) this.begin(listener);
    }
    this.#flushTo(this.listeners);
  }

  #flushTo(listeners: Iterable<LiveListener>): void {
    if (this.#steps.length === 0) return;
    const told: LiveSteps = {
      ...{ member: this.#node.self, epoch: this.#epoch, steps: this.#steps, left: this.#left },
    };
    this.#steps = [];
    this.#left = NONE_LEFT;
    for (const listener of listeners) listener.steps(told);
  }
}

const timeNow = (): number => performance.timeOrigin + performance.now();

function eventOf(type: GroupEvent['type'], before: Phase, after: Phase): LiveStep['event'] {
  if (before === 2 && after === 1) return 'again';
  if (before === 2 && after === 0) return 'exit';
  return type === 'request' && before === 0 ? 'request' : 'timer';
}
