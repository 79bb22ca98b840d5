import type { Clock } from './clock.ts';
import { Splitter } from './frames.ts';
import { MAX_HELLO_BYTES, PreambleReader } from './hello.ts';
import type { Fault } from './refusals.ts';
import type { Connection, ConnectionHandler } from './transport.ts';

/** Handles the frames of a connection: first the handshake does, then the link. */
export interface FrameHandler {
  /** On the side that dialed: the connection is open. */
  opened(connection: FramedConnection): void;
  /** A frame, from its kind on. */
  frame(connection: FramedConnection, bytes: Uint8Array, start: number, end: number): void;
  /** The bytes received are no valid frames. The handler must close the connection. */
  faulty(connection: FramedConnection, fault: Fault): void;
  /** All frames of a received chunk were handled. */
  chunkHandled(connection: FramedConnection): void;
  drained(connection: FramedConnection): void;
  /** The other end closed the connection, or it broke. Not called after `hangUp` or `end`. */
  closed(connection: FramedConnection, error: Error | undefined): void;
}

/** A connection that reads the preamble and then frames. */
export class FramedConnection implements ConnectionHandler {
  handler: FrameHandler;
  connection!: Connection;
  /** Whether the socket accepts more bytes at once. */
  writable = true;
  #isOpen = true;
  #whenClosed = () => {};
  readonly #preamble = new PreambleReader();
  readonly #splitter = new Splitter(MAX_HELLO_BYTES);
  readonly #take = (bytes: Uint8Array, start: number, end: number): boolean => {
    this.handler.frame(this, bytes, start, end);
    return this.#isOpen;
  };

  constructor(handler: FrameHandler) {
    this.handler = handler;
  }

  /** The largest frame that is accepted. The handshake allows only small ones. */
  set limit(bytes: number) {
    this.#splitter.limit = bytes;
  }

  write(bytes: Uint8Array): void {
    this.writable = this.connection.write(bytes);
  }

  /** Closes at once. */
  hangUp(): void {
    this.#isOpen = false;
    this.connection.destroy();
  }

  /**
   * Reads no more, writes what is buffered, and closes when the other end has closed, or after so many
   * milliseconds. To close earlier could destroy bytes that the other end has not read yet.
   */
  end(clock: Clock, withinMs: number, closed = () => {}): void {
    this.#isOpen = false;
    const cancel = clock.later(withinMs, () => this.connection.destroy());
    this.#whenClosed = () => {
      cancel();
      closed();
    };
    this.connection.end();
  }

  opened(): void {
    if (this.#isOpen) this.handler.opened(this);
  }

  data(bytes: Uint8Array, length = bytes.length): void {
    if (!this.#isOpen) return;
    let start = 0;
    if (!this.#preamble.done) {
      const read = this.#preamble.read(bytes, length);
      if (typeof read !== 'number') {
        this.handler.faulty(this, read);
        return;
      }
      start = read;
    }
    const fault = this.#splitter.push(bytes, this.#take, start, length);
    if (fault !== undefined) this.handler.faulty(this, fault);
    this.handler.chunkHandled(this);
  }

  drained(): void {
    this.writable = true;
    if (this.#isOpen) this.handler.drained(this);
  }

  closed(error: Error | undefined): void {
    this.#whenClosed();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.handler.closed(this, error);
  }
}
