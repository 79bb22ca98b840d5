import type { NodeId } from './algorithm.ts';
import type { Shape } from './message.ts';

/** The new name of each site: `renaming[i]` is the new name of i. */
export type Renaming = readonly NodeId[];

/**
 * The same value in a world whose sites have other names: every field declared as a site is
 * renamed.
 */
function renamed(shape: Shape, value: unknown, renaming: Renaming): unknown {
  if (shape === 'node') return renaming[value as NodeId];
  if (typeof shape === 'string') return value;
  if ('optional' in shape) return value === null ? null : renamed(shape.optional, value, renaming);
  if ('list' in shape) return (value as unknown[]).map((v) => renamed(shape.list, v, renaming));
  if ('perSite' in shape) {
    const moved: unknown[] = [];
    for (const [i, v] of (value as unknown[]).entries()) {
      moved[renaming[i]!] = renamed(shape.perSite, v, renaming);
    }
    return moved;
  }
  return renamedFields(shape.fields, value as Record<string, unknown>, renaming);
}

/** The same for a record; fields that are not declared name no site. */
export function renamedFields<R extends object>(
  fields: { readonly [name: string]: Shape },
  value: R,
  renaming: Renaming,
): R {
  const copy: Record<string, unknown> = {};
  for (const [name, v] of Object.entries(value)) {
    copy[name] = name in fields ? renamed(fields[name]!, v, renaming) : v;
  }
  return copy as R;
}
