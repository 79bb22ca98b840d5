import type { AnyAlgorithm, AnyWorld, NodeId } from '../core/algorithm.ts';
import { InvariantViolation } from '../core/assert.ts';
import { Machine } from '../core/machine.ts';
import { freeze } from '../core/plain.ts';
import type { Draws } from '../core/random.ts';
import { ColumnWriter } from './columns.ts';
import { DELIVER, DELIVER_IN_ORDER, EXIT, FAULT, PEER, REQUEST, START, TIMER } from './events.ts';
import { Failures } from './failures.ts';
import { Interventions } from './intervene.ts';
import { Judge } from './judge.ts';
import { Measures } from './measures.ts';
import { type Mishap, Network } from './network.ts';
import { ProgressWatch } from './progress-watch.ts';
import { EventQueue } from './queue.ts';
import { type Observer, Recorder } from './recorder.ts';
import type { CheckedSettings, Settings } from './settings.ts';
import { SiteRequests } from './site-requests.ts';
import { Sites } from './sites.ts';
import { streamsOf } from './streams.ts';
import { Timers } from './timers.ts';
import { Tokens } from './tokens.ts';
import { Traffic } from './traffic.ts';
import { Workload } from './workload.ts';

/** Every so many events, less one: a quarter of a million. */
const MILESTONE = 0x3ffff;

/** One run: takes event after event from the queue, steps the algorithm, and acts on what it did. */
export class Run {
  now = 0;
  events = 0;
  /** The steps of the trace: events, losses, duplications and delays. */
  steps = 0;
  /** An intervention makes this step happen. */
  isForced = false;
  /** The numbers that the site drew in its last step. */
  readonly drawn: number[] = [];
  /** How many sites have not begun yet. */
  starting = 0;
  readonly algorithm: AnyAlgorithm;
  readonly queue = new EventQueue();
  readonly machine: Machine;
  readonly sites: Sites;
  readonly network: Network;
  readonly timers: Timers;
  readonly workload: Workload;
  readonly traffic: Traffic;
  readonly measures: Measures;
  readonly tokens: Tokens | undefined;
  readonly failures: Failures;
  readonly judge: Judge;

  readonly #freeze: boolean;
  readonly #progress: ProgressWatch;
  readonly #requests: SiteRequests;
  readonly #observers: Observer[] = [];
  readonly #interventions: Interventions;
  readonly #onProgress: Settings['onProgress'];
  readonly #choices: Draws;
  readonly #choicesDrawn: Int32Array;
  readonly #until: number;
  #hasBegun = false;
  #isOver = false;

  constructor(
    algorithm: AnyAlgorithm,
    world: AnyWorld,
    checked: CheckedSettings,
    { freezeMessages = false, trace, columns, onProgress }: Settings,
  ) {
    const { n, k } = world;
    const { seed, links, delay, faults } = checked;
    const streams = streamsOf(seed);
    this.algorithm = algorithm;
    this.#choices = streams.choices;
    this.#choicesDrawn = new Int32Array(n);
    this.machine = new Machine(algorithm, world, (below) => this.#draw(below));
    this.sites = new Sites(n, (site) => this.machine.init(site));
    this.timers = new Timers(algorithm, n, this.queue);
    const mayIntervene = faults.interventions.length > 0;
    this.network = new Network(n, this.queue, links, delay, streams, faults.windows, mayIntervene);
    this.workload = new Workload(n, this.queue, streams, checked);
    this.traffic = new Traffic(algorithm.messages, n);
    this.measures = new Measures(n, checked.workload === 'saturated' ? checked.limit : 0);
    if (algorithm.tokens !== undefined) {
      this.tokens = new Tokens(algorithm, this.machine, this.sites.states);
    }
    this.failures = new Failures(this, faults, (site, life) =>
      delay.sample(streams.notices.at(site, life)),
    );
    this.judge = new Judge(this, k);
    this.#freeze = freezeMessages;
    this.#progress = new ProgressWatch(this, checked.maxEvents);
    this.#requests = new SiteRequests(this, this.#progress, k);
    this.#interventions = new Interventions(this, this.#requests, faults.interventions);
    if (trace !== undefined) this.#observers.push(new Recorder(this, trace));
    if (columns !== undefined) this.#observers.push(new ColumnWriter(this, columns));
    this.#onProgress = onProgress;
    this.#until = checked.until;
  }

  /** Nothing more will happen. */
  get isOver(): boolean {
    return this.#isOver || this.judge.violation !== undefined;
  }

  /** Makes so many steps, or as many as there are. Losses and duplications of messages come with their step. */
  advance(steps: number): void {
    if (!this.#hasBegun) this.#begin();
    try {
      this.#loop(this.steps + steps);
    } catch (thrown) {
      if (!(thrown instanceof InvariantViolation)) throw thrown;
      this.judge.asserted(this.machine.site.me, thrown.message);
      this.#observe(true);
    }
    if (this.#isOver) this.#interventions.refuseUnreached();
  }

  #begin(): void {
    this.#hasBegun = true;
    this.failures.start();
    this.workload.start();
    if (this.machine.hasStart) {
      // Starts follow the requests at time 0, so that a token that circulates has not moved yet.
      this.starting = this.sites.n;
      for (let site = 0; site < this.starting; site++) this.queue.push(0, START, site, 0, 0);
    }
    this.#progress.checkWants();
    if (this.tokens !== undefined) this.#countTokens(this.tokens, 0);
  }

  /** A number for the site that acts, from its own stream. */
  #draw(below: number): number {
    const { me } = this.machine.site;
    const count = this.#choicesDrawn[me]!;
    this.#choicesDrawn[me] = count + 1;
    const number = this.#choices.at(me, count).below(below);
    this.drawn.push(number);
    return number;
  }

  #loop(until: number): void {
    const { queue, workload, sites } = this;
    const progress = this.#progress;
    const interventions = this.#interventions;
    const isSolo = workload.kind === 'solo';
    while (this.steps < until && !this.isOver) {
      if (this.steps >= interventions.next) {
        interventions.apply();
        continue;
      }
      if (isSolo && progress.isQuiet) workload.askAlone(this.now, sites);
      if (!queue.pop()) {
        this.#end();
        return;
      }
      if (queue.time > this.#until) {
        this.now = this.#until;
        this.#isOver = true; // cut off: a site that waits is not stuck
        return;
      }
      switch (queue.kind) {
        case DELIVER:
        case DELIVER_IN_ORDER:
          this.#deliver();
          break;
        case REQUEST:
          if (!this.#requests.request()) this.#end();
          break;
        case EXIT:
          this.#requests.exit();
          break;
        case TIMER:
          this.#timer();
          break;
        case FAULT:
          this.failures.perform();
          break;
        case PEER:
          this.failures.tell();
          break;
        case START:
          this.#start();
          break;
      }
      if (this.events >= progress.deadline && progress.over()) this.#isOver = true;
      if ((this.events & MILESTONE) === 0) this.#milestone();
    }
  }

  #milestone(): void {
    this.#onProgress?.(this.measures.entries, this.now);
    // Clocks have 32 bits, and grow by at most one with every event.
    if (this.events > 0x7fff_ffff - MILESTONE - 2) this.judge.excuseFences();
  }

  #start(): void {
    const { site } = this.queue;
    this.starting--;
    if (this.sites.life[site]! > 0) return;
    this.tick(site, 0);
    this.machine.start(site, this.sites.states[site]);
    this.carryOut(site);
  }

  #deliver(): void {
    const { queue, sites, network } = this;
    const { site, from } = queue;
    if (queue.message === null) return; // an intervention has taken it
    if (this.failures.mayHappen && this.failures.stops()) return;
    network.inFlight--;
    this.tick(site, queue.clock);
    const { message } = queue;
    if (this.tokens !== undefined) this.tokens.received(message);
    this.machine.receive(site, sites.states[site], from, message);
    this.carryOut(site);
  }

  #timer(): void {
    const { queue, timers, network, sites } = this;
    const { site, from: timer } = queue;
    if (!timers.isDue(site, timer, queue.clock)) return;
    const fires = timers.fires[timer]!;
    if (fires !== 'anytime') {
      if (!network.isDrained(fires === 'quiet' ? -1 : site)) {
        // This timer outlasts all messages under way. If a partition holds some back, it waits until they have arrived.
        if (network.scheduled === 0) network.hold();
        else queue.push(Math.max(network.latest, queue.time), TIMER, site, timer, queue.clock);
        return;
      }
      // A site that trusts a bound on delays learns something without a message.
      this.judge.excuseFences();
    }
    timers.expired(site, timer);
    this.tick(site, 0);
    this.machine.expire(site, sites.states[site], timers.names[timer]!);
    this.carryOut(site);
  }

  /** An event happens at a site; `clock` came with it. */
  tick(site: NodeId, clock: number): void {
    const clocks = this.sites.clock;
    this.now = this.queue.time;
    this.events++;
    if (this.drawn.length > 0) this.drawn.length = 0;
    clocks[site] = Math.max(clocks[site]!, clock) + 1;
  }

  /** Performs the effects of the machine's last step, which was a step of this site. */
  carryOut(site: NodeId): void {
    const { network, traffic, tokens, sites, now } = this;
    const effects = this.machine.site;
    if (effects.sends > 0) network.open(now, site, sites.clock[site]!);
    for (let i = 0; i < effects.sends; i++) {
      const message = effects.messages[i]!;
      if (this.#freeze) freeze(message);
      traffic.sent(message);
      if (tokens !== undefined) tokens.sent(message);
      network.send(effects.to[i]!, message);
    }
    if (effects.entered) this.#requests.enter(site);
    for (const { name, ticks } of effects.timers) this.timers.set(site, name, ticks, now);
    if (tokens !== undefined) {
      tokens.acted(site, sites.states[site]);
      this.#countTokens(tokens, site);
    }
    this.#observe(false);
    while (network.mishaps.length > 0) this.recordMishap(network.mishaps.shift()!);
  }

  #countTokens(tokens: Tokens, site: NodeId): void {
    const { count, expected } = tokens;
    if (count !== expected) this.judge.miscounted(site, count, expected);
  }

  #observe(failed: boolean): void {
    this.steps++;
    for (const observer of this.#observers) observer.step(failed);
  }

  /** A message was lost, doubled or delayed. */
  recordMishap(mishap: Mishap): void {
    this.steps++;
    this.failures.recordMishap(mishap);
    for (const observer of this.#observers) observer.mishap(mishap);
  }

  /** Records an event that is no step of the algorithm. */
  happened(): void {
    this.now = this.queue.time;
    this.events++;
    this.#observe(false);
    this.#progress.checkWants();
  }

  #end(): void {
    this.#isOver = true;
    if (this.sites.waiting > 0) this.judge.deadlocked();
  }
}
