/** The page's end of a worker: calls that return promises, and a way to stop it. */
import type { Answer, Methods } from './protocol.ts';
import address from './worker.ts?worker&url';

interface Pending {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((text: string) => void) | undefined;
}

export class Engine {
  readonly #runsOwnCode: boolean;
  #worker: Worker | undefined;
  #number = 0;
  readonly #pending = new Map<number, Pending>();

  /** A worker that runs what a reader wrote is served under a policy of its own: no network, code from blobs. */
  constructor({ runsOwnCode = false } = {}) {
    this.#runsOwnCode = runsOwnCode;
  }

  ask<M extends keyof Methods>(
    method: M,
    given: Parameters<Methods[M]>[0],
    onProgress?: (text: string) => void,
  ): Promise<Awaited<ReturnType<Methods[M]>>> {
    const worker = this.#worker ?? this.#start();
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve: resolve as never, reject, onProgress });
      worker.postMessage({ number, method, given });
    });
  }

  /** Ends whatever it does; the next call starts it anew. */
  stop(why: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(new Error(why));
    this.#pending.clear();
  }

  #start(): Worker {
    const url = `${address}${this.#runsOwnCode ? '?own' : ''}`;
    const worker = new Worker(url, { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#hear(data);
    worker.onerror = () =>
      this.stop('the engine of the page stopped: reload the page, or change the run');
    this.#worker = worker;
    return worker;
  }

  #hear(answer: Answer): void {
    const pending = this.#pending.get(answer.number);
    if (pending === undefined) return;
    if ('progress' in answer) {
      pending.onProgress?.(answer.progress);
      return;
    }
    this.#pending.delete(answer.number);
    if ('error' in answer) pending.reject(new Error(answer.error));
    else pending.resolve(answer.result as never);
  }
}
