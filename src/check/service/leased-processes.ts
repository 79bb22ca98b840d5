/**
 * One process of the service world with the engine `leased`: a member as deployed. A clock that advances in ticks
 * tells it the time. Its calls of the register are answered in the step that makes them, unless they go wrong.
 */
import { assert } from '../../core/assert.ts';
import type { Plain } from '../../core/plain.ts';
import { EPOCH_ZERO } from '../../group/fence.ts';
import type { GroupNode } from '../../group/node.ts';
import type { RegisterAnswer, RegisterOperation } from '../../group/register.ts';
import type { StepError } from '../steps.ts';
import { type Flight, type Leasing, OLDEST, PRESENT, type Tick } from './leasing.ts';
import {
  idOf,
  type Local,
  memberName,
  nameOf,
  type Outcome,
  Processes,
  type ProcessSettings,
  type ServiceEvent,
} from './processes.ts';
import { applied, type Register, unknownOutcome } from './register.ts';

/** Other names for the writes of a key: its revisions, and the nonces of its owner. */
export interface WriteNames {
  revision(key: string, revision: string): string;
  nonce(owner: string, nonce: number): number;
}

/** What the checker reads of the engine's state and of its records: src/engines/leased-snapshot.ts. */
export interface EngineSnapshot {
  later(saved: Plain, ms: number, present: number, oldest: number): Plain;
  renamed(saved: Plain, self: string, names: WriteNames): Plain;
  renamedValue(key: string, value: string, names: WriteNames): string;
  renumbered(saved: Plain): { state: Plain; numbers: ReadonlyMap<number, number> };
  viewIn(register: Register): {
    readonly epoch: number;
    readonly members: readonly { id: string; incarnation: number; tenure: number }[];
  };
}

/** The outcome of an event: the steps of the process, one after the other, and the register after them. */
export interface LeasedOutcome {
  readonly steps: readonly Outcome[];
  readonly local: Local;
  readonly register: Register;
  /** Whether the first step called the register. */
  readonly hasCalled: boolean;
  readonly error: StepError | undefined;
}

interface MadeCall {
  readonly call: number;
  readonly operation: RegisterOperation;
}

const NOTHING: Leasing = { alarms: [], right: null, contacts: [], flights: [] };
/** More answers than one event can bring about. */
const MOST_ANSWERS = 30;
/** The timers of the engine, as the group names them. */
const OF_ENGINE = 'engine ';

export interface LeasedSettings extends ProcessSettings {
  /** The length of a tick of each clock. */
  readonly tick: Tick;
}

export class LeasedProcesses extends Processes {
  readonly #snapshot: EngineSnapshot;
  readonly #tick: Tick;
  /** The calls that the last step made. */
  #made: MadeCall[] = [];

  constructor(settings: LeasedSettings, snapshot: EngineSnapshot) {
    super(settings);
    this.#snapshot = snapshot;
    this.#tick = settings.tick;
  }

  override initial(...given: Parameters<Processes['initial']>): Local {
    return { ...super.initial(...given), leased: NOTHING };
  }

  /** What an event does to a process and to the register. */
  runAll(before: Local, register: Register, event: ServiceEvent): LeasedOutcome {
    const steps: Outcome[] = [];
    let local = before;
    let now = register;
    let error: StepError | undefined;
    const run = (what: ServiceEvent): void => {
      const outcome = this.run(local, what);
      steps.push(outcome);
      local = outcome.local;
      error ??= outcome.error;
    };
    const apply = (operation: RegisterOperation): RegisterAnswer => {
      const result = applied(now, operation);
      error ??= this.#viewsFall(now, result.register);
      now = result.register;
      return result.answer;
    };
    this.#made = [];
    if (event.kind === 'effect' || event.kind === 'outcome') {
      const flight = before.leased!.flights[event.flight]!;
      const isEffect = event.kind === 'effect';
      const answer = isEffect ? apply(flight.operation) : flight.answer;
      const rest = isEffect || !flight.isPending ? [] : [{ ...flight, call: 0 }];
      const flights = before.leased!.flights.toSpliced(event.flight, 1, ...rest);
      local = { ...before, leased: { ...before.leased!, flights } };
      if (flight.call !== 0) run({ kind: 'answer', call: flight.call, answer });
    } else run(event);
    const hasCalled = this.#made.length > 0;
    for (let i = 0; i < this.#made.length && event.calls === undefined; i++) {
      assert(i < MOST_ANSWERS, 'a process does not call the register without end in one step');
      const { call, operation } = this.#made[i]!;
      const answer = apply(operation);
      if (local.phase === 'up') run({ kind: 'answer', call, answer });
    }
    if (event.calls !== undefined) {
      const flights = this.#made.map(({ call, operation }): Flight => {
        const isPending = event.calls === 'delayed';
        const unknown = unknownOutcome(operation);
        if (event.calls === 'lost' || isPending)
          return { call, operation, isPending, answer: unknown };
        const answer = apply(operation);
        return { call, operation, isPending, answer: event.calls === 'late' ? answer : unknown };
      });
      const leased = { ...local.leased!, flights: [...local.leased!.flights, ...flights] };
      local = { ...local, leased };
    }
    return { steps, local: this.#renumbered(local), register: now, hasCalled, error };
  }

  /** The same process after its clock has advanced by a tick. */
  afterTick(local: Local): Local {
    const { alarms, right } = local.leased!;
    const leased: Leasing = {
      ...local.leased!,
      alarms: alarms.map(([name, ms]) => [name, Math.max(0, ms - this.#tick)] as const),
      right: right === null ? null : Math.max(OLDEST, right - this.#tick),
    };
    return { ...local, leased, ...this.#engineLater(local, this.#tick) };
  }

  /** The same process after it has stopped for good. */
  afterStop(local: Local): Local {
    const callers = local.callers.map((caller) =>
      caller.stage === 'held' ? caller : { ...caller, stage: 'idle' as const, left: 0 },
    );
    return { ...local, callers };
  }

  #engineLater({ node }: Local, ms: number): Pick<Local, 'node'> {
    if (node === null) return { node };
    return { node: { ...node, engine: this.#snapshot.later(node.engine, ms, PRESENT, OLDEST) } };
  }

  /** Numbers calls from 1. Of a call that the process no longer waits for, only the effect is kept. */
  #renumbered(local: Local): Local {
    const { node } = this.#engineLater(local, 0);
    const flightsOf = (number: (call: number) => number) =>
      local
        .leased!.flights.map((flight) => ({ ...flight, call: number(flight.call) }))
        .filter(
          ({ call, operation, isPending }) =>
            call !== 0 || (isPending && operation.type === 'compareAndSet'),
        );
    if (node === null) {
      return { ...local, leased: { ...local.leased!, flights: flightsOf(() => 0) } };
    }
    const { state, numbers } = this.#snapshot.renumbered(node.engine);
    const flights = flightsOf((call) => numbers.get(call) ?? 0);
    return { ...local, node: { ...node, engine: state }, leased: { ...local.leased!, flights } };
  }

  #viewsFall(before: Register, after: Register): StepError | undefined {
    const [was, is] = [this.#snapshot.viewIn(before), this.#snapshot.viewIn(after)];
    if (is.epoch > was.epoch || JSON.stringify(is) === JSON.stringify(was)) return undefined;
    const why = `the view ${is.epoch} is written to the register after the view ${was.epoch}`;
    return { property: 'views-grow', why };
  }

  protected override peers(): string[] {
    return [];
  }

  protected override dead(before: Local, phase: 'down' | 'left'): Local {
    const { flights } = before.leased!;
    return { ...super.dead(before, phase), leased: { ...NOTHING, flights } };
  }

  /** A process whose lease ends keeps no caller waiting. */
  protected override departed(): 'left' {
    return 'left';
  }

  protected override revive(local: Local): GroupNode {
    const node = super.revive(local);
    const { alarms, right } = local.leased!;
    node.monotonic = PRESENT;
    if (right !== null && local.node?.isSuspended === false) {
      node.lease.deadline = right;
      node.lease.deadlineClock = EPOCH_ZERO + right - PRESENT;
    }
    node.engineEnvironment.timers.clear();
    for (const [name, after] of alarms) {
      const timer = { lock: null, name: OF_ENGINE + name, after, handle: undefined };
      node.engineEnvironment.timers.set(name, timer);
    }
    return node;
  }

  protected override step(node: GroupNode, before: Local, event: ServiceEvent): Local {
    if (event.kind === 'answer') {
      const { call, answer } = event;
      node.step({ type: 'answer', call, answer });
      return before;
    }
    if (event.kind === 'hint') {
      node.step({ type: 'hint' });
      return before;
    }
    if (event.kind === 'timer' && event.timer.startsWith(OF_ENGINE)) {
      const timer = node.engineEnvironment.timers.get(event.timer.slice(OF_ENGINE.length))!;
      node.step({ type: 'timer', timer });
      return before;
    }
    const stepped = super.step(node, before, event);
    if (event.kind !== 'release') return stepped;
    // The process tells a caller that releases too late that it had lost the lock.
    const isLost = [...node.effects.outcomes].some(
      ({ type, request }) => type === 'lost' && request.caller === event.caller,
    );
    return isLost ? before : stepped;
  }

  protected override conclude(
    node: GroupNode,
    stepped: Local,
    oldEpoch: number,
    event: ServiceEvent,
    thrown: StepError | undefined,
  ): Outcome {
    let { contacts } = stepped.leased!;
    for (const report of node.effects.reports) {
      if (report.type === 'call') this.#made.push(report);
      else if (report.type === 'reach') contacts = report.contacts.map(({ id }) => idOf(id));
    }
    const old = new Map(stepped.leased!.alarms);
    const set = new Set(node.effects.timersSet);
    const alarms = [...node.engineEnvironment.timers].map(
      ([name, timer]) => [name, set.has(timer) ? (timer.after as number) : old.get(name)!] as const,
    );
    alarms.sort(([a], [b]) => (a < b ? -1 : 1));
    const { deadline, isLimited } = node.lease;
    const right = isLimited ? Math.max(OLDEST, deadline) : null;
    const { flights } = stepped.leased!;
    const leased: Leasing = { alarms, right, contacts, flights };
    const outcome = super.conclude(node, { ...stepped, leased }, oldEpoch, event, thrown);
    return { ...outcome, error: outcome.error ?? lateAct(outcome) };
  }
}

/** A process without a right to act grants no lock, and no caller of it believes that it holds one. */
function lateAct({ local, grants }: Outcome): StepError | undefined {
  const { right } = local.leased!;
  if (right === null || right > PRESENT) return undefined;
  const member = memberName(local.id);
  if (grants.length > 0) {
    const why = `${nameOf(local, grants[0]!.caller)} enters, and ${member} may no longer act`;
    return { property: 'late-entry', why };
  }
  const caller = local.callers.findIndex(({ stage }) => stage === 'held');
  if (caller === -1) return undefined;
  const why = `${member} may no longer act, and ${nameOf(local, caller)} is not told`;
  return { property: 'lost-told', why };
}
