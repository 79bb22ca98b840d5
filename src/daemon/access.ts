/** Access rules: what a client of another machine may do, by the name in its certificate. */
import { Pattern } from '../group/pattern.ts';

export interface AccessRule {
  /** The name in the certificate of the client, or a pattern with `*`. */
  readonly client: string;
  /** Names or patterns of the locks and semaphores that it may ask for. */
  readonly locks: readonly string[];
  /** Whether it may steal a lock from its holder. */
  readonly steal: boolean;
  /** Whether it may see members, holders and waiting requests. */
  readonly status: boolean;
}

/** What one client may do. */
export interface Access {
  mayLock(name: string): boolean;
  readonly maySteal: boolean;
  readonly maySeeStatus: boolean;
}

export const FULL_ACCESS: Access = { mayLock: () => true, maySteal: true, maySeeStatus: true };

/** The first rule that matches counts; undefined if rules are given and none matches. */
export function accessOf(
  rules: readonly AccessRule[] | undefined,
  client: string,
): Access | undefined {
  if (rules === undefined) return FULL_ACCESS;
  const rule = rules.find((each) => new Pattern(each.client).matches(client));
  if (rule === undefined) return undefined;
  const patterns = rule.locks.map((pattern) => new Pattern(pattern));
  return {
    mayLock: (name) => patterns.some((pattern) => pattern.matches(name)),
    maySteal: rule.steal,
    maySeeStatus: rule.status,
  };
}
