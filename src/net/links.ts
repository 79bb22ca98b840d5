import { assert } from '../core/assert.ts';
import { Beats } from './beats.ts';
import { systemClock } from './clock.ts';
import { Dialer } from './dialer.ts';
import type { LinkEvents, LinksStatus } from './events.ts';
import type { FramedConnection } from './framed-connection.ts';
import { GroupSecret } from './group-secret.ts';
import type { Admission } from './handshake.ts';
import { type Expectation, type Hello, judge, OUR_VERSIONS, type Refusal } from './hello.ts';
import { Link } from './link.ts';
import type { LinkContext } from './link-context.ts';
import { PendingHandshakes } from './pending-handshakes.ts';
import { Refusals } from './refusals.ts';
import { ReverseDial } from './reverse-dial.ts';
import { checkedSettings, type LinkSettings } from './settings.ts';
import type { Listener } from './transport.ts';
import { WriteBatch } from './write-batch.ts';

/**
 * The sessions of this process with all its peers.
 *
 * Of two members, the member with the smaller name dials, and the other listens. A restarted process has a higher
 * incarnation: its sessions are new, and earlier processes of the same member are refused.
 *
 * All messages to one peer within a turn leave in one write.
 */
export class Links {
  readonly #self: string;
  readonly #listen: string;
  readonly #wallTime: () => number;
  readonly #expectation: Expectation;
  readonly #context: LinkContext;
  readonly #handshakes: PendingHandshakes;
  readonly #links = new Map<string, Link>();
  /** Connections that are being closed, and that nothing reads any more. */
  readonly #ending = new Set<FramedConnection>();
  #listener: Listener | undefined;
  #closing: Promise<void> | undefined;
  #lastNumber = 0;
  #supersededBy = 0;

  constructor(settings: LinkSettings, events: LinkEvents) {
    this.#self = settings.self;
    this.#listen = settings.listen;
    this.#wallTime = settings.wallTime ?? Date.now;
    this.#context = this.#makeContext(settings, events);
    this.#expectation = this.#makeExpectation(settings);
    this.#handshakes = new PendingHandshakes(this.#context, this.#admission);
    for (const [id, address] of Object.entries(settings.peers)) {
      this.#links.set(id, this.#linkTo(id, address, 0));
    }
  }

  #makeContext(settings: LinkSettings, events: LinkEvents): LinkContext {
    const { self, group, digest, declarations = '', incarnation, transport } = settings;
    const { clock = systemClock, random = Math.random, log = () => {} } = settings;
    const { versions = OUR_VERSIONS, findsMembers = false } = settings;
    const limits = checkedSettings(settings);
    const secret = settings.secret === undefined ? undefined : new GroupSecret(settings.secret);
    const identity = { group, versions, declarations, digest, from: self, incarnation };
    return {
      events,
      limits,
      clock,
      random,
      log,
      refusals: new Refusals(
        () => clock.now(),
        log,
        (reason) => findsMembers && reason === 'unknown-member',
      ),
      transport,
      incarnation,
      findsMembers,
      versions,
      secret,
      batch: new WriteBatch(clock),
      beats: new Beats(clock, limits.heartbeatMs, (now, hasPaused) =>
        this.#beatAll(now, hasPaused),
      ),
      hello: (to, session) => {
        const hello = { ...identity, to, ...session };
        return secret === undefined ? hello : { ...hello, nonce: secret.nonce() };
      },
      superseded: (later) => this.#superseded(later),
      evicted: (by) => this.#links.get(by)?.evicted(),
      emitSoon: (event) => {
        clock.soon(() => {
          if (this.#closing === undefined) event(events);
        });
      },
      endGracefully: (connection, closed) => this.#endGracefully(connection, closed),
    };
  }

  #makeExpectation(settings: LinkSettings): Expectation {
    const { self, group, digest, declarations = '', incarnation } = settings;
    const { limits, versions, secret } = this.#context;
    return {
      ...{ self, incarnation, group, versions, declarations, digest },
      hasSecret: secret !== undefined,
      findsMembers: settings.findsMembers ?? false,
      latestIncarnation: () => this.#wallTime() + limits.maxClockAheadMs,
      known: (id) => this.#links.get(id)?.incarnation,
    };
  }

  /** Listens and dials; resolves when it listens. Rejects with a ListenError if it cannot. */
  async open(): Promise<void> {
    assert(this.#listener === undefined && this.#closing === undefined, 'links are opened once');
    this.#listener = await this.#context.transport.listen(this.#listen, this.#handshakes);
    if (this.#closing !== undefined) return this.#listener.close();
    this.#context.beats.start();
    try {
      for (const link of this.#links.values()) link.dialer?.dial();
    } catch (error) {
      // An address of a peer is not valid.
      await this.close();
      throw error;
    }
  }

  /** Keeps a session with each of these processes, and with no others. Links that stay keep their sessions. */
  reach(contacts: readonly { readonly id: string; readonly address: string }[]): void {
    if (this.#closing !== undefined) return;
    const wanted = new Map(contacts.map(({ id, address }) => [id, address]));
    for (const [id, link] of this.#links) {
      if (wanted.get(id) !== link.address) this.#remove(link);
    }
    for (const [id, address] of wanted) if (!this.#links.has(id)) this.#add(id, address);
  }

  /** Ends the session with a peer, and begins another one. */
  renew(peer: string): void {
    const link = this.#links.get(peer);
    if (link === undefined || this.#closing !== undefined) return;
    this.#remove(link);
    this.#add(peer, link.address);
  }

  #add(id: string, address: string): void {
    const link = this.#linkTo(id, address, ++this.#lastNumber);
    this.#links.set(id, link);
    this.#context.beats.wake();
    if (this.#supersededBy > 0) return;
    try {
      link.dialer?.dial();
    } catch (error) {
      // Another process chose the address.
      const message = `cannot reach ${id} at ${address}: ${(error as Error).message}`;
      this.#context.log({ level: 'warn', message, peer: id });
    }
  }

  #remove(link: Link): void {
    this.#links.delete(link.id);
    link.drop();
  }

  /** The address at which this process listens, with the port that the system chose. */
  get address(): string {
    assert(this.#listener !== undefined, 'the links are open');
    return this.#listener.address;
  }

  /**
   * Sends the first `length` bytes, copied, in the present session with the peer. The message is dropped before the first
   * session begins, after `overflow` and after `close`. So is a message to a process that `reach` has not named.
   */
  send(peer: string, bytes: Uint8Array, length = bytes.length): void {
    const link = this.#links.get(peer);
    assert(link !== undefined || this.#context.findsMembers, 'messages are sent to peers');
    if (this.#closing === undefined) link?.send(bytes, length);
  }

  /** Runs the callback at the end of this turn, before the messages of the turn are written. */
  atEndOfTurn(callback: () => void): void {
    this.#context.batch.atEndOfTurn(callback);
  }

  /**
   * Writes what `send` sends at once: another process waits for it. At most one such write follows each received
   * chunk; further urgent messages leave at the end of the turn.
   */
  urgently(send: () => void): void {
    this.#context.batch.urgently(send);
  }

  /** Whether much is unacknowledged by this peer, so that messages which can wait should wait. */
  isCongested(peer: string): boolean {
    return this.#links.get(peer)?.isCongested ?? false;
  }

  isConnected(peer: string): boolean {
    return this.#links.get(peer)?.isConnected ?? false;
  }

  status(): LinksStatus {
    const peers = [...this.#links.values()].map((link) => link.status());
    const { counts, received } = this.#context.refusals;
    const refused = { refusals: { ...counts }, refusedBy: { ...received } };
    return { peers, ...refused, halfOpen: this.#handshakes.size };
  }

  /** Writes the remaining messages within `closeMs`, and says goodbye. No event follows this call. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#context.beats.stop();
    const closed = this.#listener?.close();
    this.#handshakes.clear();
    await Promise.all([...this.#links.values()].map((link) => link.leave()));
    for (const connection of this.#ending) connection.hangUp();
    await closed;
  }

  #link(peer: string): Link {
    const link = this.#links.get(peer);
    assert(link !== undefined, 'the other end of a handshake is one of the peers');
    return link;
  }

  #linkTo(id: string, address: string, number: number): Link {
    const link = new Link(this.#context, id, address, number);
    if (this.#self < id) link.dialer = new Dialer(this.#context, id, address, this.#admission);
    else link.reverseDial = new ReverseDial(this.#context, id, address, () => link.hello());
    return link;
  }

  readonly #admission: Admission = {
    judge: (connection, hello, dialedUs) => {
      const refusal = judge(hello, this.#expectation, connection.connection.names);
      if (refusal?.reason === 'unknown-member' && this.#context.findsMembers) {
        this.#context.emitSoon((events) => events.unknown());
      }
      return refusal ?? this.#judgeDirection(hello, dialedUs);
    },
    helloTo: (member) => this.#link(member).hello(),
    admit: (connection, hello, answer) => this.#admit(connection, hello, answer),
  };

  #judgeDirection(hello: Hello, dialedUs: boolean): Refusal | undefined {
    if (dialedUs === hello.from < this.#self) return undefined;
    const [from, self] = [hello.from, this.#self].map((name) => JSON.stringify(name));
    const detail = `${self} dials ${from} and not the reverse: check that ${self} can reach ${from}`;
    return { reason: 'wrong-direction', detail };
  }

  #admit(connection: FramedConnection, hello: Hello, answer: boolean): Refusal | undefined {
    if (hello.knows > this.#context.incarnation) this.#superseded(hello.knows);
    if (this.#supersededBy > 0) {
      // No REFUSED: the peer would take the later incarnation for one of its own.
      connection.hangUp();
      return undefined;
    }
    const link = this.#links.get(hello.from);
    if (link !== undefined) return link.attach(connection, hello, answer);
    // It was removed since its HELLO was judged.
    return {
      reason: 'unknown-member',
      detail: `${JSON.stringify(hello.from)} is no peer any more`,
    };
  }

  #superseded(later: number): void {
    if (later <= this.#context.incarnation || this.#supersededBy > 0) return;
    if (later > this.#expectation.latestIncarnation()) {
      const detail = `a peer names a process of ${this.#self} that starts more than a day after now`;
      this.#context.refusals.note({ reason: 'implausible-incarnation', detail }, {});
      return;
    }
    this.#supersededBy = later;
    if (this.#closing !== undefined) return;
    for (const link of this.#links.values()) link.dialer?.stop();
    this.#context.events.superseded(later);
  }

  #endGracefully(connection: FramedConnection, closed = () => {}): void {
    const { clock, limits } = this.#context;
    this.#ending.add(connection);
    connection.end(clock, limits.closeMs, () => {
      this.#ending.delete(connection);
      closed();
    });
  }

  #beatAll(now: number, hasPaused: boolean): number {
    let untilDueMs = this.#context.limits.idleHeartbeatMs;
    for (const link of this.#links.values()) {
      if (hasPaused) link.excuseSilence(now);
      untilDueMs = Math.min(untilDueMs, link.beat(now));
    }
    return untilDueMs;
  }
}
