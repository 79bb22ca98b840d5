import { FramedConnection, type FrameHandler } from './framed-connection.ts';
import { kinds } from './frames.ts';
import { decodeRefusal, encodeHello, type Hello, printable } from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Fault } from './refusals.ts';

/** The longest pause between two of these dials, as a multiple of the first. */
const MAX_PAUSES = 6;

/**
 * Dials a peer that should have dialed this process, to find out why it does not. The peer refuses the connection, and
 * its reason is logged on both sides: most often the peer does not list this member, or has another address for it.
 */
export class ReverseDial implements FrameHandler {
  /** Why the peer does not dial, if this is known; for people. */
  trouble: string | undefined;
  readonly #context: LinkContext;
  readonly #peer: string;
  readonly #address: string;
  readonly #hello: () => Hello;
  #connection: FramedConnection | undefined;
  #cancelTimeout = () => {};
  #pauses = 1;
  #nextAt: number | undefined;
  #isStopped = false;

  constructor(context: LinkContext, peer: string, address: string, hello: () => Hello) {
    this.#context = context;
    this.#peer = peer;
    this.#address = address;
    this.#hello = hello;
  }

  /** Called with every heartbeat while there is no connection. */
  beat(now: number): void {
    const { reverseDialAfterMs } = this.#context.limits;
    if (this.#nextAt === undefined) this.#nextAt = now + reverseDialAfterMs;
    if (this.#isStopped || this.#connection !== undefined || now < this.#nextAt) return;
    this.#pauses = Math.min(MAX_PAUSES, 2 * this.#pauses);
    this.#nextAt = now + this.#pauses * reverseDialAfterMs;
    this.#dial();
  }

  /** The peer has dialed. */
  reset(): void {
    this.trouble = undefined;
    this.#pauses = 1;
    this.#nextAt = undefined;
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#connection !== undefined) this.#end(this.#connection);
  }

  opened(connection: FramedConnection): void {
    connection.write(encodeHello(this.#hello()));
  }

  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const refusal = bytes[start] === kinds.REFUSED ? decodeRefusal(bytes, start, end) : undefined;
    this.#end(connection);
    if (refusal === undefined) return;
    const { reason, detail } = refusal;
    this.#context.refusals.received[reason]++;
    this.#tell('warn', `${this.#peer} does not dial us: ${reason}: ${printable(detail)}`);
  }

  faulty(connection: FramedConnection, { detail }: Fault): void {
    this.#end(connection);
    this.#tell('warn', `${this.#peer} does not dial us, and where we dial it the answer ${detail}`);
  }

  closed(_: FramedConnection, error: Error | undefined): void {
    this.#cancelTimeout();
    this.#connection = undefined;
    const why = error?.message ?? 'it closed the connection';
    this.#tell('info', `${this.#peer} has not dialed us, and cannot be reached: ${why}`);
  }

  #dial(): void {
    const connection = new FramedConnection(this);
    connection.connection = this.#context.transport.dial(this.#address, connection);
    this.#connection = connection;
    const { clock, limits } = this.#context;
    this.#cancelTimeout = clock.later(limits.handshakeMs, () => this.#end(connection));
  }

  #end(connection: FramedConnection): void {
    if (this.#connection !== connection) return;
    this.#cancelTimeout();
    this.#connection = undefined;
    connection.hangUp();
  }

  #tell(level: 'info' | 'warn', message: string): void {
    if (message === this.trouble) return;
    this.trouble = message;
    this.#context.log({ level, message, peer: this.#peer, remote: this.#address });
  }

  chunkHandled(): void {}
  drained(): void {}
}
