/** One caller's spec for one lock, from asking to giving back; a node of its lock's queue. */
import type { Mode } from '../core/algorithm.ts';
import type { RequestHandle, RequestListener, RequestSpec } from './backend.ts';

export class Request implements RequestHandle {
  readonly mode: Mode;
  readonly how: RequestSpec['how'];
  readonly caller: RequestListener;
  readonly clientId: string;
  stage: 'waiting' | 'held' | 'over' = 'waiting';
  /** When it was asked, and from then on when it was granted; in milliseconds since 1970. */
  since: number;
  /** Under which it was granted. */
  epoch = 0;
  clock = 0;
  /** Its place in the order in which requests came to its lock. */
  number = 0;
  /** The others have been told that we steal. */
  isAnnounced = false;
  before: Request | null = null;
  behind: Request | null = null;
  /** The lock it is of, which changes with the view. */
  keeper: Keeper;

  constructor(
    spec: RequestSpec,
    caller: RequestListener,
    clientId: string,
    since: number,
    keeper: Keeper,
  ) {
    this.mode = spec.mode;
    this.how = spec.how;
    this.caller = caller;
    this.clientId = clientId;
    this.since = since;
    this.keeper = keeper;
  }

  release(): void {
    const { stage } = this;
    if (stage === 'over') return;
    this.stage = 'over';
    if (stage === 'held') this.keeper.returned(this);
    else this.keeper.cancelled(this);
  }
}

/** What a caller gets that is not even asked for. */
export function refused(caller: RequestListener, error: Error): RequestHandle {
  caller.failed(error);
  return { release() {} };
}

/** It was held, and is no longer. */
export function lose(request: Request, reason: Error): void {
  request.stage = 'over';
  request.caller.lost(reason);
}

/** Says whether it was among them. Nearly always it is the only one. */
export function remove(request: Request, from: Request[]): boolean {
  const at = from.indexOf(request);
  if (at === -1) return false;
  if (at === from.length - 1) from.pop();
  else from.splice(at, 1);
  return true;
}

/** Who a request's caller turns to when it is done. */
export interface Keeper {
  returned(request: Request): void;
  cancelled(request: Request): void;
}

/** Requests in the order in which they are served. Anyone may leave from the middle. */
export class Queue {
  first: Request | null = null;
  #last: Request | null = null;

  push(request: Request): void {
    request.before = this.#last;
    request.behind = null;
    if (this.#last === null) this.first = request;
    else this.#last.behind = request;
    this.#last = request;
  }

  unshift(request: Request): void {
    request.before = null;
    request.behind = this.first;
    if (this.first === null) this.#last = request;
    else this.first.before = request;
    this.first = request;
  }

  remove(request: Request): void {
    const { before, behind } = request;
    if (before === null) this.first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    request.before = null;
    request.behind = null;
  }

  *[Symbol.iterator](): Generator<Request> {
    // Whoever is looked at may leave meanwhile.
    for (let at = this.first, next = at?.behind; at; at = next ?? null, next = at?.behind) yield at;
  }
}
