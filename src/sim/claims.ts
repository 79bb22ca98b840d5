import type { AnyAlgorithm, AnyWorld, Cost } from '../core/algorithm.ts';
import type { Settings } from './settings.ts';
import type { Result } from './simulate.ts';

/** Sums of whole numbers, divided once: only the last bit can be off. */
const SLACK = 1e-9;

/**
 * Compares a run with what the algorithm claims of its messages per entry. Returns one sentence for each
 * claim that the run missed, and none for a run with faults, since papers claim nothing then.
 *
 * - `messages` is held to in every run, start and end included;
 * - `light` in `solo` runs;
 * - `heavy` in `saturated` runs of at least three rounds: on the whole rounds between the first and the
 *   last (`result.steady`). It may miss the claim by one round's share, because the end of a round
 *   depends on the schedule. It says nothing of runs in which some sites read.
 */
export function claimsMissed(
  algorithm: AnyAlgorithm,
  world: AnyWorld,
  settings: Settings,
  result: Result,
): string[] {
  const { entries, messagesPerEntry, steady, violations } = result;
  const hadFaults = settings.faults !== undefined && settings.faults.trim() !== '[]';
  const isCutOff = settings.until !== undefined;
  if (hadFaults || isCutOff || violations.length > 0 || entries === 0) return [];
  const { messages, light, heavy } = algorithm.claims;
  const missed: string[] = [];
  const hold = (cost: Cost<never, never>, measured: number, share: number, when: string): void => {
    const { least, most } = cost.bounds(world as never);
    const slack = SLACK + (Number.isFinite(most) ? most * share : 0);
    if (least - slack <= measured && measured <= most + slack) return;
    const claimed = least === most ? `${least}` : `${least} to ${most}`;
    missed.push(
      `${algorithm.id} claims ${cost.formula} messages per entry${when}, here ${claimed}; the run took ${measured}`,
    );
  };
  hold(messages, messagesPerEntry, 0, '');
  if (light !== undefined && settings.workload === 'solo') {
    hold(light, messagesPerEntry, 0, ' when one site asks at a time');
  }
  const isHeavy = settings.workload === 'saturated' && (settings.readers ?? 0) === 0;
  if (heavy !== undefined && isHeavy && steady !== null) {
    hold(heavy, steady.messagesPerEntry, world.n / steady.entries, ' when all ask all the time');
  }
  return missed;
}
