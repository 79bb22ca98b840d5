import { assert } from '../core/assert.ts';
import type { Reader } from '../core/wire.ts';
import type { Dialer } from './dialer.ts';
import type { LinkStatus } from './events.ts';
import type { FramedConnection, FrameHandler } from './framed-connection.ts';
import { ackFrame, frame, HEADER_BYTES, kinds, LENGTH_BYTES, uint48At } from './frames.ts';
import { Heartbeat } from './heartbeat.ts';
import {
  commonVersion,
  decodeRefusal,
  encodeHello,
  encodeRefusal,
  type Hello,
  printable,
  type Refusal,
} from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Fault } from './refusals.ts';
import type { ReverseDial } from './reverse-dial.ts';
import { SendWindow } from './send-window.ts';
import { Session } from './session.ts';
import type { Batched } from './write-batch.ts';

const GOODBYE = frame(kinds.GOODBYE, new Uint8Array(0));

/** The link with one peer: the session with its present process, and the connection that carries it. */
export class Link implements FrameHandler, Batched {
  readonly id: string;
  readonly address: string;
  /** Undefined where the peer dials this process. */
  dialer: Dialer | undefined;
  /** Undefined where this process dials the peer. */
  reverseDial: ReverseDial | undefined;
  isInBatch = false;
  readonly #context: LinkContext;
  readonly #heartbeat: Heartbeat;
  /** Of this link, where links are added and removed: a later link with the same process has a session of its own. */
  readonly #number: number;
  #session: Session | undefined;
  /** The number of the peer's link that the session is with. */
  #theirNumber = 0;
  #connection: FramedConnection | undefined;
  #version: number | undefined;
  #upSince = 0;
  #unreachableSince: number | undefined;
  #activeAt = 0;
  #messagesAtBeat = 0;
  #window: SendWindow;
  #isCongested = false;
  #wasEvicted = false;
  /** Set while this process leaves: runs when all messages and the GOODBYE are written. */
  #whenLeft: (() => void) | undefined;
  #sentMessages = 0;
  #sentBytes = 0;
  #receivedMessages = 0;
  #receivedBytes = 0;
  readonly #deliver = (payload: Reader): void => {
    this.#receivedMessages++;
    this.#receivedBytes += payload.left;
    this.#context.events.message(this.id, payload);
  };

  constructor(context: LinkContext, id: string, address: string, number: number) {
    this.#context = context;
    this.address = address;
    this.#number = number;
    this.#heartbeat = new Heartbeat(context.limits);
    this.#window = new SendWindow(context.limits);
    this.id = id;
  }

  /** The latest incarnation of the peer that is known; 0 for none. */
  get incarnation(): number {
    return this.#session?.theirs ?? 0;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  get isCongested(): boolean {
    return this.#isCongested;
  }

  /** Our HELLO on a new connection. */
  hello(): Hello {
    const { received = 0, overflowed: gaveUp = false } = this.#session ?? {};
    const session = { knows: this.incarnation, received, gaveUp };
    if (this.#number === 0) return this.#context.hello(this.id, session);
    const numbers = { link: this.#number, knowsLink: this.#theirNumber };
    return this.#context.hello(this.id, { ...session, ...numbers });
  }

  /** The peer sent a valid HELLO on this connection, which replaces an older one. */
  attach(connection: FramedConnection, hello: Hello, answer: boolean): Refusal | undefined {
    const { incarnation, limits, events } = this.#context;
    const { link: theirNumber = 0, knowsLink = 0 } = hello;
    const isPresent =
      this.#session?.theirs === hello.incarnation && this.#theirNumber === theirNumber;
    const present = isPresent ? this.#session : undefined;
    const session = present ?? new Session(incarnation, hello.incarnation);
    const knowsUs = hello.knows === incarnation && knowsLink === this.#number;
    const fault =
      this.#givenUp(present, hello, knowsUs) ?? session.resume(knowsUs ? hello.received : 0);
    if (fault !== undefined) return fault;

    const older = this.#connection;
    older?.hangUp();
    if (older !== undefined && present === undefined) events.connection(this.id, false);
    if (present === undefined) this.#window = new SendWindow(limits);
    this.#session = session;
    this.#theirNumber = theirNumber;
    this.#connection = connection;
    connection.handler = this;
    connection.limit = limits.maxFrameBytes;
    this.#version = commonVersion(hello.versions, this.#context.versions);
    this.#window.forgetQuestion();
    this.#updateCongestion();
    this.reverseDial?.reset();
    this.#upSince = this.#activeAt = this.#context.clock.now();
    const { isLocal = false } = connection.connection;
    this.#heartbeat.begin(this.#upSince, this.dialer !== undefined, isLocal);
    if (answer) connection.write(encodeHello(this.hello()));
    if (present === undefined) events.begins(this.id, hello.incarnation);
    // The layer above may have closed the links in `begins`.
    if (this.#connection !== connection || this.#whenLeft !== undefined) return undefined;
    if (present === undefined || older === undefined) events.connection(this.id, true);
    this.flush();
    return undefined;
  }

  /** Adds a message to the session. It is written with the batch of this turn. */
  send(bytes: Uint8Array, length: number): void {
    const session = this.#session;
    if (session === undefined || session.overflowed) return;
    const { maxFrameBytes, maxUnackedBytes } = this.#context.limits;
    const size = HEADER_BYTES + length;
    assert(size - LENGTH_BYTES <= maxFrameBytes, 'a message fits into a frame');
    const unacked = session.unackedBytes + size;
    if (unacked > maxUnackedBytes) {
      this.#overflow(session);
      return;
    }
    session.send(bytes, length);
    this.#sentMessages++;
    this.#sentBytes += length;
    if (unacked > this.#window.bytes && !this.#isCongested) this.#updateCongestion();
    this.#context.beats.wake();
    if (this.#connection !== undefined) this.#context.batch.add(this);
  }

  flush(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    while (connection.writable) {
      const bytes = this.#session!.next();
      if (bytes === undefined) {
        if (this.#whenLeft !== undefined) this.#sayGoodbye(connection, this.#whenLeft);
        else this.#askForAck(connection);
        return;
      }
      connection.write(bytes);
    }
  }

  /**
   * Called with every heartbeat: acknowledges messages that no message of ours has acknowledged, and checks whether the
   * peer is alive. Nothing is written if the peer was heard lately and nothing is owed to it. Returns for how
   * long there is nothing to do, if no message comes.
   */
  beat(now: number): number {
    const connection = this.#connection;
    if (connection === undefined) {
      this.reverseDial?.beat(now);
      return 0;
    }
    const isIdle = this.#isIdle(now);
    const next = this.#heartbeat.beat(now, isIdle);
    if (next === 'cut') {
      const silentMs = Math.round(this.#heartbeat.silentMs(now)!);
      const detail = `no byte was received from it for ${silentMs} ms`;
      this.#drop(connection, { reason: 'silent', detail });
    } else if (connection.writable) {
      if (this.#session!.owedMessages > 0) this.#acknowledge(connection, this.#session!);
      if (next === 'ping') connection.write(this.#heartbeat.ping(now));
    }
    return isIdle && next !== 'cut' ? this.#heartbeat.untilDueMs(now) : 0;
  }

  /** Whether no message was sent, received or unacknowledged for some time. Compared only with every heartbeat. */
  #isIdle(now: number): boolean {
    const messages = this.#sentMessages + this.#receivedMessages;
    if (messages !== this.#messagesAtBeat || this.#session!.unackedBytes > 0) {
      this.#messagesAtBeat = messages;
      this.#activeAt = now;
    }
    return now - this.#activeAt >= this.#context.limits.idleAfterMs;
  }

  /** This process itself has paused: the silence is not the fault of the peer. */
  excuseSilence(now: number): void {
    if (this.#connection !== undefined) this.#heartbeat.heardAt = now;
  }

  /** Writes the remaining messages and a GOODBYE, within `closeMs`. */
  leave(): Promise<void> {
    this.dialer?.stop();
    this.reverseDial?.stop();
    const connection = this.#connection;
    if (connection === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#context.clock.later(this.#context.limits.closeMs, () => {
        connection.hangUp();
        resolve();
      });
      this.#whenLeft = () => {
        cancel();
        resolve();
      };
      this.flush();
    });
  }

  /** The process is no peer any more: all messages that are kept for it are gone. */
  drop(): void {
    this.dialer?.stop();
    this.reverseDial?.stop();
    this.dialer = this.reverseDial = undefined;
    const connection = this.#connection;
    this.#session = undefined;
    if (connection === undefined) return;
    if (connection.writable) {
      connection.write(GOODBYE);
      this.#context.endGracefully(connection);
    } else connection.hangUp();
    this.#disconnected();
  }

  status(): LinkStatus {
    const now = this.#context.clock.now();
    const since = this.#connection === undefined ? this.#unreachableSince : undefined;
    return {
      id: this.id,
      connected: this.#connection !== undefined,
      version: this.#version,
      gaveUp: this.#session?.overflowed ?? false,
      congested: this.#isCongested,
      incarnation: this.#session?.theirs,
      silentMs: this.#heartbeat.silentMs(now),
      unreachableMs: since === undefined ? undefined : now - since,
      roundTripMs: this.#heartbeat.roundTripMs,
      queuedBytes: this.#session?.unackedBytes ?? 0,
      sentMessages: this.#sentMessages,
      sentBytes: this.#sentBytes,
      receivedMessages: this.#receivedMessages,
      receivedBytes: this.#receivedBytes,
      trouble:
        this.#connection === undefined ? (this.dialer ?? this.reverseDial)?.trouble : undefined,
    };
  }

  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    if (this.#whenLeft !== undefined) return;
    this.#context.batch.beginRead();
    const fault = this.#take(connection, bytes, start, end);
    if (fault !== undefined) this.#drop(connection, fault);
  }

  faulty(connection: FramedConnection, fault: Fault): void {
    this.#drop(connection, fault);
  }

  chunkHandled(connection: FramedConnection): void {
    const now = this.#context.clock.now();
    this.#heartbeat.heardAt = now;
    const { leastRoundTripMs = 0 } = this.#heartbeat;
    this.#window.acknowledged(this.#session!.acknowledged, now, leastRoundTripMs);
    if (this.#isCongested) this.#updateCongestion();
    this.#context.batch.endRead();
    if (connection !== this.#connection) return;
    if (this.#session!.owedMessages > 0) this.#context.beats.wake();
    this.#acknowledgeMuch(connection);
    this.#askForAck(connection);
  }

  drained(connection: FramedConnection): void {
    this.flush();
    if (connection === this.#connection) this.#acknowledgeMuch(connection);
  }

  closed(_: FramedConnection, error: Error | undefined): void {
    this.#whenLeft?.();
    this.#lost(error?.message ?? 'the connection was closed', 'info');
  }

  opened(): void {}

  /** A PING asks for an acknowledgement as well. */
  #askForAck(connection: FramedConnection): void {
    const { unackedBytes, sent } = this.#session!;
    if (!this.#window.mustAsk(unackedBytes) || !connection.writable) return;
    const now = this.#context.clock.now();
    this.#window.asks(sent, now);
    connection.write(this.#heartbeat.ping(now));
  }

  /**
   * Many messages are acknowledged at once. Few wait for a message of ours, for the peer's question, or for the next
   * heartbeat.
   */
  #acknowledgeMuch(connection: FramedConnection): void {
    const { owedMessages, owedBytes } = this.#session!;
    const { ackAfterMessages, ackAfterBytes } = this.#context.limits;
    if (owedMessages < ackAfterMessages && owedBytes < ackAfterBytes) return;
    // A peer that does not read its socket gets the ACK when the socket accepts bytes again.
    if (connection.writable) this.#acknowledge(connection, this.#session!);
  }

  #acknowledge(connection: FramedConnection, session: Session): void {
    connection.write(ackFrame(session.received));
    session.acknowledges();
  }

  #take(
    connection: FramedConnection,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Fault | undefined {
    const kind = bytes[start]!;
    if (kind === kinds.MESSAGE) return this.#session!.take(bytes, start, end, this.#deliver);
    if (kind === kinds.REFUSED) return this.#refused(connection, bytes, start, end);
    if (SIZES[kind] !== end - start) return unknownFrame(kind);
    if (kind === kinds.ACK) return this.#session!.acknowledge(uint48At(bytes, start + 1));
    if (kind === kinds.PONG) this.#heartbeat.pong(bytes, start, this.#context.clock.now());
    else if (kind === kinds.GOODBYE) {
      this.#context.endGracefully(connection);
      this.#lost('it said goodbye', 'info');
    } else if (connection.writable) {
      // Otherwise a peer that sends PINGs and does not read would fill our memory with PONGs.
      if (this.#session!.owedMessages > 0) this.#acknowledge(connection, this.#session!);
      connection.write(frame(kinds.PONG, bytes.subarray(start + 1, end)));
    }
    return undefined;
  }

  #refused(
    connection: FramedConnection,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Fault | undefined {
    const refusal = decodeRefusal(bytes, start, end);
    if (refusal === undefined) return unknownFrame(kinds.REFUSED);
    connection.hangUp();
    const { reason, detail, incarnation } = refusal;
    this.#context.refusals.received[reason]++;
    this.#lost(`it refuses us: ${reason}: ${printable(detail)}`, 'warn');
    if (reason === 'superseded' && incarnation !== undefined) this.#context.superseded(incarnation);
    if (reason === 'evicted') this.evicted();
    return undefined;
  }

  #overflow(session: Session): void {
    const unacked = session.unackedBytes;
    session.overflow();
    this.#updateCongestion();
    const detail = `${this.id} left ${unacked} bytes unacknowledged: its messages are given up`;
    this.#context.refusals.note({ reason: 'overflow', detail }, { peer: this.id });
    if (this.#connection !== undefined) this.#close(this.#connection, evictionOf(this.id));
    this.#context.emitSoon((events) => events.overflow(this.id));
  }

  /** Whether one side has given up this session. Exactly one of the two processes must then start anew. */
  #givenUp(session: Session | undefined, hello: Hello, knowsUs: boolean): Refusal | undefined {
    if (session === undefined) return undefined;
    const isOurs = session.overflowed;
    const isTheirs = hello.gaveUp && knowsUs;
    if (!isOurs && !isTheirs) return undefined;
    // If both gave up, the process that started later starts anew.
    const staysHere =
      session.mine === session.theirs ? hello.to < hello.from : session.mine < session.theirs;
    if (isOurs && (staysHere || !isTheirs)) return evictionOf(this.id);
    this.evicted();
    return {
      reason: 'overflow',
      detail: `${hello.to} starts anew, because messages to it are lost`,
    };
  }

  /** The peer has given up the session. */
  evicted(): void {
    if (this.#wasEvicted) return;
    this.#wasEvicted = true;
    this.#context.emitSoon((events) => events.evicted(this.id));
  }

  /** It ends at half the limit at which it begins, so that it does not change with every message. */
  #updateCongestion(): void {
    const bytes = this.#session?.unackedBytes ?? 0;
    const window = this.#window.bytes;
    const isCongested = bytes > (this.#isCongested ? window / 2 : window);
    if (isCongested === this.#isCongested) return;
    this.#isCongested = isCongested;
    if (isCongested) this.#window.wasFull = true;
    // At once, so that a burst of requests notices it. If it ends, and begins before that is told, it has not ended.
    if (isCongested) this.#context.events.congestion(this.id, true);
    else this.#context.emitSoon((events) => events.congestion(this.id, this.#isCongested));
  }

  #sayGoodbye(connection: FramedConnection, left: () => void): void {
    connection.write(GOODBYE);
    this.#connection = undefined;
    this.#context.endGracefully(connection, left);
  }

  /** The peer broke the protocol, or is silent. */
  #drop(connection: FramedConnection, fault: Fault): void {
    const about = { peer: this.id, remote: connection.connection.remote };
    this.#context.refusals.note(fault, about);
    this.#close(connection, fault);
  }

  #close(connection: FramedConnection, fault: Fault): void {
    if (connection.writable) {
      connection.write(encodeRefusal(fault, true));
      this.#context.endGracefully(connection);
    } else connection.hangUp();
    this.#disconnected();
  }

  #lost(why: string, level: 'info' | 'warn'): void {
    const message = `lost the connection with ${this.id}: ${why}`;
    this.#context.log({ level, message, peer: this.id });
    this.#disconnected();
  }

  #disconnected(): void {
    const { clock, limits, events } = this.#context;
    const now = clock.now();
    const lasted = now - this.#upSince > limits.backoffMaxMs;
    this.#connection = undefined;
    // On an idle connection nothing may have been received for long, though the peer was well.
    this.#unreachableSince = this.#heartbeat.askedSince ?? now;
    if (this.#whenLeft !== undefined) return;
    this.#context.beats.wake();
    this.dialer?.redial(lasted);
    events.connection(this.id, false);
  }
}

/** The sizes of the frames that have a fixed one, from the kind on. */
const SIZES: { readonly [kind: number]: number } = {
  [kinds.ACK]: 7,
  [kinds.PING]: 9,
  [kinds.PONG]: 9,
  [kinds.GOODBYE]: 1,
};

const evictionOf = (peer: string): Refusal => ({
  reason: 'evicted',
  detail: `too many messages to ${peer} were unacknowledged and are given up: restart ${peer}`,
});

const unknownFrame = (kind: number): Fault => ({
  reason: 'malformed',
  detail: `a frame of kind ${kind} that is not as the protocol declares it`,
});
