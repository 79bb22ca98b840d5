/**
 * The engine `leased` under the group as it is deployed: real members, locks and callers in simulated time, over a store
 * in memory. `leased.test.ts` has more faults, bent clocks among them, and a small model in place of the locks.
 *
 * More of them: `SEEDS=20000 npx vitest run test/engines/leased-group.test.ts --testTimeout=0`
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import { leased } from '../../src/engines/leased.ts';
import type { RequestSpec } from '../../src/group/backend.ts';
import { engineSuite } from '../support/engine-suite.ts';
import { GroupWorld, Judge } from '../support/group-world.ts';
import { MemoryStore } from '../support/register-memory.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 150);
const LEASE = 500;
const FAULTS_END = 10 * LEASE;
const make = () => leased({ group: 'g', leaseMs: LEASE, address: 'here' });
const store = () => new MemoryStore();

engineSuite('leased', { make, store, settleMs: 10_000 }, 60);

/** Everything that happens follows from the seed. */
function tell(seed: number): { world: GroupWorld; judge: Judge } {
  const draw = new Random(seed, 'leased group');
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
    world.later(LEASE + draw.below(FAULTS_END - LEASE), () => {
      const id = pick();
      if (world.isUp(id)) judge.visit(id, spec, stay, patience);
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

function faultsOf({ world, judge }: ReturnType<typeof tell>): string[] {
  const faults = [...judge.faults];
  const views = new Set(world.ids.map((id) => JSON.stringify(world.at(id)?.view)));
  if (views.size !== 1) faults.push(`views differ: ${[...views]}`);
  if (judge.waiting().length > 0) faults.push(`${judge.waiting()} wait for ever`);
  return faults;
}

describe('locks of a group on a store', () => {
  test(`${SEEDS} seeds: no two holders at a time, fences that grow, and no caller is forgotten`, () => {
    let served = 0;
    let lost = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const story = tell(seed);
      served += story.judge.served;
      lost += story.judge.lost;
      expect(faultsOf(story), `seed ${seed}`).toEqual([]);
    }
    // Not vacuous: most callers are served, and some lose what they hold.
    expect(served / SEEDS).toBeGreaterThan(20);
    expect(lost).toBeGreaterThan(SEEDS / 4);
  });
});
