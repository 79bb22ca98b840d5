/** Messages as bytes: what was written is read, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../src/algorithms/catalogue.ts';
import { type AnyMessage, decode, type Shape } from '../../src/core/message.ts';
import { text } from '../../src/core/text.ts';
import * as wires from '../../src/core/wire.ts';
import { int, listOf, Malformed, Reader, type Wire, Writer, wireOf } from '../../src/core/wire.ts';

const bytesOf = <T>(wire: Wire<T>, value: T): Uint8Array => {
  const writer = new Writer();
  wire.write(writer, value);
  return writer.take();
};

const noise = Uint8Array.of(7, 7, 7, 7);
/** Reads what lies between other bytes, as messages do. */
const readAll = <T>(wire: Wire<T>, bytes: Uint8Array): T => {
  const all = Buffer.concat([noise, bytes, noise]);
  return wires.readAll(wire, new Reader(all, noise.length, noise.length + bytes.length));
};

/** Any value of a declared shape. */
function anyOf(shape: Shape, n: number): fc.Arbitrary<unknown> {
  if (shape === 'int') return fc.maxSafeInteger();
  if (shape === 'bool') return fc.boolean();
  if (shape === 'node') return fc.nat(n - 1);
  if (shape === 'mode') return fc.constantFrom('exclusive', 'shared');
  if ('list' in shape) return fc.array(anyOf(shape.list, n), { maxLength: 6 });
  if ('perSite' in shape) {
    return fc.array(anyOf(shape.perSite, n), { minLength: n, maxLength: n });
  }
  if ('optional' in shape) return fc.option(anyOf(shape.optional, n));
  return fieldsOf(shape.fields, n);
}

const fieldsOf = (fields: { readonly [name: string]: Shape }, n: number) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([f, s]) => [f, anyOf(s, n)])), {
    noNullPrototype: true,
  });

describe('scalars on the wire', () => {
  test('any safe integer takes as few bytes as it needs', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (i) => readAll(int, bytesOf(int, i)) === i));
    expect([0, 63, -63, 64, 8191, 8192].map((i) => bytesOf(int, i).length)).toEqual([
      1, 1, 1, 2, 2, 3,
    ]);
    expect(Object.is(readAll(int, bytesOf(int, 0)), 0)).toBe(true);
  });

  test('an integer beyond 2^53 is refused', () => {
    const tooLong = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
    expect(() => readAll(int, tooLong)).toThrow(Malformed);
  });

  test('any string round-trips: NUL, lone surrogates, the longest', () => {
    const strings = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
    fc.assert(fc.property(strings, (s) => readAll(text, bytesOf(text, s)) === s));
    for (const s of [
      '',
      '\0',
      '\ud800',
      '\udfff\ud800',
      '\uffff',
      'é'.repeat(10_000),
      '漢'.repeat(9999),
    ]) {
      expect(readAll(text, bytesOf(text, s))).toBe(s);
    }
  });

  test('texts are read whole, and refused if they are truncated', () => {
    const letters = fc.constantFrom('a', 'b', 'é', '漢');
    const strings = fc.array(letters, { maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(strings, fc.nat(90)), { minLength: 2 }), (all) => {
        for (const [s, cut] of all) {
          const bytes = bytesOf(text, s);
          expect(readAll(text, bytes)).toBe(s);
          const short = bytes.subarray(0, Math.min(cut, bytes.length - 1));
          expect(() => readAll(text, short)).toThrow(Malformed);
        }
      }),
    );
  });

  test('texts survive the reuse of the buffer that they came in', () => {
    // As one that Node reads into, again and again.
    const buffer = Buffer.alloc(64);
    for (let i = 0; i < 2000; i++) {
      const name = `new/${1000 + (i % 1500)}`;
      const bytes = bytesOf(text, name);
      buffer.set(bytes);
      expect(wires.readAll(text, new Reader(buffer, 0, bytes.length))).toBe(name);
    }
  });

  test('a list longer than the remaining bytes is refused before memory is allocated', () => {
    const claimed = new Writer();
    int.write(claimed, 2 ** 40);
    expect(() => readAll(listOf(int), claimed.take())).toThrow(/do not fit/);
  });
});

describe('the messages of every algorithm round-trip', () => {
  test.each(catalogue.map((algorithm) => [algorithm.id, algorithm] as const))(
    '%s',
    (_, { messages }) => {
      const n = 5;
      const wire = wireOf(messages, n);
      const anyMessage = fc.oneof(
        ...Object.entries(messages as { [type: string]: { [field: string]: Shape } }).map(
          ([type, fields]) => fieldsOf(fields, n).map((values) => ({ type, ...values })),
        ),
      );
      fc.assert(
        fc.property(anyMessage, (message) => {
          expect(readAll(wire, bytesOf(wire, message as AnyMessage))).toEqual(message);
        }),
      );
      // Whatever bytes come: either they are refused, or what is read conforms to the declaration.
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
          let read: AnyMessage;
          try {
            read = readAll(wire, bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(Malformed);
            return;
          }
          expect(decode(messages, n, read)).toBeDefined();
        }),
        { numRuns: 1000 },
      );
    },
  );
});
