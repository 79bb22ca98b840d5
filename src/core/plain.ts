/**
 * Plain data: values that survive a JSON round trip unchanged. States and messages are plain data. Their fields have the
 * names that an algorithm declares, and none is called `__proto__`.
 */
export type Plain =
  | null
  | boolean
  | number
  | string
  | readonly Plain[]
  | { [field: string]: Plain };

/** An array with one entry per site, as papers declare them. */
export function each(n: number, value: boolean): boolean[];
export function each(n: number, value: number): number[];
export function each<T>(n: number, value: T): T[] {
  return Array<T>(n).fill(value);
}

/** Ten times faster than structuredClone, which supports more than plain data. */
export function clone<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clone) as T;
  const copy = {} as T;
  for (const field in value) copy[field] = clone(value[field]);
  return copy;
}

/** Whether two values are equal at every depth. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a as Fields, b as Fields];
  for (const field in one) if (!equal(one[field], other[field])) return false;
  for (const field in other) if (!(field in one)) return false;
  return true;
}

type Fields = { readonly [field: string]: unknown };

/** Makes plain data read-only at every depth, so that code that writes to a sent message fails. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const field in value) freeze(value[field]);
  return Object.freeze(value);
}

/** Equal states have equal keys, because fields keep the order that `init` gave them. */
export const key = (value: unknown): string => JSON.stringify(value);
