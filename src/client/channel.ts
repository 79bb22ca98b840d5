/** One end of a connection between a daemon and a client: lines in, messages out, one end. */
import type { Socket } from 'node:net';
import { type ClientMessage, type DaemonMessage, Lines, ProtocolError, write } from './protocol.ts';

/** What may lie unread at the other end before we give it up: it has stopped reading. */
const MOST_UNREAD = 67_108_864;

export interface ChannelListener {
  /** May throw a ProtocolError, which ends the conversation. */
  line(line: string): void;
  /** What to tell the other end of a ProtocolError of its own. */
  lastWords?(error: ProtocolError): ClientMessage | DaemonMessage;
  /** Once, however it came about. */
  ended(reason: Error): void;
}

export class LineChannel {
  readonly #socket: Socket;
  readonly #listener: ChannelListener;
  /** Resolves when both ends have hung up. */
  readonly closed: Promise<void>;
  #out = '';
  #over = false;

  constructor(socket: Socket, longest: number, listener: ChannelListener) {
    this.#socket = socket;
    this.#listener = listener;
    const lines = new Lines(longest);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      try {
        for (const line of lines.push(chunk)) {
          if (this.#over) return;
          listener.line(line);
        }
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        if (listener.lastWords !== undefined) this.send(listener.lastWords(error));
        this.end(error);
      }
    });
    socket.on('error', (error) => this.end(error));
    // Half a connection is none: who has stopped talking cannot give a lock back.
    socket.on('end', () => this.end(new Error('the connection was closed')));
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.end(new Error('the connection was closed'));
        resolve();
      });
    });
  }

  get over(): boolean {
    return this.#over;
  }

  /** What is said in one turn of the event loop goes out as one write. */
  send(message: ClientMessage | DaemonMessage): void {
    if (this.#over) return;
    if (this.#out === '') queueMicrotask(() => this.#flush());
    this.#out += write(message);
  }

  #flush(): void {
    const text = this.#out;
    this.#out = '';
    if (text === '' || this.#socket.destroyed) return;
    this.#socket.write(text);
    if (this.#socket.writableLength > MOST_UNREAD) {
      this.end(new ProtocolError('does-not-read', 'it does not read what it is sent'));
    }
  }

  /** Says what is still to be said, and hangs up. */
  end(reason: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#flush();
    this.#socket.end();
    // The other end may never hang up.
    setTimeout(() => this.#socket.destroy(), 1_000).unref();
    this.#listener.ended(reason);
  }
}
