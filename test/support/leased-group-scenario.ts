/** A run of the deployed group on the engine `leased`, drawn from one seed: faults for a while, then none. */
import { Random } from '../../src/core/random.ts';
import { leased } from '../../src/engines/leased.ts';
import type { RequestSpec } from '../../src/group/backend.ts';
import { GroupWorld, Judge } from './group-world.ts';
import { MemoryStore } from './register-memory.ts';

const LEASE = 500;
const FAULTS_END = 10 * LEASE;
export const make = () => leased({ group: 'g', leaseMs: LEASE, address: 'here' });
export const store = () => new MemoryStore();

export interface GroupRun {
  readonly world: GroupWorld;
  readonly judge: Judge;
}

/** Everything that happens follows from the seed. */
export function runGroup(seed: number): GroupRun {
  const draw = new Random(seed, 'leased group');
  const starts = new Random(seed, 'starts of callbacks');
  const algorithms = ['directory-token', 'lending-token', 'naimi-trehel', 'ricart-agrawala'];
  const rules = { locks: [{ match: '*', algorithm: algorithms[seed % algorithms.length]! }] };
  const members = 2 + draw.below(3);
  const world = new GroupWorld({ seed, members, rules, engine: make, store: store() });
  const judge = new Judge(world);
  const pick = () => world.ids[draw.below(world.ids.length)]!;
  const start = (id: string) => {
    if (!world.isUp(id)) world.start(id);
  };
  for (const id of world.ids) world.later(draw.below(200), () => start(id));
  for (let i = 0; i < 60; i++) {
    const how = (['wait', 'wait', 'wait', 'try'] as const)[draw.below(4)]!;
    const spec: RequestSpec = { name: 'xy'[draw.below(2)]!, permits: 0, mode: 'exclusive', how };
    const stay = draw.below(3) === 0 ? 0 : draw.below(2 * LEASE);
    const patience = draw.below(4) === 0 ? draw.below(LEASE) : Infinity;
    // A process that has much to do starts a callback late.
    const startMs = starts.below(starts.below(3) === 0 ? LEASE : 20);
    world.later(LEASE + draw.below(FAULTS_END - LEASE), () => {
      const id = pick();
      if (world.isUp(id)) judge.visit(id, spec, stay, patience, startMs);
    });
  }
  for (let i = 0; i < 6; i++) {
    const kind = draw.below(4);
    const ms = 1 + draw.below(2.5 * LEASE);
    world.later(LEASE + draw.below(FAULTS_END - LEASE), () => {
      const [id, other] = [pick(), pick()];
      if (!world.isUp(id)) return;
      if (kind < 2 || id === other) world.pause(id, ms);
      else if (kind === 2) world.cut(id, other, ms);
      else {
        judge.died(id);
        if (draw.below(2) === 0) world.leave(id);
        else world.crash(id);
        world.later(ms + 2, () => start(id));
      }
    });
  }
  world.run(FAULTS_END);
  for (const id of world.ids) start(id);
  world.run(FAULTS_END + 20 * LEASE);
  return { world, judge };
}

/** What a run has broken. */
export function faultsOf({ world, judge }: GroupRun): string[] {
  const faults = [...judge.faults, ...world.ends];
  const views = new Set(world.ids.map((id) => JSON.stringify(world.at(id)?.view)));
  if (views.size !== 1) faults.push(`views differ: ${[...views]}`);
  if (judge.waiting().length > 0) faults.push(`${judge.waiting()} wait for ever`);
  return faults;
}
