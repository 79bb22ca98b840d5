/** Metrics of a daemon in the text format of Prometheus. All names begin with latchkey_. */
import { Counter, Gauge, Registry } from 'prom-client';
import type { Refusal } from '../client/protocol.ts';
import type { MemberStatus } from '../member/status.ts';
import { Durations } from './durations.ts';
import type { RequestMeter, Stage } from './served-request.ts';

export class Metrics implements RequestMeter {
  readonly #registry = new Registry();
  // Requests of clients, counted as they change in plain numbers, which a scrape copies: a labelled counter of the
  // library costs more than the rest of a request.
  readonly #outcomes: Record<Outcome, number> = {
    granted: 0,
    busy: 0,
    failed: 0,
    cancelled: 0,
    lost: 0,
  };
  #waitingNow = 0;
  #heldNow = 0;
  #lostSoFar = 0;
  readonly #requests = this.#counter('requests_total', 'Requests of clients, by outcome', [
    'outcome',
  ]);
  readonly #lost = this.#counter('lost_total', 'Locks lost while a client held them');
  readonly #opened = this.#counter('sessions_total', 'Sessions of clients that began');
  readonly #refused = this.#counter('client_refused_total', 'Sessions refused or cut', ['reason']);
  readonly #waiting = this.#gauge('waiting', 'Requests of clients that wait');
  readonly #held = this.#gauge('held', 'Locks and permits that clients hold');
  readonly #waits = new Durations('latchkey_wait_seconds', 'From request to grant');
  readonly #holds = new Durations('latchkey_hold_seconds', 'From grant to release');
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
  readonly #refusedBy = this.#counter(
    'refused_by_peers_total',
    'Connections of this member that peers refused',
    ['reason'],
  );

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** In the text format of Prometheus. */
  async text(status: MemberStatus, sessions: number): Promise<string> {
    this.#sessions.set(sessions);
    this.#copyRequests();
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
    this.#refusedBy.reset();
    for (const [reason, count] of Object.entries(status.refusedBy)) {
      this.#refusedBy.inc({ reason }, count);
    }
    return `${await this.#registry.metrics()}\n${this.#waits.text()}\n${this.#holds.text()}`;
  }

  #copyRequests(): void {
    this.#waiting.set(this.#waitingNow);
    this.#held.set(this.#heldNow);
    this.#lost.reset();
    this.#lost.inc(this.#lostSoFar);
    this.#requests.reset();
    for (const [outcome, count] of Object.entries(this.#outcomes)) {
      if (count > 0) this.#requests.inc({ outcome }, count);
    }
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

  moved(from: Stage, to: Stage, seconds: number): void {
    if (from === 'waiting') {
      this.#waitingNow--;
      this.#outcomes[to === 'held' ? 'granted' : (to as Outcome)]++;
      if (to === 'held') this.#waits.add(seconds);
    }
    if (to === 'waiting') this.#waitingNow++;
    if (to === 'held') this.#heldNow++;
    if (from === 'held') {
      this.#heldNow--;
      this.#holds.add(seconds);
      if (to === 'lost') this.#lostSoFar++;
    }
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `latchkey_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name: `latchkey_${name}`, help, labelNames, registers: [this.#registry] });
  }
}

/** How the wait of a request ended. */
type Outcome = 'granted' | 'busy' | 'failed' | 'cancelled' | 'lost';
