import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches } from '../../src/daemon/pattern.ts';

test('a pattern without a star matches one name, and a star matches any letters', () => {
  expect(matches('build', 'build')).toBe(true);
  expect(matches('build', 'build/x')).toBe(false);
  expect(matches('*', '')).toBe(true);
  expect(matches('build/*', 'build/x')).toBe(true);
  expect(matches('a*a', 'a')).toBe(false);
  expect(matches('a*b*c', 'a-b-b-c')).toBe(true);
  expect(matches('*b*', 'abc')).toBe(true);
  expect(matches('*.txt', 'x.txt\n')).toBe(false);
});

test('a pattern matches as the regular expression of the same meaning does', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  fc.assert(
    fc.property(letters, name, (pattern, text) => {
      const regExp = new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`);
      expect(matches(pattern, text)).toBe(regExp.test(text));
    }),
    { numRuns: 5000 },
  );
});

test('matching takes linear time', () => {
  const before = performance.now();
  expect(matches('*-*-*-*-*-*-*-nightly', '-'.repeat(100_000))).toBe(false);
  expect(performance.now() - before).toBeLessThan(500);
});
