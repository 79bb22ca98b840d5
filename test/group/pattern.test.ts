import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pattern } from '../../src/group/pattern.ts';

/** The same by a regular expression, which is slow for some patterns. */
const byRegExp = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.split('*').map(RegExpEscape).join('[^]*')}$`).test(name);
const RegExpEscape = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

describe('patterns', () => {
  test('match as a regular expression would', () => {
    const letters = (from: string[]) => fc.array(fc.constantFrom(...from), { maxLength: 8 });
    fc.assert(
      fc.property(letters(['a', 'b', '*', '.']), letters(['a', 'b', '.']), (p, n) => {
        const [pattern, name] = [p.join(''), n.join('')];
        expect(new Pattern(pattern).matches(name)).toBe(byRegExp(pattern, name));
      }),
      { numRuns: 5000 },
    );
  });

  test('take no longer for many stars', () => {
    expect(new Pattern('*-*-*-nightly').matches('-'.repeat(60_000))).toBe(false);
    expect(new Pattern('*-'.repeat(500)).matches(`${'-'.repeat(60_000)}x`)).toBe(false);
  });
});
