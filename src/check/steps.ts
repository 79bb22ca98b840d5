/**
 * What one site does at one event. Locals (a site's state with its phase) and events are interned.
 * A step depends on nothing else, so it is computed once.
 */
import type { AnyAlgorithm, AnyWorld, Mode, NodeId } from '../core/algorithm.ts';
import { InvariantViolation } from '../core/assert.ts';
import { EVERYONE, EVERYONE_IN_ORDER, Machine } from '../core/machine.ts';
import type { AnyMessage } from '../core/message.ts';
import { clone, key } from '../core/plain.ts';
import { Choices } from './choices.ts';
import { PairTable } from './tables.ts';

export type Phase = 'idle' | 'waiting' | 'inside' | 'down';

/** One site as the checker sees it. */
export interface Local {
  readonly site: NodeId;
  readonly my: unknown;
  readonly phase: Phase;
  /** Whether the algorithm's `start` has been called, or need not be. */
  readonly started: boolean;
  readonly mode: Mode;
  /** How many more requests the site will make. */
  readonly left: number;
  /** The timers that are set, in alphabetical order. */
  readonly timers: readonly string[];
}

/**
 * What can happen at a site. Events are interned; a delivery in flight is the number of its event.
 */
export type Event =
  | { readonly kind: 'request' | 'rerequest'; readonly mode: Mode }
  | Delivery
  | { readonly kind: 'start' }
  | { readonly kind: 'downgrade' }
  | { readonly kind: 'exit' }
  | { readonly kind: 'timer'; readonly timer: string }
  | { readonly kind: 'peer'; readonly peer: NodeId; readonly alive: boolean }
  | { readonly kind: 'crash' }
  | { readonly kind: 'restart' }
  | (Omit<Delivery, 'kind'> & { readonly kind: 'lose' | 'duplicate' });

/** A message in flight; `ordered` for a broadcast that every site receives in the same order. */
interface Delivery {
  readonly kind: 'deliver';
  readonly from: NodeId;
  readonly ordered: boolean;
  readonly message: AnyMessage;
}

interface Sending {
  readonly to: NodeId;
  readonly delivery: number;
}

/** One possible outcome of a step. There are several where the algorithm draws a random number. */
export interface Outcome {
  readonly local: number;
  /** The messages as the algorithm sent them: a broadcast is one message … */
  readonly sent: readonly { readonly to: NodeId; readonly message: AnyMessage }[];
  /** … and as deliveries, one for each receiver. */
  readonly deliveries: readonly Sending[];
  /** The timers that the step set, whether or not they were set before. */
  readonly timersSet: readonly string[];
  readonly error: StepError | undefined;
}

export interface StepError {
  readonly property: string;
  readonly why: string;
}

export class Steps {
  readonly machine: Machine;
  /** True once a step has sent a totally ordered broadcast. */
  usesOrder = false;
  readonly #choices = new Choices();
  readonly #algorithm: AnyAlgorithm;
  readonly #n: number;
  readonly #locals: Local[] = [];
  readonly #localIds = new Map<string, number>();
  readonly #events: Event[] = [];
  readonly #eventIds = new Map<string, number>();
  readonly #outcomes: (readonly Outcome[])[] = [];
  readonly #outcomesOf = new PairTable(); // (local, event)

  constructor(algorithm: AnyAlgorithm, world: AnyWorld) {
    this.machine = new Machine(algorithm, world, (below) => this.#choices.draw(below));
    this.#algorithm = algorithm;
    this.#n = world.n;
  }

  /** The number of the local in which a site starts. */
  initial(site: NodeId, left: number): number {
    const my = this.machine.init(site);
    const started = !this.#startMatters(site);
    return this.localId({
      site,
      my,
      phase: 'idle',
      started,
      mode: 'exclusive',
      left,
      timers: [],
    });
  }

  #startMatters(site: NodeId): boolean {
    if (!this.machine.hasStart) return false;
    const before = this.machine.init(site);
    const after = clone(before);
    this.machine.start(site, after);
    const { sends, timers } = this.machine.site;
    return sends + timers.length > 0 || key(before) !== key(after);
  }

  local(id: number): Local {
    return this.#locals[id]!;
  }

  event(id: number): Event {
    return this.#events[id]!;
  }

  eventId(event: Event): number {
    const name = key(event);
    let id = this.#eventIds.get(name);
    if (id === undefined) {
      id = this.#events.length;
      this.#events.push(event);
      this.#eventIds.set(name, id);
    }
    return id;
  }

  localId(local: Local): number {
    const name = key(local);
    let id = this.#localIds.get(name);
    if (id === undefined) {
      id = this.#locals.length;
      this.#locals.push(local);
      this.#localIds.set(name, id);
    }
    return id;
  }

  /** All outcomes of this event at this local. */
  of(local: number, event: number): readonly Outcome[] {
    const known = this.#outcomesOf.get(local, event);
    if (known !== -1) return this.#outcomes[known]!;
    const run = () => this.#run(this.#locals[local]!, this.#events[event]!);
    const outcomes = [...this.#choices.each(run)];
    this.#outcomesOf.add(local, event, this.#outcomes.length);
    this.#outcomes.push(outcomes);
    return outcomes;
  }

  /** Whether the event changes the site, or makes it send something. */
  hasEffect(local: number, event: Event): boolean {
    const outcomes = this.of(local, this.eventId(event));
    return outcomes.some((outcome) => outcome.local !== local || outcome.deliveries.length > 0);
  }

  #run(before: Local, event: Event): Outcome {
    const { machine } = this;
    const { site } = before;
    let { phase, started, mode, left, timers } = before;
    const outcome = (my: unknown, peers: readonly Sending[], error?: StepError): Outcome => ({
      local: this.localId({ site, my, phase, started, mode, left, timers }),
      sent: this.#sent(),
      deliveries: [...this.#deliveries(site), ...peers],
      timersSet: machine.site.timers.filter(({ ticks }) => ticks > 0).map(({ name }) => name),
      error,
    });
    if (event.kind === 'lose' || event.kind === 'duplicate') {
      machine.site.begin(site);
      return outcome(before.my, []);
    }
    if (event.kind === 'crash') {
      [phase, started, mode, timers] = ['down', true, 'exclusive', []];
      return outcome(machine.afterCrash(site, before.my), this.#peerNotices(site, false));
    }
    const my = clone(before.my);
    let error: StepError | undefined;
    try {
      switch (event.kind) {
        case 'start':
          started = true;
          machine.start(site, my);
          break;
        case 'request':
          [phase, mode, left] = ['waiting', event.mode, left - 1];
          machine.request(site, my, mode);
          break;
        case 'rerequest':
          [phase, mode, left] = ['waiting', event.mode, left - 1];
          machine.rerequest(site, my, mode);
          break;
        case 'downgrade':
          mode = 'shared';
          machine.downgrade(site, my);
          break;
        case 'exit':
          [phase, mode] = ['idle', 'exclusive'];
          machine.release(site, my);
          break;
        case 'deliver':
          machine.receive(site, my, event.from, event.message);
          break;
        case 'timer':
          timers = timers.filter((t) => t !== event.timer);
          machine.expire(site, my, event.timer);
          break;
        case 'peer':
          machine.peer(site, my, event.peer, event.alive);
          break;
        case 'restart':
          phase = 'idle';
          machine.restart(site, my);
          break;
      }
    } catch (thrown) {
      if (!(thrown instanceof InvariantViolation)) throw thrown;
      error = { property: 'assertion', why: `site ${site} finds it untrue that ${thrown.message}` };
    }
    if (machine.site.entered) {
      if (phase !== 'waiting') {
        error ??= {
          property: 'entry-on-request',
          why: `site ${site} goes in without having asked`,
        };
      }
      phase = 'inside';
    }
    for (const { name, ticks } of machine.site.timers) {
      timers = timers.filter((t) => t !== name);
      if (ticks > 0) timers = [...timers, name].sort();
    }
    return outcome(my, event.kind === 'restart' ? this.#peerNotices(site, true) : [], error);
  }

  #sent(): { to: NodeId; message: AnyMessage }[] {
    const { to, messages, sends } = this.machine.site;
    return messages.slice(0, sends).map((message, i) => ({ to: to[i]!, message: clone(message) }));
  }

  /** The messages that the last step sent, one delivery for each receiver. */
  #deliveries(site: NodeId): Sending[] {
    const everyone = Array.from({ length: this.#n }, (_, j) => j);
    return this.#sent().flatMap(({ to, message }) => {
      const ordered = to === EVERYONE_IN_ORDER;
      if (ordered) this.usesOrder = true;
      const delivery = this.eventId({ kind: 'deliver', from: site, ordered, message });
      if (ordered) return everyone.map((j) => ({ to: j, delivery }));
      if (to !== EVERYONE) return [{ to, delivery }];
      return everyone.filter((j) => j !== site).map((j) => ({ to: j, delivery }));
    });
  }

  /**
   * The notices of a perfect failure detector to all other sites, if the algorithm handles them.
   */
  #peerNotices(site: NodeId, alive: boolean): Sending[] {
    if (this.#algorithm.peer === undefined) return [];
    const delivery = this.eventId({ kind: 'peer', peer: site, alive });
    const peers = Array.from({ length: this.#n }, (_, j) => j).filter((j) => j !== site);
    return peers.map((to) => ({ to, delivery }));
  }
}
