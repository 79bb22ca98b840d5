import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text } from '../../src/core/text.ts';
import { TextCache } from '../../src/core/text-cache.ts';
import { Malformed, Reader, Writer } from '../../src/core/wire.ts';

function bytesOf(value: string): Uint8Array {
  const writer = new Writer();
  text.write(writer, value);
  return writer.take();
}

test('a cache reads every text as it was written, again and again', () => {
  const cache = new TextCache();
  const some = fc.oneof(
    fc.constantFrom('', 'a', 'b', 'ab', 'ba', 'order/1', 'order/2'),
    fc.string({ unit: 'binary', maxLength: 100 }),
  );
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 50 }), (values) => {
      for (const value of values) {
        const reader = new Reader(Uint8Array.from([...bytesOf(value), 7]));
        expect(cache.read(reader)).toBe(value);
        expect(reader.left).toBe(1);
      }
    }),
  );
});

test('texts that fall into the same place replace each other and stay right', () => {
  const cache = new TextCache();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5000; i++) {
      expect(cache.read(new Reader(bytesOf(`name/${i}`)))).toBe(`name/${i}`);
    }
  }
});

test('a text that ends too early is malformed, also if its beginning is known', () => {
  const cache = new TextCache();
  expect(cache.read(new Reader(bytesOf('abc')))).toBe('abc');
  const cut = bytesOf('abc').subarray(0, 3);
  expect(() => cache.read(new Reader(cut))).toThrow(Malformed);
});
