import { assert } from '../core/assert.ts';
import { Caller } from './caller.ts';
import { systemClock } from './clock.ts';
import type { LinkEvents, LinksStatus } from './events.ts';
import { type Expectation, type Hello, judge, type Refusal } from './hello.ts';
import type { Host } from './host.ts';
import type { Line } from './line.ts';
import { Link } from './link.ts';
import { Porch } from './porch.ts';
import { Refusals } from './refusals.ts';
import { checkedSettings, type LinkSettings } from './settings.ts';
import type { Listener } from './transport.ts';

/**
 * The sessions of this process with all its peers.
 *
 * The member whose name is smaller dials, the other listens. Whoever restarts has a higher incarnation: its
 * sessions begin anew, and its earlier processes are refused.
 *
 * What is sent to a peer in one turn leaves as one write.
 */
export class Links {
  readonly #self: string;
  readonly #listen: string;
  readonly #expectation: Expectation;
  readonly #host: Host;
  readonly #porch: Porch;
  readonly #links = new Map<string, Link>();
  /** Lines that are being ended; nobody listens to them any more. */
  readonly #ending = new Set<Line>();
  readonly #dirty: Link[] = [];
  /** Who is to be called at the end of this turn, and whether that will be. */
  readonly #late: (() => void)[] = [];
  #turnEnds = false;
  #listener: Listener | undefined;
  #lastBeat = 0;
  #cancelBeat = () => {};
  #closing: Promise<void> | undefined;
  #supersededBy = 0;

  constructor(settings: LinkSettings, events: LinkEvents) {
    const { self, group, digest, incarnation, transport } = settings;
    const { clock = systemClock, random = Math.random, log = () => {} } = settings;
    const limits = checkedSettings(settings);
    this.#self = self;
    this.#listen = settings.listen;
    this.#expectation = { self, group, digest, known: (id) => this.#links.get(id)?.incarnation };
    this.#host = {
      events,
      limits,
      clock,
      random,
      log,
      refusals: new Refusals(() => clock.now(), log),
      transport,
      incarnation,
      hello: (to, knows, received) => ({
        group,
        digest,
        from: self,
        incarnation,
        to,
        knows,
        received,
      }),
      superseded: (later) => this.#superseded(later),
      overflowed: (peer) => {
        // Not from within: whoever sends is in the middle of something.
        clock.soon(() => {
          if (this.#closing === undefined) events.overflow(peer);
        });
      },
      farewell: (line, gone) => this.#farewell(line, gone),
      flush: this.#flush,
      isHandling: false,
      hasHurried: false,
    };
    this.#porch = new Porch(this.#host, (line, hello) => this.#greet(line, hello, true));
    for (const [id, address] of Object.entries(settings.peers)) {
      this.#links.set(id, this.#linkTo(id, address));
    }
  }

  /** Listens, and dials; resolves when it listens. Rejects with a ListenError if it cannot. */
  async open(): Promise<void> {
    assert(this.#listener === undefined && this.#closing === undefined, 'links are opened once');
    this.#listener = await this.#host.transport.listen(this.#listen, this.#porch);
    if (this.#closing !== undefined) return this.#listener.close();
    this.#lastBeat = this.#host.clock.now();
    this.#beatLater();
    try {
      for (const link of this.#links.values()) link.caller?.dial();
    } catch (error) {
      // An address that is none.
      await this.close();
      throw error;
    }
  }

  /** Where we listen, once opened; with the port, if that was left open. */
  get address(): string {
    assert(this.#listener !== undefined, 'the links are open');
    return this.#listener.address;
  }

  /**
   * Sends a message, the first so many bytes, in the present session with the peer; it is copied. Before
   * the first session begins there is nobody to send to, and it is dropped; and so after `close`.
   */
  send(peer: string, bytes: Uint8Array, length = bytes.length): void {
    const link = this.#link(peer);
    if (this.#closing !== undefined || !link.send(bytes, length) || link.isDirty) return;
    link.isDirty = true;
    this.#dirty.push(link);
    // Not at once: more may be said in this turn. Why at its very end: docs/decisions/0010-sessions.md.
    if (!this.#host.isHandling) this.#endTurnLater();
  }

  /** Calls back at the end of this turn, before what is sent in it is written. */
  atEndOfTurn(callback: () => void): void {
    this.#late.push(callback);
    this.#endTurnLater();
  }

  /**
   * What `speak` sends is written at once; but only once after each time that something was heard: of many who
   * are in a hurry, the others' words leave at the end of the turn, as one.
   */
  hurry(speak: () => void): void {
    const host = this.#host;
    if (host.hasHurried || host.isHandling) {
      speak();
      return;
    }
    host.hasHurried = true;
    host.isHandling = true;
    try {
      speak();
    } finally {
      host.isHandling = false;
      this.#flush();
    }
  }

  /** Much is unacknowledged by this peer: whoever can wait should. */
  isCongested(peer: string): boolean {
    return this.#link(peer).isCongested;
  }

  isConnected(peer: string): boolean {
    return this.#link(peer).isConnected;
  }

  status(): LinksStatus {
    const peers = [...this.#links.values()].map((link) => link.status());
    const refusals = { ...this.#host.refusals.counts };
    return { peers, refusals, halfOpen: this.#porch.size };
  }

  /** Sends what is left, as far as `closeMs` allows, and says goodbye. No event comes after this call. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#cancelBeat();
    const closed = this.#listener?.close();
    this.#porch.clear();
    await Promise.all([...this.#links.values()].map((link) => link.leave()));
    for (const line of this.#ending) line.hangUp();
    await closed;
  }

  #link(peer: string): Link {
    const link = this.#links.get(peer);
    assert(link !== undefined, 'whom a message goes to is one of the peers');
    return link;
  }

  #linkTo(id: string, address: string): Link {
    const link = new Link(this.#host, id);
    if (this.#self < id) {
      const greet = (line: Line, hello: Hello) => this.#greet(line, hello, false);
      link.caller = new Caller(this.#host, id, address, () => link.hello(), greet);
    }
    return link;
  }

  /** Someone has introduced itself. */
  #greet(line: Line, hello: Hello, calledUs: boolean): Refusal | undefined {
    const refusal = judge(hello, this.#expectation, line.connection.names);
    if (refusal !== undefined) return refusal;
    if (calledUs !== hello.from < this.#self) {
      const detail = `${JSON.stringify(hello.from)} is to be dialled by us, not the other way round`;
      return { reason: 'wrong-direction', detail };
    }
    if (hello.knows > this.#host.incarnation) this.#superseded(hello.knows);
    if (this.#supersededBy > 0) {
      // No REFUSED: the other would take the later incarnation for one of its own.
      line.hangUp();
      return undefined;
    }
    return this.#link(hello.from).join(line, hello, calledUs);
  }

  #superseded(later: number): void {
    if (later <= this.#host.incarnation || this.#supersededBy > 0) return;
    this.#supersededBy = later;
    if (this.#closing !== undefined) return;
    for (const link of this.#links.values()) link.caller?.stop();
    this.#host.events.superseded(later);
  }

  #farewell(line: Line, gone = () => {}): void {
    const { clock, limits } = this.#host;
    this.#ending.add(line);
    line.end(clock, limits.closeMs, () => {
      this.#ending.delete(line);
      gone();
    });
  }

  #endTurnLater(): void {
    if (this.#turnEnds) return;
    this.#turnEnds = true;
    this.#host.clock.soon(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    try {
      // Those who come meanwhile are called in this turn, too.
      for (let call = this.#late.shift(); call !== undefined; call = this.#late.shift()) call();
    } finally {
      this.#turnEnds = false;
      this.#flush();
    }
  };

  readonly #flush = (): void => {
    const dirty = this.#dirty;
    for (let link = dirty.shift(); link !== undefined; link = dirty.shift()) {
      link.isDirty = false;
      link.flush();
    }
  };

  #beatLater(): void {
    const { clock, limits } = this.#host;
    this.#cancelBeat = clock.later(limits.heartbeatMs, () => {
      const now = clock.now();
      // Late ourselves, after a pause of this process: what was sent to us meanwhile is not read yet.
      const overslept = now - this.#lastBeat > 2 * limits.heartbeatMs;
      this.#lastBeat = now;
      for (const link of this.#links.values()) {
        if (overslept) link.excuse(now);
        link.beat(now);
      }
      this.#beatLater();
    });
  }
}
