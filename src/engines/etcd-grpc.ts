/** etcd's own protocol: gRPC over HTTP/2. The gateway does not serve clients whose certificates have a name. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { type EtcdCall, type EtcdProtocol, type EtcdTarget, errorOf } from './etcd-client.ts';
import { decodeMessage, encodeMessage, METHODS } from './etcd-protobuf.ts';

/** A flag for compression, which we do not use, and the length. */
const PREFIX_BYTES = 5;

export class EtcdGrpc implements EtcdProtocol {
  readonly #tls: EtcdTarget['tls'];
  readonly #sessions = new Map<string, ClientHttp2Session>();

  constructor({ tls }: EtcdTarget) {
    this.#tls = tls;
  }

  ask(call: EtcdCall): { answer: Promise<unknown>; cancel(): void } {
    const session = this.#session(call.endpoint);
    const stream = sendOn(session, call);
    const { answers } = METHODS[call.path]!;
    const answer = new Promise<unknown>((resolve, reject) => {
      const parts: Buffer[] = [];
      let status: IncomingHttpHeaders = {};
      const hear = (headers: IncomingHttpHeaders) => {
        if (headers['grpc-status'] !== undefined) status = headers;
      };
      // An error comes in the headers, if there is no message, or in the trailers.
      stream.on('response', hear);
      stream.on('trailers', hear);
      stream.on('data', (part: Buffer) => parts.push(part));
      // If the session failed, the session's error says more.
      stream.on('error', (error) => reject(error.cause ?? error));
      stream.on('close', () => {
        const code = status['grpc-status'];
        const message = decodeURIComponent(`${status['grpc-message'] ?? ''}`);
        if (code === undefined) reject(new Error('the connection ended without a word of etcd'));
        else if (code !== '0') reject(errorOf(Number(code), message));
        else resolve(decodeMessage(answers, Buffer.concat(parts).subarray(PREFIX_BYTES)));
      });
    });
    return {
      answer,
      cancel: () => {
        stream.destroy();
        // A session that does not answer is not used again; a later one to the same server is.
        this.#drop(call.endpoint, session);
      },
    };
  }

  listen(call: EtcdCall, onMessage: () => void, onEnd: () => void): () => void {
    const stream = sendOn(this.#session(call.endpoint), call, false);
    stream.on('data', onMessage);
    stream.on('error', () => {});
    stream.on('close', onEnd);
    return () => stream.destroy();
  }

  close(): void {
    for (const [endpoint, session] of [...this.#sessions]) this.#drop(endpoint, session);
  }

  #session(endpoint: string): ClientHttp2Session {
    const open = this.#sessions.get(endpoint);
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const session = connect(endpoint, this.#tls);
    session.on('error', () => {});
    session.on('close', () => this.#drop(endpoint, session));
    this.#sessions.set(endpoint, session);
    return session;
  }

  #drop(endpoint: string, session: ClientHttp2Session): void {
    if (this.#sessions.get(endpoint) === session) this.#sessions.delete(endpoint);
    session.destroy();
  }
}

/** With `isLast` the client's side of the stream is closed after the call. A watch ends when that side is closed. */
function sendOn(
  session: ClientHttp2Session,
  { path, body, token }: EtcdCall,
  isLast = true,
): ClientHttp2Stream {
  const { name, asks } = METHODS[path]!;
  const stream = session.request({
    ...{ ':method': 'POST', ':path': name, 'content-type': 'application/grpc', te: 'trailers' },
    ...(token !== null && { token }),
  });
  const message = encodeMessage(asks, body);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  const whole = Buffer.concat([prefix, message]);
  if (isLast) stream.end(whole);
  else stream.write(whole);
  return stream;
}
