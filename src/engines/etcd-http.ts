/** Requests to the JSON gateway of etcd, at the first of its servers that answers. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

export interface EtcdTarget {
  /** `http://host:port` or `https://host:port`, each. */
  readonly endpoints: readonly string[];
  readonly tls: SecureContextOptions & { readonly servername?: string | undefined };
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  readonly timeoutMs: number;
}

/** etcd answered, and the answer is an error: nothing was done. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class EtcdHttp {
  readonly #target: EtcdTarget;
  /** Which server is asked: another one after a failure. */
  #current = 0;
  #token: string | null = null;
  readonly #agent: Agent;
  readonly #open = new Set<ClientRequest>();
  readonly #streams = new Set<ClientRequest>();
  #isClosed = false;

  constructor(target: EtcdTarget) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, ...target.tls });
  }

  /** The answer as JSON. Rejects with an `EtcdError` if etcd refused, and with another error if it did not answer. */
  async post<T>(path: string, body: object): Promise<T> {
    try {
      return await this.#postOnce(path, body);
    } catch (error) {
      // A token expires after some minutes, or with a restart of the server.
      if (!(error instanceof EtcdError && error.status === 401) || !this.#target.user) throw error;
      this.#token = null;
      return await this.#postOnce(path, body);
    }
  }

  /** Calls back with each line that etcd sends, until it ends or is stopped. */
  stream(
    path: string,
    body: object,
    onLine: (line: string) => void,
    onEnd: () => void,
  ): () => void {
    let isStopped = false;
    let request: ClientRequest | null = null;
    let hasEnded = false;
    const ended = () => {
      if (hasEnded) return;
      hasEnded = true;
      if (request !== null) this.#streams.delete(request);
      onEnd();
    };
    void this.#authorize()
      .then(() => {
        if (isStopped || this.#isClosed) return ended();
        request = this.#begin(path, body, (response) => {
          let rest = '';
          response.setEncoding('utf8');
          response.on('data', (text: string) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop()!;
            for (const line of lines) if (line !== '') onLine(line);
          });
          response.on('close', ended);
        });
        this.#streams.add(request);
        request.on('error', ended);
        request.on('close', ended);
      })
      .catch(ended);
    return () => {
      isStopped = true;
      request?.destroy();
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const request of this.#open) request.destroy();
    this.#agent.destroy();
  }

  async #postOnce<T>(path: string, body: object): Promise<T> {
    if (this.#isClosed) throw new Error('the register is closed');
    if (path !== '/v3/auth/authenticate') await this.#authorize();
    const asked = this.#current;
    return new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(timer);
        if (!(error instanceof EtcdError)) this.#passOver(asked);
        request.destroy();
        reject(error);
      };
      const request = this.#begin(path, body, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(timer);
          const answer = parse(text);
          if (response.statusCode === 200 && answer !== null) resolve(answer as T);
          else fail(errorOf(response.statusCode ?? 0, answer, text));
        });
      });
      request.on('error', fail);
      const { timeoutMs } = this.#target;
      const timer = setTimeout(
        () => fail(new Error(`no answer from etcd in ${timeoutMs} ms`)),
        timeoutMs,
      );
    });
  }

  /** Turns to the next server, once for all calls that this one has left without an answer; watches move with them. */
  #passOver(asked: number): void {
    if (asked !== this.#current || this.#target.endpoints.length === 1) return;
    this.#current++;
    for (const stream of this.#streams) stream.destroy();
  }

  async #authorize(): Promise<void> {
    const { user } = this.#target;
    if (user === undefined || this.#token !== null) return;
    const { token } = await this.#postOnce<{ token: string }>('/v3/auth/authenticate', user);
    this.#token = token;
  }

  #begin(path: string, body: object, onResponse: (response: IncomingMessage) => void) {
    const { endpoints } = this.#target;
    const url = new URL(path, endpoints[this.#current % endpoints.length]);
    const text = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(this.#token !== null && { authorization: this.#token }),
    };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { method: 'POST', headers, agent: this.#agent }, onResponse)
        : httpRequest(url, { method: 'POST', headers }, onResponse);
    this.#open.add(request);
    request.once('close', () => this.#open.delete(request));
    request.end(text);
    return request;
  }
}

function parse(text: string): { error?: string; message?: string; code?: number } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Codes of gRPC that say that etcd did nothing, and that a second try fails as well; all others are no answer. */
const REFUSALS = [3, 7, 9, 12, 16];

function errorOf(status: number, answer: ReturnType<typeof parse>, text: string): Error {
  const message = answer?.error ?? answer?.message ?? text.slice(0, 200);
  if (/invalid auth token/.test(message)) return new EtcdError(401, message);
  return REFUSALS.includes(answer?.code ?? 2)
    ? new EtcdError(status, `etcd refused: ${message}`)
    : new Error(`etcd answered ${status}: ${message}`);
}
