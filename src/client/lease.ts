/**
 * A session over a network has a lease: the client pings, and while the daemon answers, the client knows that
 * the daemon still counts the session as alive. The lease runs from the moment when a ping was sent, so that by
 * either clock the client gives up before the daemon does.
 */
export class Lease {
  readonly #leaseMs: number;
  readonly #sentAt = new Map<number, number>();
  readonly #pings: NodeJS.Timeout;
  readonly #expired: () => void;
  #expiry: NodeJS.Timeout;
  #lastPing = 0;

  constructor(leaseMs: number, ping: (id: number) => void, expired: () => void) {
    this.#leaseMs = leaseMs;
    this.#expired = expired;
    this.#expiry = setTimeout(expired, leaseMs);
    const next = () => {
      this.#sentAt.set(++this.#lastPing, performance.now());
      ping(this.#lastPing);
    };
    next();
    this.#pings = setInterval(next, leaseMs / 4);
  }

  /** The daemon has answered this ping. */
  renew(id: number): void {
    const sent = this.#sentAt.get(id);
    if (sent === undefined) return;
    for (const earlier of this.#sentAt.keys()) if (earlier <= id) this.#sentAt.delete(earlier);
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(this.#expired, sent + this.#leaseMs - performance.now());
  }

  stop(): void {
    clearInterval(this.#pings);
    clearTimeout(this.#expiry);
  }
}
