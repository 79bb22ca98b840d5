import { find } from '../algorithms/catalogue.ts';
import { fingerprintOf, wireOf } from '../core/wire.ts';
import { DEFAULT_RULES, type Rules } from '../group/lock-algorithm.ts';
import { controlWire } from '../group/messages.ts';

/** Bounds that depend on the number of members are compared for this one; the members are compared by name. */
const MEMBERS = 3;

/**
 * A fingerprint of the declarations of all messages that a member with these rules exchanges. Members with different
 * fingerprints would misread each other, so they refuse each other (docs/upgrades.md).
 */
export function declarationsOf(rules: Rules): string {
  const all = [rules, DEFAULT_RULES].flatMap(({ locks, semaphores }) => [...locks, ...semaphores]);
  const ids = [...new Set(all.map(({ algorithm }) => algorithm))].sort();
  return fingerprintOf(controlWire, ...ids.map((id) => wireOf(find(id).messages, MEMBERS)));
}
