/** What members send each other, as bytes: the first says whom it is for. */
import type { AnyMessage } from '../core/message.ts';
import { recurring } from '../core/recurring.ts';
import { text } from '../core/text.ts';
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
import type { Letter, LockName } from './home.ts';
import { type Control, controlWire } from './messages.ts';

const FOR_ENGINE = 0;
const FOR_LOCK = 1;
const FOR_MEMBER = 2;

/** It has room to grow after the largest that anyone may claim. */
const clockWire = below(2 ** 52);
/** Of a letter from a site of a lock to another: the same again and again. */
const addressWire = recurring(
  recordOf({
    epoch: natural,
    name: text,
    permits: below(1001),
    fromSlot: natural,
    toSlot: natural,
  }),
);
type Address = ReturnType<typeof addressWire.read>;

/** A message of an algorithm, opened as far as can be without knowing the lock. */
export class Envelope {
  readonly clock: number;
  readonly address: Address;
  readonly #rest: Reader;

  constructor(from: Reader) {
    this.clock = clockWire.read(from);
    this.address = addressWire.read(from);
    this.#rest = from;
  }

  /** The rest, given the lock's wire and how many sites a member has. */
  open(wire: Wire<AnyMessage>, slots: number): AnyMessage {
    const { fromSlot, toSlot } = this.address;
    if (fromSlot >= slots || toSlot >= slots) throw new Malformed('there are fewer permits');
    return readAll(wire, this.#rest);
  }
}

/** Sends the first so many bytes to a member, copied. */
export type Send = (to: string, bytes: Uint8Array, length: number) => void;

/** Writes to the other members of the view. */
export class Letters {
  /** The members of the view, this one among them, in its order. */
  members: readonly string[] = [];
  readonly #self: string;
  readonly #send: Send;
  readonly #writer = new Writer();

  constructor(self: string, send: Send) {
    this.#self = self;
    this.#send = send;
  }

  toEngine(member: string, payload: Uint8Array): void {
    this.#writer.byte(FOR_ENGINE);
    this.#writer.append(payload);
    this.#send(member, this.#writer.bytes, this.#written());
  }

  toMembers(message: Control, members = this.members): void {
    this.#writer.byte(FOR_MEMBER);
    controlWire.write(this.#writer, message);
    const length = this.#written();
    for (const id of members) if (id !== this.#self) this.#send(id, this.#writer.bytes, length);
  }

  toLock(
    { lock, to, fromSlot, toSlot, message, wire }: Letter,
    epoch: number,
    clock: number,
  ): void {
    const writer = this.#writer;
    writer.byte(FOR_LOCK);
    clockWire.write(writer, clock);
    if (fromSlot + toSlot > 0) writeAddress(writer, lock, epoch, fromSlot, toSlot);
    else {
      lock.address ??= addressOf(lock, epoch);
      writer.append(lock.address);
    }
    wire.write(writer, message);
    this.#send(this.members[to]!, writer.bytes, this.#written());
  }

  /** How much it was; and the writer begins anew, come what may of it. */
  #written(): number {
    const { length } = this.#writer;
    this.#writer.length = 0;
    return length;
  }
}

function writeAddress(
  to: Writer,
  { name, permits }: LockName,
  epoch: number,
  fromSlot: number,
  toSlot: number,
): void {
  addressWire.write(to, { epoch, name, permits, fromSlot, toSlot });
}

function addressOf(lock: LockName, epoch: number): Uint8Array {
  const writer = new Writer();
  writeAddress(writer, lock, epoch, 0, 0);
  return writer.take();
}

export interface Addressees {
  engine(from: string, payload: Uint8Array): void;
  member(from: string, message: Control): void;
  lock(from: string, envelope: Envelope): void;
}

/** Opens a payload. Throws Malformed for what nobody could have meant. */
export function open(from: string, payload: Reader, to: Addressees): void {
  const addressee = payload.byte();
  if (addressee === FOR_LOCK) to.lock(from, new Envelope(payload));
  else if (addressee === FOR_ENGINE) to.engine(from, payload.rest());
  else if (addressee === FOR_MEMBER) to.member(from, readAll(controlWire, payload));
  else throw new Malformed(`${addressee} is no addressee`);
}
