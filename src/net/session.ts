/**
 * A session of two processes: each message is delivered exactly once and in order, over any number of connections.
 * It has no I/O and no clock: a `Link` moves the bytes.
 *
 * Messages are numbered from 1. Each side keeps a message until the other acknowledges it. On a new connection both
 * sides say which number they received last, and the later messages are sent again. So the numbers on one connection
 * have no gaps, and a peer that leaves a gap or acknowledges an unsent message breaks the protocol.
 */
import { assert } from '../core/assert.ts';
import { Reader } from '../core/wire.ts';
import { HEADER_BYTES, LENGTH_BYTES, uint48At } from './frames.ts';
import { Outbox } from './outbox.ts';
import type { Fault } from './refusals.ts';

// Offsets in a MESSAGE frame, from its kind on.
const NUMBER_AT = 1;
const ACK_AT = 7;
const PAYLOAD_AT = HEADER_BYTES - LENGTH_BYTES;

export class Session {
  /** The incarnations of the two processes. */
  readonly mine: number;
  readonly theirs: number;
  /** The number of the last message received, and of the last one sent. */
  received = 0;
  sent = 0;
  /** Received, and not acknowledged yet. */
  owedMessages = 0;
  owedBytes = 0;
  /** The messages to the peer were given up, so this session cannot go on. */
  overflowed = false;
  readonly #outbox = new Outbox();

  constructor(mine: number, theirs: number) {
    this.mine = mine;
    this.theirs = theirs;
  }

  get unackedBytes(): number {
    return this.#outbox.bytes;
  }

  get acknowledged(): number {
    return this.#outbox.acknowledged;
  }

  /** Keeps a copy of the first `length` bytes until the peer acknowledges them. */
  send(bytes: Uint8Array, length = bytes.length): void {
    assert(!this.overflowed, 'nothing is sent in a session that was given up');
    this.#outbox.append(++this.sent, this.received, bytes, length);
    this.acknowledges();
  }

  /** The next bytes for the present connection; undefined when all are written. */
  next(): Uint8Array | undefined {
    return this.#outbox.next();
  }

  /** An acknowledgement of all received messages was sent. */
  acknowledges(): void {
    this.owedMessages = 0;
    this.owedBytes = 0;
  }

  /** A new connection begins. The peer has received all messages up to this number. */
  resume(received: number): Fault | undefined {
    if (received > this.sent)
      return impossible(`has received ${received} of ${this.sent} messages`);
    if (received < this.acknowledged) {
      return impossible(`has forgotten that it received ${this.acknowledged}: says ${received}`);
    }
    this.#outbox.rewind(received);
    return undefined;
  }

  /** A MESSAGE frame, from its kind on. `deliver` is called unless it was received before. */
  take(
    bytes: Uint8Array,
    start: number,
    end: number,
    deliver: (payload: Reader) => void,
  ): Fault | undefined {
    if (end - start < PAYLOAD_AT)
      return { reason: 'malformed', detail: 'a MESSAGE frame that is too short' };
    const fault = this.acknowledge(uint48At(bytes, start + ACK_AT));
    if (fault !== undefined) return fault;
    const number = uint48At(bytes, start + NUMBER_AT);
    if (number <= this.received) return undefined;
    if (number > this.received + 1) {
      return { reason: 'gap', detail: `message ${number} came after ${this.received}` };
    }
    this.received = number;
    this.owedMessages++;
    this.owedBytes += end - start;
    deliver(new Reader(bytes, start + PAYLOAD_AT, end));
    return undefined;
  }

  /** The peer acknowledges all messages up to this number. A smaller number than before changes nothing. */
  acknowledge(number: number): Fault | undefined {
    if (this.#outbox.acknowledge(number)) return undefined;
    return impossible(`acknowledges ${number} of ${this.sent} messages, not all of them written`);
  }

  /** Frees all kept messages. The peer will miss them, so no later message may be sent. */
  overflow(): void {
    this.overflowed = true;
    this.#outbox.clear();
  }
}

const impossible = (detail: string): Fault => ({ reason: 'impossible-ack', detail });
