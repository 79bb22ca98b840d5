import { kinds } from './frames.ts';
import {
  decodeHello,
  decodeRefusal,
  encodeHello,
  encodeRefusal,
  type Hello,
  type Refusal,
} from './hello.ts';
import type { Host } from './host.ts';
import { Line, type LineHandler } from './line.ts';
import type { Greet } from './porch.ts';
import type { Fault, Reason } from './refusals.ts';

/** Dials a peer, again and again, until there is a line; and anew when that is lost. */
export class Caller implements LineHandler {
  /** Why there is no line, the last time we tried; for people. */
  trouble: string | undefined;
  readonly #host: Host;
  readonly #peer: string;
  readonly #address: string;
  readonly #hello: () => Hello;
  readonly #greet: Greet;
  #line: Line | undefined;
  #attempts = 0;
  #cancel = () => {};
  #stopped = false;

  constructor(host: Host, peer: string, address: string, hello: () => Hello, greet: Greet) {
    this.#host = host;
    this.#peer = peer;
    this.#address = address;
    this.#hello = hello;
    this.#greet = greet;
  }

  /** To be called when there is no line and nothing under way. */
  dial(): void {
    if (this.#stopped) return;
    const line = new Line(this);
    line.connection = this.#host.transport.dial(this.#address, line);
    this.#line = line;
    const { handshakeMs } = this.#host.limits;
    this.#cancel = this.#host.clock.later(handshakeMs, () =>
      this.faulty(line, { reason: 'timeout', detail: `said nothing in ${handshakeMs} ms` }),
    );
  }

  /** The line has been lost. After one that lasted we begin with short pauses again. */
  redial(lasted: boolean): void {
    if (lasted) this.#attempts = 0;
    this.#again();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
    this.#line?.hangUp();
  }

  opened(line: Line): void {
    line.write(encodeHello(this.#hello()));
  }

  frame(line: Line, bytes: Uint8Array, start: number, end: number): void {
    const kind = bytes[start];
    const hello = kind === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
    if (kind === kinds.REFUSED) this.#wasRefused(line, bytes, start, end);
    else if (hello !== undefined) this.#meet(line, hello);
    else
      this.faulty(line, { reason: 'malformed', detail: 'answers with something else than HELLO' });
  }

  #meet(line: Line, hello: Hello): void {
    this.#cancel();
    this.#line = undefined;
    const refusal = this.#unexpected(hello) ?? this.#greet(line, hello);
    if (refusal === undefined) {
      this.trouble = undefined;
      return;
    }
    line.write(encodeRefusal(refusal, true));
    this.#host.farewell(line);
    this.#fail(line, refusal);
  }

  #unexpected({ from }: Hello): Refusal | undefined {
    if (from === this.#peer) return undefined;
    const detail = `${JSON.stringify(from)} answers where ${JSON.stringify(this.#peer)} should`;
    return { reason: 'not-addressed', detail: `${detail}: check the addresses of the members` };
  }

  faulty(line: Line, fault: Fault): void {
    line.hangUp();
    this.#fail(line, fault);
  }

  closed(_: Line, error: Error | undefined): void {
    const trouble = error?.message ?? 'hung up before it said anything';
    if (trouble !== this.trouble) {
      const message = `cannot reach ${this.#peer}: ${trouble}; trying again`;
      this.#host.log({ level: 'info', message, peer: this.#peer, remote: this.#address });
    }
    this.trouble = trouble;
    this.#again();
  }

  #wasRefused(line: Line, bytes: Uint8Array, start: number, end: number): void {
    const refusal = decodeRefusal(bytes, start, end);
    line.hangUp();
    if (refusal === undefined) {
      this.#fail(line, { reason: 'malformed', detail: 'refuses us without a reason' });
      return;
    }
    const { reason, detail, incarnation } = refusal;
    const message = `${this.#peer} refuses us: ${reason}: ${detail}`;
    if (message !== this.trouble) {
      this.#host.log({ level: 'warn', message, peer: this.#peer, remote: this.#address, reason });
    }
    this.trouble = message;
    this.#again(reason);
    if (reason === 'superseded' && incarnation !== undefined) this.#host.superseded(incarnation);
  }

  #fail(line: Line, fault: Fault): void {
    this.trouble = fault.detail;
    this.#host.refusals.note(fault, { peer: this.#peer, remote: line.connection.remote });
    this.#again(fault.reason);
  }

  /** After a refusal there is no hurry: what is wrong there does not heal in milliseconds. */
  #again(refused?: Reason): void {
    this.#cancel();
    this.#line = undefined;
    if (this.#stopped) return;
    const { backoffMinMs, backoffMaxMs } = this.#host.limits;
    const longest =
      refused === undefined
        ? Math.min(backoffMaxMs, backoffMinMs * 2 ** this.#attempts)
        : backoffMaxMs;
    this.#attempts++;
    const pause = longest * (1 - this.#host.random() / 2);
    this.#cancel = this.#host.clock.later(pause, () => this.dial());
  }

  settled(): void {}
  drained(): void {}
}
