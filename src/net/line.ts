import type { Clock } from './clock.ts';
import { Splitter } from './frames.ts';
import { MAX_HELLO_BYTES, PreambleReader } from './hello.ts';
import type { Fault } from './refusals.ts';
import type { Connection, ConnectionHandler } from './transport.ts';

/** Who listens on a line: first whoever shakes hands, then the link. */
export interface LineHandler {
  /** For the side that dialled. */
  opened(line: Line): void;
  /** A frame, from its kind on. */
  frame(line: Line, bytes: Uint8Array, start: number, end: number): void;
  /** What arrived is nonsense; the line should be hung up. */
  faulty(line: Line, fault: Fault): void;
  /** All frames of a chunk were handed over: time to write what they gave rise to. */
  settled(line: Line): void;
  drained(line: Line): void;
  /** Not called when we hung up ourselves. */
  closed(line: Line, error: Error | undefined): void;
}

/** A connection, heard as frames. */
export class Line implements ConnectionHandler {
  handler: LineHandler;
  connection!: Connection;
  /** Whether the socket takes more. */
  writable = true;
  #open = true;
  #gone = () => {};
  readonly #preamble = new PreambleReader();
  readonly #splitter = new Splitter(MAX_HELLO_BYTES);
  readonly #take = (bytes: Uint8Array, start: number, end: number): boolean => {
    this.handler.frame(this, bytes, start, end);
    return this.#open;
  };

  constructor(handler: LineHandler) {
    this.handler = handler;
  }

  /** They have introduced themselves: larger frames may come. */
  set limit(bytes: number) {
    this.#splitter.limit = bytes;
  }

  write(bytes: Uint8Array): void {
    this.writable = this.connection.write(bytes);
  }

  /** Ends at once. */
  hangUp(): void {
    this.#open = false;
    this.connection.destroy();
  }

  /**
   * Ends when everything is written and the other end has ended too, or after so many milliseconds; does
   * not listen any more. To close earlier could destroy what the other end has not read yet.
   */
  end(clock: Clock, withinMs: number, gone = () => {}): void {
    this.#open = false;
    const cancel = clock.later(withinMs, () => this.connection.destroy());
    this.#gone = () => {
      cancel();
      gone();
    };
    this.connection.end();
  }

  opened(): void {
    if (this.#open) this.handler.opened(this);
  }

  data(bytes: Uint8Array, length = bytes.length): void {
    if (!this.#open) return;
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
    this.handler.settled(this);
  }

  drained(): void {
    this.writable = true;
    if (this.#open) this.handler.drained(this);
  }

  closed(error: Error | undefined): void {
    this.#gone();
    if (!this.#open) return;
    this.#open = false;
    this.handler.closed(this, error);
  }
}
