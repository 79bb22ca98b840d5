/**
 * The algorithm's side of a lock at one member: one site for a lock, one site for each permit of a
 * semaphore. Sites request, enter and release; which callers of this process do so is lock.ts's matter.
 */
import type { Mode, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { EVERYONE, EVERYONE_IN_ORDER, type Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { clone, equal, type Plain } from '../core/plain.ts';
import type { Timer } from './effects.ts';
import type { Lock } from './lock.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { LockRecord } from './lock-record.ts';
import type { Membership } from './membership.ts';
import type { Request } from './request.ts';

/** One site of the algorithm, and the requests of this process that are inside through it. */
export interface LockSite {
  readonly slot: number;
  my: unknown;
  /** `leaving`: its last holder has released, and at the end of this turn the site releases or requests again. */
  phase: 'idle' | 'waiting' | 'inside' | 'leaving';
  mode: Mode;
  /** Only the functions of this file change the list. */
  holders: Request[];
  /** How many requests have been served since the site entered. */
  turns: number;
  /** The latest request of this member when the site entered. */
  lastOrder: number;
}

interface LocalMessage {
  readonly from: NodeId;
  readonly slot: number;
  readonly message: AnyMessage;
}

/** Most locks have none of these: they share one empty list. */
export const NONE: readonly never[] = [];

const NO_HOLDERS: Request[] = [];
Object.freeze(NO_HOLDERS);

/** Most sites have one holder at a time. An empty list to which it is pushed would make room for seventeen. */
export function addHolder(site: LockSite, request: Request): void {
  if (site.holders === NO_HOLDERS) site.holders = [request];
  else site.holders.push(request);
}

/** Returns the requests that were inside through the site. */
export function removeHolders(site: LockSite): readonly Request[] {
  const { holders } = site;
  site.holders = NO_HOLDERS;
  return holders;
}

const idleSite = (slot: number, my: unknown): LockSite => ({
  slot,
  my,
  phase: 'idle',
  mode: 'exclusive',
  holders: NO_HOLDERS,
  turns: 0,
  lastOrder: 0,
});

export class LockSites implements SiteSender {
  readonly all: readonly LockSite[];
  /** A site has entered, or has sent a message to another site of this member, since this was set to false. */
  hasProgressed = false;
  /** No site has done anything yet. */
  areUntouched: boolean;
  /** A message was sent to another member, or came from one: other members depend on the states of these sites. */
  haveCommunicated: boolean;
  /** Messages between sites of this member. */
  local: readonly LocalMessage[] = NONE;
  /** The algorithm's own timers that are set. */
  timers: readonly Timer[] = NONE;
  readonly #lock: Lock;
  readonly #membership: Membership;
  readonly #algorithm: LockAlgorithm;
  /** Each name numbers the members from another one, so that roots and first tokens are spread. */
  readonly rotation: number;

  /** As at the beginning of a view, or in the state that the only site was in. */
  constructor(lock: Lock, record: LockRecord | null) {
    const state = record?.state ?? null;
    this.#lock = lock;
    this.#membership = lock.membership;
    this.#algorithm = lock.algorithm;
    this.areUntouched = state === null;
    this.haveCommunicated = state !== null;
    this.rotation = record?.rotation ?? rotationOf(lock.name, lock.membership.size);
    const { slots, machine } = lock.algorithm;
    const siteOf = (slot: number) => idleSite(slot, machine.init(this.siteAt(slot)));
    if (state !== null) this.all = [idleSite(0, state)];
    else if (slots === 1) this.all = [siteOf(0)];
    else this.all = Array.from({ length: slots }, (_, slot) => siteOf(slot));
  }

  /** Of the only site of a lock. */
  get state(): Plain {
    return this.all[0]!.my as Plain;
  }

  siteAt(slot: number, member = this.#membership.index): NodeId {
    const { size } = this.#membership;
    return siteOf(member, this.rotation, size) * this.#algorithm.slots + slot;
  }

  get areInitial(): boolean {
    const { machine } = this.#algorithm;
    return this.all.every(({ my, slot }) => equal(my, machine.init(this.siteAt(slot))));
  }

  #memberOf(site: NodeId): number {
    const { size } = this.#membership;
    return (((site / this.#algorithm.slots) | 0) + this.rotation) % size;
  }

  start(): void {
    for (const site of this.all) {
      this.#algorithm.machine.start(this.siteAt(site.slot), site.my);
      this.#record(site);
    }
  }

  request(site: LockSite, mode: Mode): void {
    site.phase = 'waiting';
    site.mode = mode;
    this.#algorithm.machine.request(this.siteAt(site.slot), site.my, mode);
    this.#record(site);
  }

  /** Whether a request would be granted without a message to another member. */
  wouldEnter(site: LockSite, mode: Mode): boolean {
    const { machine } = this.#algorithm;
    machine.request(this.siteAt(site.slot), clone(site.my), mode);
    return machine.site.entered && machine.site.sends === 0;
  }

  /** Whether a request would concern the sites of this member only, or be granted before any other has answered. */
  wouldStayHere(site: LockSite, mode: Mode): boolean {
    const { machine, slots } = this.#algorithm;
    const states = this.all.map(({ my }) => clone(my));
    const local: { from: NodeId; to: NodeId; message: AnyMessage }[] = [];
    const me = this.siteAt(site.slot);
    let asksOthers = false;
    /** Records what a site has sent in a step. Returns whether the step has granted the request. */
    const grants = (from: NodeId): boolean => {
      const { entered, sends, to, messages, others } = machine.site;
      for (let i = 0; i < sends; i++) {
        for (const j of to[i] === EVERYONE ? others : [to[i]!]) {
          if (this.#memberOf(j) !== this.#membership.index) asksOthers = true;
          else local.push({ from, to: j, message: messages[i]! });
        }
      }
      return entered && from === me;
    };
    machine.request(me, states[site.slot], mode);
    let isGranted = grants(me);
    for (let next = local.shift(); !isGranted && next !== undefined; next = local.shift()) {
      machine.receive(next.to, states[next.to % slots], next.from, next.message);
      isGranted = grants(next.to);
    }
    return isGranted || !asksOthers;
  }

  release(site: LockSite): void {
    const { machine } = this.#algorithm;
    site.phase = 'idle';
    machine.release(this.siteAt(site.slot), site.my);
    this.#record(site);
    const { record } = this.#lock;
    if (record !== null && machine.isTimerDue(site.my)) this.#membership.timerIsDue(record);
  }

  /** Whether releasing and re-requesting in one step saves messages. */
  savesByRerequest({ my }: LockSite): boolean {
    return this.#algorithm.machine.savesByRerequest(my);
  }

  /** Whether another site waits for this one to release, as far as the algorithm knows. */
  isAwaited({ my }: LockSite): boolean {
    return this.#algorithm.machine.isAwaited(my);
  }

  /** Releases and re-requests in one step. */
  rerequest(site: LockSite, mode: Mode): void {
    site.phase = 'waiting';
    site.mode = mode;
    this.#algorithm.machine.rerequest(this.siteAt(site.slot), site.my, mode);
    this.#record(site);
  }

  /** Turns waiting exclusive requests into shared ones, if the algorithm can. */
  downgrade(): void {
    const { machine } = this.#algorithm;
    if (!machine.canDowngrade) return;
    for (const site of this.all) {
      if (site.phase !== 'waiting' || site.mode === 'shared') continue;
      site.mode = 'shared';
      machine.downgrade(this.siteAt(site.slot), site.my);
      this.#record(site);
    }
  }

  receive(from: NodeId, slot: number, message: AnyMessage): void {
    const site = this.all[slot]!;
    this.#algorithm.machine.receive(this.siteAt(slot), site.my, from, message);
    this.#record(site);
  }

  /** Delivers what the sites of this member have sent each other. */
  deliverLocal(): void {
    if (this.local.length === 0) return;
    const messages = this.local;
    this.local = NONE;
    for (const { from, slot, message } of messages) this.receive(from, slot, message);
  }

  timerFired(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
    const [slot, name] = timer.name.split(' ') as [string, string];
    const site = this.all[Number(slot)]!;
    this.#algorithm.machine.expire(this.siteAt(site.slot), site.my, name);
    this.#record(site);
  }

  /** Returns whether the request was inside through one of the sites. */
  removeHolder(request: Request): boolean {
    for (const { holders } of this.all) if (remove(request, holders)) return true;
    return false;
  }

  /** The sites are idle: lets these timers fire. Returns whether the sites have sent a message. */
  expireIdle(timers: readonly string[]): boolean {
    const { machine } = this.#algorithm;
    let hasSent = false;
    for (const site of this.all) {
      for (const name of timers) {
        machine.expire(this.siteAt(site.slot), site.my, name);
        hasSent ||= machine.site.sends > 0;
        this.#record(site);
      }
    }
    return hasSent;
  }

  get areIdle(): boolean {
    if (this.timers.length > 0) return false;
    for (const { phase } of this.all) if (phase !== 'idle') return false;
    return true;
  }

  cancelTimers(): void {
    for (const timer of this.timers) this.#lock.effects.timersCancelled.push(timer);
    this.timers = NONE;
  }

  /** The members whose answers a waiting site misses, where the algorithm knows. */
  awaits(): readonly number[] {
    const { algorithm, machine } = this.#algorithm;
    const waiting = this.all.find(({ phase }) => phase === 'waiting');
    if (waiting === undefined || algorithm.awaits === undefined) return [];
    machine.site.begin(this.siteAt(waiting.slot));
    const members = algorithm.awaits(waiting.my, machine.site).map((site) => this.#memberOf(site));
    return [...new Set(members)].filter((member) => member !== this.#membership.index);
  }

  /** The algorithm's step is over: records what it wants done. */
  #record(site: LockSite): void {
    const step = this.#algorithm.machine.site;
    this.areUntouched = false;
    if (step.sends > 0) sendAll(step, this, site.slot);
    for (const { name, ticks } of step.timers) this.#setTimer(site, name, ticks);
    if (!step.entered) return;
    assert(site.phase === 'waiting', 'enter answers a request');
    site.phase = 'inside';
    site.turns = 0;
    this.hasProgressed = true;
  }

  sendTo(to: NodeId, message: AnyMessage, fromSlot: number): void {
    const member = this.#memberOf(to);
    const toSlot = to % this.#algorithm.slots;
    if (member !== this.#membership.index) {
      this.haveCommunicated = true;
      this.#membership.send(this.#lock, member, fromSlot, toSlot, message);
    } else {
      this.local = [...this.local, { from: this.siteAt(fromSlot), slot: toSlot, message }];
      this.hasProgressed = true;
    }
  }

  /** Within a view no message is lost and no site dies: timers that suspect it need not fire. */
  #setTimer(site: LockSite, name: string, ticks: number): void {
    if (this.#algorithm.algorithm.timers![name]!.fires !== 'anytime') return;
    const { effects } = this.#lock;
    const id = `${site.slot} ${name}`;
    const earlier = this.timers.find((timer) => timer.name === id);
    if (earlier !== undefined) {
      effects.timersCancelled.push(earlier);
      this.timers = this.timers.filter((timer) => timer !== earlier);
    }
    if (ticks === 0) return;
    const timer: Timer = { lock: this.#lock, name: id, after: ticks, handle: undefined };
    this.timers = [...this.timers, timer];
    effects.timersSet.push(timer);
  }
}

/**
 * From which member on a name numbers the members. V8 keeps the remainder of a number beyond 2^31 as a floating-point number.
 * All numbers of sites would be such numbers, and every list of them would be converted. `| 0` makes it a small integer.
 */
export const rotationOf = (name: string, size: number): number => (hash(name) % size) | 0;

/** The place of a member among the sites of a lock. Each name numbers the members from another one. */
export const siteOf = (member: number, rotation: number, size: number): NodeId =>
  (member + size - rotation) % size;

/** Sends messages of one site to other sites of its lock. */
export interface SiteSender {
  sendTo(to: NodeId, message: AnyMessage, fromSlot: number): void;
}

/** Hands over what a step of the algorithm has sent, message by message. No closure: it runs for every message. */
export function sendAll(step: Machine['site'], sender: SiteSender, fromSlot: number): void {
  for (let i = 0; i < step.sends; i++) {
    const to = step.to[i]!;
    const message = step.messages[i]!;
    assert(to !== EVERYONE_IN_ORDER, 'rules refuse what needs an ordered medium');
    if (to !== EVERYONE) sender.sendTo(to, message, fromSlot);
    else for (const j of step.others) sender.sendTo(j, message, fromSlot);
  }
}

/** FNV-1a: the same at every member. */
export function hash(name: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** Returns whether the request was in the list. Nearly always it is the only one. */
function remove(request: Request, from: Request[]): boolean {
  const at = from.indexOf(request);
  if (at === -1) return false;
  if (at === from.length - 1) from.pop();
  else from.splice(at, 1);
  return true;
}
