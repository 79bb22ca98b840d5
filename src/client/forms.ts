/** The two forms of the protocol on a connection: lines of JSON (version 1), and frames (version 2). */
import { StringDecoder } from 'node:string_decoder';
import type { Writer } from '../core/wire.ts';
import { Splitter } from '../net/frames.ts';
import {
  PREAMBLE,
  readClientFrame,
  readDaemonFrame,
  writeFrame,
  writeJsonFrame,
} from './frame-codec.ts';
import {
  type ClientMessage,
  type DaemonMessage,
  FRAMES_PROTOCOL,
  LineSplitter,
  PROTOCOL,
  ProtocolError,
  readClientMessage,
  write,
} from './protocol.ts';

/** Takes a message; false stops the reading. */
export type Take<M> = (message: M) => boolean;

/** How one end of a connection reads messages of type M, and writes messages to the other end. */
export interface Form<M> {
  /** The version of the protocol that has this form. */
  readonly protocol: number;
  /** Takes the first `length` bytes. Throws a ProtocolError. */
  read(bytes: Uint8Array, length: number, take: Take<M>): void;
  write(to: Writer, message: ClientMessage | DaemonMessage): void;
  /** As `write`, for a message that is JSON already. */
  writeJson(to: Writer, json: string): void;
}

class Lines implements Form<ClientMessage> {
  readonly protocol = PROTOCOL;
  readonly #lines: LineSplitter;
  readonly #decoder = new StringDecoder('utf8');

  constructor(maxLength: number) {
    this.#lines = new LineSplitter(maxLength);
  }

  read(bytes: Uint8Array, length: number, take: Take<ClientMessage>): void {
    const chunk = this.#decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, length));
    for (const line of this.#lines.push(chunk)) if (!take(readClientMessage(line))) return;
  }

  write(to: Writer, message: ClientMessage | DaemonMessage): void {
    to.append(Buffer.from(write(message)));
  }

  writeJson(to: Writer, json: string): void {
    to.append(Buffer.from(`${json}\n`));
  }
}

class Frames<M> implements Form<M> {
  readonly protocol = FRAMES_PROTOCOL;
  readonly write = writeFrame;
  readonly writeJson = writeJsonFrame;
  readonly #splitter: Splitter;
  readonly #readFrame: (bytes: Uint8Array, start: number, end: number) => M;
  #take: Take<M> = () => false;
  // Made once: a channel reads hundreds of thousands of chunks.
  readonly #takeFrame = (bytes: Uint8Array, start: number, end: number): boolean =>
    this.#take(this.#readFrame(bytes, start, end));

  constructor(maxLength: number, readFrame: (bytes: Uint8Array, start: number, end: number) => M) {
    this.#splitter = new Splitter(maxLength);
    this.#readFrame = readFrame;
  }

  read(bytes: Uint8Array, length: number, take: Take<M>, from = 0): void {
    this.#take = take;
    const fault = this.#splitter.push(bytes, this.#takeFrame, from, length);
    if (fault === undefined) return;
    const refusal = fault.reason === 'too-large' ? 'too-long' : 'malformed';
    throw new ProtocolError(refusal, fault.detail);
  }
}

/** The daemon's end: the first bytes of the client decide which form both ends use. */
export class FormOfClient implements Form<ClientMessage> {
  readonly #maxLength: number;
  /** How many bytes of the preamble have come. */
  #seen = 0;
  #lines: Lines | undefined;
  #frames: Frames<ClientMessage> | undefined;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get protocol(): number {
    return this.#chosen().protocol;
  }

  /** Before the client has said anything, the daemon speaks in lines. */
  #chosen(): Form<ClientMessage> {
    if (this.#frames !== undefined) return this.#frames;
    this.#lines ??= new Lines(this.#maxLength);
    return this.#lines;
  }

  read(bytes: Uint8Array, length: number, take: Take<ClientMessage>): void {
    let at = 0;
    if (this.#frames === undefined && this.#lines === undefined) {
      if (this.#seen > 0 || bytes[0] === PREAMBLE[0]) at = this.#readPreamble(bytes, length);
      else this.#lines = new Lines(this.#maxLength);
    }
    if (this.#frames !== undefined) this.#frames.read(bytes, length, take, at);
    else this.#lines?.read(bytes, length, take);
  }

  /** Returns how many of the bytes belong to the preamble. */
  #readPreamble(bytes: Uint8Array, length: number): number {
    let at = 0;
    for (; at < length && this.#seen < PREAMBLE.length; at++) {
      if (bytes[at] === PREAMBLE[this.#seen++]) continue;
      throw new ProtocolError('malformed', 'first bytes that begin neither lines nor frames');
    }
    if (this.#seen === PREAMBLE.length) this.#frames = new Frames(this.#maxLength, readClientFrame);
    return at;
  }

  write(to: Writer, message: ClientMessage | DaemonMessage): void {
    this.#chosen().write(to, message);
  }

  writeJson(to: Writer, json: string): void {
    this.#chosen().writeJson(to, json);
  }
}

const BRACE = 0x7b;

/** The client's end: frames. A daemon that answers in JSON speaks only version 1. */
export class FormOfDaemon extends Frames<DaemonMessage> {
  #hasAnswered = false;

  constructor(maxLength: number) {
    super(maxLength, readDaemonFrame);
  }

  override read(bytes: Uint8Array, length: number, take: Take<DaemonMessage>): void {
    if (!this.#hasAnswered && bytes[0] === BRACE) {
      const why = `it speaks only version ${PROTOCOL} of the protocol, and this client version ${FRAMES_PROTOCOL}: install one version of Latchkey on both sides`;
      throw new ProtocolError('wrong-version', why);
    }
    this.#hasAnswered = true;
    super.read(bytes, length, take);
  }
}
