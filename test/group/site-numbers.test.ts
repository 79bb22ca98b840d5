/**
 * V8 tells small integers from other numbers, and converts lists in which both occur: for each message, if the number of a
 * site is no small integer.
 */
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { below, int, listOf, Reader, Writer } from '../../src/core/wire.ts';
import { hash, rotationOf, siteOf } from '../../src/group/sites.ts';

setFlagsFromString('--allow-natives-syntax');
const areSmallIntegers = new Function('list', 'return %HasSmiElements(list)') as (
  list: readonly number[],
) => boolean;

/** Beyond 2^31, where V8 has no small integers. */
const name = Array.from({ length: 100 }, (_, i) => `lock ${i}`).find((it) => hash(it) >= 2 ** 31)!;

test('V8 tells them apart: the remainder of a large number is none', () => {
  expect(areSmallIntegers([3])).toBe(true);
  expect(areSmallIntegers([hash(name) % 5])).toBe(false);
});

test('the numbers of sites are small integers, whatever the name of the lock', () => {
  const rotation = rotationOf(name, 5);
  expect(rotation).toBe(hash(name) % 5);
  expect(areSmallIntegers([0, 1, 2, 3, 4].map((member) => siteOf(member, rotation, 5)))).toBe(true);
});

test('a list of sites is read as a list of small integers, also after lists of large ones', () => {
  const read = <T>(of: Parameters<typeof listOf<T>>[0], values: readonly T[]) => {
    const writer = new Writer();
    listOf(of).write(writer, values);
    return listOf(of).read(new Reader(writer.take()));
  };
  expect(read(int, [2 ** 40, -(2 ** 50)])).toEqual([2 ** 40, -(2 ** 50)]);
  const sites = read(below(1000), [4, 0, 63, 64, 999]);
  expect(sites).toEqual([4, 0, 63, 64, 999]);
  expect(areSmallIntegers([...sites])).toBe(true);
});
