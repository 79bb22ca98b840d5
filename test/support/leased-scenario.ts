/** A run of the simulated world of `leased`, drawn from one seed: faults for a while, then none. */
import { Random } from '../../src/core/random.ts';
import { LEASE, LeasedWorld, type Parts } from './leased-world.ts';

const FAULTS_UNTIL = 5 * LEASE;
/**
 * Once no new faults begin, all processes that live are in one view within this time: pauses and cuts last up to 2.5 W
 * longer, a process may restart after up to 3.6 W, and to replace its predecessor takes W and a few round trips.
 */
const RECOVERY = 8 * LEASE;

export interface Outcome {
  readonly world: LeasedWorld;
  readonly violations: readonly string[];
  /** Why the processes did not come together; null if they did. */
  readonly disagreement: string | null;
}

export function runScenario(seed: number, parts: Parts): Outcome {
  const draw = new Random(seed, 'scenario');
  const world = new LeasedWorld(seed, parts);
  const ids = ['a', 'b', 'c'].slice(0, [2, 3, 3][draw.below(3)]);
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
  const count = 1 + draw.below(8);
  for (let i = 0; i < count; i++) {
    const from = draw.below(3) === 0 ? 0 : LEASE;
    world.later(from + draw.below(FAULTS_UNTIL - from), () => fail(world, draw));
  }
  world.run(FAULTS_UNTIL);
  world.heal();
  world.run(FAULTS_UNTIL + LEASE / 4);
  const end = FAULTS_UNTIL + RECOVERY;
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
  const restart = (inMs: number) => world.later(inMs, () => start(one.id));
  const faults: readonly (() => void)[] = [
    ...Array(3).fill(() => world.pause(one, ms)),
    () => world.sleep(one, ms),
    () => world.cut(from, to, ms),
    () => {
      world.cut(from, to, ms);
      world.cut(to, from, ms);
    },
    () => world.cut(one.id, 'store', ms),
    () => world.cut('store', one.id, ms),
    () => {
      world.crash(one);
      if (draw.below(4) > 0) restart(ms);
    },
    () => {
      world.leave(one);
      if (draw.below(2) > 0) restart(1.1 * LEASE + ms);
    },
    () => world.lag(one, ms),
    () => world.freezeStore(ms),
    () => world.killStore(ms),
    () => world.rollBack(1 + draw.below(60)),
  ];
  faults[draw.below(faults.length)]!();
}
