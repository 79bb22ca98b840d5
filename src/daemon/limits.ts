/** What clients may cost a daemon: budgets of memory and of requests, for one session and for all together. */
import { OverloadedError } from '../group/errors.ts';

export interface DaemonLimits {
  /** The longest name of a lock, in bytes of UTF-8. */
  readonly maxNameBytes: number;
  /** Requests that one session, and that all sessions together, may hold or wait for. */
  readonly maxRequestsPerClient: number;
  readonly maxRequests: number;
  /** Memory for the names of these requests, of one session and of all. */
  readonly maxBytesPerClient: number;
  readonly maxBytes: number;
  /** What one client, and what all clients together, may leave unread. */
  readonly maxUnreadBytesPerClient: number;
  readonly maxUnreadBytes: number;
  /** Queries of one session that wait for their answers. */
  readonly maxQueries: number;
  readonly maxSessions: number;
  /** Connections that have not said hello yet. Above the limit, connections that were silent for a second are closed. */
  readonly maxHalfOpen: number;
  /** Connections to the TLS port from one address. */
  readonly maxConnectionsPerAddress: number;
}

export const DEFAULT_LIMITS: DaemonLimits = {
  maxNameBytes: 1_024,
  maxRequestsPerClient: 10_000,
  maxRequests: 100_000,
  maxBytesPerClient: 8 * 1_048_576,
  maxBytes: 64 * 1_048_576,
  maxUnreadBytesPerClient: 1_048_576,
  maxUnreadBytes: 64 * 1_048_576,
  maxQueries: 64,
  maxSessions: 4_096,
  maxHalfOpen: 1_024,
  maxConnectionsPerAddress: 1_024,
};

/** What a request costs beside its name: an estimate of its entries in maps and queues. */
export const REQUEST_BYTES = 256;

export const costOf = (name: string): number => REQUEST_BYTES + Buffer.byteLength(name);

/** Counts requests and their bytes. A budget with a parent takes from both, or from neither. */
export class RequestBudget {
  readonly #owner: string;
  readonly #maxRequests: number;
  readonly #maxBytes: number;
  readonly #parent: RequestBudget | undefined;
  #requests = 0;
  #bytes = 0;

  /** `owner` names whose budget it is, for the error. */
  constructor(owner: string, maxRequests: number, maxBytes: number, parent?: RequestBudget) {
    this.#owner = owner;
    this.#maxRequests = maxRequests;
    this.#maxBytes = maxBytes;
    this.#parent = parent;
  }

  /** More than half of the requests, or of their bytes, are taken, here or from the parent. */
  get isHalfUsed(): boolean {
    const isHalf = 2 * this.#requests > this.#maxRequests || 2 * this.#bytes > this.#maxBytes;
    return isHalf || this.#parent?.isHalfUsed === true;
  }

  /** Throws an OverloadedError, and takes nothing, if there is no room. */
  take(bytes: number): void {
    if (this.#requests >= this.#maxRequests) {
      throw this.#overloaded(`${this.#maxRequests} requests`);
    }
    if (this.#bytes + bytes > this.#maxBytes) throw this.#overloaded(`${this.#maxBytes} bytes`);
    this.#parent?.take(bytes);
    this.#requests++;
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#parent?.give(bytes);
    this.#requests--;
    this.#bytes -= bytes;
  }

  #overloaded(limit: string): OverloadedError {
    return new OverloadedError(
      `${this.#owner} holds and waits for as much as it may, ${limit}: release or cancel some, then ask again`,
    );
  }
}
