/** Makes this process a member of a group. */
// Imported: the global is a getter that is asked anew each time, which counts here.
import { performance } from 'node:perf_hooks';
import { UsageError } from '../core/errors.ts';
import { fixed } from '../engines/fixed.ts';
import type { Engine } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import { DEFAULT_RULES, type Rule, type Rules } from '../group/lock-algorithm.ts';
import { GroupNode } from '../group/node.ts';
import { ClosedError } from '../locks/errors.ts';
import { LockManager } from '../locks/manager.ts';
import { Semaphore } from '../locks/semaphore.ts';
import { parseAddress } from '../net/address.ts';
import { checkExposure } from '../net/exposure.ts';
import { Links } from '../net/links.ts';
import { LogLimiter, withheldNote } from '../net/log-limiter.ts';
import type { LogEntry } from '../net/refusals.ts';
import type { Transport } from '../net/transport.ts';
import { declarationsOf } from './declarations.ts';
import { digestOf } from './digest.ts';
import { GroupDriver } from './driver.ts';
import { type GroupStatus, type MemberStatus, withSurvey } from './status.ts';
import { type MemberTls, TlsTransport, transportFor } from './transport.ts';

export interface JoinSettings {
  /** The name of this member; the other members list it among their peers. */
  readonly self: string;
  /** Where the other members reach this one: `host:port`, or `unix:PATH` for a group on one machine. */
  readonly listen: string;
  /** The other members, and where they listen. All members must list the same names. */
  readonly peers: { readonly [id: string]: string };
  /** Members of groups with other names do not talk to each other. Default `latchkey`. */
  readonly group?: string | undefined;
  /** Encrypts all connections; each member proves its name by its certificate. */
  readonly tls?: MemberTls | undefined;
  /**
   * Known to all members, at least 16 characters: each proves to the others that it knows it. It keeps other processes out
   * of a group without `tls`; it does not encrypt.
   */
  readonly secret?: string | undefined;
  /** Allows to listen at an address of a network without `tls`: see SECURITY.md. Default false. */
  readonly insecure?: boolean | undefined;
  /**
   * Whether members on one machine may talk over a Unix socket beside the TCP port, which is faster; only on
   * Linux, and not with `tls`. Default true.
   */
  readonly shortcut?: boolean | undefined;
  /** Which algorithm serves which locks; the first rule that matches a name counts. */
  readonly locks?: readonly Rule[] | undefined;
  /** The same for semaphores. */
  readonly semaphores?: readonly Rule[] | undefined;
  /**
   * How many callers of this process may follow one another before the other members get their turn.
   * More is faster where many callers of one process want the same lock; fewer is fairer. Default 16.
   */
  readonly turns?: number | undefined;
  /** Decides the membership. Default `fixed()`. */
  readonly engine?: Engine | undefined;
  /** Hears what happens: members that come and go, views, peers that were refused. */
  readonly log?: ((entry: JoinLog) => void) | undefined;
}

export interface JoinLog extends LogEntry {
  readonly details?: { readonly [name: string]: unknown };
}

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
  /** Locks by name, as the Web Locks API has them, across all members. */
  readonly locks: LockManager;
  /** One of so many permits at a time; all members must give the same number. */
  semaphore(name: string, permits: number): Semaphore;
  readonly backend: GroupDriver;
  /** Where this member listens, with the port if that was left open. */
  readonly address: string;
  /** Members, view, holders and waiting requests of the whole group. */
  status(): Promise<GroupStatus>;
  /** What this member knows without asking the others. */
  memberStatus(): MemberStatus;
  /** Replaces the certificates: new connections use the new ones, open connections stay as they are. */
  reloadTls(tls: MemberTls): Promise<void>;
  /** Aborts, with the reason, if this process stops being a member though it did not leave. */
  readonly stopped: AbortSignal;
  /** Releases all locks, tells the other members, and closes all connections. */
  leave(): Promise<void>;
}

/**
 * Joins a group. Resolves when this member listens; locks are granted once all members have started, in any
 * order.
 *
 * Rejects with a `UsageError` for settings that cannot be, and with a `ListenError` if the address is taken.
 */
export async function join(settings: JoinSettings): Promise<Group> {
  check(settings);
  const { self, listen, peers, group = 'latchkey', log = () => {} } = settings;
  const rules = { locks: settings.locks ?? [], semaphores: settings.semaphores ?? [] };
  const ids = Object.keys(peers).sort();
  const members = [self, ...ids].sort();
  const me = { id: self, incarnation: Date.now() };
  const stopped = new AbortController();
  const engine = settings.engine ?? fixed();
  const transport = transportFor({ ...settings, group });
  const warning = checkExposure(settings);
  if (warning !== undefined) log({ level: 'warn', message: warning });
  const links = new Links(
    {
      self,
      incarnation: me.incarnation,
      group,
      digest: digestOf({ members, rules, engine: engine.name }),
      declarations: declarationsOf(rules, engine),
      secret: settings.secret,
      listen,
      peers,
      transport,
      log,
    },
    {
      begins: (peer, incarnation) => driver.begins({ id: peer, incarnation }),
      message: (peer, payload) => driver.receive(peer, payload),
      connection: (peer, up) =>
        log({ level: 'info', peer, message: up ? 'connected' : 'disconnected' }),
      superseded: () => driver.end(new NotMemberError(`another process is ${self} now`)),
      overflow: (peer) => {
        const message = `messages to ${peer} are given up, because it does not acknowledge: restart ${peer}`;
        log({ level: 'warn', peer, message });
      },
      evicted: (by) => driver.end(new NotMemberError(`${by} has given up its messages to ${self}`)),
      congestion: (peer, isCongested) => driver.congestion(peer, isCongested),
    },
  );
  const driver: GroupDriver = driverOf(settings, rules, me, engine, links);
  driver.onEnd = (reason) => {
    stopped.abort(reason);
    void links.close();
  };
  await links.open();
  driver.start();

  const locks = new LockManager(driver);
  const leave = async () => {
    locks.close();
    driver.leave(new ClosedError());
    await links.close();
  };
  const memberStatus = () => memberStatusOf({ self, group, driver, links, rules });
  return {
    id: self,
    members,
    locks,
    backend: driver,
    stopped: stopped.signal,
    address: links.address,
    semaphore: (name, permits) => new Semaphore(driver, name, permits),
    status: async () => {
      const survey = await driver.query();
      return withSurvey(memberStatus(), survey);
    },
    memberStatus,
    reloadTls: (tls) => reload(transport, tls),
    leave,
    [Symbol.asyncDispose]: leave,
  };
}

async function reload(transport: Transport, tls: MemberTls): Promise<void> {
  if (transport instanceof TlsTransport) return transport.reload(tls);
  throw new UsageError('there are no certificates to reload: this member does not use TLS');
}

/** Drives the member over these links, by the clocks of this process. */
function driverOf(
  { peers, turns = 16, log = () => {} }: JoinSettings,
  rules: Rules,
  self: { readonly id: string; readonly incarnation: number },
  engine: Engine,
  links: Links,
): GroupDriver {
  const node = new GroupNode({ self, peers: Object.keys(peers).sort(), rules, turns }, engine);
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
    call: () => {},
  });
}

interface Parts {
  readonly self: string;
  readonly group: string;
  readonly driver: GroupDriver;
  readonly links: Links;
  readonly rules: Rules;
}

function memberStatusOf({ self, group, driver, links, rules }: Parts): MemberStatus {
  const { peers, refusals } = links.status();
  const { granted, messages, stale, malformed } = driver.stats;
  const rulesOf = (of: 'locks' | 'semaphores') =>
    [...rules[of], ...DEFAULT_RULES[of]].map(({ match, algorithm }) => ({ of, match, algorithm }));
  const away = peers.filter(({ connected }) => !connected).map(({ id }) => id);
  return {
    self,
    group,
    view: driver.view,
    waitsFor: [...new Set([...driver.waitsFor(), ...away])].sort(),
    peers: peers.map(({ id, connected, roundTripMs = null, silentMs = null, queuedBytes }) => ({
      id,
      connected,
      roundTripMs,
      silentMs,
      queuedBytes,
    })),
    algorithms: [...rulesOf('locks'), ...rulesOf('semaphores')],
    entries: granted,
    messages,
    refusals: { ...refusals, 'stale-epoch': stale, 'malformed-message': malformed },
  };
}

/** Refuses wrong settings before any socket is opened. Programs in JavaScript have no types to tell them. */
function check(settings: JoinSettings): void {
  if (typeof settings !== 'object' || settings === null) {
    throw new UsageError(`\`join\` takes settings: { self, listen, peers }, got ${settings}`);
  }
  const { self, listen, peers, group, turns } = settings;
  for (const [name, value] of Object.entries({ self, listen })) {
    if (typeof value === 'string' && value !== '') continue;
    throw new UsageError(
      `\`join\` needs \`${name}\`, a text that is not empty, got ${JSON.stringify(value)}`,
    );
  }
  if (settings.engine !== undefined && typeof settings.engine.start !== 'function') {
    throw new UsageError(
      `\`engine\` takes fixed() so far, got ${JSON.stringify(settings.engine)}: leave it out`,
    );
  }
  if (group !== undefined && (typeof group !== 'string' || group === '')) {
    throw new UsageError(
      `\`group\` takes a text that is not empty, got ${JSON.stringify(group)}: leave it out for "latchkey"`,
    );
  }
  if (typeof peers !== 'object' || peers === null || Array.isArray(peers)) {
    throw new UsageError(
      `\`join\` needs \`peers\`, the addresses of the others by their names ({} if there are none), got ${JSON.stringify(peers)}`,
    );
  }
  parseAddress(listen);
  for (const [id, address] of Object.entries(peers)) {
    if (typeof address !== 'string') {
      throw new UsageError(
        `\`peers\` takes an address for each name, got ${JSON.stringify(address)} for ${JSON.stringify(id)}`,
      );
    }
    parseAddress(address);
  }
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(
      `\`peers\` are the other members, and ${JSON.stringify(self)} is this one: leave it out`,
    );
  }
  if (turns !== undefined && !(Number.isSafeInteger(turns) && turns >= 1)) {
    throw new UsageError(`\`turns\` takes a whole number from 1 up, got ${turns}`);
  }
}
