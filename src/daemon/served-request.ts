/** A request of a client: it hears what the group says of it, tells its session, and measures how long each stage takes. */
// Imported: the global is a getter that is asked anew each time, which counts here.
import { performance } from 'node:perf_hooks';
import { toWireError } from '../client/errors.ts';
import type { DaemonMessage } from '../client/protocol.ts';
import type { Fence, Loan, RequestHandle, RequestListener, RequestSpec } from '../group/backend.ts';

/** What a request says to its session. */
export interface ServingSession {
  granted(request: ServedRequest, fence: Fence, loan: Loan | undefined): void;
  /** What was lent to the client is wanted: it is to answer by `used`, or by `release`. */
  recall(request: ServedRequest): void;
  /** The request is neither waiting nor held any more. */
  over(request: ServedRequest, message: DaemonMessage): void;
  lost(request: ServedRequest, reason: Error): void;
}

export type Stage =
  | 'new'
  | 'waiting'
  | 'held'
  | 'busy'
  | 'failed'
  | 'cancelled'
  | 'released'
  | 'lost';

/** Counts requests and measures them, for the metrics. */
export interface RequestMeter {
  /** A request changes its stage; `seconds` is the time in the stage that ends. */
  moved(from: Stage, to: Stage, seconds: number): void;
}

export class ServedRequest implements RequestListener {
  readonly id: number;
  readonly spec: RequestSpec;
  readonly cost: number;
  handle: RequestHandle | undefined;
  /** It holds the lock, or has held it. */
  isGranted = false;
  /** The client was asked for what it was lent, and has not answered. */
  isRecalled = false;
  readonly #session: ServingSession;
  readonly #meter: RequestMeter;
  #stage: Stage = 'new';
  #since = performance.now();

  constructor(
    session: ServingSession,
    meter: RequestMeter,
    id: number,
    spec: RequestSpec,
    cost: number,
  ) {
    this.#session = session;
    this.#meter = meter;
    this.id = id;
    this.spec = spec;
    this.cost = cost;
    this.#moveTo('waiting', this.#since);
  }

  granted(fence: Fence, loan?: Loan): void {
    this.#moveTo('held');
    this.isGranted = true;
    this.#session.granted(this, fence, loan);
  }

  wanted(): void {
    this.isRecalled = true;
    this.#session.recall(this);
  }

  /** The client is inside, after so many re-entries; or it does not answer, and may be inside. */
  used(reentries: number): void {
    if (!this.isRecalled) return;
    this.isRecalled = false;
    this.handle?.inUse?.(reentries);
  }

  busy(): void {
    this.#moveTo('busy');
    this.#session.over(this, { type: 'busy', id: this.id });
  }

  failed(error: Error): void {
    this.#moveTo('failed');
    this.#session.over(this, { type: 'failed', id: this.id, error: toWireError(error) });
  }

  lost(reason: Error): void {
    this.#moveTo('lost');
    this.#session.over(this, { type: 'lost', id: this.id, error: toWireError(reason) });
    this.#session.lost(this, reason);
  }

  release(): void {
    this.isRecalled = false;
    if (this.#stage === 'waiting') this.#moveTo('cancelled');
    else if (this.#stage === 'held') this.#moveTo('released');
    this.handle?.release();
  }

  #moveTo(stage: Stage, now = performance.now()): void {
    this.#meter.moved(this.#stage, stage, (now - this.#since) / 1000);
    this.#stage = stage;
    this.#since = now;
  }
}
