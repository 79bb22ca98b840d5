import { assert } from '../core/assert.ts';
import { systemClock } from './clock.ts';
import { DelayedAcks } from './delayed-acks.ts';
import { Dialer } from './dialer.ts';
import type { LinkEvents, LinksStatus } from './events.ts';
import type { FramedConnection } from './framed-connection.ts';
import { type Expectation, type Hello, judge, type Refusal } from './hello.ts';
import { Link } from './link.ts';
import type { LinkContext } from './link-context.ts';
import { PendingHandshakes } from './pending-handshakes.ts';
import { Refusals } from './refusals.ts';
import { checkedSettings, type LinkSettings } from './settings.ts';
import type { Listener } from './transport.ts';
import { WriteBatch } from './write-batch.ts';

/**
 * The sessions of this process with all its peers.
 *
 * Of two members, the one with the smaller name dials and the other listens. A restarted process has a higher
 * incarnation: its sessions are new, and earlier processes of the same member are refused.
 *
 * All messages to one peer within a turn leave in one write.
 */
export class Links {
  readonly #self: string;
  readonly #listen: string;
  readonly #expectation: Expectation;
  readonly #context: LinkContext;
  readonly #handshakes: PendingHandshakes;
  readonly #links = new Map<string, Link>();
  /** Connections that are being closed, and that nothing reads any more. */
  readonly #ending = new Set<FramedConnection>();
  #listener: Listener | undefined;
  #lastBeat = 0;
  #cancelBeat = () => {};
  #closing: Promise<void> | undefined;
  #supersededBy = 0;

  constructor(settings: LinkSettings, events: LinkEvents) {
    const { self, group, digest } = settings;
    this.#self = self;
    this.#listen = settings.listen;
    this.#expectation = { self, group, digest, known: (id) => this.#links.get(id)?.incarnation };
    this.#context = this.#makeContext(settings, events);
    this.#handshakes = new PendingHandshakes(this.#context, (connection, hello) =>
      this.#admit(connection, hello, true),
    );
    for (const [id, address] of Object.entries(settings.peers)) {
      this.#links.set(id, this.#linkTo(id, address));
    }
  }

  #makeContext(settings: LinkSettings, events: LinkEvents): LinkContext {
    const { self, group, digest, incarnation, transport } = settings;
    const { clock = systemClock, random = Math.random, log = () => {} } = settings;
    const limits = checkedSettings(settings);
    return {
      events,
      limits,
      clock,
      random,
      log,
      refusals: new Refusals(() => clock.now(), log),
      transport,
      incarnation,
      batch: new WriteBatch(clock),
      acks: new DelayedAcks(clock, limits),
      hello: (to, knows, received) => {
        const identity = { group, digest, from: self, incarnation };
        return { ...identity, to, knows, received };
      },
      superseded: (later) => this.#superseded(later),
      overflowed: (peer) => {
        // Later, because the sender is in the middle of its own work.
        clock.soon(() => {
          if (this.#closing === undefined) events.overflow(peer);
        });
      },
      endGracefully: (connection, closed) => this.#endGracefully(connection, closed),
    };
  }

  /** Listens and dials; resolves when it listens. Rejects with a ListenError if it cannot. */
  async open(): Promise<void> {
    assert(this.#listener === undefined && this.#closing === undefined, 'links are opened once');
    this.#listener = await this.#context.transport.listen(this.#listen, this.#handshakes);
    if (this.#closing !== undefined) return this.#listener.close();
    this.#lastBeat = this.#context.clock.now();
    this.#scheduleBeat();
    try {
      for (const link of this.#links.values()) link.dialer?.dial();
    } catch (error) {
      // An address of a peer is not valid.
      await this.close();
      throw error;
    }
  }

  /** The address at which this process listens, with the port that the system chose. */
  get address(): string {
    assert(this.#listener !== undefined, 'the links are open');
    return this.#listener.address;
  }

  /**
   * Sends the first `length` bytes, copied, in the present session with the peer. Before the first session
   * begins, after `overflow` and after `close` the message is dropped.
   */
  send(peer: string, bytes: Uint8Array, length = bytes.length): void {
    const link = this.#link(peer);
    if (this.#closing === undefined) link.send(bytes, length);
  }

  /** Runs the callback at the end of this turn, before the messages of the turn are written. */
  atEndOfTurn(callback: () => void): void {
    this.#context.batch.atEndOfTurn(callback);
  }

  /**
   * Writes all messages sent so far at once, for a message that another process waits for. At most one such write
   * follows each received chunk; further urgent messages leave at the end of the turn.
   */
  flushNow(): void {
    this.#context.batch.flushNow();
  }

  /** Much is unacknowledged by this peer: send it nothing that can wait. */
  isCongested(peer: string): boolean {
    return this.#link(peer).isCongested;
  }

  status(): LinksStatus {
    const peers = [...this.#links.values()].map((link) => link.status());
    const refusals = { ...this.#context.refusals.counts };
    return { peers, refusals, halfOpen: this.#handshakes.size };
  }

  /** Writes the remaining messages within `closeMs`, and says goodbye. No event follows this call. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelBeat();
    this.#context.acks.stop();
    const closed = this.#listener?.close();
    this.#handshakes.clear();
    await Promise.all([...this.#links.values()].map((link) => link.leave()));
    for (const connection of this.#ending) connection.hangUp();
    await closed;
  }

  #link(peer: string): Link {
    const link = this.#links.get(peer);
    assert(link !== undefined, 'the receiver of a message is one of the peers');
    return link;
  }

  #linkTo(id: string, address: string): Link {
    const link = new Link(this.#context, id);
    if (this.#self < id) {
      const hello = () => link.hello();
      link.dialer = new Dialer(this.#context, id, address, hello, (connection, answer) =>
        this.#admit(connection, answer, false),
      );
    }
    return link;
  }

  /** Hands a connection whose other end sent its HELLO to the link of that member, or says why not. */
  #admit(connection: FramedConnection, hello: Hello, dialedUs: boolean): Refusal | undefined {
    const refusal = judge(hello, this.#expectation, connection.connection.names);
    if (refusal !== undefined) return refusal;
    if (dialedUs !== hello.from < this.#self) {
      const [from, self] = [hello.from, this.#self].map((name) => JSON.stringify(name));
      const detail = `${self} dials ${from}, because its name is smaller, and not the reverse`;
      return { reason: 'wrong-direction', detail };
    }
    if (hello.knows > this.#context.incarnation) this.#superseded(hello.knows);
    if (this.#supersededBy > 0) {
      // No REFUSED: the peer would take the later incarnation for one of its own.
      connection.hangUp();
      return undefined;
    }
    return this.#link(hello.from).attach(connection, hello, dialedUs);
  }

  #superseded(later: number): void {
    if (later <= this.#context.incarnation || this.#supersededBy > 0) return;
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

  /** One timer for the heartbeats of all links. */
  #scheduleBeat(): void {
    const { clock, limits } = this.#context;
    this.#cancelBeat = clock.later(limits.heartbeatMs, () => {
      const now = clock.now();
      // After a pause of this process, bytes of the peers are still unread.
      const hasPaused = now - this.#lastBeat > 2 * limits.heartbeatMs;
      this.#lastBeat = now;
      for (const link of this.#links.values()) {
        if (hasPaused) link.excuseSilence(now);
        link.beat(now);
      }
      this.#scheduleBeat();
    });
  }
}
