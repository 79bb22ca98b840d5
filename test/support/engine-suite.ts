/** What every engine is held to: the contract in src/group/engine.ts, under seeded faults. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import type { Engine, EngineEnvironment } from '../../src/group/engine.ts';
import type { Member, View } from '../../src/group/view.ts';
import { GroupWorld } from './group-world.ts';
import type { MemoryStore } from './register-memory.ts';

interface Told {
  readonly at: string;
  readonly incarnation: number;
  readonly view: View;
}

/** A view has begun at a member. */
interface Begun {
  readonly at: string;
  readonly epoch: number;
  /** Processes that may act at this moment though they are not in the view. */
  readonly leftOut: readonly string[];
}

/** Writes down what an engine tells its member. */
class Witness implements Engine {
  readonly #engine: Engine;
  readonly #told: Told[];
  self!: Member;
  /** The last that it was told; null after the word that it is no member. */
  view: View | null = null;
  /** Whether a view has begun at it since: then it may have holders. */
  hasBegun = false;

  constructor(engine: Engine, told: Told[]) {
    this.#engine = engine;
    this.#told = told;
  }

  get name(): string {
    return this.#engine.name;
  }

  start(environment: EngineEnvironment): void {
    this.self = environment.self;
    const announce = environment.view.bind(environment);
    environment.view = (view: View) => {
      this.view = view;
      const { id, incarnation } = this.self;
      this.#told.push({ at: id, incarnation, view });
      announce(view);
    };
    for (const end of ['suspended', 'stopped'] as const) {
      const tell = environment[end].bind(environment);
      environment[end] = (reason: Error) => {
        this.#end();
        tell(reason);
      };
    }
    this.#engine.start(environment);
  }

  get wire(): Engine['wire'] {
    return this.#engine.wire;
  }
  sessionBegan: Engine['sessionBegan'] = (peer) => this.#engine.sessionBegan(peer);
  received: Engine['received'] = (from, message) => this.#engine.received(from, message);
  timerFired: Engine['timerFired'] = (timer) => this.#engine.timerFired(timer);
  answered: Engine['answered'] = (call, answer) => this.#engine.answered(call, answer);
  hinted: Engine['hinted'] = () => this.#engine.hinted();
  deadlinePassed: Engine['deadlinePassed'] = () => this.#engine.deadlinePassed();
  evicted: Engine['evicted'] = (by) => this.#engine.evicted(by);
  leave: Engine['leave'] = () => {
    this.#end();
    this.#engine.leave();
  };
  status: Engine['status'] = () => this.#engine.status();
  save: Engine['save'] = () => this.#engine.save();
  load: Engine['load'] = (state) => this.#engine.load(state);
  waitsFor: Engine['waitsFor'] = () => this.#engine.waitsFor();

  #end(): void {
    this.view = null;
    this.hasBegun = false;
  }
}

export interface EngineUnderTest {
  readonly make: () => Engine;
  /** Makes the store that lists the members; an engine of configured members has none. */
  readonly store?: () => MemoryStore;
  /** Faults end after 3,000 ms; at this time all must be well. Default 30,000. */
  readonly recoverMs?: number;
}

interface Run {
  readonly world: GroupWorld;
  readonly told: readonly Told[];
  readonly begun: readonly Begun[];
}

function run(seed: number, { make, store, recoverMs = 30_000 }: EngineUnderTest): Run {
  const draw = new Random(seed, 'engine suite');
  const told: Told[] = [];
  const begun: Begun[] = [];
  const witnesses: Witness[] = [];
  const isPresent = ({ self }: Witness) => world.incarnationOf(self.id) === self.incarnation;
  const world = new GroupWorld({
    seed,
    members: 1 + draw.below(5),
    engine: () => {
      const witness = new Witness(make(), told);
      witnesses.push(witness);
      return witness;
    },
    ...(store && { store: store() }),
    onEvent: (id, event) => {
      if (event !== 'begun') return;
      const one = witnesses.find((witness) => witness.self.id === id && isPresent(witness))!;
      one.hasBegun = true;
      begun.push({ at: id, epoch: one.view!.epoch, leftOut: leftOutOf(one.view!) });
    },
  });
  const leftOutOf = ({ epoch, members }: View) => {
    const isIn = ({ id, incarnation }: Member) =>
      members.some((member) => member.id === id && member.incarnation === incarnation);
    const may = (one: Witness) => one.hasBegun && one.view!.epoch < epoch && isPresent(one);
    const all = witnesses.filter((one) => may(one) && !isIn(one.self));
    return all.map(({ self }) => self.id).filter((id) => world.mayAct(id));
  };
  const pick = () => world.ids[draw.below(world.ids.length)]!;
  const start = (id: string) => {
    if (!world.isUp(id)) world.start(id);
  };
  for (const id of world.ids) world.later(draw.below(100), () => start(id));
  for (let i = 0; i < 8; i++) {
    const kind = draw.below(4);
    const ms = 1 + draw.below(300);
    world.later(draw.below(2000), () => {
      const [id, other] = [pick(), pick()];
      if (!world.isUp(id)) return;
      if (kind === 0) world.pause(id, ms);
      else if (kind === 1 && id !== other) world.cut(id, other, ms);
      else {
        if (kind === 2) world.leave(id);
        else world.crash(id);
        world.later(ms + 2, () => start(id));
      }
    });
  }
  world.run(3000);
  for (const id of world.ids) start(id);
  world.run(recoverMs);
  return { world, told, begun };
}

export function engineSuite(name: string, engine: EngineUnderTest, seeds = 500): void {
  describe(`the engine ${name} keeps the contract`, () => {
    const runs = Array.from({ length: seeds }, (_, seed) => ({ seed, ...run(seed, engine) }));

    test('epochs only grow at a member', () => {
      for (const { seed, told } of runs) {
        const last = new Map<string, number>();
        for (const { at, view } of told) {
          expect(view.epoch, `seed ${seed} at ${at}`).toBeGreaterThan(last.get(at) ?? 0);
          last.set(at, view.epoch);
        }
      }
    });

    test('a view is told to its members alone, in their present life', () => {
      for (const { seed, told } of runs) {
        for (const { at, incarnation, view } of told) {
          const me = expect.objectContaining({ id: at, incarnation });
          expect(view.members, `seed ${seed}`).toContainEqual(me);
        }
      }
    });

    test('one epoch, one view', () => {
      for (const { seed, told } of runs) {
        const views = new Map<number, View>();
        for (const { view } of told) {
          expect(view, `seed ${seed}`).toEqual(views.get(view.epoch) ?? view);
          views.set(view.epoch, view);
        }
      }
    });

    test('when a view begins at a member, no process may act that it leaves out', () => {
      for (const { seed, begun } of runs) {
        for (const { at, epoch, leftOut } of begun) {
          expect(leftOut, `seed ${seed}: ${epoch} begins at ${at}`).toEqual([]);
        }
      }
      expect(runs.flatMap(({ begun }) => begun).length).toBeGreaterThan(seeds);
    });

    test('when nothing fails any more, all are in one view', () => {
      for (const { seed, world } of runs) {
        const views = world.ids.map((id) => world.at(id)!.view);
        expect(
          views[0]!.members.map(({ id }) => id),
          `seed ${seed}`,
        ).toEqual(world.ids);
        for (const view of views) expect(view, `seed ${seed}`).toEqual(views[0]);
      }
    });
  });
}
