/** A run of the simulated world of `leased`, drawn from one seed: faults for a while, then none. */
import { Random } from '../../src/core/random.ts';
import { LEASE, LeasedWorld, type Parts } from './leased-world.ts';

const FAULTS_UNTIL = 7 * LEASE;
/** Once nothing fails, all processes that live are in one view within this time. */
export const RECOVERY = 5 * LEASE;

export interface Outcome {
  readonly world: LeasedWorld;
  readonly violations: readonly string[];
  /** Why the processes did not come together; null if they did. */
  readonly disagreement: string | null;
}

export function runScenario(seed: number, parts: Parts): Outcome {
  const draw = new Random(seed, 'scenario');
  const world = new LeasedWorld(seed, parts);
  const ids = ['a', 'b', 'c', 'd'].slice(0, 2 + draw.below(3));
  for (const id of ids) world.later(draw.below(300), () => world.start(id));
  // Two processes that nobody knew join later.
  for (const id of ['x', 'y']) {
    if (draw.below(3) === 0) world.later(draw.below(FAULTS_UNTIL), () => world.start(id));
  }
  if (draw.below(2) === 0) {
    const rate = () => (draw.below(2) === 0 ? 0 : 0.3 * draw.uniform());
    const faults = { late: rate(), lost: rate(), stale: rate(), lostHint: rate() };
    world.later(draw.below(2 * LEASE), () => {
      world.faults = faults;
      world.note(`the store fails: ${JSON.stringify(faults)}`);
    });
  }
  const count = 1 + draw.below(10);
  for (let i = 0; i < count; i++) {
    const from = draw.below(3) === 0 ? 0 : LEASE;
    world.later(from + draw.below(FAULTS_UNTIL - from), () => fail(world, draw));
  }
  world.run(FAULTS_UNTIL);
  world.heal();
  world.run(FAULTS_UNTIL + 2 * LEASE);
  const end = world.now + RECOVERY;
  while (world.now < end && world.disagreement() !== null) world.run(world.now + LEASE / 10);
  return { world, violations: world.violations, disagreement: world.disagreement() };
}

/** One fault of those that machines, networks and stores have. */
function fail(world: LeasedWorld, draw: Random): void {
  const live = world.alive().filter(({ hasLeft }) => !hasLeft);
  const one = live[draw.below(Math.max(1, live.length))];
  const other = live[draw.below(Math.max(1, live.length))];
  if (one === undefined || other === undefined) return;
  const ms = draw.uniform() * (draw.below(3) === 0 ? 0.5 : 2.5) * LEASE;
  const [from, to] = draw.below(2) === 0 ? [one.id, other.id] : [other.id, one.id];
  const start = (id: string) => {
    if (!world.alive().some((process) => process.id === id)) world.start(id);
  };
  switch (draw.below(12)) {
    case 0:
    case 1:
    case 2:
      return world.pause(one, ms);
    case 3:
      return world.sleep(one, ms);
    case 4:
      return one === other ? undefined : world.cut(from, to, ms);
    case 5:
      if (one === other) return;
      world.cut(from, to, ms);
      return world.cut(to, from, ms);
    case 6:
      return world.cut(one.id, 'store', ms);
    case 7:
      return world.cut('store', one.id, ms);
    case 8:
      world.crash(one);
      if (draw.below(4) > 0) world.later(ms, () => start(one.id));
      return;
    case 9:
      world.leave(one);
      if (draw.below(2) > 0) world.later(1.1 * LEASE + ms, () => start(one.id));
      return;
    case 10:
      return world.freezeStore(ms);
    default:
      // Rolling back is rare, and worth a closer look where it happens.
      if (draw.below(2) === 0) world.rollBack(1 + draw.below(60));
      else world.cut(one.id, 'store', ms);
  }
}
