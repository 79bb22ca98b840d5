/**
 * One lock at one member: the callers in this process that share it, and the sites through which they ask
 * the group (sites.ts). Whoever calls here first is served first; while the member is inside, a few of its
 * callers may follow one another (`turns`), so that a busy process does not keep the others out.
 */
import type { Mode, NodeId } from '../core/algorithm.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import { Asking } from './asking.ts';
import { Breath } from './breath.ts';
import { StolenError } from './errors.ts';
import type { Correspondent, Home } from './home.ts';
import type { Kind } from './kind.ts';
import { Leaving } from './leaving.ts';
import { type Keeper, lose, Queue, type Request, remove } from './request.ts';
import { type Entrance, Sites } from './sites.ts';
import { Tries, type Watch } from './tries.ts';

export class Instance implements Keeper, Correspondent {
  readonly name: string;
  readonly permits: number;
  readonly kind: Kind;
  readonly sites: Sites;
  readonly queue = new Queue();
  /** Held since an earlier view: the group waits for them. */
  readonly leftover: Request[] = [];
  address: Uint8Array | null = null;
  /** Whether anything happened since the last look. */
  isFresh = true;
  readonly #home: Home;
  readonly #tries: Tries;
  readonly #breath: Breath;
  readonly #asking: Asking;
  readonly #leaving: Leaving;
  #asked = 0;
  #waiting = 0;
  #thieves: Set<string> | null = null;
  #isOver = false;
  #isPumping = false;
  #again = false;

  constructor(home: Home, kind: Kind, name: string, permits: number, states: Plain[] | null) {
    this.#home = home;
    this.kind = kind;
    this.name = name;
    this.permits = permits;
    this.sites = new Sites(home, kind, this, states);
    this.sites.onTimer = () => this.pump();
    this.#tries = new Tries(this, home);
    this.#breath = new Breath(home, () => this.pump());
    this.#asking = new Asking(this.sites, this.#tries, this.#breath);
    this.#leaving = new Leaving(this.sites, home, this.#next, () => this.pump());
  }

  /** The algorithm begins here, where it has something to begin with. */
  start(): void {
    if (this.kind.machine.hasStart) this.sites.start();
    this.pump();
  }

  ask(request: Request): void {
    this.isFresh = true;
    this.#enqueue(request);
    if (request.how === 'steal') this.#rob(new StolenError(this.name, request.clientId));
    this.pump();
  }

  /** Another member's site sends; all that it says of itself has been checked. */
  receive(from: NodeId, toSlot: number, message: AnyMessage): void {
    this.isFresh = true;
    this.#breath.heard();
    this.sites.receive(from, toSlot, message);
    this.pump();
  }

  returned(request: Request): void {
    this.isFresh = true;
    for (const { holders } of this.sites.entrances) {
      if (!remove(request, holders)) continue;
      this.pump();
      return;
    }
    this.leftover.splice(this.leftover.indexOf(request), 1);
    this.#home.freed(this);
  }

  cancelled(request: Request): void {
    this.#unqueue(request);
    this.#giveWay();
    this.pump();
  }

  /** What the algorithm was asked cannot be unasked; but it need not keep readers waiting. */
  #giveWay(): void {
    if (this.#waiting === 0 && this.permits === 0 && !this.#isOver) this.sites.settle();
  }

  // From view to view.

  /** Its view is over: it does nothing more. What it was asked for is its successor's. */
  close(): Request[] {
    this.sites.stopTimers();
    this.#tries.end();
    this.#leaving.isOver = true;
    this.#isOver = true;
    return [...this.held(), ...this.queue];
  }

  /** Takes over a request of the last view, as it was. */
  inherit(request: Request): void {
    request.keeper = this;
    request.isAnnounced = false;
    if (request.stage === 'held') this.leftover.push(request);
    else this.#enqueue(request);
  }

  /** This process is no member any more: whoever holds it has lost it, whoever waits waits in vain. */
  giveUp(reason: Error): void {
    // Those who wait first: what the others give back must not be granted to them.
    for (const request of this.queue) {
      this.#unqueue(request);
      request.stage = 'over';
      request.caller.failed(reason);
    }
    this.#rob(reason);
    this.pump();
  }

  /** Nothing under way: what is left to keep is the states of its sites. */
  get isIdle(): boolean {
    const isFree = this.#waiting === 0 && this.leftover.length === 0 && this.#thieves === null;
    return isFree && this.sites.areIdle;
  }

  held(): Request[] {
    return [...this.leftover, ...this.sites.entrances.flatMap(({ holders }) => holders)];
  }

  // Stealing: whoever holds it drops it, and whoever gets in steps aside until the thief has it.

  stealFor(thief: string): void {
    this.isFresh = true;
    this.#thieves ??= new Set();
    this.#thieves.add(thief);
    this.#rob(new StolenError(this.name, thief));
    this.pump();
  }

  stolenBy(thief: string): void {
    this.#thieves?.delete(thief);
    if (this.#thieves?.size === 0) this.#thieves = null;
    this.pump();
  }

  /** Unless it is served here and now, the others must hear of it. */
  #announceThief(): void {
    const head = this.queue.first!;
    if (head.how !== 'steal' || head.isAnnounced || !this.#home.hasBegun) return;
    head.isAnnounced = true;
    this.#home.tell('STEAL', this);
  }

  #isBarred({ how }: Request): boolean {
    return this.#thieves !== null && how !== 'steal';
  }

  #rob(reason: Error): void {
    for (const { holders } of this.sites.entrances) {
      for (const request of holders.splice(0)) lose(request, reason);
    }
    for (const request of this.leftover.splice(0)) {
      lose(request, reason);
      this.#home.freed(this);
    }
  }

  // Trying: see tries.ts.

  probed(member: string, watch: Watch): void {
    this.isFresh = true;
    this.#tries.watched(member, watch);
  }

  heldBy(member: string, probe: number, count: number): void {
    this.#tries.heard(member, probe, count);
  }

  /** Someone else has what a caller here wanted at once. */
  refuse(request: Request): void {
    this.#unqueue(request);
    this.#giveWay();
    request.stage = 'over';
    request.caller.busy();
    this.pump();
  }

  /** How many callers here hold it, in a way that keeps out who wants that mode. */
  holding(mode: Mode): number {
    let count = this.leftover.length;
    for (const { holders } of this.sites.entrances) {
      if (this.permits > 0 || mode === 'exclusive' || holders[0]?.mode === 'exclusive') {
        count += holders.length;
      }
    }
    return count;
  }

  // Serving.

  /** Does what there is to do, until there is nothing more. */
  pump(): void {
    this.#again = true;
    // A caller may give back at once, from within `granted`: the loop below gets to it.
    if (this.#isPumping || this.#isOver) return;
    this.#isPumping = true;
    const { sites } = this;
    while (this.#again || sites.isStirred) {
      this.#again = false;
      sites.isStirred = false;
      sites.deliver();
      for (const entrance of sites.entrances) {
        if (entrance.phase === 'inside') this.#serve(entrance);
      }
      if (this.#waiting === 0) continue;
      this.#announceThief();
      const first = this.queue.first!;
      const mayAsk = this.#home.isOpen(this) && !this.#isBarred(first);
      if (mayAsk) this.#asking.ask(first, this.#waiting);
      const isSettled = !this.#again && !sites.isStirred;
      if (isSettled && this.#tries.count > 0) this.#tries.settle();
    }
    this.#isPumping = false;
  }

  #serve(entrance: Entrance): void {
    if (entrance.holders.length === 0) entrance.lastAsked = this.#asked;
    let head = this.queue.first;
    while (head !== null && this.#admits(entrance, head)) {
      this.#grant(entrance, head);
      head = this.queue.first;
    }
    if (entrance.holders.length > 0) return;
    this.#leaving.leave(entrance);
    this.#again = true;
  }

  /** Who waits, and may ask the group. */
  readonly #next = (): Request | null => {
    const next = this.queue.first;
    return next?.how === 'wait' && !this.#isBarred(next) ? next : null;
  };

  #admits(entrance: Entrance, head: Request): boolean {
    const { mode, holders, turns, lastAsked } = entrance;
    // Not even a reader through a writer's site: readers elsewhere could not join it.
    if (this.#isBarred(head) || mode !== head.mode) return false;
    if (holders.length > 0 && mode === 'exclusive') return false;
    // Readers that were there when the first of them went in go in together, however many.
    if (mode === 'shared' && head.number <= lastAsked) return true;
    // More may join them as long as that keeps nobody waiting.
    if (holders.length > 0) return !this.sites.isAwaited(entrance);
    return turns < this.#home.turns || head.how !== 'wait';
  }

  #grant(entrance: Entrance, request: Request): void {
    this.#unqueue(request);
    request.stage = 'held';
    request.since = this.#home.now();
    request.epoch = this.#home.epoch;
    request.clock = this.#home.tick();
    entrance.holders.push(request);
    entrance.turns++;
    this.#breath.served();
    this.#tries.granted();
    request.caller.granted(request);
    // Another thief is waiting for this one to have it: it has had it.
    const thief = this.#thieves?.values().next().value;
    if (thief !== undefined) this.#rob(new StolenError(this.name, thief));
  }

  #enqueue(request: Request): void {
    request.number = ++this.#asked;
    this.#waiting++;
    if (request.how === 'try') this.#tries.count++;
    if (request.how === 'steal') this.queue.unshift(request);
    else this.queue.push(request);
  }

  #unqueue(request: Request): void {
    this.queue.remove(request);
    this.#waiting--;
    if (request.how === 'try' && --this.#tries.count === 0) this.#tries.end();
    if (request.isAnnounced) this.#home.tell('STOLE', this);
    request.isAnnounced = false;
  }
}
