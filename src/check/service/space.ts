/**
 * The state space of the lock service: two or three members as deployed, one lock, some callers each. Between
 * two living processes every message arrives exactly once and in order, as a session promises (src/net);
 * processes crash, restart and leave at any moment, with messages in flight.
 *
 * A state is a row of integers: one interned process for each member, one interned channel for each ordered
 * pair, and three words of bookkeeping.
 */
import type { StepError } from '../steps.ts';
import { PairTable } from '../tables.ts';
import { Channels, type InFlight } from './channels.ts';
import { Entries } from './entries.ts';
import { type Facts, factsOf } from './facts.ts';
import { Interned } from './interned.ts';
import {
  congestionsOf,
  type Local,
  memberName,
  nameOf,
  type Outcome,
  Processes,
  type ProcessSettings,
  type ServiceEvent,
  timersOf,
} from './processes.ts';
import { requestsOf } from './requests.ts';
import type { SearchSpace } from './search-space.ts';

const PROPERTIES = [
  'mutual-exclusion',
  'deadlock-freedom',
  'starvation-freedom',
  'fences-grow',
  'fence-reset',
  'outcome-told',
  'try-honest',
  'try-decided',
  'clean-at-rest',
  'assertion',
] as const;

/** Steps that are taken sooner or later if they stay possible. Requests, cancellations and failures are no obligations. */
const RECURRING = new Set<ServiceEvent['kind']>(['deliver', 'session', 'timer', 'sweep', 'due']);
const OBLIGATIONS = new Set(['deliver', 'session', 'timer', 'release', 'restart']);

export interface ServiceSettings extends ProcessSettings {
  /** How many callers each member has, and how many requests each of them makes. */
  readonly callers: number;
  readonly requests: number;
  /** How many processes may crash or leave. */
  readonly crashes: number;
  /** How often each process may find a peer congested. */
  readonly congestions: number;
  /** Whether members forget idle locks, at any moment. */
  readonly forgets: boolean;
  /** The kinds of requests that callers make. */
  readonly hows: readonly ('exclusive' | 'shared' | 'try' | 'steal')[];
}

/** What an event does to a process, with everything interned. */
interface KnownOutcome extends Outcome {
  readonly localId: number;
  readonly sendIds: readonly { readonly to: number; readonly message: number }[];
}

export class ServiceSpace implements SearchSpace {
  readonly properties = PROPERTIES;
  /** A longer schedule goes in circles. */
  readonly longest = 2000;
  readonly members: number;
  readonly width: number;
  readonly processes: Processes;
  readonly settings: ServiceSettings;
  readonly #locals = new Interned<Local>();
  readonly #facts: Facts[] = [];
  readonly #channels = new Channels();
  readonly #events = new Interned<ServiceEvent>();
  readonly #outcomes: KnownOutcome[] = [];
  readonly #outcomeOf = new PairTable();
  readonly #deliveries = new PairTable(); // (sender, message)
  readonly #entries: Entries;
  readonly #arrivals: (readonly number[] | undefined)[][]; // by sender and channel
  readonly #possible: (readonly number[] | undefined)[] = [];
  readonly #initial: Int32Array;
  readonly #crash = this.#eventId({ kind: 'crash' });
  readonly #leave = this.#eventId({ kind: 'leave' });
  readonly #sweep = this.#eventId({ kind: 'sweep' });
  readonly #due = this.#eventId({ kind: 'due' });
  readonly #tryTimer = this.#eventId({ kind: 'timer', timer: 'try' });
  readonly #n: number;
  // Where the words of bookkeeping are.
  readonly #epochAt: number;
  readonly #triesAt: number;
  readonly #faultsAt: number;

  constructor(settings: ServiceSettings) {
    this.settings = settings;
    this.processes = new Processes(settings);
    const n = settings.members;
    this.members = n;
    this.#n = n;
    this.#epochAt = n + n * (n - 1);
    this.#triesAt = this.#epochAt + 1;
    this.#faultsAt = this.#epochAt + 2;
    this.width = this.#epochAt + 3;
    this.#arrivals = Array.from({ length: n }, () => []);
    this.#entries = new Entries({
      members: n,
      channels: this.#channels,
      channelAt: (from, to) => this.#channelAt(from, to),
      epochAt: this.#epochAt,
      local: (id) => this.local(id),
      localId: (local) => this.#localId(local),
    });
    this.#initial = this.#startUp();
  }

  initial(): Int32Array {
    return this.#initial.slice();
  }

  /** All members start, and the group reaches its first view. */
  #startUp(): Int32Array {
    const { callers, requests, crashes, congestions } = this.settings;
    const state = new Int32Array(this.width);
    for (let i = 0; i < this.#n; i++) {
      const fresh = this.processes.initial(i, callers, requests, congestions);
      state[i] = this.#localId(this.processes.run(fresh, { kind: 'start' }).local);
    }
    for (let i = 0; i < this.#n; i++) {
      for (let j = 0; j < this.#n; j++) if (i !== j) this.#openSession(state, i, j);
    }
    const into = new Int32Array(this.width);
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      this.successors(state, into, (_, event) => {
        const { kind } = this.event(event);
        goesOn = kind === 'deliver' || kind === 'session';
        return !goesOn;
      });
      if (goesOn) state.set(into);
    }
    state[this.#epochAt] = 0;
    state[this.#faultsAt] = crashes;
    return state;
  }

  /** Process i tells j that a session with it begins. */
  #openSession(state: Int32Array, i: number, j: number): void {
    const { incarnation, phase } = this.local(state[i]!);
    if (phase !== 'up' || this.local(state[j]!).phase !== 'up') return;
    this.#append(state, i, j, { type: 'session', incarnation });
  }

  /** Where the channel of two different members is. */
  #channelAt(from: number, to: number): number {
    return this.#n + from * (this.#n - 1) + (to < from ? to : to - 1);
  }

  #append(state: Int32Array, from: number, to: number, message: InFlight): void {
    const at = this.#channelAt(from, to);
    state[at] = this.#channels.append(state[at]!, this.#channels.messages.idOf(message));
  }

  local(id: number): Local {
    return this.#locals.at(id);
  }

  event(id: number): ServiceEvent {
    return this.#events.at(id);
  }

  /** Whether a step can be part of a cycle: all others use up a request or a fault, of which there are few. */
  canRecur(event: number): boolean {
    return RECURRING.has(this.event(event).kind);
  }

  isObligation(event: number): boolean {
    return OBLIGATIONS.has(this.event(event).kind);
  }

  outcomeAt(state: Int32Array, site: number, event: number): Outcome {
    return this.outcome(state[site]!, event);
  }

  /** Calls `found` for each step of `state`, with its successor in `into`, until it answers false. */
  successors(
    state: Int32Array,
    into: Int32Array,
    found: (site: number, event: number, error: StepError | undefined) => boolean,
  ): void {
    for (let site = 0; site < this.#n; site++) {
      const events = this.#eventsOf(state, site);
      for (let i = 0; i < events.length; i++) {
        const event = events[i]!;
        const error = this.#take(state, into, site, event);
        if (!found(site, event, error)) return;
      }
    }
  }

  /** Takes a step; returns what is wrong with it. */
  #take(state: Int32Array, into: Int32Array, site: number, eventId: number): StepError | undefined {
    for (let i = 0; i < state.length; i++) into[i] = state[i]!;
    const event = this.event(eventId);
    const outcome = this.outcome(state[site]!, eventId);
    into[site] = outcome.localId;
    if (event.kind === 'deliver' || event.kind === 'session') this.#receive(into, event, site);
    const { sendIds } = outcome;
    for (let i = 0; i < sendIds.length; i++) {
      this.#send(into, site, sendIds[i]!.to, sendIds[i]!.message);
    }
    if (event.kind === 'crash' || event.kind === 'leave') {
      into[this.#faultsAt]!--;
      for (let i = 0; i < this.#n; i++) if (i !== site) into[this.#channelAt(i, site)] = 0;
    }
    if (event.kind === 'restart') {
      for (let i = 0; i < this.#n; i++) {
        if (i === site) continue;
        into[this.#channelAt(i, site)] = 0;
        this.#openSession(into, i, site);
        this.#openSession(into, site, i);
      }
    }
    return (
      outcome.error ??
      this.#countEntries(into, site, outcome) ??
      this.#judgeTries(state, into, site, event, outcome) ??
      this.#judgeTimer(state, site, event)
    );
  }

  /** Removes what is received. With a new session, also removes what the old process sent, which is lost. */
  #receive(into: Int32Array, event: ServiceEvent & { from: number }, site: number): void {
    const at = this.#channelAt(event.from, site);
    const channel = into[at]!;
    into[at] =
      event.kind === 'deliver'
        ? this.#channels.afterFirst(channel)
        : this.#channels.afterSession(channel);
  }

  #send(into: Int32Array, from: number, to: number, message: number): void {
    const receiver = this.local(into[to]!);
    // What is sent to a process that is gone is lost.
    if (receiver.phase !== 'up') return;
    const sender = this.local(into[from]!);
    const session = sender.phase === 'up' ? sender.sessions[to] : receiver.incarnation;
    if (session !== receiver.incarnation) return;
    const at = this.#channelAt(from, to);
    into[at] = this.#channels.append(into[at]!, message);
  }

  #countEntries(into: Int32Array, site: number, outcome: Outcome): StepError | undefined {
    if (this.settings.permits > 0 || outcome.grants.length === 0) return undefined;
    const sent = (to: number) => outcome.sends.filter((send) => send.to === to).length;
    return this.#entries.count(into, site, outcome, sent);
  }

  /** A try is refused only if, at some moment since it was made, another caller held the lock or waited for it. */
  #judgeTries(
    state: Int32Array,
    into: Int32Array,
    site: number,
    event: ServiceEvent,
    { refused, local }: Outcome,
  ): StepError | undefined {
    const tries = this.#tries(into);
    if (tries === 0 && refused.length === 0) {
      into[this.#triesAt] = 0;
      return undefined;
    }
    const { callers } = this.settings;
    let seen = state[this.#triesAt]!;
    // A request that is granted and stolen in one step counts, too.
    const asks = event.kind === 'request' ? 1 << (site * callers + event.caller) : 0;
    const active = this.#active(state) | this.#active(into) | asks;
    for (const caller of refused) {
      const own = 1 << (site * callers + caller);
      const others = active & ~own;
      if ((seen & own) !== 0 || others !== 0) continue;
      const why = `the try of ${nameOf(local, caller)} is refused, and no other caller wanted the lock`;
      return { property: 'try-honest', why };
    }
    for (let bit = 1; bit <= tries; bit <<= 1) {
      if ((tries & bit) !== 0 && (active & ~bit) !== 0) seen |= bit;
    }
    into[this.#triesAt] = seen & tries;
    return undefined;
  }

  /** If all members are up, the timer of a try must not be what ends it. */
  #judgeTimer(state: Int32Array, site: number, event: ServiceEvent): StepError | undefined {
    if (event.kind !== 'timer' || event.timer !== 'try') return undefined;
    for (let i = 0; i < this.#n; i++) {
      if (this.local(state[i]!).phase === 'down') return undefined;
    }
    const why = `a try at ${memberName(site)} is never decided, though all members answer`;
    return { property: 'try-decided', why };
  }

  #active(state: Int32Array): number {
    const { callers } = this.settings;
    let active = 0;
    for (let i = 0; i < this.#n; i++) active |= this.facts(state[i]!).active << (i * callers);
    return active;
  }

  #tries(state: Int32Array): number {
    const { callers } = this.settings;
    let tries = 0;
    for (let i = 0; i < this.#n; i++) tries |= this.facts(state[i]!).tries << (i * callers);
    return tries;
  }

  get canShare(): boolean {
    return this.processes.canShare;
  }

  /** What an event does to a process, worked out once. */
  outcome(local: number, event: number): KnownOutcome {
    const known = this.#outcomeOf.get(local, event);
    if (known !== -1) return this.#outcomes[known]!;
    const ran = this.processes.run(this.local(local), this.event(event));
    const outcome = {
      ...ran,
      localId: this.#localId(ran.local),
      sendIds: ran.sends.map(({ to, message }) => ({
        to,
        message: this.#channels.messages.idOf(message),
      })),
    };
    this.#outcomeOf.add(local, event, this.#outcomes.length);
    this.#outcomes.push(outcome);
    return outcome;
  }

  /** The events that are possible at a member. */
  #eventsOf(state: Int32Array, site: number): readonly number[] {
    const ownEvents = this.#eventsOfLocal(state[site]!);
    if (this.local(state[site]!).phase !== 'up') return ownEvents;
    const events = ownEvents.slice();
    for (let from = 0; from < this.#n; from++) {
      if (from === site) continue;
      const channel = state[this.#channelAt(from, site)]!;
      if (channel !== 0) events.push(...this.#arrivalsOf(channel, from));
    }
    if (state[this.#faultsAt]! > 0) events.push(this.#crash, this.#leave);
    // A try must be decided even if a holder stays inside for ever.
    if (this.facts(state[site]!).isTrying && this.#isQuiet(state)) events.push(this.#tryTimer);
    if (this.settings.forgets && this.#maySweep(state, site)) events.push(this.#sweep);
    return events;
  }

  /** A lock that is swept has been idle for longer than a try lasts. */
  #maySweep(state: Int32Array, site: number): boolean {
    if (!this.#hasEffect(state[site]!, this.#sweep)) return false;
    if (!this.facts(state[site]!).isWatched) return true;
    for (let i = 0; i < this.#n; i++) if (this.facts(state[i]!).tries > 0) return false;
    return true;
  }

  /** What can arrive next over a channel: its first message, and the beginning of a new session. */
  #arrivalsOf(channel: number, from: number): readonly number[] {
    const known = this.#arrivals[from]![channel];
    if (known !== undefined) return known;
    const { isSession } = this.#channels;
    const messages = this.#channels.at(channel);
    const arrivals: number[] = [];
    if (!isSession(messages[0]!)) arrivals.push(this.#delivery(from, messages[0]!));
    const session = messages.find(isSession);
    if (session !== undefined) arrivals.push(this.#delivery(from, session));
    this.#arrivals[from]![channel] = arrivals;
    return arrivals;
  }

  #delivery(from: number, message: number): number {
    const known = this.#deliveries.get(from, message);
    if (known !== -1) return known;
    const what = this.#channels.messages.at(message);
    const id = this.#eventId(
      what.type === 'session'
        ? { kind: 'session', from, incarnation: what.incarnation }
        : { kind: 'deliver', from, message: what },
    );
    this.#deliveries.add(from, message, id);
    return id;
  }

  /** The events of callers, timers and faults, which do not depend on what is in flight. */
  #eventsOfLocal(id: number): readonly number[] {
    const known = this.#possible[id];
    if (known !== undefined) return known;
    const local = this.local(id);
    const events: ServiceEvent[] = [];
    if (local.phase === 'down') events.push({ kind: 'restart' });
    else if (local.phase === 'up') {
      for (const [caller, { stage, left }] of local.callers.entries()) {
        if (stage === 'waiting') events.push({ kind: 'cancel', caller });
        else if (stage === 'held') events.push({ kind: 'release', caller });
        else if (left > 0)
          events.push(...requestsOf(this.settings, this.processes.canShare, caller));
      }
      events.push(...congestionsOf(local));
      if (this.#hasEffect(id, this.#due)) events.push({ kind: 'due' });
      for (const timer of timersOf(local)) {
        if (timer !== 'try') events.push({ kind: 'timer', timer });
      }
    }
    const ids = events.map((event) => this.#eventId(event));
    this.#possible[id] = ids;
    return ids;
  }

  #hasEffect(id: number, event: number): boolean {
    const { locks = [], idle = [] } = this.local(id).node ?? {};
    if (locks.length + idle.length === 0) return false;
    const { localId, sendIds } = this.outcome(id, event);
    return localId !== id || sendIds.length > 0;
  }

  /** Nothing is in flight to a living process, and no process can take a step by itself, except to release a lock. */
  #isQuiet(state: Int32Array): boolean {
    for (let i = 0; i < this.#n; i++) {
      if (this.facts(state[i]!).isBusy) return false;
      if (this.local(state[i]!).phase !== 'up') continue;
      for (let j = 0; j < this.#n; j++) {
        if (i !== j && state[this.#channelAt(j, i)] !== 0) return false;
      }
    }
    return true;
  }

  facts(id: number): Facts {
    return this.#facts[id]!;
  }

  /** What is wrong with a state. */
  judge(state: Int32Array): StepError | undefined {
    const { permits } = this.settings;
    let [writers, readers, waiting] = [0, 0, 0];
    let [isTrying, isHeld] = [false, false];
    for (let i = 0; i < this.#n; i++) {
      const facts = this.facts(state[i]!);
      writers += facts.writers;
      readers += facts.readers;
      waiting += facts.waiting;
      isTrying ||= facts.isTrying;
      isHeld ||= facts.isHeld;
    }
    const isCrowded = permits > 0 ? writers > permits : writers > 1 || (writers > 0 && readers > 0);
    if (isCrowded) return { property: 'mutual-exclusion', why: this.#crowd(state) };
    if (isHeld || isTrying || !this.#isQuiet(state)) return undefined;
    if (waiting > 0) {
      const why = `nothing moves any more, and ${this.#names(state, 'waiting')} waits`;
      return { property: 'deadlock-freedom', why };
    }
    for (let i = 0; i < this.#n; i++) {
      if (this.facts(state[i]!).isClean) continue;
      const why = `no caller holds or wants the lock, and ${memberName(i)} still keeps something of a request`;
      return { property: 'clean-at-rest', why };
    }
    return undefined;
  }

  #crowd(state: Int32Array): string {
    return `${this.#names(state, 'held')} hold the lock at once`;
  }

  #names(state: Int32Array, stage: 'held' | 'waiting'): string {
    const names: string[] = [];
    for (let i = 0; i < this.#n; i++) {
      const local = this.local(state[i]!);
      for (const [caller, { stage: at }] of local.callers.entries()) {
        if (at === stage) names.push(nameOf(local, caller));
      }
    }
    return names.join(' and ');
  }

  #localId(local: Local): number {
    const id = this.#locals.idOf(local);
    if (id === this.#facts.length) this.#facts.push(factsOf(local));
    return id;
  }

  #eventId(event: ServiceEvent): number {
    return this.#events.idOf(event);
  }
}
