/**
 * A member whose connections carry bytes that the test makes up, and a simple model of what it must deliver: the
 * model reads the whole stream at once.
 */
import { Links } from '../../src/net/links.ts';
import type {
  Acceptor,
  Connection,
  ConnectionHandler,
  Transport,
} from '../../src/net/transport.ts';
import { ManualClock } from './net-clock.ts';

/** The largest there is: no slip of a digit can make us believe that we were superseded. */
export const OURS = 2 ** 48 - 1;
const MEGABYTE = 1024 * 1024;

class Wire implements Connection {
  readonly remote = 'somewhere';
  readonly names = undefined;
  handler: ConnectionHandler | undefined;
  isOpen = true;
  write = (): boolean => true;

  end(): void {
    this.destroy();
  }

  destroy(): void {
    this.isOpen = false;
  }

  /** Feeds the stream in pieces of these sizes, and closes. */
  feed(stream: Uint8Array, pieces: () => number): void {
    for (let at = 0; at < stream.length && this.isOpen; ) {
      const size = pieces();
      this.handler!.data(stream.subarray(at, at + size));
      at += size;
    }
    this.isOpen = false;
    this.handler!.closed(undefined);
  }
}

/** Member b, which is dialled by a and dials c. */
export class Target {
  readonly clock = new ManualClock();
  readonly heard: string[] = [];
  readonly begun = new Map<string, number>();
  readonly links: Links;
  #incoming: Acceptor | undefined;
  #dialled: Wire | undefined;

  constructor() {
    const transport: Transport = {
      listen: async (address, incoming) => {
        this.#incoming = incoming;
        return { address, close: async () => {} };
      },
      dial: (_, handler) => {
        const wire = new Wire();
        wire.handler = handler;
        this.#dialled = wire;
        return wire;
      },
    };
    const peers = { a: 'a', c: 'c' };
    const common = { incarnation: OURS, group: 'test', digest: 'same', clock: this.clock };
    // The clock of the machine is so late that every incarnation is plausible.
    const wallTime = () => OURS;
    this.links = new Links(
      { self: 'b', listen: 'b', peers, transport, random: () => 0, wallTime, ...common },
      {
        begins: (peer, incarnation) => this.begun.set(peer, incarnation),
        message: (peer, payload) =>
          this.heard.push(`${peer} ${Buffer.from(payload.rest()).toString('latin1')}`),
        connection: () => {},
        superseded: () => {
          throw new Error('no peer sent this');
        },
        overflow: () => {},
        unknown: () => {},
        evicted: () => {},
        congestion: () => {},
      },
    );
  }

  /** A client connects and sends this stream. */
  called(stream: Uint8Array, pieces: () => number): void {
    const wire = new Wire();
    const client = this.#incoming!.accept('somewhere', () => wire.destroy());
    wire.handler = client.established(wire);
    wire.feed(stream, pieces);
    client.closed();
  }

  /** The member dials c, and gets this stream as answer. */
  calls(stream: Uint8Array, pieces: () => number): void {
    while (this.#dialled === undefined) this.clock.advance(100);
    const wire = this.#dialled;
    this.#dialled = undefined;
    wire.handler!.opened();
    wire.feed(stream, pieces);
  }
}

/** What b must deliver of the bytes of one peer, connection by connection. */
export class Model {
  readonly peer: string;
  incarnation = 0;
  received = 0;
  /** How many messages b has sent to the peer in this session, and how many the peer has acknowledged. */
  sent = 0;
  acknowledged = 0;
  readonly #deliver: (line: string) => void;

  constructor(peer: string, deliver: (line: string) => void) {
    this.peer = peer;
    this.#deliver = deliver;
  }

  connection(stream: Buffer): void {
    if (stream.subarray(0, 9).toString('latin1') !== 'LATCHKEY\u0001') return;
    let at = 9;
    let isKnown = false;
    while (stream.length - at >= 4) {
      const length = stream.readUInt32BE(at);
      if (length === 0 || length > (isKnown ? MEGABYTE : 16_384)) return;
      if (at + 4 + length > stream.length) return;
      const frame = stream.subarray(at + 4, at + 4 + length);
      if (!(isKnown ? this.#frame(frame) : this.#hello(frame))) return;
      isKnown = true;
      at += 4 + length;
    }
  }

  #hello(frame: Buffer): boolean {
    if (frame[0] !== 1) return false;
    let said: Record<string, unknown>;
    try {
      said = JSON.parse(frame.subarray(1).toString());
    } catch {
      return false;
    }
    if (typeof said !== 'object' || said === null || said['incarnation'] === 0) return false;
    for (const name of ['incarnation', 'knows', 'received']) {
      const value = said[name];
      if (typeof value !== 'number' || !Number.isInteger(value)) return false;
      if (value < 0 || value >= 2 ** 48) return false;
    }
    const { group, digest, from, to, incarnation, knows, received, gaveUp, versions } = said;
    if (group !== 'test' || digest !== 'same' || from !== this.peer || to !== 'b') return false;
    if (said['declarations'] !== '' || said['nonce'] !== undefined) return false;
    if (typeof gaveUp !== 'boolean' || !speaksVersion1(versions)) return false;
    if (gaveUp && knows === OURS && incarnation === this.incarnation) return false;
    if ((incarnation as number) < this.incarnation) return false;
    const has = knows === OURS ? (received as number) : 0;
    const isSame = incarnation === this.incarnation;
    if (has > (isSame ? this.sent : 0) || (isSame && has < this.acknowledged)) return false;
    if (!isSame) {
      this.incarnation = incarnation as number;
      this.received = this.sent = 0;
    }
    this.acknowledged = has;
    return true;
  }

  #frame(frame: Buffer): boolean {
    const kind = frame[0];
    if (kind === 4) return frame.length === 7 && this.#ack(frame.readUIntBE(1, 6));
    if (kind === 5 || kind === 6) return frame.length === 9;
    if (kind !== 3 || frame.length < 13 || !this.#ack(frame.readUIntBE(7, 6))) return false;
    const number = frame.readUIntBE(1, 6);
    if (number <= this.received) return true;
    if (number > this.received + 1) return false;
    this.received = number;
    this.#deliver(`${this.peer} ${frame.subarray(13).toString('latin1')}`);
    return true;
  }

  #ack(number: number): boolean {
    if (number > this.sent) return false;
    this.acknowledged = Math.max(this.acknowledged, number);
    return true;
  }
}

function speaksVersion1(versions: unknown): boolean {
  const { least, most } = (versions ?? {}) as Record<string, unknown>;
  return (
    [least, most].every(Number.isInteger) &&
    [0, 1].includes(least as number) &&
    (most as number) >= 1 &&
    (most as number) < 2 ** 48
  );
}
