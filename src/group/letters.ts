/** What members send each other, as bytes: the first says whom it is for. */
import type { AnyMessage } from '../core/message.ts';
import { recurring } from '../core/text.ts';
import { below, Malformed, natural, Reader, readAll, type Wire, Writer } from '../core/wire.ts';
import type { Letter, LockName } from './home.ts';
import { type Control, controlWire } from './messages.ts';

const FOR_ENGINE = 0;
const FOR_LOCK = 1;
const FOR_MEMBER = 2;

const nameWire = recurring();
const permitsWire = below(1001);
/** It has room to grow after the largest that anyone may claim. */
const clockWire = below(2 ** 52);

/** A message of an algorithm, opened as far as can be without knowing the lock. */
export interface Envelope extends LockName {
  readonly epoch: number;
  readonly clock: number;
  /** The rest, given the lock's wire and how many sites a member has. */
  open(
    wire: Wire<AnyMessage>,
    slots: number,
  ): { fromSlot: number; toSlot: number; message: AnyMessage };
}

/** Writes to the other members of the view. Whoever sends it on copies it. */
export class Letters {
  /** The members of the view, this one among them, in its order. */
  members: readonly string[] = [];
  readonly #self: string;
  readonly #send: (to: string, payload: Uint8Array) => void;
  readonly #writer = new Writer();

  constructor(self: string, send: (to: string, payload: Uint8Array) => void) {
    this.#self = self;
    this.#send = send;
  }

  toEngine(member: string, payload: Uint8Array): void {
    this.#writer.byte(FOR_ENGINE);
    this.#writer.append(payload);
    this.#send(member, this.#writer.lend());
  }

  toMembers(message: Control, members = this.members): void {
    this.#writer.byte(FOR_MEMBER);
    controlWire.write(this.#writer, message);
    const payload = this.#writer.lend();
    for (const id of members) if (id !== this.#self) this.#send(id, payload);
  }

  toLock(
    { lock, to, fromSlot, toSlot, message, wire }: Letter,
    epoch: number,
    clock: number,
  ): void {
    const writer = this.#writer;
    writer.byte(FOR_LOCK);
    natural.write(writer, epoch);
    clockWire.write(writer, clock);
    nameWire.write(writer, lock.name);
    permitsWire.write(writer, lock.permits);
    natural.write(writer, fromSlot);
    natural.write(writer, toSlot);
    wire.write(writer, message);
    this.#send(this.members[to]!, writer.lend());
  }
}

export interface Addressees {
  engine(from: string, payload: Uint8Array): void;
  member(from: string, message: Control): void;
  lock(from: string, envelope: Envelope): void;
}

/** Opens a payload. Throws Malformed for what nobody could have meant. */
export function open(from: string, payload: Uint8Array, to: Addressees): void {
  if (payload[0] === FOR_LOCK) to.lock(from, envelopeOf(payload));
  else if (payload[0] === FOR_ENGINE) to.engine(from, payload.subarray(1));
  else if (payload[0] === FOR_MEMBER) to.member(from, readAll(controlWire, payload.subarray(1)));
  else throw new Malformed(`${payload[0]} is no addressee`);
}

function envelopeOf(payload: Uint8Array): Envelope {
  const reader = new Reader(payload);
  reader.at = 1;
  return {
    epoch: natural.read(reader),
    clock: clockWire.read(reader),
    name: nameWire.read(reader),
    permits: permitsWire.read(reader),
    open(wire, slots) {
      const fromSlot = natural.read(reader);
      const toSlot = natural.read(reader);
      if (fromSlot >= slots || toSlot >= slots) throw new Malformed('there are fewer permits');
      const message = wire.read(reader);
      if (reader.left > 0) throw new Malformed(`${reader.left} bytes are left over`);
      return { fromSlot, toSlot, message };
    },
  };
}
