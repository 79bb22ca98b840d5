/** Metrics of a daemon in the text format of Prometheus. All names begin with latchkey_. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Refusal } from '../client/protocol.ts';
import type { RequestListener } from '../group/backend.ts';
import type { MemberStatus } from '../member/status.ts';
import type { MemberBackend } from './session.ts';

/** From a lock that takes no message to a lock that a person holds. */
const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  30, 60, 300, 1800,
];

export class Metrics {
  readonly #registry = new Registry();
  // Requests and sessions of clients, counted as they change.
  readonly #requests = this.#counter('requests_total', 'Requests of clients, by outcome', [
    'outcome',
  ]);
  readonly #lost = this.#counter('lost_total', 'Locks lost while a client held them');
  readonly #opened = this.#counter('sessions_total', 'Sessions of clients that began');
  readonly #refused = this.#counter('client_refused_total', 'Sessions refused or cut', ['reason']);
  readonly #waiting = this.#gauge('waiting', 'Requests of clients that wait');
  readonly #held = this.#gauge('held', 'Locks and permits that clients hold');
  readonly #waits = this.#seconds('wait_seconds', 'From request to grant');
  readonly #holds = this.#seconds('hold_seconds', 'From grant to release');
  // The state of this member at the moment of the scrape. No other member is asked.
  readonly #sessions = this.#gauge('sessions', 'Sessions of clients');
  readonly #members = this.#gauge('view_members', 'Members of the view; 0 while there is none');
  readonly #epoch = this.#gauge('view_epoch', 'Epoch of the view');
  readonly #missing = this.#gauge(
    'view_waits_for',
    'Members that a view waits for, or that are not connected',
  );
  readonly #engine = this.#gauge('engine', 'The engine that decides the views', ['engine']);
  readonly #leaseLeft = this.#gauge(
    'lease_left_seconds',
    'How long this member may act without a renewal; no value without a store',
  );
  readonly #store = this.#gauge('store_reachable', 'Whether the store answered last time');
  readonly #suspected = this.#gauge('suspected', 'Members that look dead or cut off', ['peer']);
  readonly #connected = this.#gauge('peer_connected', 'Whether a peer is connected', ['peer']);
  readonly #roundTrip = this.#gauge('peer_round_trip_seconds', 'Round trip to a peer', ['peer']);
  readonly #entries = this.#counter(
    'entries_total',
    'Locks and permits that this member was granted',
  );
  readonly #messages = this.#counter('messages_total', "Messages that this member's locks sent");
  readonly #peerRefused = this.#counter('peer_refused_total', 'Peers refused or cut', ['reason']);

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In the text format of Prometheus. */
  text(status: MemberStatus, sessions: number): Promise<string> {
    this.#sessions.set(sessions);
    this.#members.set(status.view?.members.length ?? 0);
    this.#epoch.set(status.view?.epoch ?? 0);
    this.#missing.set(status.waitsFor.length);
    this.#setEngine(status);
    // Peers come and go.
    this.#connected.reset();
    this.#roundTrip.reset();
    for (const { id: peer, connected, roundTripMs } of status.peers) {
      this.#connected.set({ peer }, connected ? 1 : 0);
      if (roundTripMs !== null) this.#roundTrip.set({ peer }, roundTripMs / 1000);
    }
    // The member counts these; a scrape only copies them.
    this.#entries.reset();
    this.#entries.inc(status.entries);
    this.#messages.reset();
    this.#messages.inc(status.messages);
    this.#peerRefused.reset();
    for (const [reason, count] of Object.entries(status.refusals)) {
      this.#peerRefused.inc({ reason }, count);
    }
    return this.#registry.metrics();
  }

  #setEngine({ engine }: MemberStatus): void {
    const { name, leaseLeftMs, storeReachable, suspected } = engine;
    this.#engine.set({ engine: name }, 1);
    if (leaseLeftMs === null) this.#leaseLeft.remove();
    else this.#leaseLeft.set(leaseLeftMs / 1000);
    if (storeReachable === null) this.#store.remove();
    else this.#store.set(storeReachable ? 1 : 0);
    this.#suspected.reset();
    for (const { id: peer } of suspected) this.#suspected.set({ peer }, 1);
  }

  sessionOpened(): void {
    this.#opened.inc();
  }

  refused(reason: Refusal): void {
    this.#refused.inc({ reason });
  }

  /** The same LockBackend, with every request timed and counted. */
  measure(backend: MemberBackend): MemberBackend {
    return {
      clientId: backend.clientId,
      query: () => backend.query(),
      request: (spec, listener) => backend.request(spec, listener),
      requestFor: (clientId, spec, listener) => {
        const timed = new TimedListener(this, listener);
        const handle = backend.requestFor(clientId, spec, timed);
        return {
          release: () => {
            timed.released();
            handle.release();
          },
        };
      },
    };
  }

  /** @internal A request changes its stage; `seconds` is the time in the stage that ends. */
  moved(from: Stage, to: Stage, seconds: number): void {
    if (from === 'waiting') this.#waiting.dec();
    if (from === 'held') this.#held.dec();
    if (to === 'waiting') this.#waiting.inc();
    if (to === 'held') this.#held.inc();
    if (from === 'waiting' && to === 'held') this.#waits.observe(seconds);
    if (from === 'held') this.#holds.observe(seconds);
    if (from === 'held' && to === 'lost') this.#lost.inc();
    if (from === 'waiting') this.#requests.inc({ outcome: to === 'held' ? 'granted' : to });
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `latchkey_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `latchkey_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #seconds(name: string, help: string): Histogram {
    const settings = { name: `latchkey_${name}`, help, buckets: SECONDS };
    return new Histogram({ ...settings, registers: [this.#registry] });
  }
}

type Stage = 'new' | 'waiting' | 'held' | 'busy' | 'failed' | 'cancelled' | 'released' | 'lost';

/** Passes on what happens to a request, and measures the time between. */
class TimedListener implements RequestListener {
  readonly #metrics: Metrics;
  readonly #listener: RequestListener;
  #stage: Stage = 'new';
  #since = performance.now();

  constructor(metrics: Metrics, listener: RequestListener) {
    this.#metrics = metrics;
    this.#listener = listener;
    this.#move('waiting');
  }

  #move(to: Stage): void {
    const now = performance.now();
    this.#metrics.moved(this.#stage, to, (now - this.#since) / 1000);
    this.#stage = to;
    this.#since = now;
  }

  granted(...given: Parameters<RequestListener['granted']>): void {
    this.#move('held');
    this.#listener.granted(...given);
  }
  busy(...given: Parameters<RequestListener['busy']>): void {
    this.#move('busy');
    this.#listener.busy(...given);
  }
  failed(error: Error): void {
    this.#move('failed');
    this.#listener.failed(error);
  }
  lost(reason: Error): void {
    this.#move('lost');
    this.#listener.lost(reason);
  }
  released(): void {
    if (this.#stage === 'waiting') this.#move('cancelled');
    if (this.#stage === 'held') this.#move('released');
  }
}
