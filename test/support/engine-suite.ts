/** What every engine is held to: the contract in src/group/engine.ts, under seeded faults. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import type { Engine, Seat } from '../../src/group/engine.ts';
import type { View } from '../../src/group/view.ts';
import { GroupWorld } from './group-world.ts';

interface Told {
  readonly at: string;
  readonly incarnation: number;
  readonly view: View;
}

/** Writes down what an engine tells its member. */
class Witness implements Engine {
  readonly #engine: Engine;
  readonly #told: Told[];

  constructor(engine: Engine, told: Told[]) {
    this.#engine = engine;
    this.#told = told;
  }

  get name(): string {
    return this.#engine.name;
  }

  start(seat: Seat): void {
    const { id, incarnation } = seat.self;
    const announce = seat.view.bind(seat);
    seat.view = (view: View) => {
      this.#told.push({ at: id, incarnation, view });
      announce(view);
    };
    this.#engine.start(seat);
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
  leave: Engine['leave'] = () => this.#engine.leave();
  status: Engine['status'] = () => this.#engine.status();
  save: Engine['save'] = () => this.#engine.save();
  load: Engine['load'] = (state) => this.#engine.load(state);
  waitsFor: Engine['waitsFor'] = () => this.#engine.waitsFor();
}

function run(seed: number, makeEngine: () => Engine): { world: GroupWorld; told: Told[] } {
  const draw = new Random(seed, 'engine suite');
  const told: Told[] = [];
  const world = new GroupWorld({
    seed,
    members: 1 + draw.below(5),
    engine: () => new Witness(makeEngine(), told),
  });
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
  world.run(30_000);
  return { world, told };
}

export function engineSuite(name: string, makeEngine: () => Engine, seeds = 500): void {
  describe(`the engine ${name} keeps the contract`, () => {
    const runs = Array.from({ length: seeds }, (_, seed) => ({ seed, ...run(seed, makeEngine) }));

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
          expect(view.members, `seed ${seed}`).toContainEqual({ id: at, incarnation });
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
