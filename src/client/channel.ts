/** One end of a connection between a daemon and a client: lines in, messages out, within a budget of memory. */
import type { Socket } from 'node:net';
import {
  type ClientMessage,
  type DaemonMessage,
  LineSplitter,
  ProtocolError,
  write,
} from './protocol.ts';

export interface ChannelListener {
  /** Any error that this throws ends the channel, and nothing else. */
  line(line: string): void;
  /** What to send to the other end before the channel ends because of an error. */
  refusal?(error: Error): ClientMessage | DaemonMessage;
  /** Called once, whatever the reason. */
  ended(reason: Error): void;
}

export interface ChannelLimits {
  readonly maxLineLength: number;
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

/** A large reply is sent part by part: the next one when less than this is unread. */
const PART_BYTES = 65_536;
/** How long the other end may take to close the connection after us. */
const CLOSE_MS = 1_000;

export class LineChannel {
  readonly #socket: Socket;
  readonly #listener: ChannelListener;
  readonly #limits: ChannelLimits;
  /** Resolves when both ends have closed the connection. */
  readonly closed: Promise<void>;
  #waiting: (() => void)[] = [];
  #out = '';
  #unread = 0;
  #isOver = false;

  constructor(socket: Socket, limits: ChannelLimits, listener: ChannelListener) {
    this.#socket = socket;
    this.#limits = limits;
    this.#listener = listener;
    const lines = new LineSplitter(limits.maxLineLength);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => this.#receive(lines, chunk));
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
    this.sendLine(write(message));
  }

  /** As `send`, for a line that is JSON already. */
  sendLine(line: string): void {
    if (this.#isOver) return;
    if (this.#out === '') queueMicrotask(() => this.#flush());
    this.#out += line;
  }

  /** Resolves when the other end has read most of what was sent, or the channel is over. */
  async drained(): Promise<void> {
    this.#flush();
    while (!this.#isOver && this.#unread > PART_BYTES) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Sends what is buffered, and closes the connection. */
  end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#flush();
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
    this.#wake();
    this.#listener.ended(reason);
  }

  #receive(lines: LineSplitter, chunk: string): void {
    try {
      for (const line of lines.push(chunk)) {
        if (this.#isOver) return;
        this.#listener.line(line);
      }
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      if (this.#listener.refusal !== undefined) this.send(this.#listener.refusal(reason));
      this.end(reason);
    }
  }

  #flush(): void {
    const text = this.#out;
    this.#out = '';
    if (text === '' || this.#socket.destroyed) return;
    this.#socket.write(text);
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
    this.#limits.meter?.change(this.#unread, unread);
    this.#unread = unread;
    if (unread <= PART_BYTES) this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
