/** The messages between members, as bytes: the first byte says which part of the member a message is for. */
import type { AnyMessage } from '../core/message.ts';
import type { Plain } from '../core/plain.ts';
import { text } from '../core/text.ts';
import { TextCache } from '../core/text-cache.ts';
import {
  below,
  Malformed,
  natural,
  type Reader,
  readAll,
  recordOf,
  type Wire,
  Writer,
} from '../core/wire.ts';
import type { Send } from './effects.ts';
import { MAX_PERMITS } from './limits.ts';
import type { LockAlgorithm } from './lock-algorithm.ts';
import type { LockName } from './membership.ts';
import { type Control, controlWire } from './messages.ts';

const FOR_ENGINE = 0;
const FOR_LOCK = 1;
const FOR_MEMBER = 2;

/** The largest clock that a member accepts; its own clock has room to grow beyond that. */
export const clockWire = below(2 ** 52);
/** Which sites of which lock a message is between. */
const header = {
  epoch: natural,
  name: text,
  permits: below(MAX_PERMITS + 1),
  fromSlot: natural,
  toSlot: natural,
};
export const headerWire = recordOf(header);
/** Most messages name a lock that earlier messages have named. */
const names = new TextCache();

/** A message of a lock's algorithm, with all that its delivery needs. */
export interface LockMessage extends LockName {
  readonly type: 'lock';
  readonly epoch: number;
  readonly fromSlot: number;
  readonly toSlot: number;
  readonly clock: number;
  readonly message: AnyMessage;
}

export type Message =
  | LockMessage
  | { readonly type: 'member'; readonly message: Control }
  | { readonly type: 'engine'; readonly message: Plain }
  /** A message for a lock in another view: nothing else is known of it. */
  | { readonly type: 'stale' };

/** What the codec needs to read a message. */
export interface Vocabulary {
  readonly epoch: number;
  readonly engineWire: Wire<Plain>;
  algorithmOf(name: string, permits: number): LockAlgorithm;
}

/** Reads a message. Throws Malformed for bytes that no member sends. */
export function decode(payload: Reader, vocabulary: Vocabulary): Message {
  const addressee = payload.byte();
  if (addressee === FOR_LOCK) return decodeForLock(payload, vocabulary);
  if (addressee === FOR_MEMBER) return { type: 'member', message: readAll(controlWire, payload) };
  if (addressee === FOR_ENGINE) {
    return { type: 'engine', message: readAll(vocabulary.engineWire, payload) };
  }
  throw new Malformed(`${addressee} is no addressee`);
}

/** Only the lock's algorithm, in the present view, knows how to read the rest. */
function decodeForLock(payload: Reader, vocabulary: Vocabulary): Message {
  const clock = clockWire.read(payload);
  // As `headerWire` does it, without the record.
  const epoch = header.epoch.read(payload);
  const name = names.read(payload);
  const permits = header.permits.read(payload);
  const fromSlot = header.fromSlot.read(payload);
  const toSlot = header.toSlot.read(payload);
  if (epoch !== vocabulary.epoch) return { type: 'stale' };
  const { slots, wire } = vocabulary.algorithmOf(name, permits);
  if (fromSlot >= slots || toSlot >= slots) throw new Malformed('there are fewer permits');
  const message = readAll(wire, payload);
  return { type: 'lock', epoch, name, permits, fromSlot, toSlot, clock, message };
}

/** Writes messages, each into the same bytes. */
export class Encoder {
  readonly #writer = new Writer();
  readonly #engineWire: Wire<Plain>;

  constructor(engineWire: Wire<Plain>) {
    this.#engineWire = engineWire;
  }

  /** The message is the first so many `bytes`, until the next call. */
  encode(send: Send): number {
    const writer = this.#writer;
    writer.length = 0;
    if (send.type === 'lock') {
      const { lock, fromSlot, toSlot, message, clock } = send;
      const { epoch, name, permits } = lock;
      writer.byte(FOR_LOCK);
      clockWire.write(writer, clock);
      // As `headerWire` does it, without the record.
      header.epoch.write(writer, epoch);
      header.name.write(writer, name);
      header.permits.write(writer, permits);
      header.fromSlot.write(writer, fromSlot);
      header.toSlot.write(writer, toSlot);
      lock.algorithm.wire.write(writer, message);
    } else if (send.type === 'member') {
      writer.byte(FOR_MEMBER);
      controlWire.write(writer, send.message);
    } else {
      writer.byte(FOR_ENGINE);
      this.#engineWire.write(writer, send.message);
    }
    return writer.length;
  }

  get bytes(): Uint8Array {
    return this.#writer.bytes;
  }
}
