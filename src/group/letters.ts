/** What members send each other, as bytes: the first says whom it is for. */
import type { AnyMessage } from '../core/message.ts';
import {
  below,
  Malformed,
  natural,
  Reader,
  readAll,
  text,
  type Wire,
  Writer,
} from '../core/wire.ts';
import type { Letter, LockName } from './home.ts';
import { type Control, controlWire } from './messages.ts';

const FOR_ENGINE = 0;
const FOR_LOCK = 1;
const FOR_MEMBER = 2;

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

export class Letters {
  readonly #writer = new Writer();

  forEngine(payload: Uint8Array): Uint8Array {
    this.#writer.byte(FOR_ENGINE);
    this.#writer.append(payload);
    return this.#writer.take();
  }

  forMember(message: Control): Uint8Array {
    this.#writer.byte(FOR_MEMBER);
    controlWire.write(this.#writer, message);
    return this.#writer.take();
  }

  forLock(
    { lock, fromSlot, toSlot, message, wire }: Letter,
    epoch: number,
    clock: number,
  ): Uint8Array {
    const to = this.#writer;
    to.byte(FOR_LOCK);
    natural.write(to, epoch);
    clockWire.write(to, clock);
    text.write(to, lock.name);
    permitsWire.write(to, lock.permits);
    natural.write(to, fromSlot);
    natural.write(to, toSlot);
    wire.write(to, message);
    return to.take();
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
    name: text.read(reader),
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
