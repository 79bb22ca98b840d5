import type { Mode, NodeId } from './algorithm.ts';

/**
 * The shape of one field of a message: a scalar, or a list, a per-site array, a record or an
 * optional of shapes. This is enough for every paper in the catalogue (tokens with queues, tables
 * of lists).
 */
export type Shape = Scalar | List | PerSite | Optional | Fields;
type Scalar = 'int' | 'bool' | 'node' | 'mode';
export interface List<S extends Shape = Shape> {
  readonly list: S;
}
export interface PerSite<S extends Shape = Shape> {
  readonly perSite: S;
}
export interface Optional<S extends Shape = Shape> {
  readonly optional: S;
}
export interface Fields {
  readonly fields: { readonly [name: string]: Shape };
}

/** Any number of these, in order. */
export const list = <const S extends Shape>(of: S): List<S> => ({ list: of });
/** One of these for each site: exactly n. */
export const perSite = <const S extends Shape>(of: S): PerSite<S> => ({ perSite: of });
/** One of these, or null. */
export const optional = <const S extends Shape>(of: S): Optional<S> => ({ optional: of });
/** Several named values. */
export const record = <const F extends Fields['fields']>(fields: F) => ({ fields });

/**
 * An algorithm's messages, declared once, as data. The declaration gives the types of sends and
 * handlers, the validation of messages from the network, byte sizes, labels and documentation.
 */
export type Messages = { readonly [type: string]: { readonly [field: string]: Shape } };

// Read-only throughout, so that a receiver copies what it keeps. In the simulator, unlike on a
// network, sender and receiver would otherwise share one array. (`0 extends 1 & S` is true of `any`
// alone, whose values would otherwise have no end.)
export type Value<S extends Shape> = 0 extends 1 & S
  ? unknown
  : S extends 'int'
    ? number
    : S extends 'bool'
      ? boolean
      : S extends 'node'
        ? NodeId
        : S extends 'mode'
          ? Mode
          : S extends List<infer E>
            ? readonly Value<E>[]
            : S extends PerSite<infer E>
              ? readonly Value<E>[]
              : S extends Optional<infer E>
                ? Value<E> | null
                : S extends { readonly fields: infer F extends Fields['fields'] }
                  ? { readonly [N in keyof F]: Value<F[N]> }
                  : never;

export type Payload<M extends Messages, K extends keyof M> = 0 extends 1 & M
  ? // biome-ignore lint/suspicious/noExplicitAny: of an algorithm of any type, whatever it carries.
    any
  : { readonly [F in keyof M[K]]: Value<M[K][F]> };

/** The union of all declared messages, discriminated by `type`. */
export type MessageOf<M extends Messages> = string extends keyof M
  ? AnyMessage
  : { [K in keyof M]: { readonly type: K } & Payload<M, K> }[keyof M];

/** A message of an algorithm whose declaration is not known statically. */
export interface AnyMessage {
  readonly type: string;
}

/**
 * Checks a decoded JSON value against the declaration. Bytes from a peer are validated by `wire.ts`
 * instead.
 */
export function decode<M extends Messages>(
  messages: M,
  n: number,
  value: unknown,
): MessageOf<M> | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
  const { type, ...fields } = value as Record<string, unknown>;
  // hasOwn, not `in`: a message may be called "constructor".
  if (typeof type !== 'string' || !Object.hasOwn(messages, type)) return undefined;
  if (!conforms({ fields: messages[type]! }, fields, n)) return undefined;
  return value as MessageOf<M>;
}

function conforms(shape: Shape, value: unknown, n: number): boolean {
  switch (shape) {
    case 'int':
      return Number.isSafeInteger(value);
    case 'bool':
      return typeof value === 'boolean';
    case 'node':
      return Number.isSafeInteger(value) && 0 <= (value as number) && (value as number) < n;
    case 'mode':
      return value === 'exclusive' || value === 'shared';
  }
  if ('list' in shape)
    return Array.isArray(value) && value.every((v) => conforms(shape.list, v, n));
  if ('perSite' in shape) {
    const fits = (v: unknown) => conforms(shape.perSite, v, n);
    return Array.isArray(value) && value.length === n && value.every(fits);
  }
  if ('optional' in shape) return value === null || conforms(shape.optional, value, n);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(shape.fields);
  return (
    Object.keys(value).length === names.length &&
    names.every(
      (f) =>
        Object.hasOwn(value, f) &&
        conforms(shape.fields[f]!, (value as Record<string, unknown>)[f], n),
    )
  );
}

/**
 * How many bytes each message takes. Its type takes one byte, an integer four, a boolean one, and the
 * length of a list two. A site takes two bytes, or four if there are more than 65,536. The measure
 * compares algorithms, and is the same on every wire.
 */
export function sizes(messages: Messages, n: number): (message: AnyMessage) => number {
  const node = n > 65_536 ? 4 : 2;
  const fixed = (shape: Shape): number | undefined => {
    if (shape === 'int') return 4;
    if (shape === 'bool' || shape === 'mode') return 1;
    if (shape === 'node') return node;
    if ('list' in shape || 'optional' in shape) return undefined;
    if ('perSite' in shape) {
      const one = fixed(shape.perSite);
      return one === undefined ? undefined : n * one;
    }
    const all = Object.values(shape.fields).map(fixed);
    return all.includes(undefined) ? undefined : all.reduce((sum: number, b) => sum + b!, 0);
  };
  const measure = (shape: Shape, value: unknown): number => {
    const known = fixed(shape);
    if (known !== undefined || typeof shape === 'string') return known!;
    if ('list' in shape) return 2 + total(shape.list, value as unknown[]);
    if ('perSite' in shape) return total(shape.perSite, value as unknown[]);
    if ('optional' in shape) return 1 + (value === null ? 0 : measure(shape.optional, value));
    let sum = 0;
    for (const f in shape.fields) {
      sum += measure(shape.fields[f]!, (value as Record<string, unknown>)[f]);
    }
    return sum;
  };
  const total = (shape: Shape, values: readonly unknown[]): number => {
    const one = fixed(shape);
    if (one !== undefined) return values.length * one;
    return values.reduce((sum: number, v) => sum + measure(shape, v), 0);
  };
  // Most messages have a fixed size, which is computed once.
  const constant = new Map<string, number>();
  for (const type in messages) {
    const size = fixed({ fields: messages[type]! });
    if (size !== undefined) constant.set(type, 1 + size);
  }
  return (message) =>
    constant.get(message.type) ?? 1 + measure({ fields: messages[message.type]! }, message);
}
