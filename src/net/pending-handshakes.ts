import { FramedConnection, type FrameHandler } from './framed-connection.ts';
import { kinds } from './frames.ts';
import { HalfOpen } from './half-open.ts';
import type { Admission, Unproved } from './handshake.ts';
import { decodeHello, encodeHello, encodeRefusal, type Hello, type Refusal } from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Fault } from './refusals.ts';
import type { Acceptor, Connection, ConnectionHandler, PendingConnection } from './transport.ts';

/** The connections that this process accepted and whose handshake is not complete. */
export class PendingHandshakes implements Acceptor {
  readonly #context: LinkContext;
  readonly #admission: Admission;
  readonly #pending: HalfOpen<PendingHandshake>;

  constructor(context: LinkContext, admission: Admission) {
    this.#context = context;
    this.#admission = admission;
    const { maxHalfOpen, maxHalfOpenPerAddress } = context.limits;
    this.#pending = new HalfOpen(maxHalfOpen, maxHalfOpenPerAddress);
  }

  get size(): number {
    return this.#pending.size;
  }

  accept(remote: string, cut: () => void): PendingConnection {
    this.#pending.makePlace(remote);
    const handshake = new PendingHandshake(this.#context, remote, cut, this.#admission, () =>
      this.#pending.delete(remote, handshake),
    );
    this.#pending.add(remote, handshake);
    return handshake;
  }

  clear(): void {
    for (const handshake of this.#pending) handshake.cut();
  }
}

/** A connection that has not sent a valid HELLO yet, or not its PROOF. */
class PendingHandshake implements PendingConnection, FrameHandler {
  readonly #context: LinkContext;
  readonly #remote: string;
  readonly #cut: () => void;
  readonly #admission: Admission;
  readonly #done: () => void;
  readonly #cancelTimeout: () => void;
  #unproved: Unproved | undefined;
  #wasRefused = false;

  constructor(
    context: LinkContext,
    remote: string,
    cut: () => void,
    admission: Admission,
    done: () => void,
  ) {
    this.#context = context;
    this.#remote = remote;
    this.#cut = cut;
    this.#admission = admission;
    this.#done = done;
    const { handshakeMs } = context.limits;
    const fault: Fault = {
      reason: 'timeout',
      detail: `no complete handshake within ${handshakeMs} ms`,
    };
    this.#cancelTimeout = context.clock.later(handshakeMs, () => this.#dismiss(fault));
  }

  evict(): void {
    const detail = 'no complete handshake before too many other connections came';
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
    if (this.#unproved !== undefined) {
      this.#checkProof(connection, this.#unproved, bytes, start, end);
      return;
    }
    const hello = bytes[start] === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
    if (hello === undefined) {
      this.faulty(connection, { reason: 'malformed', detail: 'the first frame is no HELLO' });
      return;
    }
    const refusal = this.#admission.judge(connection, hello, true);
    if (refusal !== undefined) this.#refuse(connection, refusal, false, hello);
    else if (this.#context.secret === undefined) this.#admit(connection, hello, true);
    else {
      const ours = this.#admission.helloTo(hello.from);
      this.#unproved = { ours, theirs: hello };
      connection.write(encodeHello(ours));
      connection.write(this.#context.secret.prove(ours, hello, false));
    }
  }

  #checkProof(
    connection: FramedConnection,
    { ours, theirs }: Unproved,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): void {
    const proved = { own: theirs, other: ours, dialed: true };
    const isProof = bytes[start] === kinds.PROOF;
    if (isProof && this.#context.secret!.isProvedBy(bytes, start, end, proved)) {
      this.#admit(connection, theirs, false);
      return;
    }
    const detail = `${JSON.stringify(theirs.from)} has another group secret than we have: give all members the same \`secret\``;
    this.#refuse(connection, { reason: 'wrong-secret', detail }, true, theirs);
  }

  #admit(connection: FramedConnection, hello: Hello, answer: boolean): void {
    const refusal = this.#admission.admit(connection, hello, answer);
    if (refusal === undefined) this.closed();
    else this.#refuse(connection, refusal, !answer, hello);
  }

  faulty(connection: FramedConnection, fault: Fault): void {
    // A peer of another version understands REFUSED, and can log the reason.
    if (fault.reason === 'wrong-version') this.#refuse(connection, fault, false);
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
  #refuse(
    connection: FramedConnection,
    refusal: Refusal,
    hasPreamble: boolean,
    hello?: Hello,
  ): void {
    const { secret, refusals } = this.#context;
    this.#wasRefused = true;
    refusals.note(refusal, { remote: this.#remote });
    const nonce = hello?.nonce;
    const signed = secret && nonce ? secret.sign(refusal, nonce) : refusal;
    connection.write(encodeRefusal(signed, hasPreamble));
    this.#context.endGracefully(connection);
  }

  opened(): void {}
  chunkHandled(): void {}
  drained(): void {}
}
