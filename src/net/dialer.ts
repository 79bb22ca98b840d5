import { FramedConnection, type FrameHandler } from './framed-connection.ts';
import { kinds } from './frames.ts';
import type { Admission, Unproved } from './handshake.ts';
import {
  decodeHello,
  decodeRefusal,
  encodeHello,
  encodeRefusal,
  type Hello,
  printable,
  type Refusal,
} from './hello.ts';
import type { LinkContext } from './link-context.ts';
import type { Fault, Reason } from './refusals.ts';

/** Dials a peer until a connection is up, and again when that connection is lost. */
export class Dialer implements FrameHandler {
  /** Why the last attempt failed; for people. */
  trouble: string | undefined;
  readonly #context: LinkContext;
  readonly #peer: string;
  readonly #address: string;
  readonly #admission: Admission;
  #connection: FramedConnection | undefined;
  #ours: Hello | undefined;
  #unproved: Unproved | undefined;
  #attempts = 0;
  #cancelTimer = () => {};
  #isStopped = false;

  constructor(context: LinkContext, peer: string, address: string, admission: Admission) {
    this.#context = context;
    this.#peer = peer;
    this.#address = address;
    this.#admission = admission;
  }

  /** To be called while there is neither a connection nor an attempt. */
  dial(): void {
    if (this.#isStopped) return;
    const connection = new FramedConnection(this);
    connection.connection = this.#context.transport.dial(this.#address, connection);
    this.#connection = connection;
    this.#unproved = undefined;
    const { handshakeMs } = this.#context.limits;
    this.#cancelTimer = this.#context.clock.later(handshakeMs, () =>
      this.faulty(connection, {
        reason: 'timeout',
        detail: `no handshake within ${handshakeMs} ms`,
      }),
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
    this.#ours = this.#admission.helloTo(this.#peer);
    connection.write(encodeHello(this.#ours));
  }

  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const kind = bytes[start];
    if (kind === kinds.REFUSED) this.#wasRefused(connection, bytes, start, end);
    else if (this.#unproved !== undefined) this.#checkProof(connection, bytes, start, end);
    else {
      const hello = kind === kinds.HELLO ? decodeHello(bytes, start, end) : undefined;
      if (hello !== undefined) this.#answered(connection, hello);
      else this.faulty(connection, { reason: 'malformed', detail: 'the first frame is no HELLO' });
    }
  }

  #answered(connection: FramedConnection, theirs: Hello): void {
    const refusal = this.#unexpected(theirs) ?? this.#admission.judge(connection, theirs, false);
    if (refusal !== undefined) this.#refuse(connection, refusal);
    else if (this.#context.secret === undefined) this.#admit(connection, theirs);
    else this.#unproved = { ours: this.#ours!, theirs };
  }

  #checkProof(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void {
    const { ours, theirs } = this.#unproved!;
    const secret = this.#context.secret!;
    const proved = { own: theirs, other: ours, dialed: false };
    if (bytes[start] === kinds.PROOF && secret.isProvedBy(bytes, start, end, proved)) {
      connection.write(secret.prove(ours, theirs, true));
      this.#admit(connection, theirs);
    } else {
      const detail = `${JSON.stringify(theirs.from)} has another group secret than we have: give all members the same \`secret\``;
      this.#refuse(connection, { reason: 'wrong-secret', detail });
    }
  }

  #admit(connection: FramedConnection, hello: Hello): void {
    this.#cancelTimer();
    this.#connection = undefined;
    const refusal = this.#admission.admit(connection, hello, false);
    if (refusal === undefined) this.trouble = undefined;
    else this.#refuse(connection, refusal);
  }

  #refuse(connection: FramedConnection, refusal: Refusal): void {
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
    const fault = this.#unproven(connection, refusal);
    connection.hangUp();
    if (refusal === undefined || fault !== undefined) {
      this.#fail(connection, fault ?? { reason: 'malformed', detail: 'REFUSED without a reason' });
      return;
    }
    const { reason, detail, incarnation } = refusal;
    const message = `${this.#peer} refuses us: ${reason}: ${printable(detail)}`;
    this.#context.refusals.received[reason]++;
    if (message !== this.trouble) {
      const about = { peer: this.#peer, remote: this.#address };
      const isPassing = reason === 'unknown-member' && this.#context.findsMembers;
      this.#context.log({ level: isPassing ? 'info' : 'warn', message, ...about, reason });
    }
    this.trouble = message;
    this.#dialLater(reason);
    if (reason === 'superseded' && incarnation !== undefined) this.#context.superseded(incarnation);
    if (reason === 'evicted') this.#context.evicted(this.#peer);
  }

  /** A refusal may end this process, so its sender must prove that it is the peer, where it can. */
  #unproven(connection: FramedConnection, refusal: Refusal | undefined): Fault | undefined {
    const { names } = connection.connection;
    if (names !== undefined && !names.includes(this.#peer)) {
      const shown = names.map((name) => JSON.stringify(name)).join(', ') || 'no name';
      const detail = `${JSON.stringify(this.#peer)} refuses us with a certificate of ${shown}`;
      return { reason: 'wrong-certificate', detail };
    }
    const { secret } = this.#context;
    const hasConsequence = refusal?.reason === 'superseded' || refusal?.reason === 'evicted';
    if (secret === undefined || !hasConsequence) return undefined;
    if (secret.isSigned(refusal, this.#ours?.nonce ?? '')) return undefined;
    return { reason: 'wrong-secret', detail: 'refuses us without a proof of the group secret' };
  }

  #fail(connection: FramedConnection, fault: Fault): void {
    this.trouble = fault.detail;
    const about = { peer: this.#peer, remote: connection.connection.remote };
    this.#context.refusals.note(fault, about);
    this.#dialLater(fault.reason);
  }

  /**
   * After a refusal the pause is the longest at once: its cause does not go away in milliseconds. But a member that
   * does not know us yet, where members are found, is about to read of us.
   */
  #dialLater(refused?: Reason): void {
    this.#cancelTimer();
    this.#connection = undefined;
    if (this.#isStopped) return;
    const { limits, findsMembers } = this.#context;
    const { backoffMinMs, backoffMaxMs } = limits;
    const longest =
      refused === undefined || (refused === 'unknown-member' && findsMembers)
        ? Math.min(backoffMaxMs, backoffMinMs * 2 ** this.#attempts)
        : backoffMaxMs;
    this.#attempts++;
    const pause = longest * (1 - this.#context.random() / 2);
    this.#cancelTimer = this.#context.clock.later(pause, () => this.dial());
  }

  chunkHandled(): void {}
  drained(): void {}
}
