import { FramedConnection, type FrameHandler } from './framed-connection.ts';
import { kinds } from './frames.ts';
import { HalfOpen } from './half-open.ts';
import { decodeHello, encodeRefusal, type Hello, type Refusal } from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Fault } from './refusals.ts';
import type { Acceptor, Connection, ConnectionHandler, PendingConnection } from './transport.ts';

/** Hands a connection to the link of its member, or returns why not. */
export type Admit = (connection: FramedConnection, hello: Hello) => Refusal | undefined;

/** The connections that this process accepted and whose handshake is not complete. */
export class PendingHandshakes implements Acceptor {
  readonly #context: LinkContext;
  readonly #admit: Admit;
  readonly #pending: HalfOpen<PendingHandshake>;

  constructor(context: LinkContext, admit: Admit) {
    this.#context = context;
    this.#admit = admit;
    const { maxHalfOpen, maxHalfOpenPerAddress } = context.limits;
    this.#pending = new HalfOpen(maxHalfOpen, maxHalfOpenPerAddress);
  }

  get size(): number {
    return this.#pending.size;
  }

  accept(remote: string, cut: () => void): PendingConnection {
    this.#pending.makePlace(remote);
    const handshake = new PendingHandshake(this.#context, remote, cut, this.#admit, () =>
      this.#pending.delete(remote, handshake),
    );
    this.#pending.add(remote, handshake);
    return handshake;
  }

  clear(): void {
    for (const handshake of this.#pending) handshake.cut();
  }
}

/** A connection that has not sent a valid HELLO yet. */
class PendingHandshake implements PendingConnection, FrameHandler {
  readonly #context: LinkContext;
  readonly #remote: string;
  readonly #cut: () => void;
  readonly #admit: Admit;
  readonly #done: () => void;
  readonly #cancelTimeout: () => void;
  #wasRefused = false;

  constructor(
    context: LinkContext,
    remote: string,
    cut: () => void,
    admit: Admit,
    done: () => void,
  ) {
    this.#context = context;
    this.#remote = remote;
    this.#cut = cut;
    this.#admit = admit;
    this.#done = done;
    const { handshakeMs } = context.limits;
    const fault: Fault = { reason: 'timeout', detail: `no HELLO within ${handshakeMs} ms` };
    this.#cancelTimeout = context.clock.later(handshakeMs, () => this.#dismiss(fault));
  }

  evict(): void {
    const detail = 'no HELLO before too many other connections came';
    this.#dismiss({ reason: 'too-many-connections', detail });
  }

  cut(): void {
    this.closed();
    this.#cut();
  }

  established(connection: Connection): ConnectionHandler {
    const framed = new FramedConnection(this);
    framed.connection = connection;
    return framed;
  }

  failed(error: Error): void {
    this.#dismiss({ reason: 'not-authenticated', detail: error.message });
  }

  closed(): void {
    this.#cancelTimeout();
    this.#done();
  }

  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const hello = bytes[start] === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
    if (hello === undefined) {
      this.faulty(connection, { reason: 'malformed', detail: 'the first frame is no HELLO' });
      return;
    }
    const refusal = this.#admit(connection, hello);
    if (refusal === undefined) this.closed();
    else this.#refuse(connection, refusal);
  }

  faulty(connection: FramedConnection, fault: Fault): void {
    // A peer of another version understands REFUSED, and can log the reason.
    if (fault.reason === 'wrong-version') this.#refuse(connection, fault);
    else {
      connection.hangUp();
      this.#dismiss(fault);
    }
  }

  /** Cuts the connection without an answer. */
  #dismiss(fault: Fault): void {
    if (!this.#wasRefused) this.#context.refusals.note(fault, { remote: this.#remote });
    this.cut();
  }

  /** Answers REFUSED. The connection counts as half-open until it is closed. */
  #refuse(connection: FramedConnection, refusal: Refusal): void {
    this.#wasRefused = true;
    this.#context.refusals.note(refusal, { remote: this.#remote });
    connection.write(encodeRefusal(refusal, false));
    this.#context.endGracefully(connection);
  }

  opened(): void {}
  chunkHandled(): void {}
  drained(): void {}
}
