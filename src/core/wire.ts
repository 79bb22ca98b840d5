/**
 * Messages as bytes. A `Wire` writes values of one type and reads them back. The value that it reads is of that type, or
 * it throws `Malformed`: the codec validates what the network delivers.
 *
 * A wire describes itself by its `declaration`. Members compare the fingerprints of their declarations when they
 * connect, because the bytes carry neither names nor types (docs/upgrades.md).
 *
 * Integers take as few bytes as they need: seven bits in each, and six with a sign in the first.
 */
import type { Mode } from './algorithm.ts';
import { assert } from './assert.ts';
import type { AnyMessage, Messages, Shape } from './message.ts';

/** The bytes of a peer are not as declared. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/** What the bytes of a wire mean: types, order and bounds, as plain data. */
export type Declaration =
  | 'int'
  | 'text'
  | readonly ['below', number]
  | readonly ['either', string, string]
  | readonly ['list' | 'optional', Declaration]
  | readonly ['exactly', number, Declaration]
  | readonly ['record', FieldDeclarations]
  | readonly ['oneOf', readonly (readonly [type: string, FieldDeclarations])[]];
export type FieldDeclarations = readonly (readonly [name: string, Declaration])[];

export interface Wire<T> {
  readonly declaration: Declaration;
  write(to: Writer, value: T): void;
  read(from: Reader): T;
}
type Of<W> = W extends Wire<infer T> ? T : never;

/** All wires are made here, so they have one shape. V8 finds the functions of one shape without a search, once for each field. */
export function makeWire<T>(
  declaration: Declaration,
  write: Wire<T>['write'],
  read: Wire<T>['read'],
): Wire<T> {
  return { declaration, write, read };
}

/** Up to this length a loop is faster than `set`. */
const SHORT = 128;

/** Copies the first `length` bytes to position `at`. */
export function copyBytes(from: Uint8Array, length: number, to: Uint8Array, at: number): void {
  if (length > SHORT) to.set(from.subarray(0, length), at);
  else for (let i = 0; i < length; i++) to[at + i] = from[i]!;
}

/** A growing buffer, reused for many messages. */
export class Writer {
  bytes = new Uint8Array(256);
  length = 0;

  byte(value: number): void {
    if (this.length === this.bytes.length) this.#grow(1);
    this.bytes[this.length++] = value;
  }

  /** Returns a copy of the written bytes, and empties the writer. */
  take(): Uint8Array {
    const taken = this.bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  append(bytes: Uint8Array): void {
    if (this.length + bytes.length > this.bytes.length) this.#grow(bytes.length);
    copyBytes(bytes, bytes.length, this.bytes, this.length);
    this.length += bytes.length;
  }

  #grow(by: number): void {
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + by));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Reads `bytes[at]` to `bytes[end - 1]` without a view, which would cost more than the read. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  byte(): number {
    if (this.at >= this.end) throw new Malformed('it ends too early');
    return this.bytes[this.at++]!;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** The next `length` bytes, as a view. */
  take(length: number): Uint8Array {
    if (length > this.left) throw new Malformed('it ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** All remaining bytes, as a view. */
  rest(): Uint8Array {
    return this.take(this.left);
  }
}

/** Nearly all integers of messages are so small that they are one byte. */
const isSmall = (value: number): boolean => (value & 0x3f) === value;

export const int = makeWire<number>(
  'int',
  (to, value) => {
    if (isSmall(value)) {
      to.byte(value);
      return;
    }
    assert(Number.isSafeInteger(value), 'an int is a safe integer');
    const sign = value < 0 ? 0x40 : 0;
    let rest = Math.abs(value);
    if (rest < 0x40) {
      to.byte(sign | rest);
      return;
    }
    to.byte(0x80 | sign | (rest & 0x3f));
    for (rest = Math.floor(rest / 0x40); rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      to.byte(0x80 | (rest & 0x7f));
    }
    to.byte(rest);
  },
  (from) => {
    const byte = from.byte();
    return isSmall(byte) ? byte : restOfInt(from, byte);
  },
);

/** A function of its own: the short way then has no floating-point numbers. */
function restOfInt(from: Reader, first: number): number {
  let byte = first;
  const isNegative = (byte & 0x40) !== 0;
  let value = byte & 0x3f;
  for (let scale = 0x40; byte >= 0x80; scale *= 0x80) {
    byte = from.byte();
    value += (byte & 0x7f) * scale;
    if (value > Number.MAX_SAFE_INTEGER) throw new Malformed('an integer is too large');
  }
  return isNegative ? -value : value;
}

/** Up to here V8 keeps an integer without a heap object, and a list of such integers needs no conversion. */
const MOST_SMALL = 2 ** 30;

/** A whole number from 0 to below − 1. */
export function below(limit: number): Wire<number> {
  const read = (from: Reader): number => {
    const value = int.read(from);
    if (value < 0 || value >= limit) throw new Malformed(`${value} is not from 0 to ${limit - 1}`);
    return value;
  };
  // `| 0` changes no value, and tells V8 that it is a small integer.
  const readSmall = (from: Reader): number => read(from) | 0;
  return makeWire(['below', limit], int.write, limit <= MOST_SMALL ? readSmall : read);
}
export const natural = below(Number.MAX_SAFE_INTEGER);

export const bool: Wire<boolean> = oneOfTwo(false, true);
export const mode: Wire<Mode> = oneOfTwo<Mode>('exclusive', 'shared');

function oneOfTwo<T>(zero: T, one: T): Wire<T> {
  return makeWire(
    ['either', String(zero), String(one)],
    (to, value) => to.byte(value === one ? 1 : 0),
    (from) => {
      const byte = from.byte();
      if (byte > 1) throw new Malformed(`${byte} is neither 0 nor 1`);
      return byte === 1 ? one : zero;
    },
  );
}

export const listOf = <T>(of: Wire<T>): Wire<readonly T[]> =>
  makeWire(
    ['list', of.declaration],
    (to, values) => {
      int.write(to, values.length);
      for (let i = 0; i < values.length; i++) of.write(to, values[i]!);
    },
    (from) => {
      const length = natural.read(from);
      // Each value takes at least one byte, so a huge length is refused before any memory is allocated.
      if (length > from.left) throw new Malformed(`${length} values do not fit into what is left`);
      return several(length | 0, of, from);
    },
  );

/** A plain loop, because it runs for every message. `push` would make room for seventeen values. */
function several<T>(length: number, of: Wire<T>, from: Reader): T[] {
  const values = new Array<T>(length);
  for (let i = 0; i < length; i++) values[i] = of.read(from);
  return values;
}

const optionalOf = <T>(of: Wire<T>): Wire<T | null> =>
  makeWire(
    ['optional', of.declaration],
    (to, value) => {
      to.byte(value === null ? 0 : 1);
      if (value !== null) of.write(to, value);
    },
    (from) => (bool.read(from) ? of.read(from) : null),
  );

// biome-ignore lint/suspicious/noExplicitAny: each field has a type of its own.
type Fields = { readonly [name: string]: Wire<any> };
type Filled<F extends Fields> = { readonly [N in keyof F]: Of<F[N]> };

export function recordOf<F extends Fields>(fields: F): Wire<Filled<F>> {
  const parts = new Parts(fields);
  return makeWire(
    ['record', parts.declaration],
    (to, value) => parts.write(to, value),
    (from) => {
      const value = {};
      parts.read(from, value);
      return value as Filled<F>;
    },
  );
}

/** The fields of a record in order. Plain loops, because they run for every message. */
class Parts {
  readonly #names: readonly string[];
  readonly #wires: readonly Fields[string][];

  constructor(fields: Fields) {
    this.#names = Object.keys(fields);
    this.#wires = Object.values(fields);
  }

  get declaration(): FieldDeclarations {
    return this.#names.map((name, i) => [name, this.#wires[i]!.declaration]);
  }

  write(to: Writer, value: { readonly [name: string]: unknown }): void {
    for (let i = 0; i < this.#names.length; i++) {
      this.#wires[i]!.write(to, value[this.#names[i]!]);
    }
  }

  read(from: Reader, into: Record<string, unknown>): void {
    for (let i = 0; i < this.#names.length; i++) {
      into[this.#names[i]!] = this.#wires[i]!.read(from);
    }
  }
}

/** One of several kinds with different fields. The `type` is written as its position among the kinds. */
export function oneOf<K extends { readonly [type: string]: Fields }>(
  kinds: K,
): Wire<{ [T in keyof K]: { readonly type: T } & Filled<K[T]> }[keyof K]> {
  const types = Object.keys(kinds);
  const codes = new Map(types.map((type, code) => [type, code]));
  const parts = types.map((type) => new Parts(kinds[type]!));
  return makeWire(
    ['oneOf', types.map((type, code) => [type, parts[code]!.declaration])],
    (to, value) => {
      const code = codes.get(value.type as string)!;
      to.byte(code);
      parts[code]!.write(to, value);
    },
    (from) => {
      const code = from.byte();
      if (code >= types.length) throw new Malformed(`there is no message ${code}`);
      const value = { type: types[code] };
      parts[code]!.read(from, value);
      return value as never;
    },
  );
}

/** The wire of the messages that an algorithm declares, for n sites. */
export function wireOf(messages: Messages, n: number): Wire<AnyMessage> {
  const kinds = Object.entries(messages).map(([type, fields]) => [type, fieldsOf(fields, n)]);
  return oneOf(Object.fromEntries(kinds) as { [type: string]: Fields }) as Wire<AnyMessage>;
}

const fieldsOf = (shapes: { readonly [field: string]: Shape }, n: number): Fields =>
  Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, shapeOf(shape, n)]));

function shapeOf(shape: Shape, n: number): Wire<unknown> {
  const wire = (): Wire<never> => {
    switch (shape) {
      case 'int':
        return int as Wire<never>;
      case 'bool':
        return bool as Wire<never>;
      case 'node':
        return below(n) as Wire<never>;
      case 'mode':
        return mode as Wire<never>;
    }
    if ('list' in shape) return listOf(shapeOf(shape.list, n)) as Wire<never>;
    if ('perSite' in shape) return exactly(n, shapeOf(shape.perSite, n)) as Wire<never>;
    if ('optional' in shape) return optionalOf(shapeOf(shape.optional, n)) as Wire<never>;
    return recordOf(fieldsOf(shape.fields, n)) as Wire<never>;
  };
  return wire() as Wire<unknown>;
}

const exactly = <T>(n: number, of: Wire<T>): Wire<readonly T[]> =>
  makeWire(
    ['exactly', n, of.declaration],
    (to, values) => {
      assert(values.length === n, 'there is one value for each site');
      for (let i = 0; i < n; i++) of.write(to, values[i]!);
    },
    (from) => several(n, of, from),
  );

/** Reads one value that takes up all remaining bytes. */
export function readAll<T>(wire: Wire<T>, from: Reader): T {
  const value = wire.read(from);
  if (from.left > 0) throw new Malformed(`${from.left} bytes are left over`);
  return value;
}

/**
 * A fingerprint of declarations: the same for the same types, order, names and bounds, on every machine. It guards
 * against accidents, not against attackers: FNV-1a with 64 bits.
 */
export function fingerprintOf(...wires: readonly { readonly declaration: Declaration }[]): string {
  const text = JSON.stringify(wires.map(({ declaration }) => declaration));
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}
