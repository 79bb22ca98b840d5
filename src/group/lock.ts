/**
 * One lock at one member, while a view lasts: the requests of this process, in a queue, and the sites
 * through which they ask the group (sites.ts). The request that came first is served first. While a site is
 * inside, up to `turns` requests of the member may follow one another before the other members get theirs.
 *
 * Every method changes plain data and records effects; none calls anything outside src/group and the
 * algorithm. `advance` does all that can be done at once, and every event ends with it.
 */
import type { Mode, NodeId } from '../core/algorithm.ts';
import { type Linked, LinkedList } from '../core/linked-list.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import type { Effects, Timer } from './effects.ts';
import { StolenError } from './errors.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { LockName, Membership } from './membership.ts';
import { Probe, type Watch } from './probe.ts';
import type { Request } from './request.ts';
import { type LockSite, LockSites, remove } from './sites.ts';
import { Yielding } from './yielding.ts';

export class Lock implements LockName, Linked<Lock> {
  readonly name: string;
  readonly permits: number;
  /** Of the view that the lock lives in. */
  readonly epoch: number;
  readonly membership: Membership;
  readonly effects: Effects;
  readonly algorithm: LockAlgorithm;
  readonly sites: LockSites;
  readonly queue = new LinkedList<Request>();
  waiting = 0;
  /** The latest request that was queued here, and a steal that is held back: see `#decideThief`. */
  lastOrder = 0;
  heldBack: Request | null = null;
  /** Requests that hold the lock since an earlier view: the group waits for them. */
  readonly leftover: Request[] = [];
  readonly probe: Probe;
  readonly yielding: Yielding;
  /** The members that have announced that they steal the lock, and have not got it yet. */
  thieves: Set<string> | null = null;
  /** A request came within the same turn, the last time a site was about to release. */
  isFollowed = false;
  /** Set while a site is `leaving`. */
  turnTimer: Timer | null = null;
  /** Whether anything happened since the table of locks last looked. */
  isFresh = true;
  /** It may not ask the group yet: see admission.ts, which lists these locks. */
  isDeferred = false;
  before: Lock | null = null;
  behind: Lock | null = null;
  /** What every message between first sites begins with, once encoded: the driver's to keep. */
  header: Uint8Array | null = null;

  constructor(
    membership: Membership,
    algorithm: LockAlgorithm,
    { name, permits }: LockName,
    states: readonly Plain[] | null,
  ) {
    this.epoch = membership.epoch;
    this.membership = membership;
    this.effects = membership.effects;
    this.algorithm = algorithm;
    this.name = name;
    this.permits = permits;
    this.sites = new LockSites(this, states);
    this.probe = new Probe(this);
    this.yielding = new Yielding(this);
  }

  // Events.

  /** The algorithm starts here, where it has something to start with. */
  start(): void {
    this.sites.start();
    this.advance();
  }

  ask(request: Request): void {
    this.isFresh = true;
    this.enqueue(request);
    if (request.how === 'steal' && !request.isHeldBack) {
      this.#rob(new StolenError(this.name, request.clientId));
    }
    this.advance();
  }

  /** A message of another member's site. Everything that it says of itself has been checked. */
  receive(from: NodeId, toSlot: number, message: AnyMessage): void {
    this.isFresh = true;
    this.yielding.heard();
    this.sites.haveCommunicated = true;
    this.sites.receive(from, toSlot, message);
    this.advance();
  }

  /** A caller releases what it holds, or cancels what it waits for. */
  release(request: Request): void {
    this.isFresh = true;
    const { stage } = request;
    request.stage = 'over';
    if (stage === 'waiting') {
      this.#unqueue(request);
      this.#downgradeIfUnwanted();
    } else if (!this.sites.removeHolder(request)) {
      remove(request, this.leftover);
      this.membership.freed(this);
    }
    this.advance();
  }

  timerFired(timer: Timer): void {
    if (timer === this.turnTimer) this.#turnEnds();
    else if (timer === this.yielding.timer) this.yielding.timerFired();
    else if (timer === this.probe.timer) this.probe.timerFired();
    else if (this.sites.timers.includes(timer)) this.sites.timerFired(timer);
    else return;
    this.advance();
  }

  probed(member: string, watch: Watch): void {
    this.isFresh = true;
    this.probe.watch(member, watch);
  }

  probeAnswered(member: string, probe: number, count: number): void {
    if (this.probe.answered(member, probe, count)) this.advance();
  }

  /** A member announces that it steals: holders here lose the lock, and nobody here is let in before it. */
  stealFor(thief: string): void {
    this.isFresh = true;
    this.thieves ??= new Set();
    this.thieves.add(thief);
    this.#rob(new StolenError(this.name, thief));
    this.advance();
  }

  /** That member has the lock, or no longer wants it. */
  stolenBy(thief: string): void {
    this.thieves?.delete(thief);
    if (this.thieves?.size === 0) this.thieves = null;
    this.advance();
  }

  // From view to view.

  /** The view is over: the lock does nothing more. Its requests go to its successor. */
  close(): Request[] {
    this.sites.cancelTimers();
    this.probe.end();
    this.yielding.cancel();
    if (this.turnTimer !== null) this.effects.timersCancelled.push(this.turnTimer);
    this.turnTimer = null;
    return [...this.held(), ...this.queue];
  }

  /** Takes over a request of the last view, as it was. */
  inherit(request: Request): void {
    request.lock = this;
    request.isAnnounced = false;
    request.isHeldBack = false;
    if (request.stage === 'held') this.leftover.push(request);
    else this.enqueue(request);
  }

  /** The process is no member any more: every holder has lost the lock, and no waiting request will get it. */
  giveUp(reason: Error): void {
    for (const request of this.queue) this.fail(request, reason);
    this.lose(reason);
    this.advance();
  }

  /** Every holder has lost the lock. Its successor, in the next view, lets others in. */
  lose(reason: Error): void {
    this.#rob(reason);
  }

  /** The request cannot be served. */
  fail(request: Request, error: Error): void {
    this.#unqueue(request);
    request.stage = 'over';
    this.effects.outcomes.push({ type: 'failed', request, error });
  }

  /** Nothing is under way: what is left to keep is the states of its sites. */
  get isIdle(): boolean {
    const isFree = this.waiting === 0 && this.leftover.length === 0 && this.thieves === null;
    return isFree && this.sites.areIdle;
  }

  /** There is nothing to keep, as if the lock had never been asked for. */
  get isUntouched(): boolean {
    return this.sites.areUntouched && this.probe.watchers === null && this.isIdle;
  }

  /** The lock has been idle for long. Returns whether it has to stay, as it waits for an answer. */
  returnHome(): boolean {
    const hasSent = this.sites.returnHome();
    if (hasSent) this.advance();
    return hasSent;
  }

  held(): Request[] {
    return [...this.leftover, ...this.sites.all.flatMap(({ holders }) => holders)];
  }

  /** How many requests here hold the lock in a way that keeps out one of that mode. */
  holding(mode: Mode): number {
    let count = this.leftover.length;
    for (const { holders } of this.sites.all) {
      if (this.permits > 0 || mode === 'exclusive' || holders[0]?.mode === 'exclusive') {
        count += holders.length;
      }
    }
    return count;
  }

  /** A try ends without the lock: another caller has it or, with an error, that is not known. */
  refuse(request: Request, error: Error | null): void {
    if (error !== null) this.fail(request, error);
    else {
      this.#unqueue(request);
      request.stage = 'over';
      this.effects.outcomes.push({ type: 'refused', request });
    }
    this.#downgradeIfUnwanted();
  }

  /** A try would ask members that are congested. */
  refuseForRoom(request: Request): void {
    this.takeOut(request);
    this.membership.admission.refuse(request);
    this.#downgradeIfUnwanted();
  }

  // Serving.

  /** Does all that can be done now. */
  advance(): void {
    const { sites, probe } = this;
    let isOver = false;
    while (!isOver) {
      sites.isStirred = false;
      sites.deliverLocal();
      let hasReleased = false;
      for (const site of sites.all) {
        if (site.phase === 'inside' && this.#serve(site)) hasReleased = true;
      }
      if (this.waiting > 0) this.#askTheGroup();
      isOver = !sites.isStirred && (this.waiting === 0 || !hasReleased);
      if (!isOver || this.waiting === 0) continue;
      if (probe.tries > 0 || this.heldBack !== null) isOver = !probe.pursue();
    }
  }

  #askTheGroup(): void {
    this.#decideThief();
    this.#announceThief();
    const first = this.queue.first!;
    if (this.membership.isOpen(this) && !this.#isBarred(first)) this.#ask(first);
  }

  /** Requests through idle sites, until as many sites ask as requests wait. */
  #ask(first: Request): void {
    const { sites } = this;
    // A site may ask for a writer that has been cancelled, or that was expected and has not come.
    if (first.mode === 'shared') sites.downgrade();
    let asking = 0;
    for (const { phase } of sites.all) if (phase === 'asking') asking++;
    for (const site of sites.all) {
      if (asking >= this.waiting) return;
      if (site.phase !== 'idle') continue;
      if (!this.#mayAskThrough(site, first)) return;
      sites.request(site, first.mode);
      asking++;
    }
  }

  #mayAskThrough(site: LockSite, { how, mode }: Request): boolean {
    const wouldEnter = () => this.sites.wouldEnter(site, mode);
    // A try must not leave a place in the algorithm's queue behind, unless it is likely to be served.
    if (how === 'try') return this.probe.isClear(mode) || wouldEnter();
    const { admission } = this.membership;
    if (how === 'wait' && !admission.mayAsk(this) && !wouldEnter()) {
      admission.defer(this);
      return false;
    }
    if (this.isDeferred) admission.remove(this);
    // A member that serves itself yields. For a semaphore, its own sites may be enough to let one of them in.
    const isServedHere = () =>
      this.permits > 0 ? this.sites.wouldStayHere(site, mode) : wouldEnter();
    if (how === 'steal' || !this.yielding.isDue || !isServedHere()) return true;
    this.yielding.begin();
    return false;
  }

  /** Lets in what may go in through this site. Returns whether the site has released or requested again. */
  #serve(site: LockSite): boolean {
    if (site.holders.length === 0) site.lastOrder = this.lastOrder;
    let first = this.queue.first;
    while (first !== null && this.#admits(site, first)) {
      this.#grant(site, first);
      first = this.queue.first;
    }
    if (site.holders.length > 0) return false;
    this.#leave(site);
    return true;
  }

  #admits(site: LockSite, first: Request): boolean {
    const { mode, holders, turns, lastOrder } = site;
    // Not even a reader through a writer's site: readers elsewhere could not join it.
    if (this.#isBarred(first) || mode !== first.mode || !this.membership.mayGrant()) return false;
    if (holders.length > 0 && mode === 'exclusive') return false;
    // Readers that waited when the first of them went in go in together, however many.
    if (mode === 'shared' && first.order <= lastOrder) return true;
    // More may join them as long as no other site waits for them to leave.
    if (holders.length > 0) return !this.sites.isAwaited(site);
    return turns < this.membership.turns || first.how !== 'wait';
  }

  #grant(site: LockSite, request: Request): void {
    const { membership } = this;
    this.#unqueue(request);
    request.stage = 'held';
    request.since = membership.now;
    request.epoch = membership.epoch;
    request.clock = membership.tick();
    site.holders.push(request);
    site.turns++;
    this.yielding.served();
    this.probe.tellWatchers();
    this.effects.outcomes.push({ type: 'granted', request });
    // A member that steals waits until this request has had the lock: it has had it now.
    if (this.thieves !== null) {
      const [thief] = this.thieves;
      this.#rob(new StolenError(this.name, thief!));
    }
    if (this.heldBack !== null) this.#decideThief();
  }

  // Releasing.

  /**
   * Where it saves messages to release and request again in one step, the member must know whether a caller
   * here wants the lock again. Most callers that do say so within their turn, so the site waits for its end;
   * but other members wait too. So if a request came the last time, the member expects another: it requests
   * at once, and the hand-over leaves before the callers have run. If no request has come when the site
   * enters, the site passes the lock on, and the next time it waits for the end of the turn.
   */
  #leave(site: LockSite): void {
    const { sites } = this;
    if (!sites.savesByRerequest(site)) {
      sites.release(site);
      return;
    }
    // The site entered for no request.
    if (site.turns === 0) this.isFollowed = false;
    const next = this.#next();
    if (next !== null) this.#rerequest(site, next.mode);
    // A writer could not get in through a reader's site.
    else if (this.isFollowed && site.mode === 'exclusive') this.#rerequest(site, 'exclusive');
    else {
      site.phase = 'leaving';
      if (this.turnTimer !== null) return;
      this.turnTimer = { lock: this, name: 'turn', after: 'turn', handle: undefined };
      this.effects.timersSet.push(this.turnTimer);
    }
  }

  #rerequest(site: LockSite, mode: Mode): void {
    this.effects.isUrgent = true;
    this.sites.rerequest(site, mode);
  }

  #turnEnds(): void {
    this.turnTimer = null;
    this.isFollowed = this.#next() !== null;
    for (const site of this.sites.all) {
      if (site.phase !== 'leaving') continue;
      const next = this.#next();
      if (next === null) this.sites.release(site);
      else this.sites.rerequest(site, next.mode);
    }
  }

  /** The request that may ask the group next. */
  #next(): Request | null {
    const next = this.queue.first;
    return next?.how === 'wait' && !this.#isBarred(next) ? next : null;
  }

  /** What the algorithm was asked cannot be withdrawn; but it need not keep readers waiting. */
  #downgradeIfUnwanted(): void {
    if (this.waiting === 0 && this.permits === 0) this.sites.downgrade();
  }

  // Stealing: every holder drops the lock, and a member whose site enters before the thief's steps aside.

  /**
   * Requests of one process are decided in the order in which they were made: a steal that comes after them
   * takes the lock from the first of them, once that one has it. But if a caller of another member holds the
   * lock, they are waiting for that one, and the steal overtakes them.
   */
  #decideThief(): void {
    const thief = this.heldBack;
    if (thief === null) return;
    const isHeldHere = this.sites.all.some(({ holders }) => holders.length > 0);
    if (!isHeldHere && this.queue.first !== thief && !this.probe.isHeldElsewhere) return;
    this.heldBack = null;
    thief.isHeldBack = false;
    this.queue.remove(thief);
    this.queue.unshift(thief);
    if (this.probe.tries === 0) this.probe.end();
    this.#rob(new StolenError(this.name, thief.clientId));
  }

  /** Unless it is served here and now, the other members must hear of it. */
  #announceThief(): void {
    const { first } = this.queue;
    if (first?.how !== 'steal' || first.isHeldBack || first.isAnnounced) return;
    if (!this.membership.hasBegun) return;
    first.isAnnounced = true;
    this.membership.tellAll('STEAL', this);
  }

  #isBarred({ how }: Request): boolean {
    return this.thieves !== null && how !== 'steal';
  }

  #rob(error: Error): void {
    const lose = (request: Request) => {
      request.stage = 'over';
      this.effects.outcomes.push({ type: 'lost', request, error });
    };
    for (const { holders } of this.sites.all) for (const held of holders.splice(0)) lose(held);
    for (const held of this.leftover.splice(0)) {
      lose(held);
      this.membership.freed(this);
    }
  }

  // The queue.

  enqueue(request: Request): void {
    request.lock = this;
    this.lastOrder = request.order;
    if (request.how === 'try') this.probe.tries++;
    if (request.how !== 'steal') this.queue.push(request);
    else if (this.#mustHoldBack()) {
      request.isHeldBack = true;
      this.heldBack = request;
      this.queue.push(request);
    } else this.queue.unshift(request);
    this.waiting++;
  }

  /** Earlier requests wait here, none of them holds the lock, and no other steal is before this one. */
  #mustHoldBack(): boolean {
    const { first } = this.queue;
    const isHeldHere = this.leftover.length > 0 || this.holding('exclusive') > 0;
    return this.heldBack === null && first !== null && first.how === 'wait' && !isHeldHere;
  }

  /** A request that waited here when the lock's state was saved, in the order of the queue. */
  restoreQueued(request: Request): void {
    this.queue.push(request);
    this.waiting++;
    if (request.how === 'try') this.probe.tries++;
    if (request.isHeldBack) this.heldBack = request;
  }

  /** The request leaves the queue, to be asked again. */
  takeOut(request: Request): void {
    this.#unqueue(request);
    request.isHeldBack = false;
  }

  #unqueue(request: Request): void {
    this.queue.remove(request);
    this.waiting--;
    if (this.waiting === 0 && this.isDeferred) this.membership.admission.cancelled(this);
    if (request.how === 'try') this.probe.tries--;
    if (request === this.heldBack) this.heldBack = null;
    if (request.how !== 'wait' && this.probe.tries === 0 && this.heldBack === null)
      this.probe.end();
    if (request.isAnnounced) this.membership.tellAll('STOLEN', this);
    request.isAnnounced = false;
  }
}
