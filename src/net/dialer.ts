import { FramedConnection, type FrameHandler } from './framed-connection.ts';
import { kinds } from './frames.ts';
import {
  decodeHello,
  decodeRefusal,
  encodeHello,
  encodeRefusal,
  type Hello,
  type Refusal,
} from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Admit } from './pending-handshakes.ts';
import type { Fault, Reason } from './refusals.ts';

/** Dials a peer until a connection is up, and again when that connection is lost. */
export class Dialer implements FrameHandler {
  /** Why the last attempt failed; for people. */
  trouble: string | undefined;
  readonly #context: LinkContext;
  readonly #peer: string;
  readonly #address: string;
  readonly #hello: () => Hello;
  readonly #admit: Admit;
  #connection: FramedConnection | undefined;
  #attempts = 0;
  #cancelTimer = () => {};
  #isStopped = false;

  constructor(
    context: LinkContext,
    peer: string,
    address: string,
    hello: () => Hello,
    admit: Admit,
  ) {
    this.#context = context;
    this.#peer = peer;
    this.#address = address;
    this.#hello = hello;
    this.#admit = admit;
  }

  /** To be called while there is neither a connection nor an attempt. */
  dial(): void {
    if (this.#isStopped) return;
    const connection = new FramedConnection(this);
    connection.connection = this.#context.transport.dial(this.#address, connection);
    this.#connection = connection;
    const { handshakeMs } = this.#context.limits;
    this.#cancelTimer = this.#context.clock.later(handshakeMs, () =>
      this.faulty(connection, { reason: 'timeout', detail: `no HELLO within ${handshakeMs} ms` }),
    );
  }

  /** The connection was lost. After one that lasted, the first pause is short again. */
  redial(lasted: boolean): void {
    if (lasted) this.#attempts = 0;
    this.#dialLater();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#connection?.hangUp();
  }

  opened(connection: FramedConnection): void {
    connection.write(encodeHello(this.#hello()));
  }

  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const kind = bytes[start];
    const hello = kind === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
    if (kind === kinds.REFUSED) this.#wasRefused(connection, bytes, start, end);
    else if (hello !== undefined) this.#shakeHands(connection, hello);
    else this.faulty(connection, { reason: 'malformed', detail: 'the first frame is no HELLO' });
  }

  #shakeHands(connection: FramedConnection, hello: Hello): void {
    this.#cancelTimer();
    this.#connection = undefined;
    const refusal = this.#unexpected(hello) ?? this.#admit(connection, hello);
    if (refusal === undefined) {
      this.trouble = undefined;
      return;
    }
    connection.write(encodeRefusal(refusal, true));
    this.#context.endGracefully(connection);
    this.#fail(connection, refusal);
  }

  #unexpected({ from }: Hello): Refusal | undefined {
    if (from === this.#peer) return undefined;
    const detail = `${JSON.stringify(from)} answers where ${JSON.stringify(this.#peer)} should`;
    return { reason: 'not-addressed', detail: `${detail}: check the addresses of the members` };
  }

  faulty(connection: FramedConnection, fault: Fault): void {
    connection.hangUp();
    this.#fail(connection, fault);
  }

  closed(_: FramedConnection, error: Error | undefined): void {
    const trouble = error?.message ?? 'it closed the connection before its HELLO';
    if (trouble !== this.trouble) {
      const message = `cannot reach ${this.#peer}: ${trouble}; trying again`;
      this.#context.log({ level: 'info', message, peer: this.#peer, remote: this.#address });
    }
    this.trouble = trouble;
    this.#dialLater();
  }

  #wasRefused(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const refusal = decodeRefusal(bytes, start, end);
    connection.hangUp();
    if (refusal === undefined) {
      this.#fail(connection, { reason: 'malformed', detail: 'a REFUSED frame without a reason' });
      return;
    }
    const { reason, detail, incarnation } = refusal;
    const message = `${this.#peer} refuses us: ${reason}: ${detail}`;
    if (message !== this.trouble) {
      const about = { peer: this.#peer, remote: this.#address };
      this.#context.log({ level: 'warn', message, ...about, reason });
    }
    this.trouble = message;
    this.#dialLater(reason);
    if (reason === 'superseded' && incarnation !== undefined) this.#context.superseded(incarnation);
  }

  #fail(connection: FramedConnection, fault: Fault): void {
    this.trouble = fault.detail;
    const about = { peer: this.#peer, remote: connection.connection.remote };
    this.#context.refusals.note(fault, about);
    this.#dialLater(fault.reason);
  }

  /** After a refusal the pause is the longest at once: its cause does not go away in milliseconds. */
  #dialLater(refused?: Reason): void {
    this.#cancelTimer();
    this.#connection = undefined;
    if (this.#isStopped) return;
    const { backoffMinMs, backoffMaxMs } = this.#context.limits;
    const longest =
      refused === undefined
        ? Math.min(backoffMaxMs, backoffMinMs * 2 ** this.#attempts)
        : backoffMaxMs;
    this.#attempts++;
    const pause = longest * (1 - this.#context.random() / 2);
    this.#cancelTimer = this.#context.clock.later(pause, () => this.dial());
  }

  chunkHandled(): void {}
  drained(): void {}
}
