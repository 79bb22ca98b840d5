/** Checks of a request before its lock receives it. */
import { cannotShare, nameTooLong, otherSize } from './errors.ts';
import { LONGEST_NAME } from './limits.ts';
import type { GroupNode } from './node.ts';
import type { Request } from './request.ts';

/** Why the request cannot be served at all; null if it can. */
export function impossibilityOf(node: GroupNode, { name, permits, mode }: Request): Error | null {
  if (name.length > LONGEST_NAME) return nameTooLong(name);
  const known = permits > 0 ? node.sizes.of(name) : undefined;
  if (known !== undefined && known !== permits) return otherSize(name, permits, known);
  if (mode === 'exclusive') return null;
  const { canShare, title } = node.algorithmOf(name, permits);
  return canShare ? null : cannotShare(name, title);
}

/**
 * Whether the request must be refused while a member is congested. A lock cannot be deferred if other members must hear
 * of it first: of the size of a semaphore, or of a lock whose algorithm starts at every site.
 */
export function mustBeRefused(node: GroupNode, { name, permits }: Request): boolean {
  if (node.admission.isOpen) return false;
  if (permits > 0 && node.sizes.of(name) === undefined) return true;
  return !node.locks.knows(name, permits) && node.algorithmOf(name, permits).machine.hasStart;
}
