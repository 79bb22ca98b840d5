/**
 * A member's whole state as plain data, and a member made from it: what the model checker compares, keeps and
 * steps from. Two members that behave alike from now on have equal snapshots, as far as that is cheap to
 * tell: ranks replace numbers that only count up, and data that is no longer read is left out.
 */
import { clone, type Plain } from '../core/plain.ts';
import type { Admission } from './admission.ts';
import type { Timer } from './effects.ts';
import type { Lock } from './lock.ts';
import { LockRecord } from './lock-record.ts';
import type { LockName } from './membership.ts';
import type { GroupNode } from './node.ts';
import type { Watch } from './probe.ts';
import { Request } from './request.ts';
import { addHolder, rotationOf } from './sites.ts';
import { Stealing } from './stealing.ts';
import { ViewStart } from './view-start.ts';

interface SavedRequest {
  readonly caller: Plain;
  readonly clientId: string;
  readonly mode: Request['mode'];
  readonly how: Request['how'];
  readonly order: number;
  readonly isAnnounced: boolean;
  readonly isHeldBack: boolean;
  readonly reentries: number;
  readonly loan: Request['loan'];
}

type Pairs<T> = readonly (readonly [string, T])[];

interface SavedSite {
  readonly my: Plain;
  readonly phase: Lock['sites']['all'][number]['phase'];
  readonly mode: Request['mode'];
  readonly turns: number;
  readonly lastOrder: number;
  readonly holders: readonly SavedRequest[];
}

export interface SavedLock {
  readonly name: string;
  readonly permits: number;
  readonly sites: readonly SavedSite[];
  readonly areUntouched: boolean;
  readonly haveCommunicated: boolean;
  readonly local: Plain;
  /** The timers that are set: the algorithm's, and those of lock.ts, yielding.ts and probe.ts. */
  readonly siteTimers: Pairs<number>;
  readonly isTurnOver: boolean;
  readonly yielding: { served: number; isContended: boolean; after: number | 'soon' | null };
  readonly queue: readonly SavedRequest[];
  readonly leftover: readonly SavedRequest[];
  readonly thieves: readonly string[];
  readonly isFollowed: boolean;
  readonly lastHolder: string;
  readonly probe: {
    readonly number: number;
    readonly mode: Request['mode'];
    readonly counts: Pairs<number>;
    readonly watchers: Plain;
    readonly isTimed: boolean;
  };
}

/** A lock that is put away. */
interface SavedRecord {
  readonly name: string;
  readonly state: Plain;
  readonly servedInARow: number;
}

interface SavedAdmission {
  readonly congested: readonly string[];
  /** The deferred locks, oldest first. */
  readonly deferred: readonly LockName[];
  readonly refused: readonly (LockName & SavedRequest)[];
  readonly turn: number;
  /** Of its timer; null if it is not set. */
  readonly after: number | 'soon' | null;
}

export interface SavedNode {
  readonly epoch: number;
  readonly hasBegun: boolean;
  readonly clock: number;
  readonly lastProbe: number;
  readonly view: Plain;
  /** Of a suspended member: the members of its last view. */
  readonly formerMembers: readonly string[];
  readonly missing: readonly string[];
  readonly leftovers: readonly (readonly [string, Pairs<number>])[];
  readonly sizes: Pairs<number>;
  readonly unanswered: readonly string[];
  readonly future: Plain;
  readonly rejected: readonly string[];
  readonly isSuspended: boolean;
  readonly hasEnded: boolean;
  readonly engine: Plain;
  readonly locks: readonly SavedLock[];
  readonly idle: readonly SavedRecord[];
  readonly admission: SavedAdmission;
}

export function save(node: GroupNode): SavedNode {
  const { viewStart } = node;
  return {
    epoch: node.epoch,
    hasBegun: node.hasBegun,
    clock: node.clock,
    lastProbe: node.lastProbe,
    view: plain(viewStart?.view ?? null),
    formerMembers: viewStart === null ? [...node.members] : [],
    missing: [...(viewStart?.missing ?? [])].sort(),
    leftovers: sorted([...(viewStart?.leftovers ?? [])].map(([k, v]) => [k, sorted(v)] as const)),
    sizes: sorted(node.sizes.known),
    unanswered: [...node.sizes.unanswered].sort(),
    future: plain(node.future.all),
    rejected: [...node.rejected].sort(),
    isSuspended: node.lease.deadline === Number.NEGATIVE_INFINITY,
    hasEnded: node.ended !== null,
    engine: node.engine.save(),
    locks: [...node.locks].map(saveLock),
    idle: [...node.locks.idle()].map(({ name, state, servedInARow }) => ({
      ...{ name, state: clone(state), servedInARow },
    })),
    admission: saveAdmission(node.admission),
  };
}

function saveAdmission({ congested, deferred, refused, turn, timer }: Admission): SavedAdmission {
  return {
    congested: [...congested].sort(),
    deferred: [...deferred].map(({ name, permits }) => ({ name, permits })),
    refused: refused
      .filter(({ stage }) => stage === 'waiting')
      .map((request) => ({
        name: request.name,
        permits: request.permits,
        ...saveRequest(request, 0),
      })),
    turn,
    after: (timer?.after ?? null) as SavedAdmission['after'],
  };
}

const saveRequest = (request: Request, order: number): SavedRequest => ({
  caller: request.caller as Plain,
  clientId: request.clientId,
  mode: request.mode,
  how: request.how,
  order,
  isAnnounced: request.isAnnounced,
  isHeldBack: request.isHeldBack,
  reentries: request.reentries,
  loan: request.loan,
});

function saveLock(lock: Lock): SavedLock {
  const { sites, probe, yielding } = lock;
  const waiting = [...lock.queue];
  const orders = waiting.map(({ order }) => order).sort((a, b) => a - b);
  const rank = (order: number) => orders.filter((other) => other <= order).length;
  const savedRequest = (request: Request): SavedRequest =>
    saveRequest(request, request.stage === 'waiting' ? rank(request.order) : 0);
  return {
    name: lock.name,
    permits: lock.permits,
    sites: sites.all.map(({ my, phase, mode, turns, lastOrder, holders }) => ({
      my: clone(my as Plain),
      phase,
      mode: phase === 'idle' ? 'exclusive' : mode,
      // Until the site enters, nothing reads these.
      turns: phase === 'inside' || phase === 'leaving' ? turns : 0,
      lastOrder: phase === 'inside' && holders.length > 0 ? rank(lastOrder) : 0,
      holders: holders.map(savedRequest),
    })),
    areUntouched: sites.areUntouched,
    haveCommunicated: sites.haveCommunicated,
    local: plain(sites.local),
    siteTimers: sites.timers.map(({ name, after }) => [name, after as number] as const),
    isTurnOver: lock.turnTimer !== null,
    yielding: {
      served: yielding.servedInARow,
      isContended: yielding.isContended,
      after: (yielding.timer?.after ?? null) as number | 'soon' | null,
    },
    queue: waiting.map(savedRequest),
    leftover: lock.leftover.map(savedRequest),
    thieves: [...(lock.stealing?.thieves ?? [])],
    isFollowed: lock.isFollowed,
    lastHolder: lock.lastHolder,
    probe: {
      number: probe.number,
      mode: probe.mode,
      counts: sorted(probe.counts ?? []),
      watchers: plain(sorted(probe.watchers ?? [])),
      isTimed: probe.timer !== null,
    },
  };
}

/** Puts a fresh member, whose engine has started, into the state that was saved. */
export function load(node: GroupNode, saved: SavedNode): void {
  const view = saved.view as unknown as ViewStart['view'] | null;
  node.epoch = saved.epoch;
  node.hasBegun = saved.hasBegun;
  node.clock = saved.clock;
  node.lastProbe = saved.lastProbe;
  if (view !== null) {
    node.restoreView(view);
    node.viewStart = new ViewStart(view);
    node.viewStart.missing.clear();
    for (const id of saved.missing) node.viewStart.missing.add(id);
    for (const [key, holders] of saved.leftovers) {
      node.viewStart.leftovers.set(key, new Map(holders));
    }
  }
  if (saved.formerMembers.length > 0) {
    const members = saved.formerMembers.map((id) => ({ id, incarnation: 0 }));
    node.restoreView({ epoch: saved.epoch, members });
  }
  for (const [name, permits] of saved.sizes) node.sizes.known.set(name, permits);
  for (const name of saved.unanswered) node.sizes.unanswered.add(name);
  node.future.all = clone(saved.future) as unknown as typeof node.future.all;
  for (const id of saved.rejected) node.rejected.add(id);
  if (saved.isSuspended) node.lease.end();
  if (saved.hasEnded) node.ended = new Error('ended');
  node.engine.load(clone(saved.engine));
  for (const lock of saved.locks) loadLock(node, lock);
  for (const { name, state, servedInARow } of saved.idle) {
    const record = new LockRecord(name, rotationOf(name, node.size), clone(state));
    node.locks.restore(Object.assign(record, { servedInARow }));
  }
  loadAdmission(node, saved.admission);
}

function loadAdmission(node: GroupNode, saved: SavedAdmission): void {
  const { admission } = node;
  for (const peer of saved.congested) admission.congestion(peer, true);
  for (const { name, permits } of saved.deferred) {
    admission.defer(node.locks.inUse(name, permits)!);
  }
  for (const { name, permits, mode, how, clientId, caller } of saved.refused) {
    admission.refused.push(new Request({ name, permits, mode, how }, clientId, caller));
  }
  admission.turn = saved.turn;
  const { after } = saved;
  admission.timer =
    after === null ? null : { lock: null, name: 'admission', after, handle: undefined };
}

function loadLock(node: GroupNode, saved: SavedLock): void {
  const { lock } = node.locks.open(saved.name, saved.permits);
  const timer = (name: string, after: Timer['after']): Timer => ({
    lock,
    name,
    after,
    handle: undefined,
  });
  const loadRequest = (request: SavedRequest, stage: Request['stage']): Request => {
    const { name, permits } = saved;
    const { mode, how, reentries, clientId, caller } = request;
    const loaded = new Request({ name, permits, mode, how, reentries }, clientId, caller);
    const { order, isAnnounced, isHeldBack, loan } = request;
    Object.assign(loaded, { stage, lock, order, isAnnounced, isHeldBack, loan });
    if (loan !== 'none') lock.lent = loaded;
    node.requests = Math.max(node.requests, order);
    return loaded;
  };
  saved.sites.forEach(({ holders, my, ...site }, slot) => {
    Object.assign(lock.sites.all[slot]!, { ...site, my: clone(my) });
    for (const held of holders) addHolder(lock.sites.all[slot]!, loadRequest(held, 'held'));
  });
  lock.sites.local = clone(saved.local) as unknown as typeof lock.sites.local;
  lock.sites.timers = saved.siteTimers.map(([name, after]) => timer(name, after));
  lock.sites.hasProgressed = false;
  lock.sites.areUntouched = saved.areUntouched;
  lock.sites.haveCommunicated = saved.haveCommunicated;
  if (saved.isTurnOver) lock.turnTimer = timer('turn', 'turn');
  const { served, isContended, after } = saved.yielding;
  lock.yielding.servedInARow = served;
  if (isContended) lock.yielding.heardAt = node.now;
  if (after !== null) lock.yielding.timer = timer('yield', after);
  for (const request of saved.queue) lock.restoreQueued(loadRequest(request, 'waiting'));
  lock.lastOrder = saved.queue.length;
  lock.leftover = saved.leftover.map((held) => loadRequest(held, 'held'));
  for (const thief of saved.thieves) {
    lock.stealing ??= new Stealing(lock);
    lock.stealing.thieves.add(thief);
  }
  lock.isFollowed = saved.isFollowed;
  lock.lastHolder = saved.lastHolder;
  const { number, mode, counts, watchers, isTimed } = saved.probe;
  Object.assign(lock.probe, { number, mode });
  if (counts.length > 0) lock.probe.counts = new Map(counts);
  const watching = watchers as unknown as Pairs<Watch>;
  if (watching.length > 0) lock.probe.watchers = new Map(watching);
  if (isTimed) lock.probe.timer = timer('try', 0);
}

const plain = (value: unknown): Plain => clone(value as Plain);

const sorted = <T>(pairs: Iterable<readonly [string, T]>): Pairs<T> =>
  [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
