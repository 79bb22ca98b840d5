/** One end of a connection between a daemon and a client: messages in, messages out, within a budget of memory. */
import type { Socket } from 'node:net';
import { Writer } from '../core/wire.ts';
import type { FlushQueue } from './flush-queue.ts';
import type { Form } from './forms.ts';
import { type ClientMessage, type DaemonMessage, ProtocolError } from './protocol.ts';

export interface ChannelListener<M> {
  /** Any error that this throws ends the channel, and nothing else. */
  message(message: M): void;
  /** What to send to the other end before the channel ends because of an error. */
  refusal?(error: Error): ClientMessage | DaemonMessage;
  /** Called once, whatever the reason. */
  ended(reason: Error): void;
}

export interface ChannelLimits {
  /** The channel ends when the other end has not read more than this. */
  readonly maxUnreadBytes: number;
  /** Unread bytes of all channels that share the meter. */
  readonly meter?: UnreadMeter;
}

/** The unread bytes of many channels together. Above the limit a channel that adds to them ends. */
export class UnreadMeter {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  change(before: number, after: number): void {
    this.#bytes += after - before;
  }

  get isFull(): boolean {
    return this.#bytes > this.#maxBytes;
  }
}

/** A connection whose bytes arrive in a reused buffer, which the callback must not keep. */
export interface ReadSocket {
  readonly socket: Socket;
  /** Sets the function that takes received bytes. Without this method the socket emits them as `data`. */
  readonly onBytes?: (callback: (bytes: Uint8Array, length: number) => void) => void;
}

/** A large reply is sent part by part: the next one when less than this is unread. */
const PART_BYTES = 65_536;
/** How long the other end may take to close the connection after us. */
const CLOSE_MS = 1_000;
/** Writers that channels borrow while they have something to write: an idle channel has none. */
const spareWriters: Writer[] = [];
const MAX_SPARE_WRITERS = 1_024;
/** A writer that has grown beyond this is not kept. */
const MAX_SPARE_BYTES = 4_096;

export class Channel<M> {
  readonly #socket: Socket;
  readonly #form: Form<M>;
  readonly #listener: ChannelListener<M>;
  readonly #limits: ChannelLimits;
  readonly #flushes: FlushQueue;
  /** Resolves when both ends have closed the connection. */
  readonly closed: Promise<void>;
  #waiting: (() => void)[] = [];
  #out: Writer | undefined;
  #unread = 0;
  #isOver = false;

  constructor(
    { socket, onBytes }: ReadSocket,
    form: Form<M>,
    limits: ChannelLimits,
    flushes: FlushQueue,
    listener: ChannelListener<M>,
  ) {
    this.#socket = socket;
    this.#form = form;
    this.#limits = limits;
    this.#flushes = flushes;
    this.#listener = listener;
    if (onBytes !== undefined) onBytes((bytes, length) => this.#receive(bytes, length));
    else socket.on('data', (chunk: Buffer) => this.#receive(chunk, chunk.length));
    socket.on('drain', () => this.#measure());
    socket.on('error', (error) => this.end(error));
    // A half-closed connection ends the session: its client can no longer release a lock.
    socket.on('end', () => this.end(new Error('the connection was closed')));
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.end(new Error('the connection was closed'));
        this.#measure();
        resolve();
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Messages of one turn of the event loop leave in one write. */
  send(message: ClientMessage | DaemonMessage): void {
    if (!this.#isOver) this.#form.write(this.#writer(), message);
  }

  /** As `send`, for a message that is JSON already. */
  sendJson(json: string): void {
    if (!this.#isOver) this.#form.writeJson(this.#writer(), json);
  }

  /** Before the first message: what tells the other end the form. */
  sendBytes(bytes: Uint8Array): void {
    this.#writer().append(bytes);
  }

  /** Resolves when the other end has read most of what was sent, or the channel is over. */
  async drained(): Promise<void> {
    this.flush();
    while (!this.#isOver && this.#unread > PART_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Sends what is buffered, and closes the connection. */
  end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.flush();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
    this.#wake();
    this.#listener.ended(reason);
  }

  #writer(): Writer {
    // A turn may read much, and answer as much.
    if (this.#out !== undefined && this.#out.length > PART_BYTES) this.flush();
    if (this.#out === undefined) {
      this.#out = spareWriters.pop() ?? new Writer();
      this.#flushes.add(this);
    }
    return this.#out;
  }

  #receive(bytes: Uint8Array, length: number): void {
    if (this.#isOver) return;
    try {
      this.#form.read(bytes, length, this.#take);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (this.#listener.refusal !== undefined) this.send(this.#listener.refusal(reason));
      this.end(reason);
    }
  }

  readonly #take = (message: M): boolean => {
    this.#listener.message(message);
    return !this.#isOver;
  };

  /** Writes what was sent in this turn. The flush queue calls this at the end of the turn. */
  flush(): void {
    const out = this.#out;
    if (out === undefined) return;
    this.#out = undefined;
    if (out.length > 0 && !this.#socket.destroyed) {
      const bytes = Buffer.allocUnsafe(out.length);
      bytes.set(out.bytes.subarray(0, out.length));
      this.#socket.write(bytes);
    }
    out.length = 0;
    if (out.bytes.length <= MAX_SPARE_BYTES && spareWriters.length < MAX_SPARE_WRITERS) {
      spareWriters.push(out);
    }
    this.#measure();
    const { maxUnreadBytes, meter } = this.#limits;
    const isOverBudget =
      this.#unread > maxUnreadBytes || (meter?.isFull === true && this.#unread > PART_BYTES);
    if (isOverBudget && !this.#isOver) {
      const why = `it does not read what it is sent: ${this.#unread} bytes are unread`;
      this.end(new ProtocolError('does-not-read', why));
    }
  }

  #measure(): void {
    const unread = this.#socket.destroyed ? 0 : this.#socket.writableLength;
    if (unread === this.#unread) return;
    this.#limits.meter?.change(this.#unread, unread);
    this.#unread = unread;
    if (unread <= PART_BYTES) this.#wake();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
