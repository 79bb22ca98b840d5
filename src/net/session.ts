/**
 * What two processes of two members have said to each other: exactly once and in order, over as many
 * connections as it takes. No I/O and no clock: a `Link` moves the bytes, a test may do it otherwise.
 *
 * Every message has a number, from 1. Each side keeps what it sent until the other acknowledges it; on a
 * new connection both say what they have received, and the rest is sent again. So on any one connection
 * numbers are without gaps, and whoever leaves one, or acknowledges what it cannot have, errs or lies.
 */
import { assert } from '../core/assert.ts';
import { Reader } from '../core/wire.ts';
import { HEADER_BYTES, LENGTH_BYTES, uint48At } from './frames.ts';
import { Outbox } from './outbox.ts';
import type { Fault } from './refusals.ts';

// A frame is taken from its kind on.
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
  /** What we have received and not acknowledged yet. */
  owedMessages = 0;
  owedBytes = 0;
  /** Too much was left unacknowledged, and given up: this session cannot go on. */
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

  /** Keeps a copy of the message, the first so many bytes, until the peer has it. */
  send(bytes: Uint8Array, length = bytes.length): void {
    assert(!this.overflowed, 'nothing is sent in a session that was given up');
    this.#outbox.append(++this.sent, this.received, bytes, length);
    this.acknowledges();
  }

  /** The next bytes for the present connection, or undefined when all is written. */
  next(): Uint8Array | undefined {
    return this.#outbox.next();
  }

  /** What was received is being acknowledged. */
  acknowledges(): void {
    this.owedMessages = 0;
    this.owedBytes = 0;
  }

  /** A new connection begins; the peer says how much it has received in this session. */
  resume(received: number): Fault | undefined {
    if (received > this.sent)
      return impossible(`has received ${received} of ${this.sent} messages`);
    if (received < this.acknowledged) {
      return impossible(`has forgotten that it received ${this.acknowledged}: says ${received}`);
    }
    this.#outbox.rewind(received);
    return undefined;
  }

  /** A MESSAGE frame, from its kind on. `deliver` is called unless we had it before. */
  take(
    bytes: Uint8Array,
    start: number,
    end: number,
    deliver: (payload: Reader) => void,
  ): Fault | undefined {
    if (end - start < PAYLOAD_AT) return { reason: 'malformed', detail: 'a MESSAGE cut short' };
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

  /** The peer says that it has everything up to this number. Less than it said before is no news. */
  acknowledge(number: number): Fault | undefined {
    if (this.#outbox.acknowledge(number)) return undefined;
    return impossible(`acknowledges ${number} of ${this.sent} messages, not all of them written`);
  }

  /** Gives up: frees what was kept. The peer misses something now, so nothing more can be sent. */
  overflow(): void {
    this.overflowed = true;
    this.#outbox.clear();
  }
}

const impossible = (detail: string): Fault => ({ reason: 'impossible-ack', detail });
