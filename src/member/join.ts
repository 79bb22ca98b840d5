/** Makes this process a member of a group. */
// Imported: the global is a getter that is asked anew each time, which counts here.
import { performance } from 'node:perf_hooks';
import { UsageError } from '../core/errors.ts';
import { fixed } from '../engines/fixed.ts';
import type { RegisterDriver } from '../engines/register-driver.ts';
import type { Engine } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import { DEFAULT_RULES, LockAlgorithms, type Rules } from '../group/lock-algorithm.ts';
import { GroupNode } from '../group/node.ts';
import type { Member } from '../group/view.ts';
import { type Election, type ElectSettings, elect } from '../locks/election.ts';
import { ClosedError } from '../locks/errors.ts';
import { LockManager } from '../locks/manager.ts';
import { Semaphore } from '../locks/semaphore.ts';
import { checkExposure } from '../net/exposure.ts';
import { Links } from '../net/links.ts';
import { LogLimiter, withheldNote } from '../net/log-limiter.ts';
import type { Transport } from '../net/transport.ts';
import { uniqueName } from './advertise.ts';
import { declarationsOf } from './declarations.ts';
import { digestOf } from './digest.ts';
import { GroupDriver } from './driver.ts';
import { checkJoin, type JoinSettings, MOST_MEMBERS, storeEngineOf } from './join-settings.ts';
import { type GroupStatus, type MemberStatus, withSurvey } from './status.ts';
import { leaveStore, openStore } from './store.ts';
import { type MemberTls, TlsTransport, transportFor } from './transport.ts';

/**
 * This process as a member of a group.
 *
 * @example
 * ```ts
 * import { join } from 'latchkey';
 *
 * await using group = await join({
 *   self: 'a',
 *   listen: 'localhost:7101',
 *   peers: { b: 'localhost:7102', c: 'localhost:7103' },
 * });
 * await group.locks.request('invoices', async (lock) => {
 *   console.log(`no other caller is here; every later one has a fence above ${lock.fence}`);
 * });
 * ```
 */
export interface Group extends AsyncDisposable {
  /** The name of this member. */
  readonly id: string;
  /** The names of all members, this one among them. */
  readonly members: readonly string[];
  /** The engine on a store, `postgres`, `etcd` or `nats`; undefined for `fixed`. */
  readonly engine: string | undefined;
  /** With an engine on a store: how long a member may act after it has renewed its lease, in milliseconds. */
  readonly rightMs: number | undefined;
  /** Locks by name, as the Web Locks API has them, across all members. */
  readonly locks: LockManager;
  /** One of so many permits at a time; all members must give the same number. */
  semaphore(name: string, permits: number): Semaphore;
  /**
   * Stands for the lead of `name`, until the election ends: of all processes that stand, one leads at a time.
   *
   * @example
   * ```ts
   * import { join } from 'latchkey';
   * import { postgres } from 'latchkey/engines/postgres';
   *
   * const engine = postgres('postgres://app@db.internal/app');
   * const group = await join({ engine, listen: 'localhost:7101' });
   * const election = group.elect('scheduler', {
   *   onElected: (lock) => console.log(`this process leads, with fence ${lock.fence}`),
   *   onLost: (reason) => console.log('this process leads no longer', reason),
   * });
   * console.log(election.isLeader);
   * await election.resign();
   * ```
   */
  elect(name: string, settings: ElectSettings): Election;
  readonly backend: GroupDriver;
  /** Where this member listens, with the port if that was left open. */
  readonly address: string;
  /** Members, view, holders and waiting requests of the whole group. */
  status(): Promise<GroupStatus>;
  /** What this member knows without asking the others. */
  memberStatus(): MemberStatus;
  /**
   * With `fixed`: the process of this member is gone for good, and the group goes on without it. If that process still
   * runs, two callers may hold one lock. Throws a `UsageError` if the member is connected or unknown.
   */
  forget(member: string): void;
  /** Replaces the certificates: new connections use the new ones, open connections stay as they are. */
  reloadTls(tls: MemberTls): Promise<void>;
  /** Aborts, with the reason, if this process stops being a member though it did not leave. */
  readonly stopped: AbortSignal;
  /** Releases all locks, tells the other members, and closes all connections. */
  leave(): Promise<void>;
}

/**
 * Joins a group. Resolves when this member listens. With `fixed`, locks are granted once all members have started, in any
 * order; with an engine on a store, once the store has a view with this member.
 *
 * Rejects with a `UsageError` for settings that cannot be, with a `ListenError` if the address is taken, and if the store
 * cannot be used.
 */
export async function join(settings: JoinSettings): Promise<Group> {
  checkJoin(settings);
  const { group = 'latchkey', log = () => {} } = settings;
  const self = settings.self ?? uniqueName();
  const peers = settings.peers ?? {};
  const rules = { locks: settings.locks ?? [], semaphores: settings.semaphores ?? [] };
  const me = { id: self, incarnation: Date.now() };
  const warn = (message: string) => log({ level: 'warn', message });
  const transport = transportFor({ ...settings, peers, group }, warn);
  const warning = checkExposure(settings);
  if (warning !== undefined) warn(warning);
  const stopped = new AbortController();
  const factory = storeEngineOf(settings);
  let driver!: GroupDriver;
  const links = linksOf({ settings, group, peers, transport, log }, me, rules, () => driver);
  const drive = (engine: Engine, store?: RegisterDriver) => {
    driver = driverOf(settings, rules, me, engine, links, store);
    driver.onEnd = (reason) => {
      stopped.abort(reason);
      void links.close();
      void store?.close();
    };
  };
  if (factory === undefined) drive((settings.engine as Engine | undefined) ?? fixed());
  await links.open();
  const store =
    factory && (await openStore(factory, links, settings, (event) => driver.step(event)));
  if (store !== undefined) drive(store.engine, store.driver);
  driver.start();

  const locks = new LockManager(driver);
  const leave = async () => {
    locks.close();
    driver.leave(new ClosedError());
    if (store !== undefined) await leaveStore(driver, store.driver);
    await links.close();
  };
  const configured = [self, ...Object.keys(peers)].sort();
  const memberStatus = () =>
    memberStatusOf({ self, group, driver, links, rules, store: factory?.name });
  return {
    id: self,
    get members() {
      if (factory === undefined) return configured;
      return driver.view?.members.map(({ id }) => id) ?? [self];
    },
    engine: factory?.name,
    rightMs: factory?.rightMs,
    locks,
    backend: driver,
    stopped: stopped.signal,
    address: links.address,
    semaphore: (name, permits) => new Semaphore(driver, name, permits),
    elect: (name, settings) => elect(locks, name, settings),
    status: async () => {
      const survey = await driver.query();
      return withSurvey(memberStatus(), survey);
    },
    memberStatus,
    forget: (member) => {
      refuseToForget(member, self, peers, factory?.name, links);
      log({ level: 'warn', peer: member, message: `an operator says that ${member} is gone` });
      driver.step({ type: 'forget', id: member });
    },
    reloadTls: (tls) => reload(transport, tls),
    leave,
    [Symbol.asyncDispose]: leave,
  };
}

function refuseToForget(
  member: string,
  self: string,
  peers: object,
  store: string | undefined,
  links: Links,
): void {
  const name = JSON.stringify(member);
  const others = Object.keys(peers).sort().join(', ');
  if (store !== undefined) {
    throw new UsageError(
      `a group on ${store} leaves dead members out by itself: ${name} need not be forgotten`,
    );
  }
  if (!Object.hasOwn(peers, member)) {
    const rule = `the peers of ${self} are ${others === '' ? 'none' : others}`;
    throw new UsageError(`${name} cannot be forgotten: ${rule}: take one of them`);
  }
  if (links.isConnected(member)) {
    throw new UsageError(`${name} is connected, and so not gone: stop its process first`);
  }
}

/** A process that is not known yet causes one read of the store in this time, at most. */
const HINT_PAUSE_MS = 50;

interface Completed {
  readonly settings: JoinSettings;
  readonly group: string;
  readonly peers: { readonly [id: string]: string };
  readonly transport: Transport;
  readonly log: NonNullable<JoinSettings['log']>;
}

/** The links of the member `me`. `driver` is asked for with the first event: a session begins later than this call. */
function linksOf(
  { settings, group, peers, transport, log }: Completed,
  { id: self, incarnation }: Member,
  rules: Rules,
  driver: () => GroupDriver | undefined,
): Links {
  const { secret, listen } = settings;
  const factory = storeEngineOf(settings);
  const engine = factory ?? (settings.engine as Engine | undefined) ?? fixed();
  const members = factory === undefined ? [self, ...Object.keys(peers)] : [];
  const { leaseMs } = factory ?? {};
  let hintedAt = 0;
  const links: Links = new Links(
    {
      ...{ self, incarnation, group, secret, listen, peers, transport, log },
      digest: digestOf({ members, rules, engine: engine.name, leaseMs }),
      declarations: declarationsOf(rules, engine),
      findsMembers: factory !== undefined,
    },
    {
      begins: (peer, incarnation) => driver()!.begins({ id: peer, incarnation }),
      message: (peer, payload) => driver()!.receive(peer, payload),
      connection: (peer, up) =>
        log({ level: 'info', peer, message: up ? 'connected' : 'disconnected' }),
      superseded: () => driver()!.end(new NotMemberError(`another process is ${self} now`)),
      unknown: () => {
        // Any process can cause this, as often as it likes.
        if (performance.now() - hintedAt < HINT_PAUSE_MS) return;
        hintedAt = performance.now();
        driver()?.step({ type: 'hint' });
      },
      overflow: (peer) => {
        const message = `messages to ${peer} are given up, because it does not acknowledge: restart ${peer}`;
        log({ level: 'warn', peer, message });
      },
      evicted: (by) => {
        if (factory !== undefined) links.renew(by);
        driver()!.step({ type: 'evicted', by });
      },
      congestion: (peer, isCongested) => driver()!.congestion(peer, isCongested),
    },
  );
  return links;
}

async function reload(transport: Transport, tls: MemberTls): Promise<void> {
  if (transport instanceof TlsTransport) return transport.reload(tls);
  throw new UsageError('there are no certificates to reload: this member does not use TLS');
}

/** An empty callback takes a microsecond, a look for messages three: so a look comes after four times `turns` of them. */
const YIELD_TURNS = 4;

/** Drives the member over these links, by the clocks of this process. */
function driverOf(
  { peers = {}, turns = 16, log = () => {} }: JoinSettings,
  rules: Rules,
  self: Member,
  engine: Engine,
  links: Links,
  store: RegisterDriver | undefined,
): GroupDriver {
  // A group without a list of members may have any number of them: all rules must run in it.
  const algorithms = store && new LockAlgorithms(rules, MOST_MEMBERS, self.incarnation);
  const yieldAfter = YIELD_TURNS * turns;
  const settings = { self, peers: Object.keys(peers).sort(), rules, turns, yieldAfter };
  const node = new GroupNode(settings, engine, algorithms);
  const limiter = new LogLimiter(Date.now);
  return new GroupDriver(node, {
    send: (to, bytes, length) => links.send(to, bytes, length),
    urgently: (send) => links.urgently(send),
    now: Date.now,
    monotonic: () => performance.now(),
    later(ms, callback) {
      const timer = setTimeout(callback, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
    soon: setImmediate,
    atEndOfTurn: (callback) => links.atEndOfTurn(callback),
    log(event, details) {
      // A peer can cause any number of these.
      const withheld = event === 'malformed' ? limiter.admit(`${details['from']}`) : 0;
      if (withheld === undefined) return;
      log({ level: 'info', message: event + withheldNote(withheld), details });
    },
    isConnected: (peer) => links.isConnected(peer),
    reject: (peer, why) => log({ level: 'warn', peer, message: 'rejected', details: { why } }),
    reach: (contacts) => links.reach(contacts),
    call: (call, operation) => store?.call(call, operation),
  });
}

interface Parts {
  readonly self: string;
  readonly group: string;
  readonly driver: GroupDriver;
  readonly links: Links;
  readonly rules: Rules;
  readonly store: string | undefined;
}

function memberStatusOf({ self, group, driver, links, rules, store }: Parts): MemberStatus {
  const { peers, refusals, refusedBy } = links.status();
  const { granted, messages, stale, malformed } = driver.stats;
  const rulesOf = (of: 'locks' | 'semaphores') =>
    [...rules[of], ...DEFAULT_RULES[of]].map(({ match, algorithm }) => ({ of, match, algorithm }));
  const { view } = driver;
  // No request waits for a member that has left the group, or that an operator calls gone.
  const mayBeAwaited = (id: string) =>
    view === null || view.members.some((member) => member.id === id);
  const away = peers.filter(({ id, connected }) => !connected && mayBeAwaited(id));
  return {
    self,
    group,
    view,
    engine: { ...driver.engineStatus(), ...(store !== undefined && { name: store }) },
    waitsFor: [...new Set([...driver.waitsFor(), ...away.map(({ id }) => id)])].sort(),
    peers: peers.map(({ id, connected, roundTripMs, silentMs, unreachableMs, queuedBytes }) => ({
      id,
      connected,
      roundTripMs: roundTripMs ?? null,
      silentMs: silentMs ?? null,
      unreachableMs: unreachableMs ?? null,
      queuedBytes,
    })),
    algorithms: [...rulesOf('locks'), ...rulesOf('semaphores')],
    entries: granted,
    messages,
    refusals: { ...refusals, 'stale-epoch': stale, 'malformed-message': malformed },
    refusedBy,
  };
}
