import { assert } from '../core/assert.ts';
import type { Reader } from '../core/wire.ts';
import { Acks } from './acks.ts';
import type { Caller } from './caller.ts';
import type { LinkStatus } from './events.ts';
import { frame, HEADER_BYTES, kinds, LENGTH_BYTES, uint48At } from './frames.ts';
import { decodeRefusal, encodeHello, encodeRefusal, type Hello, type Refusal } from './hello.ts';
import type { Host } from './host.ts';
import type { Line, LineHandler } from './line.ts';
import { Pulse } from './pulse.ts';
import type { Fault } from './refusals.ts';
import { Session } from './session.ts';

const GOODBYE = frame(kinds.GOODBYE, new Uint8Array(0));

/** One peer: the session with its present process, and the line that carries it, when there is one. */
export class Link implements LineHandler {
  readonly id: string;
  /** Undefined where the peer dials us. */
  caller: Caller | undefined;
  /** Something is to be written, and will be at the end of this turn. */
  isDirty = false;
  readonly #host: Host;
  readonly #acks: Acks;
  readonly #pulse = new Pulse();
  #session: Session | undefined;
  #line: Line | undefined;
  #upSince = 0;
  /** Set while we are leaving: called when all is said. */
  #left: (() => void) | undefined;
  #sentMessages = 0;
  #sentBytes = 0;
  #receivedMessages = 0;
  #receivedBytes = 0;
  readonly #deliver = (payload: Reader): void => {
    this.#receivedMessages++;
    this.#receivedBytes += payload.left;
    this.#host.events.message(this.id, payload);
  };

  constructor(host: Host, id: string) {
    this.#host = host;
    this.#acks = new Acks(host);
    this.id = id;
  }

  /** The latest incarnation of the peer that we know; 0 for none. */
  get incarnation(): number {
    return this.#session?.theirs ?? 0;
  }

  get isConnected(): boolean {
    return this.#line !== undefined;
  }

  get isCongested(): boolean {
    return (this.#session?.unackedBytes ?? 0) > this.#host.limits.congestedBytes;
  }

  /** What we say to it on a new line. */
  hello(): Hello {
    return this.#host.hello(this.id, this.incarnation, this.#session?.received ?? 0);
  }

  /** The peer has introduced itself on this line, rightly: the newer line replaces the older. */
  join(line: Line, hello: Hello, answer: boolean): Refusal | undefined {
    const { incarnation, limits, events } = this.#host;
    const present = this.#session?.theirs === hello.incarnation ? this.#session : undefined;
    const session = present ?? new Session(incarnation, hello.incarnation);
    if (session.overflowed) {
      const detail = 'too much was unacknowledged and given up: one of us has to start anew';
      return { reason: 'overflow', detail };
    }
    const fault = session.resume(hello.knows === incarnation ? hello.received : 0);
    if (fault !== undefined) return fault;

    const older = this.#line;
    older?.hangUp();
    this.#acks.stop();
    if (older !== undefined && present === undefined) events.connection(this.id, false);
    this.#session = session;
    this.#line = line;
    line.handler = this;
    line.limit = limits.maxFrameBytes;
    this.#upSince = this.#pulse.heardAt = this.#host.clock.now();
    if (answer) line.write(encodeHello(this.hello()));
    if (present === undefined) events.begins(this.id, hello.incarnation);
    // Unless that was answered by closing.
    if (this.#line !== line || this.#left !== undefined) return undefined;
    if (present === undefined || older === undefined) events.connection(this.id, true);
    this.flush();
    return undefined;
  }

  /** Returns whether there is something to flush. */
  send(bytes: Uint8Array, length: number): boolean {
    const session = this.#session;
    if (session === undefined || session.overflowed) return false;
    const { maxFrameBytes, maxUnackedBytes } = this.#host.limits;
    const size = HEADER_BYTES + length;
    assert(size - LENGTH_BYTES <= maxFrameBytes, 'a message fits into a frame');
    if (session.unackedBytes + size > maxUnackedBytes) {
      this.#overflow(session);
      return false;
    }
    session.send(bytes, length);
    this.#sentMessages++;
    this.#sentBytes += length;
    return this.#line !== undefined;
  }

  flush(): void {
    const line = this.#line;
    if (line === undefined) return;
    while (line.writable) {
      const bytes = this.#session!.next();
      if (bytes === undefined) {
        if (this.#left !== undefined) this.#goodbye(line, this.#left);
        return;
      }
      line.write(bytes);
    }
  }

  /** Time to see whether the peer is alive. */
  beat(now: number): void {
    const line = this.#line;
    if (line === undefined) return;
    const silentMs = this.#pulse.silentMs(now)!;
    if (silentMs >= this.#host.limits.silenceMs) {
      const detail = `nothing was heard of it for ${Math.round(silentMs)} ms`;
      this.#drop(line, { reason: 'silent', detail });
    } else if (line.writable) line.write(this.#pulse.ping(now));
  }

  /** We were not looking ourselves: nobody else is to blame for the silence. */
  excuse(now: number): void {
    if (this.#line !== undefined) this.#pulse.heardAt = now;
  }

  /** Sends what is left and says goodbye, if it can be done in time. */
  leave(): Promise<void> {
    this.caller?.stop();
    this.#acks.stop();
    const line = this.#line;
    if (line === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#host.clock.later(this.#host.limits.closeMs, () => {
        line.hangUp();
        resolve();
      });
      this.#left = () => {
        cancel();
        resolve();
      };
      this.flush();
    });
  }

  status(): LinkStatus {
    return {
      id: this.id,
      connected: this.#line !== undefined,
      incarnation: this.#session?.theirs,
      silentMs: this.#pulse.silentMs(this.#host.clock.now()),
      roundTripMs: this.#pulse.roundTripMs,
      queuedBytes: this.#session?.unackedBytes ?? 0,
      sentMessages: this.#sentMessages,
      sentBytes: this.#sentBytes,
      receivedMessages: this.#receivedMessages,
      receivedBytes: this.#receivedBytes,
      trouble: this.#line === undefined ? this.caller?.trouble : undefined,
    };
  }

  frame(line: Line, bytes: Uint8Array, start: number, end: number): void {
    if (this.#left !== undefined) return;
    this.#host.isHandling = true;
    const fault = this.#take(line, bytes, start, end);
    if (fault !== undefined) this.#drop(line, fault);
  }

  faulty(line: Line, fault: Fault): void {
    this.#drop(line, fault);
  }

  settled(line: Line): void {
    this.#pulse.heardAt = this.#host.clock.now();
    this.#host.isHandling = false;
    this.#host.hasHurried = false;
    this.#host.flush();
    if (line === this.#line) this.#acks.settle(this.#session!, line);
  }

  drained(line: Line): void {
    this.flush();
    if (line === this.#line) this.#acks.settle(this.#session!, line);
  }

  closed(_: Line, error: Error | undefined): void {
    this.#left?.();
    this.#lost(error?.message ?? 'the connection was closed', 'info');
  }

  opened(): void {}

  #take(line: Line, bytes: Uint8Array, start: number, end: number): Fault | undefined {
    const kind = bytes[start]!;
    if (kind === kinds.MESSAGE) return this.#session!.take(bytes, start, end, this.#deliver);
    if (kind === kinds.REFUSED) return this.#refused(line, bytes, start, end);
    if (SIZES[kind] !== end - start) return nonsense(kind);
    if (kind === kinds.ACK) return this.#session!.acknowledge(uint48At(bytes, start + 1));
    if (kind === kinds.PONG) this.#pulse.ponged(bytes, start, this.#host.clock.now());
    else if (kind === kinds.GOODBYE) {
      this.#host.farewell(line);
      this.#lost('it says goodbye', 'info');
    } else if (line.writable) {
      // Only then: a peer that pings and does not read the answers would fill our memory with them.
      line.write(frame(kinds.PONG, bytes.subarray(start + 1, end)));
    }
    return undefined;
  }

  #refused(line: Line, bytes: Uint8Array, start: number, end: number): Fault | undefined {
    const refusal = decodeRefusal(bytes, start, end);
    if (refusal === undefined) return nonsense(kinds.REFUSED);
    line.hangUp();
    const { reason, detail, incarnation } = refusal;
    this.#lost(`it refuses us: ${reason}: ${detail}`, 'warn');
    if (reason === 'superseded' && incarnation !== undefined) this.#host.superseded(incarnation);
    return undefined;
  }

  #overflow(session: Session): void {
    session.overflow();
    const fault: Fault = { reason: 'overflow', detail: 'does not acknowledge: given up' };
    if (this.#line !== undefined) this.#drop(this.#line, fault);
    else this.#host.refusals.note(fault, { peer: this.id });
    this.#host.overflowed(this.id);
  }

  #goodbye(line: Line, left: () => void): void {
    line.write(GOODBYE);
    this.#line = undefined;
    this.#host.farewell(line, left);
  }

  /** The peer sent what it must not, or nothing at all. */
  #drop(line: Line, fault: Fault): void {
    this.#host.refusals.note(fault, { peer: this.id, remote: line.connection.remote });
    if (line.writable) {
      line.write(encodeRefusal(fault, true));
      this.#host.farewell(line);
    } else line.hangUp();
    this.#down();
  }

  #lost(why: string, level: 'info' | 'warn'): void {
    const message = `lost the connection with ${this.id}: ${why}`;
    this.#host.log({ level, message, peer: this.id });
    this.#down();
  }

  #down(): void {
    const lasted = this.#host.clock.now() - this.#upSince > this.#host.limits.backoffMaxMs;
    this.#line = undefined;
    this.#acks.stop();
    if (this.#left !== undefined) return;
    this.caller?.redial(lasted);
    this.#host.events.connection(this.id, false);
  }
}

/** The whole lengths of the kinds that have one, from the kind on. */
const SIZES: { readonly [kind: number]: number } = {
  [kinds.ACK]: 7,
  [kinds.PING]: 9,
  [kinds.PONG]: 9,
  [kinds.GOODBYE]: 1,
};

const nonsense = (kind: number): Fault => ({
  reason: 'malformed',
  detail: `frame of kind ${kind}`,
});
