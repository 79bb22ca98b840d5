/**
 * One lock at one member, while a view lasts: the requests of this process, in a queue, and the sites
 * through which they ask the group (sites.ts). The request that came first is served first. While a site is
 * inside, up to `turns` requests of the member may follow one another before the other members get theirs.
 *
 * Every method changes plain data and records effects; none calls anything outside src/group and the
 * algorithm. `advance` does all that can be done at once, and every event ends with it.
 */
import type { Mode, NodeId } from '../core/algorithm.ts';
import { assert } from '../core/assert.ts';
import { type Linked, LinkedList } from '../core/linked-list.ts';
import type { AnyMessage } from '../core/message.ts';
import type { Effects, Timer } from './effects.ts';
import { endTurn, leave } from './hand-over.ts';
import { lend, REACQUIRE_MS, recall, recallIfWanted, reentriesFor } from './lending.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import { LockRecord } from './lock-record.ts';
import type { LockName, Membership } from './membership.ts';
import { aboutLock } from './messages.ts';
import { Probe, type Watch } from './probe.ts';
import type { Request } from './request.ts';
import { addHolder, type LockSite, LockSites, NONE, removeHolders } from './sites.ts';
import { robFor, Stealing } from './stealing.ts';
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
  /** The latest request that was queued here. */
  lastOrder = 0;
  /** Requests that hold the lock since an earlier view: the group waits for them. */
  leftover: readonly Request[] = NONE;
  readonly yielding: Yielding;
  /** Null unless the lock is being stolen. */
  stealing: Stealing | null = null;
  /** Lent to this request, and it is not known whether its caller is inside: see lending.ts. */
  lent: Request | null = null;
  /** The client that had the lock a moment ago, if the lock could be lent to it and no other member has asked since. */
  lastHolder = '';
  /** A request came within the same turn, the last time a site was about to release. */
  isFollowed = false;
  /** Set while a site is `leaving`. */
  turnTimer: Timer | null = null;
  /** When the lock was last used. */
  usedAt: number;
  /** How often this member's callers have asked for it, and how often they had when the table of locks last looked. */
  asks = 0;
  asksSeen = 1;
  /** The table of locks has closed this lock: another `Lock`, or none, has its place. */
  isClosed = false;
  /** What the table keeps of the lock. It keeps semaphores whole. */
  readonly record: LockRecord | null;
  /** The lock may not ask the group yet: see admission.ts, which lists these locks. */
  isDeferred = false;
  before: Lock | null = null;
  behind: Lock | null = null;
  #probe: Probe | null = null;

  constructor(
    membership: Membership,
    algorithm: LockAlgorithm,
    { name, permits }: LockName,
    record: LockRecord | null,
  ) {
    this.usedAt = membership.now;
    this.epoch = membership.epoch;
    this.membership = membership;
    this.effects = membership.effects;
    this.algorithm = algorithm;
    this.name = name;
    this.permits = permits;
    this.sites = new LockSites(this, record);
    this.yielding = new Yielding(this, record?.servedInARow ?? 0);
    this.record =
      permits > 0 ? null : (record ?? new LockRecord(name, this.sites.rotation, this.sites.state));
    if (this.record !== null) this.record.lock = this;
  }

  /** Most locks need none. */
  get probe(): Probe {
    this.#probe ??= new Probe(this);
    return this.#probe;
  }

  // Events.

  /** The algorithm starts here, where it has something to start with. */
  start(): void {
    this.sites.start();
    this.advance();
  }

  ask(request: Request): void {
    const { now } = this.membership;
    if (now - this.usedAt > REACQUIRE_MS) this.lastHolder = '';
    this.usedAt = now;
    this.asks++;
    this.enqueue(request);
    if (request.how === 'steal' && !request.isHeldBack) robFor(this, request.clientId);
    this.advance();
  }

  /** A message of another member's site. Everything that it says of itself has been checked. */
  receive(from: NodeId, toSlot: number, message: AnyMessage): void {
    this.usedAt = this.membership.now;
    this.lastHolder = '';
    this.yielding.heard();
    this.sites.haveCommunicated = true;
    this.sites.receive(from, toSlot, message);
    this.advance();
  }

  /** A caller releases what it holds, or cancels what it waits for. */
  release(request: Request): void {
    this.usedAt = this.membership.now;
    const { stage } = request;
    request.stage = 'over';
    if (request === this.lent) this.lent = null;
    if (stage === 'waiting') {
      this.#unqueue(request);
      this.#downgradeIfUnwanted();
    } else if (!this.sites.removeHolder(request)) {
      this.leftover = this.leftover.filter((held) => held !== request);
      this.membership.freed(this);
    }
    this.advance();
  }

  timerFired(timer: Timer): void {
    if (timer === this.turnTimer) endTurn(this);
    else if (timer === this.yielding.timer) this.yielding.timerFired();
    else if (timer === this.#probe?.timer) this.#probe.timerFired();
    else if (this.sites.timers.includes(timer)) this.sites.timerFired(timer);
    else return;
    this.advance();
  }

  probed(member: string, watch: Watch): void {
    this.usedAt = this.membership.now;
    if (this.lent !== null) recall(this, this.lent);
    this.probe.watch(member, watch);
  }

  probeAnswered(member: string, probe: number, count: number): void {
    if (this.#probe?.answered(member, probe, count)) this.advance();
  }

  /** A member announces that it steals: holders here lose the lock, and no caller here gets it before that member. */
  stealFor(thief: string): void {
    this.usedAt = this.membership.now;
    this.stealing ??= new Stealing(this);
    this.stealing.thieves.add(thief);
    robFor(this, thief);
    this.advance();
  }

  /** That member has the lock, or no longer wants it. */
  stolenBy(thief: string): void {
    this.stealing?.thieves.delete(thief);
    this.#endStealing();
    this.advance();
  }

  // From view to view.

  /** The view is over: the lock does nothing more. Its requests go to its successor. */
  close(): Request[] {
    this.sites.cancelTimers();
    this.#probe?.end();
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
    if (request.stage === 'held') this.leftover = [...this.leftover, request];
    else this.enqueue(request);
    if (request.loan === 'none') return;
    this.lent = request;
    recall(this, request);
  }

  /** The process is no member any more: every holder has lost the lock, and no waiting request will get it. */
  giveUp(reason: Error): void {
    for (const request of this.queue) this.fail(request, reason);
    this.lose(reason);
    this.advance();
  }

  /** Every holder loses the lock. */
  lose(reason: Error): void {
    this.lent = null;
    const lose = (request: Request) => {
      request.stage = 'over';
      this.effects.outcomes.push({ type: 'lost', request, error: reason });
    };
    for (const site of this.sites.all) for (const held of removeHolders(site)) lose(held);
    const { leftover } = this;
    this.leftover = NONE;
    for (const held of leftover) {
      lose(held);
      this.membership.freed(this);
    }
  }

  /** The request cannot be served. */
  fail(request: Request, error: Error): void {
    this.#unqueue(request);
    request.stage = 'over';
    this.effects.outcomes.push({ type: 'failed', request, error });
  }

  /** Nothing is under way: only the states of its sites are left to keep. */
  get isIdle(): boolean {
    const isFree = this.waiting === 0 && this.leftover.length === 0 && this.stealing === null;
    return isFree && this.sites.areIdle;
  }

  /** The state of its site is all that must be kept of the lock. */
  get canBePutAway(): boolean {
    return !this.isWatched && this.yielding.timer === null && this.isIdle;
  }

  /** Moves what must be kept into the record. */
  putAway(): void {
    const record = this.record!;
    this.isClosed = true;
    record.lock = null;
    record.state = this.sites.state;
    record.servedInARow = this.yielding.servedInARow;
    record.usedAt = this.usedAt;
  }

  /** There is nothing to keep, as if the lock had never been asked for. */
  get isUntouched(): boolean {
    return this.sites.areUntouched && !this.isWatched && this.isIdle;
  }

  /** Whether another member with a try may want reports of callers here. */
  get isWatched(): boolean {
    return this.#probe !== null && this.#probe.watchers !== null;
  }

  /** The lock has been idle for a while, and timers of its sites fire. Returns whether they have sent anything. */
  expireIdle(timers: readonly string[]): boolean {
    const hasSent = this.sites.expireIdle(timers);
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

  /** Takes all steps that are possible now. */
  advance(): void {
    const { sites } = this;
    if (this.lent !== null) recallIfWanted(this, this.lent);
    let isOver = false;
    while (!isOver) {
      sites.hasProgressed = false;
      sites.deliverLocal();
      let hasReleased = false;
      for (const site of sites.all) {
        if (site.phase === 'inside' && this.#serve(site)) hasReleased = true;
      }
      if (this.waiting > 0) this.#askTheGroup();
      isOver = !sites.hasProgressed && (this.waiting === 0 || !hasReleased);
      if (!isOver || this.waiting === 0) continue;
      const isUndecided =
        (this.#probe?.tries ?? 0) > 0 || (this.stealing?.heldBack ?? null) !== null;
      if (isUndecided) isOver = !this.probe.pursue();
    }
    this.#probe?.tellWatchers();
  }

  #askTheGroup(): void {
    this.stealing?.decide();
    this.#endStealing();
    const first = this.queue.first!;
    if (first.how === 'steal') this.#announceThief(first);
    if (this.membership.isOpen(this) && !this.isBarred(first)) this.#ask(first);
  }

  /** Requests through idle sites, until as many sites ask as requests wait. */
  #ask(first: Request): void {
    const { sites } = this;
    // A site may ask for a writer that has been cancelled, or that was expected and has not come.
    if (first.mode === 'shared') sites.downgrade();
    let waitingSites = 0;
    for (const { phase } of sites.all) if (phase === 'waiting') waitingSites++;
    for (const site of sites.all) {
      if (waitingSites >= this.waiting) return;
      if (site.phase !== 'idle') continue;
      if (!this.#mayAskThrough(site, first)) return;
      sites.request(site, first.mode);
      waitingSites++;
    }
  }

  #mayAskThrough(site: LockSite, { how, mode }: Request): boolean {
    const { sites, yielding } = this;
    // A try must not leave a place in the algorithm's queue behind, unless it is likely to be served.
    if (how === 'try') return this.probe.isClear(mode) || sites.wouldEnter(site, mode);
    const { admission } = this.membership;
    if (how === 'wait' && !admission.mayAsk(this) && !sites.wouldEnter(site, mode)) {
      admission.defer(this);
      return false;
    }
    if (this.isDeferred) admission.remove(this);
    if (how === 'steal' || !yielding.isDue || !this.#isServedHere(site, mode)) return true;
    yielding.begin();
    return false;
  }

  /** A member that serves itself yields. For a semaphore, its own sites may be enough to let one of them in. */
  #isServedHere(site: LockSite, mode: Mode): boolean {
    const { sites } = this;
    return this.permits > 0 ? sites.wouldStayHere(site, mode) : sites.wouldEnter(site, mode);
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
    leave(this, site);
    return true;
  }

  #admits(site: LockSite, first: Request): boolean {
    const { mode, holders, turns, lastOrder } = site;
    // Not even a reader through a writer's site: readers elsewhere could not join it.
    if (this.isBarred(first) || mode !== first.mode) return false;
    if (holders.length > 0 && mode === 'exclusive') return false;
    // Readers that waited when the first of them went in go in together, however many.
    if (mode === 'shared' && first.order <= lastOrder) return true;
    // More may join them as long as no other site waits for them to leave.
    if (holders.length > 0) return !this.sites.isAwaited(site);
    return turns < this.membership.turns || first.how !== 'wait';
  }

  #grant(site: LockSite, request: Request): void {
    const { membership } = this;
    // If the lease has ended, the step has suspended the member, which must not grant the lock any more.
    assert(membership.mayGrant(), 'a lock is granted only before the deadline of its member');
    this.#unqueue(request);
    request.stage = 'held';
    request.since = membership.now;
    request.epoch = membership.epoch;
    const reentries = reentriesFor(this, site, request);
    request.clock = membership.tick(reentries);
    addHolder(site, request);
    site.turns++;
    this.yielding.served();
    this.effects.outcomes.push({ type: 'granted', request });
    if (reentries > 0) lend(this, request);
    this.stealing?.granted();
    this.#endStealing();
  }

  // Cancelling.

  /** What the algorithm was asked cannot be withdrawn; but it need not keep readers waiting. */
  #downgradeIfUnwanted(): void {
    if (this.waiting === 0 && this.permits === 0) this.sites.downgrade();
  }

  // Stealing.

  /** Tells the other members of the steal, unless it is served here at once. */
  #announceThief(thief: Request): void {
    if (thief.isHeldBack || thief.isAnnounced || !this.membership.hasBegun) return;
    thief.isAnnounced = true;
    this.#tellAll('STEAL');
  }

  #tellAll(type: 'STEAL' | 'STOLEN'): void {
    this.membership.tellAll({ type, ...aboutLock(this, this.epoch) });
  }

  /** The steal must wait until another member has stolen the lock. */
  isBarred(request: Request): boolean {
    return this.stealing?.bars(request) === true;
  }

  #endStealing(): void {
    if (this.stealing?.isOver) this.stealing = null;
  }

  // The queue.

  enqueue(request: Request): void {
    request.lock = this;
    this.lastOrder = request.order;
    if (request.how === 'try') this.probe.tries++;
    if (request.how !== 'steal') this.queue.push(request);
    else if (this.#mustHoldBack()) {
      request.isHeldBack = true;
      this.#holdBack(request);
      this.queue.push(request);
    } else this.queue.unshift(request);
    this.waiting++;
  }

  /** Earlier requests wait here, none of them holds the lock, and no other steal is before this one. */
  #mustHoldBack(): boolean {
    const { first } = this.queue;
    const isHeldHere = this.leftover.length > 0 || this.holding('exclusive') > 0;
    const isFirst = (this.stealing?.heldBack ?? null) === null;
    return isFirst && first !== null && first.how === 'wait' && !isHeldHere;
  }

  #holdBack(request: Request): void {
    this.stealing ??= new Stealing(this);
    this.stealing.heldBack = request;
  }

  /** A request that waited here when the lock's state was saved, in the order of the queue. */
  restoreQueued(request: Request): void {
    this.queue.push(request);
    this.waiting++;
    if (request.how === 'try') this.probe.tries++;
    if (request.isHeldBack) this.#holdBack(request);
  }

  /** Removes the request from the queue; it will be made again. */
  takeOut(request: Request): void {
    this.#unqueue(request);
    request.isHeldBack = false;
  }

  #unqueue(request: Request): void {
    this.queue.remove(request);
    this.waiting--;
    if (this.waiting === 0 && this.isDeferred) this.membership.admission.cancelled(this);
    if (request.how !== 'wait') this.#endTry(request);
    if (request.isAnnounced) this.#tellAll('STOLEN');
    request.isAnnounced = false;
  }

  /** The request no longer waits for answers of the other members. */
  #endTry(request: Request): void {
    const { stealing } = this;
    if (request.how === 'try') this.probe.tries--;
    if (request === stealing?.heldBack) stealing.heldBack = null;
    if (this.#probe?.tries === 0 && (stealing?.heldBack ?? null) === null) this.#probe.end();
    this.#endStealing();
  }
}
