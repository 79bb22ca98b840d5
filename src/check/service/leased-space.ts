/**
 * The state space of the lock service with the engine `leased`: members as deployed, each told the time by a clock of
 * its own, and a register that they share.
 *
 * Time. The clocks advance in turn, by one tick each, for ever. So while one clock advances by W, another advances by at
 * least 0.8 W: that is what the engine relies on. No clock advances before each process has done what is due and has
 * received what has arrived. Exceptions are a process that pauses, which may last for any time, one that stops for good, and a
 * link that is cut. A process that has stopped takes no more steps, but its right to act lasts until its deadline.
 *
 * The register. A call takes effect and is answered in the step that makes it. In a few steps the calls go wrong
 * (`CallFault`). Hints come at any moment after a write, or never.
 *
 * Sessions begin when both members want them. They deliver in order and exactly once, until one member no longer wants
 * the session. The engine's messages to itself say that a process is there: two equal ones in succession count as one.
 */
import { assert } from '../../core/assert.ts';
import type { StepError } from '../steps.ts';
import type { Channels } from './channels.ts';
import { Entries } from './entries.ts';
import { type KnownOutcome, type LeasedFacts, LeasedParts } from './leased-parts.ts';
import type { EngineSnapshot, LeasedSettings } from './leased-processes.ts';
import { CALL_FAULTS, mayAct } from './leasing.ts';
import { type Local, memberName, nameOf, type Outcome, type ServiceEvent } from './processes.ts';
import type { Register } from './register.ts';
import type { SearchSpace } from './search-space.ts';

interface LeasedSpaceSettings extends LeasedSettings {
  readonly callers: number;
  readonly requests: number;
  readonly crashes: number;
  readonly pauses: number;
  readonly stops: number;
  readonly expiries: number;
  readonly cuts: number;
  readonly hows: readonly ('exclusive' | 'shared' | 'try' | 'steal')[];
}

const PROPERTIES = [
  'mutual-exclusion',
  'left-out',
  'late-entry',
  'lost-told',
  'starvation-freedom',
  'fences-grow',
  'fence-reset',
  'views-grow',
  'outcome-told',
  'assertion',
] as const;

/** Steps that are taken sooner or later if they stay possible. Requests, failures and restarts are no obligations. */
const OBLIGATIONS = new Set([
  ...['deliver', 'session', 'timer', 'release', 'tick', 'outcome', 'resume', 'mend'],
]);
/** Events at a process that do not change it. */
const OF_WORLD = new Set(['pause', 'resume', 'cut', 'mend']);
const ONCE = new Set(['request', 'cancel', 'crash', 'leave', 'restart', 'pause', 'stop', 'cut']);

/** After this many ticks the group has begun, and no time in its state grows any older. */
const TICKS_TO_BEGIN = 16;

export class LeasedSpace implements SearchSpace {
  readonly properties = PROPERTIES;
  /** Clocks tick for ever; the requests and faults of a schedule come early in it. */
  readonly longest = 100;
  readonly members: number;
  readonly width: number;
  readonly #settings: LeasedSpaceSettings;
  readonly #parts: LeasedParts;
  readonly #channels: Channels;
  readonly #entries: Entries;
  readonly #initial: Int32Array;
  readonly #hint: number;
  readonly #tick: number;
  readonly #pause: number;
  readonly #resume: number;
  readonly #stop: number;
  readonly #crash: number;
  readonly #leave: number;
  // Where the words of a state are, after the processes and the channels.
  readonly #registerAt: number;
  readonly #epochAt: number;
  /** The member whose clock advances next. */
  readonly #turnAt: number;
  readonly #crashesAt: number;
  readonly #pausesAt: number;
  readonly #stopsAt: number;
  readonly #expiriesAt: number;
  readonly #cutsAt: number;
  /** One bit for each link that is cut, in the order of the channels. */
  readonly #cutLinksAt: number;
  /** One bit for each process that pauses. */
  readonly #pausedAt: number;
  /** One bit for each process that has stopped for good. */
  readonly #stoppedAt: number;

  constructor(settings: LeasedSpaceSettings, snapshot: EngineSnapshot) {
    const n = settings.members;
    this.#settings = settings;
    this.members = n;
    this.#parts = new LeasedParts(settings, snapshot);
    this.#channels = this.#parts.channels;
    const { eventId } = this.#parts;
    this.#hint = eventId({ kind: 'hint' });
    this.#tick = eventId({ kind: 'tick' });
    this.#pause = eventId({ kind: 'pause' });
    this.#resume = eventId({ kind: 'resume' });
    this.#stop = eventId({ kind: 'stop' });
    this.#crash = eventId({ kind: 'crash' });
    this.#leave = eventId({ kind: 'leave' });
    const words = n + n * (n - 1);
    this.#registerAt = words;
    this.#epochAt = words + 1;
    this.#turnAt = words + 2;
    this.#crashesAt = words + 3;
    this.#pausesAt = words + 4;
    this.#expiriesAt = words + 5;
    this.#cutsAt = words + 6;
    this.#cutLinksAt = words + 7;
    this.#pausedAt = words + 8;
    this.#stopsAt = words + 9;
    this.#stoppedAt = words + 10;
    this.width = words + 11;
    this.#entries = new Entries({
      members: n,
      channels: this.#channels,
      channelAt: (from, to) => this.#channelAt(from, to),
      epochAt: this.#epochAt,
      local: (id) => this.local(id),
      localId: (local) => this.#parts.localId(local),
    });
    this.#initial = this.#startUp();
  }

  get canShare(): boolean {
    return this.#parts.processes.canShare;
  }

  initial(): Int32Array {
    return this.#initial.slice();
  }

  /** All members start, and the group reaches its first view. */
  #startUp(): Int32Array {
    const { callers, requests, crashes, pauses, stops, expiries, cuts } = this.#settings;
    const state = new Int32Array(this.width);
    let register: Register = {};
    for (let i = 0; i < this.members; i++) {
      const { processes } = this.#parts;
      const fresh = processes.initial(i, callers, requests, 0);
      const started = processes.runAll(fresh, register, { kind: 'start' });
      register = started.register;
      state[i] = this.#parts.localId(started.local);
    }
    state[this.#registerAt] = this.#parts.registerId(register);
    const into = new Int32Array(this.width);
    for (let ticks = 0; ticks < TICKS_TO_BEGIN * this.members; ) {
      let tick = false;
      this.successors(state, into, (_, event) => {
        const { kind } = this.event(event);
        tick = kind === 'tick';
        return kind !== 'deliver' && kind !== 'session' && kind !== 'timer' && !tick;
      });
      if (tick) ticks++;
      state.set(into);
    }
    for (let i = 0; i < this.members; i++) {
      assert(this.local(state[i]!).node!.hasBegun, 'without faults the group begins');
    }
    state[this.#epochAt] = 0;
    state[this.#crashesAt] = crashes;
    state[this.#pausesAt] = pauses;
    state[this.#stopsAt] = stops;
    state[this.#expiriesAt] = expiries;
    state[this.#cutsAt] = cuts;
    return state;
  }

  /** Where the channel of two different members is. */
  #channelAt(from: number, to: number): number {
    return this.members + this.#linkOf(from, to);
  }

  #linkOf(from: number, to: number): number {
    return from * (this.members - 1) + (to < from ? to : to - 1);
  }

  local(id: number): Local {
    return this.#parts.local(id);
  }

  event(id: number): ServiceEvent {
    return this.#parts.event(id);
  }

  canRecur(event: number): boolean {
    return !ONCE.has(this.event(event).kind);
  }

  isObligation(event: number): boolean {
    return OBLIGATIONS.has(this.event(event).kind);
  }

  successors(
    state: Int32Array,
    into: Int32Array,
    found: (site: number, event: number, error: StepError | undefined) => boolean,
  ): void {
    for (let site = 0; site < this.members; site++) {
      for (const event of this.#eventsOf(state, site)) {
        const error = this.#take(state, into, site, event);
        if (!found(site, event, error)) return;
      }
    }
  }

  /** Takes a step; returns what is wrong with it. */
  #take(state: Int32Array, into: Int32Array, site: number, eventId: number): StepError | undefined {
    into.set(state);
    const event = this.event(eventId);
    if (event.kind === 'tick') {
      into[site] = this.#parts.afterTick(state[site]!);
      this.#nextTurn(into, site + 1);
      return undefined;
    }
    if (event.kind === 'pause' || event.kind === 'resume') {
      into[this.#pausedAt]! ^= 1 << site;
      if (event.kind === 'pause') into[this.#pausesAt]!--;
      return undefined;
    }
    if (event.kind === 'stop') {
      into[site] = this.#parts.afterStop(state[site]!);
      into[this.#pausedAt]! &= ~(1 << site);
      into[this.#stoppedAt]! |= 1 << site;
      into[this.#stopsAt]!--;
      return undefined;
    }
    if (event.kind === 'cut' || event.kind === 'mend') {
      into[this.#cutLinksAt]! ^= 1 << this.#linkOf(site, event.to);
      if (event.kind === 'cut') into[this.#cutsAt]!--;
      return undefined;
    }
    const outcome = this.#outcome(state, site, eventId);
    into[site] = outcome.localId;
    into[this.#registerAt] = outcome.registerId;
    if (event.calls !== undefined) into[this.#expiriesAt]!--;
    if (event.kind === 'crash' || event.kind === 'leave') {
      into[this.#crashesAt]!--;
      into[this.#pausedAt]! &= ~(1 << site);
    }
    this.#nextTurn(into, into[this.#turnAt]!);
    if (event.kind === 'deliver' || event.kind === 'session') {
      const at = this.#channelAt(event.from, site);
      into[at] = this.#channels.afterFirst(into[at]!);
    }
    this.#relink(state, into, site);
    let error = outcome.error;
    for (const [i, step] of outcome.steps.entries()) {
      const sent = this.#send(into, site, outcome.sendIds[i]!);
      error ??= this.#entries.count(into, site, step, (to) => sent[to]!);
    }
    this.#parts.rename(into, this.members, this.#registerAt);
    return error;
  }

  /** Gives the next tick to the first member that is up, from that member on. */
  #nextTurn(into: Int32Array, from: number): void {
    for (let i = 0; i < this.members; i++) {
      const member = (from + i) % this.members;
      if (this.local(into[member]!).phase !== 'up') continue;
      into[this.#turnAt] = member;
      return;
    }
    into[this.#turnAt] = 0;
  }

  /** Begins the sessions that both members want, and ends the sessions that one of them no longer wants. */
  #relink(state: Int32Array, into: Int32Array, site: number): void {
    for (let other = 0; other < this.members; other++) {
      if (other === site) continue;
      const isLinked = this.#areLinked(into, site, other);
      if (isLinked === this.#areLinked(state, site, other)) continue;
      for (const [from, to] of [[site, other] as const, [other, site] as const]) {
        into[this.#channelAt(from, to)] = 0;
        if (!isLinked) continue;
        const { incarnation } = this.local(into[from]!);
        const begins = this.#channels.messages.idOf({ type: 'session', incarnation });
        into[this.#channelAt(from, to)] = this.#channels.append(0, begins);
      }
    }
  }

  #areLinked(state: Int32Array, a: number, b: number): boolean {
    const [one, other] = [this.local(state[a]!), this.local(state[b]!)];
    return one.leased!.contacts.includes(b) && other.leased!.contacts.includes(a);
  }

  /** Returns how many messages each member was sent. */
  #send(into: Int32Array, site: number, sends: KnownOutcome['sendIds'][number]): number[] {
    const sent = Array<number>(this.members).fill(0);
    for (const { to, message } of sends) {
      if (!this.#areLinked(into, site, to)) continue;
      const at = this.#channelAt(site, to);
      const isWord = this.#channels.messages.at(message).type === 'engine';
      if (isWord && this.#channels.at(into[at]!).at(-1) === message) continue;
      into[at] = this.#channels.append(into[at]!, message);
      sent[to]!++;
    }
    return sent;
  }

  #outcome(state: Int32Array, site: number, event: number): KnownOutcome {
    return this.#parts.outcome(state[site]!, state[this.#registerAt]!, event);
  }

  outcomeAt(
    state: Int32Array,
    site: number,
    event: number,
  ): Pick<Outcome, 'sends' | 'grants' | 'local'> {
    const { kind } = this.event(event);
    const local = this.local(state[site]!);
    if (OF_WORLD.has(kind)) return { sends: [], grants: [], local };
    if (kind === 'tick' || kind === 'stop') {
      const after = kind === 'tick' ? this.#parts.afterTick : this.#parts.afterStop;
      return { sends: [], grants: [], local: this.local(after(state[site]!)) };
    }
    const outcome = this.#outcome(state, site, event);
    return {
      sends: outcome.steps.flatMap(({ sends }) => sends),
      grants: outcome.steps.flatMap(({ grants }) => grants),
      local: outcome.local,
    };
  }

  /** The events that are possible at a member. */
  #eventsOf(state: Int32Array, site: number): readonly number[] {
    const events: number[] = [];
    const isUp = this.local(state[site]!).phase === 'up';
    const isPaused = this.#isPaused(state, site);
    if (!isPaused) {
      events.push(...this.#parts.eventsOf(state[site]!));
      if (isUp) this.#addArrivals(state, site, events);
      if (isUp && this.#outcome(state, site, this.#hint).localId !== state[site]) {
        events.push(this.#hint);
      }
      if (state[this.#expiriesAt]! > 0) this.#addFaultyCalls(state, site, events);
    }
    if (!isUp) return events;
    if (!this.#hasStopped(state, site)) this.#addFailures(state, site, isPaused, events);
    if (state[this.#turnAt] === site && this.#areAllDone(state)) events.push(this.#tick);
    return events;
  }

  /** What can go wrong with a process that has not stopped for good, and with its links. */
  #addFailures(state: Int32Array, site: number, isPaused: boolean, events: number[]): void {
    if (isPaused) events.push(this.#resume);
    else if (state[this.#pausesAt]! > 0) events.push(this.#pause);
    if (state[this.#stopsAt]! > 0) events.push(this.#stop);
    if (state[this.#crashesAt]! > 0) {
      events.push(this.#crash);
      if (!isPaused) events.push(this.#leave);
    }
    this.#addCuts(state, site, events);
  }

  /** Whether the process takes no step, for now or for good. */
  #isPaused(state: Int32Array, site: number): boolean {
    return (state[this.#pausedAt]! & (1 << site)) !== 0 || this.#hasStopped(state, site);
  }

  #hasStopped(state: Int32Array, site: number): boolean {
    return (state[this.#stoppedAt]! & (1 << site)) !== 0;
  }

  #isCut(state: Int32Array, from: number, to: number): boolean {
    return (state[this.#cutLinksAt]! & (1 << this.#linkOf(from, to))) !== 0;
  }

  #addArrivals(state: Int32Array, site: number, events: number[]): void {
    for (let from = 0; from < this.members; from++) {
      if (from === site || this.#isCut(state, from, site)) continue;
      const channel = state[this.#channelAt(from, site)]!;
      if (channel !== 0) events.push(this.#parts.arrival(from, this.#channels.at(channel)[0]!));
    }
  }

  #addCuts(state: Int32Array, site: number, events: number[]): void {
    for (let to = 0; to < this.members; to++) {
      if (to === site) continue;
      if (this.#isCut(state, site, to)) events.push(this.#parts.eventId({ kind: 'mend', to }));
      else if (state[this.#cutsAt]! > 0) events.push(this.#parts.eventId({ kind: 'cut', to }));
    }
  }

  /** All processes that do not pause have done what is due, and have received what has arrived. */
  #areAllDone(state: Int32Array): boolean {
    for (let i = 0; i < this.members; i++) {
      if (this.local(state[i]!).phase !== 'up' || this.#isPaused(state, i)) continue;
      if (!this.facts(state[i]!).isDone) return false;
      for (let from = 0; from < this.members; from++) {
        if (from === i || state[this.#channelAt(from, i)] === 0) continue;
        if (!this.#isCut(state, from, i)) return false;
      }
    }
    return true;
  }

  #addFaultyCalls(state: Int32Array, site: number, events: number[]): void {
    for (const event of events.slice()) {
      if (!this.#outcome(state, site, event).hasCalled) continue;
      for (const calls of CALL_FAULTS)
        events.push(this.#parts.eventId({ ...this.event(event), calls }));
    }
  }

  facts(id: number): LeasedFacts {
    return this.#parts.facts(id);
  }

  judge(state: Int32Array): StepError | undefined {
    const tenures = this.#parts.tenures(state[this.#registerAt]!);
    let [writers, readers] = [0, 0];
    for (let i = 0; i < this.members; i++) {
      const facts = this.facts(state[i]!);
      writers += facts.writers;
      readers += facts.readers;
    }
    if (writers > 1 || (writers > 0 && readers > 0)) {
      return { property: 'mutual-exclusion', why: `${this.#holders(state)} hold the lock at once` };
    }
    for (let i = 0; i < this.members; i++) {
      const { tenure } = this.facts(state[i]!);
      if (tenure === null || tenure === tenures[i]) continue;
      const why = `${memberName(i)} may act, and the view in the register leaves it out`;
      return { property: 'left-out', why };
    }
    return undefined;
  }

  #holders(state: Int32Array): string {
    const names: string[] = [];
    for (let i = 0; i < this.members; i++) {
      const local = this.local(state[i]!);
      for (const [caller, { stage }] of local.callers.entries()) {
        if (stage === 'held' && mayAct(local)) names.push(nameOf(local, caller));
      }
    }
    return names.join(' and ');
  }
}
