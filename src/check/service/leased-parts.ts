/**
 * The parts of a state of the service with the engine `leased`: processes and registers, interned, so that each is one
 * integer of a state. What an event does to them is computed once.
 */
import { PairTable } from '../tables.ts';
import { Channels } from './channels.ts';
import { type Facts, factsOf } from './facts.ts';
import { Interned } from './interned.ts';
import {
  type EngineSnapshot,
  type LeasedOutcome,
  LeasedProcesses,
  type LeasedSettings,
} from './leased-processes.ts';
import { dueAlarms, mayAct } from './leasing.ts';
import { Names, type NamesInUse, renamingOf } from './names.ts';
import { type Local, memberName, type ServiceEvent, timersOf } from './processes.ts';
import type { Register } from './register.ts';
import { requestsOf } from './requests.ts';

interface PartsSettings extends LeasedSettings {
  readonly hows: readonly ('exclusive' | 'shared' | 'try' | 'steal')[];
}

export interface KnownOutcome extends LeasedOutcome {
  readonly localId: number;
  readonly registerId: number;
  /** What each step sends, with its messages interned. */
  readonly sendIds: readonly (readonly { readonly to: number; readonly message: number }[])[];
}

/** What the properties read of a process, besides its facts: the tenure in which it may act. */
export interface LeasedFacts extends Facts {
  readonly tenure: string | null;
  readonly isDone: boolean;
}

const tenureOf = ({ incarnation, tenure }: { incarnation: number; tenure: number }): string =>
  `${incarnation}/${tenure}`;

export class LeasedParts {
  readonly #settings: PartsSettings;
  readonly processes: LeasedProcesses;
  readonly #snapshot: EngineSnapshot;
  readonly #names: Names;
  readonly #locals = new Interned<Local>();
  readonly #registers = new Interned<Register>();
  readonly channels = new Channels();
  readonly #events = new Interned<ServiceEvent>();
  // Computed once for each process, register or pair of them.
  readonly #facts: LeasedFacts[] = [];
  readonly #namesOfLocal: NamesInUse[] = [];
  readonly #namesOfRegister: NamesInUse[] = [];
  readonly #tenures: (readonly (string | null)[])[] = [];
  readonly #possible: (readonly number[] | undefined)[] = [];
  readonly #later: number[] = [];
  readonly #renamed = new Map<string, number>();
  readonly #bothOf = new PairTable(); // (process, register)
  readonly #outcomeOf = new PairTable(); // (both, event)
  readonly #outcomes: KnownOutcome[] = [];
  #pairs = 0;

  constructor(settings: PartsSettings, snapshot: EngineSnapshot) {
    this.#settings = settings;
    this.#snapshot = snapshot;
    this.processes = new LeasedProcesses(settings, snapshot);
    this.#names = new Names(snapshot);
  }

  local(id: number): Local {
    return this.#locals.at(id);
  }

  event(id: number): ServiceEvent {
    return this.#events.at(id);
  }

  readonly eventId = (event: ServiceEvent): number => this.#events.idOf(event);

  facts(id: number): LeasedFacts {
    return this.#facts[id]!;
  }

  /** The tenure in which each member is in the view that a register has; null if it is not. */
  tenures(register: number): readonly (string | null)[] {
    return this.#tenures[register]!;
  }

  readonly afterTick = (id: number): number => {
    this.#later[id] ??= this.localId(this.processes.afterTick(this.local(id)));
    return this.#later[id];
  };

  readonly afterStop = (id: number): number =>
    this.localId(this.processes.afterStop(this.local(id)));

  /** What an event does to a process and to the register, computed once. */
  outcome(local: number, register: number, event: number): KnownOutcome {
    let both = this.#bothOf.get(local, register);
    if (both === -1) {
      both = this.#pairs++;
      this.#bothOf.add(local, register, both);
    }
    const known = this.#outcomeOf.get(both, event);
    if (known !== -1) return this.#outcomes[known]!;
    const ran = this.processes.runAll(
      this.local(local),
      this.#registers.at(register),
      this.event(event),
    );
    const outcome = {
      ...ran,
      localId: this.localId(ran.local),
      registerId: this.registerId(ran.register),
      sendIds: ran.steps.map(({ sends }) =>
        sends.map(({ to, message }) => ({ to, message: this.channels.messages.idOf(message) })),
      ),
    };
    this.#outcomeOf.add(both, event, this.#outcomes.length);
    this.#outcomes.push(outcome);
    return outcome;
  }

  /** Replaces the names of writes by small ones: see names.ts. */
  rename(into: Int32Array, members: number, registerAt: number): void {
    const register = into[registerAt]!;
    const parts = [this.#namesOfRegister[register]!];
    for (let i = 0; i < members; i++) parts.push(this.#namesOfLocal[into[i]!]!);
    const { renaming, text } = renamingOf(parts);
    if (text === '') return;
    for (let i = 0; i < members; i++) {
      into[i] = this.#renamedAs(`${into[i]} ${text}`, () =>
        this.localId(this.#names.renamedLocal(this.local(into[i]!), renaming)),
      );
    }
    into[registerAt] = this.#renamedAs(`register ${register} ${text}`, () =>
      this.registerId(this.#names.renamedRegister(this.#registers.at(register), renaming)),
    );
  }

  #renamedAs(key: string, rename: () => number): number {
    const known = this.#renamed.get(key);
    if (known !== undefined) return known;
    const id = rename();
    this.#renamed.set(key, id);
    return id;
  }

  arrival(from: number, message: number): number {
    const what = this.channels.messages.at(message);
    return this.eventId(
      what.type === 'session'
        ? { kind: 'session', from, incarnation: what.incarnation }
        : { kind: 'deliver', from, message: what },
    );
  }

  /** The events of callers, timers and calls in flight, which do not depend on what has arrived. */
  eventsOf(id: number): readonly number[] {
    const known = this.#possible[id];
    if (known !== undefined) return known;
    const local = this.local(id);
    // Tries are explored with the engine `fixed`.
    const hows = this.#settings.hows.filter((how) => how !== 'try');
    const events: ServiceEvent[] = [];
    for (const [flight, { call, isPending }] of local.leased!.flights.entries()) {
      if (isPending) events.push({ kind: 'effect', flight });
      if (call !== 0) events.push({ kind: 'outcome', flight });
    }
    if (local.phase === 'down') events.push({ kind: 'restart' });
    else if (local.phase === 'up') {
      for (const [caller, { stage, left }] of local.callers.entries()) {
        if (stage === 'waiting') events.push({ kind: 'cancel', caller });
        else if (stage === 'held') events.push({ kind: 'release', caller });
        else if (left > 0)
          events.push(...requestsOf({ hows, permits: 0 }, this.processes.canShare, caller));
      }
      for (const timer of timersOf(local)) events.push({ kind: 'timer', timer });
      for (const name of dueAlarms(local)) events.push({ kind: 'timer', timer: `engine ${name}` });
    }
    const ids = events.map((event) => this.eventId(event));
    this.#possible[id] = ids;
    return ids;
  }

  localId(local: Local): number {
    const id = this.#locals.idOf(local);
    if (id === this.#facts.length) {
      this.#facts.push(leasedFactsOf(local));
      this.#namesOfLocal.push(this.#names.inLocal(local));
    }
    return id;
  }

  registerId(register: Register): number {
    const id = this.#registers.idOf(register);
    if (id === this.#tenures.length) {
      const { members } = this.#snapshot.viewIn(register);
      const tenure = (i: number) => members.find((member) => member.id === memberName(i));
      this.#tenures.push(
        Array.from({ length: this.#settings.members }, (_, i) => {
          const found = tenure(i);
          return found === undefined ? null : tenureOf(found);
        }),
      );
      this.#namesOfRegister.push(this.#names.inRegister(register));
    }
    return id;
  }
}

/** A holder counts until its own deadline, or until it is told that it lost the lock. */
function leasedFactsOf(local: Local): LeasedFacts {
  const facts = factsOf(local);
  const isDone = timersOf(local).length + dueAlarms(local).length === 0;
  if (!mayAct(local)) return { ...facts, writers: 0, readers: 0, tenure: null, isDone };
  const { members } = local.node!.view as unknown as {
    members: { id: string; incarnation: number; tenure: number }[];
  };
  const self = members.find(({ id }) => id === memberName(local.id))!;
  return { ...facts, tenure: tenureOf(self), isDone };
}
