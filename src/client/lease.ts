/**
 * What a client may rely on while its daemon answers pings. Both rights count from the moment when the ping was sent: so
 * they end here before they end at the daemon.
 */

/** When a ping was sent: on the monotonic clock, and in milliseconds since 1970. */
export interface Sent {
  readonly at: number;
  readonly clock: number;
}

/** Pings the daemon, now and then periodically. */
export class Pings {
  readonly #send: (id: number) => void;
  readonly #sent = new Map<number, Sent>();
  readonly #interval: NodeJS.Timeout;
  #last = 0;

  constructor(everyMs: number, send: (id: number) => void) {
    this.#send = send;
    this.#interval = setInterval(() => this.now(), everyMs);
    this.now();
  }

  now(): void {
    this.#sent.set(++this.#last, { at: performance.now(), clock: Date.now() });
    this.#send(this.#last);
  }

  /** When the answered ping was sent; undefined for an answer to no ping of ours, or out of order. */
  answered(id: number): Sent | undefined {
    const sent = this.#sent.get(id);
    if (sent === undefined) return undefined;
    for (const earlier of this.#sent.keys()) if (earlier <= id) this.#sent.delete(earlier);
    return sent;
  }

  stop(): void {
    clearInterval(this.#interval);
  }
}

/** A session over a network has a lease: while the daemon answers, it still counts the session as alive. */
export class Lease {
  readonly #leaseMs: number;
  readonly #expired: () => void;
  #expiry: NodeJS.Timeout;
  #until: number;

  constructor(leaseMs: number, expired: () => void) {
    this.#leaseMs = leaseMs;
    this.#expired = expired;
    this.#until = performance.now() + leaseMs;
    this.#expiry = setTimeout(expired, leaseMs);
  }

  /** After a pause its timer may not have fired yet. */
  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  renew({ at }: Sent): void {
    clearTimeout(this.#expiry);
    this.#until = at + this.#leaseMs;
    this.#expiry = setTimeout(this.#expired, this.#until - performance.now());
  }

  stop(): void {
    clearTimeout(this.#expiry);
  }
}

/**
 * Where the group is on a store, the daemon's member may act for a time that it renews there. The client knows how long:
 * if the daemon is stopped, the others leave its member out while the client's command would go on.
 */
export class MemberRight {
  readonly #graceMs: number;
  readonly #ended: () => void;
  #until = 0;
  #untilClock = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `rightMs` is 0.8 W: the others are granted nothing before W, which leaves a quarter of it. */
  constructor(rightMs: number, ended: () => void) {
    this.#graceMs = rightMs / 8;
    this.#ended = ended;
  }

  get isOver(): boolean {
    return performance.now() >= this.#until || Date.now() >= this.#untilClock;
  }

  /** Milliseconds in which what the locks protect must have stopped: the others are granted nothing before. */
  get leftToStopMs(): number {
    const left = Math.min(this.#until - performance.now(), this.#untilClock - Date.now());
    return Math.max(0, left + this.#graceMs);
  }

  /** When the ping was answered, the member could act for so long. */
  renew({ at, clock }: Sent, leftMs: number): void {
    if (at + leftMs <= this.#until) return;
    this.#until = at + leftMs;
    this.#untilClock = clock + leftMs;
    this.#setTimer();
  }

  /** A timer may fire a little early: then it is set again. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const run = () => (this.isOver ? this.#ended() : this.#setTimer());
    this.#timer = setTimeout(run, this.#until - performance.now());
  }

  /** A process that was paused finds out here, before its timer runs. */
  check(): void {
    if (this.isOver) this.#ended();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
