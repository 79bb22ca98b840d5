import { connect, type Socket } from 'node:net';
import { frame, kinds, Splitter } from '../../src/net/frames.ts';
import { decodeRefusal, encodeHello, type Hello, PreambleReader } from '../../src/net/hello.ts';
import { Outbox } from '../../src/net/outbox.ts';
import type { Reason } from '../../src/net/refusals.ts';
import { until } from './net-until.ts';

/** A client that may send any bytes to a listener, and records the answers. */
export class RawClient {
  readonly socket: Socket;
  /** The kinds of all frames that came back. */
  readonly answers: number[] = [];
  refusal: { readonly reason: Reason; readonly incarnation?: number } | undefined;
  isClosed = false;

  constructor(address: string) {
    const [host, port] = address.split(':') as [string, string];
    this.socket = connect({ host, port: Number(port) });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
    });
    const preamble = new PreambleReader();
    const splitter = new Splitter(1 << 20);
    this.socket.on('data', (chunk) => {
      const read = preamble.read(chunk, chunk.length);
      if (typeof read !== 'number') throw new Error('the listener answers without a preamble');
      splitter.push(chunk.subarray(read), (bytes, start, end) => {
        this.answers.push(bytes[start]!);
        if (bytes[start] === kinds.REFUSED) this.refusal = decodeRefusal(bytes, start, end)!;
        return true;
      });
    });
  }

  says(...all: readonly Uint8Array[]): this {
    for (const bytes of all) this.socket.write(bytes);
    return this;
  }

  async closed(): Promise<this> {
    await until(() => this.isClosed);
    return this;
  }
}

/** The HELLO of a, as b expects it in these tests. */
export const hello = (changes: Partial<Hello> = {}): Uint8Array =>
  encodeHello({
    group: 'test',
    versions: { least: 1, most: 1 },
    declarations: 'messages',
    digest: 'same',
    from: 'a',
    incarnation: 1,
    to: 'b',
    knows: 0,
    received: 0,
    gaveUp: false,
    ...changes,
  });

export function message(number: number, acknowledged: number, payload: Uint8Array): Uint8Array {
  const outbox = new Outbox();
  outbox.append(number, acknowledged, payload);
  return outbox.next()!;
}

export const nonsense = (kind: number, size: number): Uint8Array =>
  frame(
    kind,
    Uint8Array.from({ length: size }, (_, i) => i),
  );
