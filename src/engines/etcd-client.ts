/** Calls of etcd over one of its two protocols: at the first of its servers that answers, authenticated, in time. */
import type { SecureContextOptions } from 'node:tls';

export interface EtcdTarget {
  /** `http://host:port` or `https://host:port`, each. */
  readonly endpoints: readonly string[];
  readonly tls: SecureContextOptions & { readonly servername?: string | undefined };
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  readonly timeoutMs: number;
}

/** A call of one server. The body has the form that etcd's JSON gateway takes. */
export interface EtcdCall {
  readonly endpoint: string;
  /** The path of the call in the gateway: `/v3/kv/range`. */
  readonly path: string;
  readonly body: object;
  readonly token: string | null;
}

/** One of the protocols that etcd speaks. */
export interface EtcdProtocol {
  /** The answer, in the form of the JSON gateway. */
  ask(call: EtcdCall): { readonly answer: Promise<unknown>; cancel(): void };
  /** Calls back with each message that comes, and once when no more will come. */
  listen(call: EtcdCall, onMessage: () => void, onEnd: () => void): () => void;
  close(): void;
}

/** etcd answered, and the answer is an error: nothing was done, and a second try fails as well. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  readonly isTokenInvalid: boolean;
  constructor(message: string) {
    super(`etcd refused: ${message}`);
    this.isTokenInvalid = /invalid auth token/.test(message);
  }
}

/** Codes of gRPC that are refusals, 8 of a store that is full; with all others etcd may have carried out the call. */
const REFUSALS = [3, 7, 8, 9, 11, 12, 16];

export const errorOf = (code: number, message: string): Error =>
  REFUSALS.includes(code) ? new EtcdError(message) : new Error(`etcd answered: ${message}`);

const AUTHENTICATE = '/v3/auth/authenticate';

export class EtcdClient {
  readonly #target: EtcdTarget;
  readonly #protocol: EtcdProtocol;
  /** The number of the server that is called: the next one after a failure. */
  #current = 0;
  #token: string | null = null;
  readonly #calls = new Set<() => void>();
  readonly #streams = new Set<() => void>();
  #isClosed = false;

  constructor(target: EtcdTarget, protocol: EtcdProtocol) {
    this.#target = target;
    this.#protocol = protocol;
  }

  /** Rejects with an `EtcdError` if etcd refused, and with another error if it did not answer. */
  async ask<T>(path: string, body: object): Promise<T> {
    try {
      return (await this.#askOnce(path, body)) as T;
    } catch (error) {
      // A token expires after some minutes, or with a restart of the server.
      if (!(error instanceof EtcdError && error.isTokenInvalid) || !this.#target.user) throw error;
      this.#token = null;
      return (await this.#askOnce(path, body)) as T;
    }
  }

  listen(path: string, body: object, onMessage: () => void, onEnd: () => void): () => void {
    let cancel = () => {};
    let isStopped = false;
    const stop = () => {
      isStopped = true;
      cancel();
    };
    const ended = () => {
      if (!this.#streams.delete(stop)) return;
      onEnd();
    };
    this.#streams.add(stop);
    this.#authorize()
      .then(() => {
        if (isStopped || this.#isClosed) ended();
        else cancel = this.#protocol.listen(this.#callOf(path, body), onMessage, ended);
      })
      .catch(ended);
    return stop;
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of [...this.#calls, ...this.#streams]) cancel();
    this.#protocol.close();
  }

  async #askOnce(path: string, body: object): Promise<unknown> {
    if (this.#isClosed) throw new Error('the register is closed');
    if (path !== AUTHENTICATE) await this.#authorize();
    const asked = this.#current;
    const { answer, cancel } = this.#protocol.ask(this.#callOf(path, body));
    this.#calls.add(cancel);
    const { timeoutMs } = this.#target;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`no answer from etcd in ${timeoutMs} ms`);
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    answer.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } catch (error) {
      // A refusal is an answer: the connection is good, and other calls on it wait for their answers.
      if (!(error instanceof EtcdError)) {
        cancel();
        this.#passOver(asked);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      this.#calls.delete(cancel);
    }
  }

  /** Turns to the next server, once for all calls that the present one left without an answer. Watches move with them. */
  #passOver(asked: number): void {
    if (asked !== this.#current || this.#target.endpoints.length === 1) return;
    this.#current++;
    for (const stop of this.#streams) stop();
  }

  async #authorize(): Promise<void> {
    const { user } = this.#target;
    if (user === undefined || this.#token !== null) return;
    const { token } = (await this.#askOnce(AUTHENTICATE, user)) as { token: string };
    this.#token = token;
  }

  #callOf(path: string, body: object): EtcdCall {
    const { endpoints } = this.#target;
    const endpoint = endpoints[this.#current % endpoints.length]!;
    return { endpoint, path, body, token: this.#token };
  }
}
