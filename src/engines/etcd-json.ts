/** etcd's JSON gateway, over HTTP/1.1. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type EtcdCall, type EtcdProtocol, type EtcdTarget, errorOf } from './etcd-client.ts';

/** Codes of gRPC. */
const UNKNOWN = 2;
const INVALID = 3;

export class EtcdJson implements EtcdProtocol {
  readonly #agent: Agent;

  constructor({ tls }: EtcdTarget) {
    this.#agent = new Agent({ keepAlive: true, ...tls });
  }

  ask(call: EtcdCall): { answer: Promise<unknown>; cancel(): void } {
    let request!: ClientRequest;
    const answer = new Promise<unknown>((resolve, reject) => {
      request = this.#send(call, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          const value = parse(text);
          if (response.statusCode === 200 && value !== null) resolve(value);
          else reject(failureOf(response.statusCode ?? 0, value, text));
        });
      });
      request.on('error', reject);
      request.on('close', () => reject(new Error('etcd ended the connection')));
    });
    return { answer, cancel: () => request.destroy() };
  }

  listen(call: EtcdCall, onMessage: () => void, onEnd: () => void): () => void {
    const request = this.#send(call, (response) => {
      // Each message ends with its line.
      response.on('data', (part: Buffer) => {
        if (part.includes(0x0a)) onMessage();
      });
    });
    request.on('error', () => {});
    request.on('close', onEnd);
    return () => request.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(call: EtcdCall, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const { endpoint, path, body, token } = call;
    const url = new URL(path, endpoint);
    const text = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(token !== null && { authorization: token }),
    };
    const options = { method: 'POST', headers };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: this.#agent }, onResponse)
        : httpRequest(url, options, onResponse);
    request.end(text);
    return request;
  }
}

interface Failure {
  readonly error?: string;
  readonly message?: string;
  readonly code?: number;
}

function parse(text: string): Failure | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The gateway's own refusals have a status of HTTP and no code of gRPC. */
function failureOf(status: number, value: Failure | null, text: string): Error {
  const code = value?.code ?? (status >= 400 && status < 500 ? INVALID : UNKNOWN);
  return errorOf(code, value?.error ?? value?.message ?? `${status} ${text.slice(0, 200)}`);
}
