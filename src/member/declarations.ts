import { find } from '../algorithms/catalogue.ts';
import { fingerprintOf, wireOf } from '../core/wire.ts';
import { clockWire, headerWire } from '../group/codec.ts';
import type { Engine } from '../group/engine.ts';
import { DEFAULT_RULES, type Rules } from '../group/lock-algorithm.ts';
import { controlWire } from '../group/messages.ts';

/** Bounds that depend on the number of members are compared for this one; the members are compared by name. */
const MEMBERS = 3;

/**
 * A fingerprint of the declarations of all messages that a member with these rules exchanges. Members with different
 * fingerprints would misread each other, so they refuse each other (docs/upgrades.md).
 */
export function declarationsOf(rules: Rules, engine: Pick<Engine, 'wire'>): string {
  const all = [rules, DEFAULT_RULES].flatMap(({ locks, semaphores }) => [...locks, ...semaphores]);
  const ids = [...new Set(all.map(({ algorithm }) => algorithm))].sort();
  const algorithms = ids.map((id) => wireOf(find(id).messages, MEMBERS));
  return fingerprintOf(clockWire, headerWire, controlWire, engine.wire, ...algorithms);
}
