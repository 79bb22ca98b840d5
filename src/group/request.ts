import type { Mode } from '../core/algorithm.ts';
import type { Linked } from '../core/linked-list.ts';
import type { RequestHandle, RequestSpec } from './backend.ts';
import type { Lock } from './lock.ts';

/** Receives what the caller of a request does as an event. */
export interface RequestDriver {
  release(request: Request, at: number | undefined): void;
  inUse(request: Request, reentries: number): void;
}

/**
 * One caller's request for one lock at this member, from asking to release. It is plain data, and a node of
 * its lock's queue.
 */
export class Request implements Linked<Request>, RequestHandle {
  readonly name: string;
  readonly permits: number;
  readonly mode: Mode;
  readonly how: RequestSpec['how'];
  /** How often its caller could enter again by itself, if it is lent the lock: see lending.ts. */
  readonly reentries: number;
  /** The name under which a survey lists the caller. */
  readonly clientId: string;
  /** The driver's own name for the caller. No step looks at it. */
  readonly caller: unknown;
  stage: 'waiting' | 'held' | 'over' = 'waiting';
  /** When it was asked, and from the grant on when it was granted; in milliseconds since 1970. */
  since = 0;
  /** The fence under which it was granted, in two parts: see fence.ts. */
  epoch = 0;
  clock = 0;
  /** Whether the lock is lent to its caller, and asked back; `step` is then the distance of the fences. */
  loan: 'none' | 'lent' | 'recalled' = 'none';
  step = 0;
  /** Its place among all requests of this member. */
  order = 0;
  /** The request steals, and the other members have been told so. */
  isAnnounced = false;
  /** The request steals, and waits until earlier requests of this member are decided: see lock.ts. */
  isHeldBack = false;
  /** The lock that serves it. A new view brings a new one. */
  lock: Lock | null = null;
  before: Request | null = null;
  behind: Request | null = null;

  /** What the driver does for the caller. No step looks at it. */
  readonly #driver: RequestDriver | undefined;

  constructor(spec: RequestSpec, clientId: string, caller: unknown, driver?: RequestDriver) {
    this.name = spec.name;
    this.permits = spec.permits;
    this.mode = spec.mode;
    this.how = spec.how;
    this.reentries = spec.reentries ?? 0;
    this.clientId = clientId;
    this.caller = caller;
    this.#driver = driver;
  }

  /** The request is its own handle: the caller releases what it holds, or cancels what it waits for. */
  release(at?: number): void {
    if (this.stage !== 'over') this.#driver?.release(this, at);
  }

  inUse(reentries: number): void {
    if (this.loan !== 'none') this.#driver?.inUse(this, reentries);
  }
}
