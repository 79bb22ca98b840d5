/** A short text that is the same for two members if and only if their configurations agree. */
import { createHash } from 'node:crypto';
import { DEFAULT_RULES, type Rule, type Rules } from '../group/lock-algorithm.ts';

export interface Agreed {
  readonly members: readonly string[];
  readonly rules: Rules;
  readonly engine: string;
  /** The lease of an engine that has one; its members are not configured, so `members` is empty. */
  readonly leaseMs?: number | undefined;
}

/** The order of keys, options and names, and what a default adds, make no difference. */
export function digestOf({ members, rules, engine, leaseMs }: Agreed): string {
  const canonical = {
    members: [...members].sort(),
    locks: effective(rules.locks, DEFAULT_RULES.locks),
    semaphores: effective(rules.semaphores, DEFAULT_RULES.semaphores),
    engine,
    leaseMs,
  };
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 16);
}

/** The rules that can ever apply: the defaults follow, and nothing after a rule for all names counts. */
function effective(rules: readonly Rule[], defaults: readonly Rule[]): readonly unknown[] {
  const all = [...rules, ...defaults];
  const last = all.findIndex(({ match }) => /^\*+$/.test(match));
  return all
    .slice(0, last < 0 ? all.length : last + 1)
    .map(({ match, algorithm, options = [], topology = '' }) => [
      match,
      algorithm,
      [...new Set(options)].sort(),
      topology,
    ]);
}
