/** Makes this process a member of a group. */
import { createHash } from 'node:crypto';
import { UsageError } from '../core/errors.ts';
import { fixed } from '../engines/fixed.ts';
import type { Engine } from '../group/engine.ts';
import { NotMemberError } from '../group/errors.ts';
import { DEFAULT_RULES, type Rule } from '../group/kind.ts';
import { GroupNode } from '../group/node.ts';
import { ClosedError } from '../locks/errors.ts';
import { LockManager } from '../locks/manager.ts';
import { Semaphore } from '../locks/semaphore.ts';
import { checkExposure } from '../net/exposure.ts';
import { Links } from '../net/links.ts';
import { LogLimiter, withheldNote } from '../net/log-limiter.ts';
import type { LogEntry } from '../net/refusals.ts';
import type { TlsSettings } from '../net/tls.ts';
import type { DaemonGroup, GroupStatus } from './daemon-group.ts';
import { declarationsOf } from './declarations.ts';
import { transportFor } from './transport.ts';

export interface JoinSettings {
  /** The name of this member; the others list it among their peers. */
  readonly self: string;
  /** Where the others reach this one: `host:port`, or `unix:PATH` for a group on one machine. */
  readonly listen: string;
  /** The other members, and where they listen. All members must list the same names. */
  readonly peers: { readonly [id: string]: string };
  /** Members of groups with other names do not talk to each other. Default `latchkey`. */
  readonly group?: string | undefined;
  /** Encrypts all connections; each member proves its name by its certificate. */
  readonly tls?: TlsSettings | undefined;
  /**
   * Known to all members, at least 16 letters: each proves to the others that it knows it. It keeps other processes out
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
  /** Who decides the membership. Default `fixed()`. */
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
 *   console.log(`nobody else is here; whoever comes later has a fence above ${lock.fence}`);
 * });
 * ```
 */
export interface Group extends DaemonGroup, AsyncDisposable {
  /** Locks by name, as the Web Locks API has them, across all members. */
  readonly locks: LockManager;
  /** One of so many permits at a time; all members must give the same number. */
  semaphore(name: string, permits: number): Semaphore;
  readonly backend: GroupNode;
  /** Where this member listens, with the port if that was left open. */
  readonly address: string;
  /** Members, view, who holds and who waits. */
  status(): Promise<GroupStatus>;
  /** Aborts, with the reason, if this process stops being a member though it did not leave. */
  readonly stopped: AbortSignal;
  /** Gives back all locks, tells the others, and closes all connections. */
  leave(): Promise<void>;
}

/**
 * Joins a group. Resolves when this member listens; locks are granted once all members are there, in
 * whatever order they start.
 *
 * Rejects with a `UsageError` for settings that cannot be, and with a `ListenError` if the address is taken.
 */
export async function join(settings: JoinSettings): Promise<Group> {
  const { self, listen, peers, group = 'latchkey', turns = 16, log = () => {} } = settings;
  check(settings);
  const rules = { locks: settings.locks ?? [], semaphores: settings.semaphores ?? [] };
  const ids = Object.keys(peers).sort();
  const member = { id: self, incarnation: Date.now() };
  const stopped = new AbortController();
  const limiter = new LogLimiter(Date.now);
  const warning = checkExposure(settings);
  if (warning !== undefined) log({ level: 'warn', message: warning });

  const links = new Links(
    {
      self,
      incarnation: member.incarnation,
      group,
      digest: digestOf({ members: [self, ...ids].sort(), rules, engine: settings.engine?.name }),
      declarations: declarationsOf(rules),
      secret: settings.secret,
      listen,
      peers,
      transport: transportFor(settings),
      log,
    },
    {
      begins: (peer, incarnation) => node.begins({ id: peer, incarnation }),
      message: (peer, payload) => node.receive(peer, payload),
      connection: (peer, up) =>
        log({ level: 'info', peer, message: up ? 'connected' : 'disconnected' }),
      superseded: () => node.end(new NotMemberError(`another process is ${self} now`)),
      overflow: (peer) => {
        const message = `messages to ${peer} are given up, because it does not acknowledge: restart ${peer}`;
        log({ level: 'warn', peer, message });
      },
      evicted: (by) => node.end(new NotMemberError(`${by} has given up its messages to ${self}`)),
      congestion: () => {},
    },
  );
  const node: GroupNode = new GroupNode(
    { self: member, peers: ids, rules, turns },
    settings.engine ?? fixed(),
    {
      send: (to, bytes, length) => links.send(to, bytes, length),
      now: Date.now,
      later(ms, callback) {
        const timer = setTimeout(callback, ms);
        timer.unref();
        return () => clearTimeout(timer);
      },
      soon: setImmediate,
      atEndOfTurn: (callback) => links.atEndOfTurn(callback),
      hurry(send) {
        send();
        links.flushNow();
      },
      log(event, details) {
        // A peer can cause any number of these.
        const withheld = event === 'malformed' ? limiter.admit(`${details['from']}`) : 0;
        if (withheld === undefined) return;
        log({ level: 'info', message: event + withheldNote(withheld), details });
      },
    },
  );
  node.onEnd = (reason) => {
    stopped.abort(reason);
    void links.close();
  };
  await links.open();
  node.start();

  const locks = new LockManager(node);
  const leave = async () => {
    locks.close();
    await node.leave(new ClosedError());
    await links.close();
  };
  return {
    id: self,
    locks,
    backend: node,
    stopped: stopped.signal,
    address: links.address,
    semaphore: (name, permits) => new Semaphore(node, name, permits),
    status: async () => statusOf({ self, group, node, links, rules }),
    leave,
    [Symbol.asyncDispose]: leave,
  };
}

interface Parts {
  readonly self: string;
  readonly group: string;
  readonly node: GroupNode;
  readonly links: Links;
  readonly rules: { readonly locks: readonly Rule[]; readonly semaphores: readonly Rule[] };
}

async function statusOf({ self, group, node, links, rules }: Parts): Promise<GroupStatus> {
  const { held, pending, unreachable } = await node.query();
  const { peers, refusals } = links.status();
  const { granted, messages, stale, malformed } = node.stats;
  const rulesOf = (of: 'locks' | 'semaphores') =>
    [...rules[of], ...DEFAULT_RULES[of]].map(({ match, algorithm }) => ({ of, match, algorithm }));
  return {
    self,
    group,
    view: node.view,
    waitsFor: node.waitsFor(),
    peers: peers.map(({ id, connected, roundTripMs = null, silentMs = null }) => ({
      id,
      connected,
      roundTripMs,
      silentMs,
    })),
    held,
    pending,
    unreachable,
    algorithms: [...rulesOf('locks'), ...rulesOf('semaphores')],
    entries: granted,
    messages,
    refusals: { ...refusals, 'stale-epoch': stale, 'malformed-message': malformed },
  };
}

function check({ self, peers, turns }: JoinSettings): void {
  if (self === '') throw new UsageError('expected `self` to be a name, got ""');
  if (Object.hasOwn(peers, self)) {
    throw new UsageError(`expected \`peers\` to be the others, got ${JSON.stringify(self)} too`);
  }
  if (turns !== undefined && !(Number.isSafeInteger(turns) && turns >= 1)) {
    throw new UsageError(`expected \`turns\` to be a whole number from 1 up, got ${turns}`);
  }
}

const digestOf = (agreed: object): string =>
  createHash('sha256').update(JSON.stringify(agreed)).digest('hex').slice(0, 16);
