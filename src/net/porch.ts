import { kinds } from './frames.ts';
import { decodeHello, encodeRefusal, type Hello, type Refusal } from './hello.ts';
import type { Host } from './host.ts';
import { Line, type LineHandler } from './line.ts';
import type { Fault } from './refusals.ts';
import type { Connection, ConnectionHandler, Guest, Incoming } from './transport.ts';

/** Takes a stranger in, or says why not. */
export type Greet = (line: Line, hello: Hello) => Refusal | undefined;

/**
 * Where connections wait until they have said who they are. It has room for so many, and for so many from
 * one address; when a newcomer needs the room, the one that has stood there longest goes. A peer speaks at
 * once, so it is a flood that pushes itself off.
 */
export class Porch implements Incoming {
  readonly #host: Host;
  readonly #greet: Greet;
  /** In order of arrival. */
  readonly #guests = new Set<Stranger>();
  readonly #byAddress = new Map<string, Set<Stranger>>();

  constructor(host: Host, greet: Greet) {
    this.#host = host;
    this.#greet = greet;
  }

  get size(): number {
    return this.#guests.size;
  }

  arrives(remote: string, cut: () => void): Guest {
    const { maxHalfOpen, maxHalfOpenPerAddress } = this.#host.limits;
    const neighbours = this.#byAddress.get(remote) ?? new Set();
    if (neighbours.size >= maxHalfOpenPerAddress) this.#push(first(neighbours));
    else if (this.#guests.size >= maxHalfOpen) this.#push(first(this.#guests));
    const guest = new Stranger(this.#host, remote, cut, this.#greet, () => {
      // It may leave twice, as when it was let in and then hangs up; others may be there by then.
      if (!this.#guests.delete(guest)) return;
      neighbours.delete(guest);
      if (neighbours.size === 0) this.#byAddress.delete(remote);
    });
    this.#guests.add(guest);
    this.#byAddress.set(remote, neighbours.add(guest));
    return guest;
  }

  #push(guest: Stranger): void {
    guest.dismiss({ reason: 'too-many-connections', detail: 'said nothing, and others came' });
  }

  clear(): void {
    for (const guest of this.#guests) guest.cut();
  }
}

const first = <T>(set: ReadonlySet<T>): T => set.values().next().value as T;

/** A connection that has not introduced itself yet. */
class Stranger implements Guest, LineHandler {
  readonly #host: Host;
  readonly #remote: string;
  readonly #cut: () => void;
  readonly #greet: Greet;
  readonly #gone: () => void;
  readonly #cancel: () => void;
  #refused = false;

  constructor(host: Host, remote: string, cut: () => void, greet: Greet, gone: () => void) {
    this.#host = host;
    this.#remote = remote;
    this.#cut = cut;
    this.#greet = greet;
    this.#gone = gone;
    const { handshakeMs } = host.limits;
    const fault: Fault = { reason: 'timeout', detail: `said nothing in ${handshakeMs} ms` };
    this.#cancel = host.clock.later(handshakeMs, () => this.dismiss(fault));
  }

  /** Cuts it, without a word: it has not said anything that deserves one. */
  dismiss(fault: Fault): void {
    if (!this.#refused) this.#host.refusals.note(fault, { remote: this.#remote });
    this.cut();
  }

  cut(): void {
    this.leaves();
    this.#cut();
  }

  enters(connection: Connection): ConnectionHandler {
    const line = new Line(this);
    line.connection = connection;
    return line;
  }

  fails(error: Error): void {
    this.dismiss({ reason: 'not-authenticated', detail: error.message });
  }

  leaves(): void {
    this.#cancel();
    this.#gone();
  }

  frame(line: Line, bytes: Uint8Array, start: number, end: number): void {
    const hello = bytes[start] === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
    if (hello === undefined) {
      this.faulty(line, { reason: 'malformed', detail: 'begins with something else than HELLO' });
      return;
    }
    const refusal = this.#greet(line, hello);
    if (refusal === undefined) this.leaves();
    else this.#refuse(line, refusal);
  }

  faulty(line: Line, fault: Fault): void {
    // One that speaks another version is at least of our kind, and should hear why it is not let in.
    if (fault.reason === 'wrong-version') this.#refuse(line, fault);
    else {
      line.hangUp();
      this.dismiss(fault);
    }
  }

  /** It stays on the porch, and in the count, until its connection has ended. */
  #refuse(line: Line, refusal: Refusal): void {
    this.#refused = true;
    this.#host.refusals.note(refusal, { remote: this.#remote });
    line.write(encodeRefusal(refusal, false));
    this.#host.farewell(line);
  }

  opened(): void {}
  settled(): void {}
  drained(): void {}
  closed(): void {}
}
